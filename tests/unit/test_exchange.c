/* The exchange of ranks without MPI: the ranks are threads of this process, and messages are copied. The gradients of a
   slice are added in the tree of shard_sums.h, rows of tables without numbers are not sent, and every rank receives the
   weights of all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "core/rng.h"
#include "train/exchange.h"

enum { MOST_RANKS = 8 };

/* ---- ranks as threads: the functions of ranks.h ----------------------------------------------------------------- */

typedef struct Meeting {
    int count;
    pthread_barrier_t barrier;
    const RankMessage *out[MOST_RANKS];
    size_t cut; /* bytes that every message loses on its way */
} Meeting;

struct Ranks {
    Meeting *meeting;
    int own;
    double sent;
};

int ranks_own(const Ranks *ranks) { return ranks->own; }
int ranks_count(const Ranks *ranks) { return ranks->meeting->count; }

int ranks_exchange(Ranks *ranks, const RankMessage *out, RankMessage *in, bool patient, Err *err) {
    (void)patient, (void)err;
    Meeting *meeting = ranks->meeting;
    meeting->out[ranks->own] = out;
    pthread_barrier_wait(&meeting->barrier);
    for (int r = 0; r < meeting->count; r++) {
        if (r == ranks->own) continue;
        const RankMessage *message = &meeting->out[r][ranks->own];
        CHECK(message->bytes <= in[r].bytes, "a message of %zu bytes, where %zu fit", message->bytes, in[r].bytes);
        if (message->bytes) memcpy(in[r].data, message->data, message->bytes);
        in[r].bytes = message->bytes - (message->bytes ? meeting->cut : 0);
        ranks->sent += (double)out[r].bytes;
    }
    pthread_barrier_wait(&meeting->barrier);
    return 0;
}

int ranks_gather(Ranks *ranks, const void *own, void *all, size_t bytes, bool patient, Err *err) {
    RankMessage out[MOST_RANKS] = {0}, in[MOST_RANKS] = {0};
    for (int r = 0; r < ranks->meeting->count; r++) {
        out[r] = (RankMessage){(void *)own, bytes};
        in[r] = (RankMessage){(char *)all + (size_t)r * bytes, bytes};
    }
    memcpy((char *)all + (size_t)ranks->own * bytes, own, bytes);
    return ranks_exchange(ranks, out, in, patient, err);
}

/* ---- a model of three parameters -------------------------------------------------------------------------------- */

/* A table larger than a slice of eight ranks, a matrix, and a table at the end of the array. 16 numbers of
   padding follow the matrix. */
enum { ROWS = 700, COLS = 60, INNER = 90 * 111, LATER = 300, SIZE = ROWS * COLS + INNER + 16 + LATER * COLS };
static const Segment segments[] = {{0, ROWS, COLS, SEGMENT_TABLE},
                                   {(size_t)ROWS * COLS, 90, 111, SEGMENT_MATRIX},
                                   {(size_t)ROWS * COLS + INNER + 16, LATER, COLS, SEGMENT_TABLE}};

typedef struct Peer {
    Ranks ranks;
    pthread_t thread;
    real gradient[SIZE], weights[SIZE], *collected;
    double sent_gradients, sent_weights, norm;
    size_t from, to;
    int status;
} Peer;

static bool in_table(size_t i) { return i < (size_t)ROWS * COLS || i >= segments[2].offset; }
static size_t row_of(size_t i) { return (i < (size_t)ROWS * COLS ? i : i - segments[2].offset) / COLS; }
static bool is_padding(size_t i) { return i >= (size_t)ROWS * COLS + INNER && i < segments[2].offset; }

/* Number i of the gradient of a rank. A rank has only every fifth row of a table, and every seventh row is in none. */
static real gradient_at(int rank, size_t i) {
    if (is_padding(i) || (in_table(i) && (row_of(i) % 7 == 0 || (row_of(i) + (size_t)rank) % 5))) return 0;
    Rng rng = rng_seed((uint64_t)rank + 1, i);
    return (real)rng_normal(&rng);
}

static real tree_at(int first, int ranks, size_t i) {
    return ranks == 1 ? gradient_at(first, i) : tree_at(first, ranks / 2, i) + tree_at(first + ranks / 2, ranks / 2, i);
}

static real old_weight(size_t i) { return is_padding(i) ? 0 : (real)i / 64; }
/* An update changes everything but the rows 3, 6, 9 .. of tables. */
static real new_weight(size_t i) {
    return old_weight(i) + (is_padding(i) || (in_table(i) && row_of(i) % 3 == 0) ? 0 : 1);
}

static void *run_peer(void *argument) {
    Peer *p = argument;
    Optimizer optimizer;
    Exchange exchange;
    Err err;
    Threads *threads = threads_new(2);
    optimizer_init(&optimizer, optimizer_kind("sgd"), segments, 3, SIZE);
    exchange_init(&exchange, &p->ranks, threads, &optimizer);
    p->from = optimizer.from;
    p->to = optimizer.to;
    for (size_t i = 0; i < SIZE; i++) {
        p->gradient[i] = gradient_at(p->ranks.own, i);
        p->weights[i] = old_weight(i);
    }
    p->status = exchange_gradients(&exchange, p->gradient, &err);
    p->sent_gradients = p->ranks.sent;
    optimizer_squares(&optimizer, threads, p->gradient);
    if (!p->status) p->status = exchange_squares(&exchange, &err);
    p->norm = optimizer_norm(&optimizer);
    exchange_remember(&exchange, p->weights);
    for (size_t i = p->from; i < p->to; i++) p->weights[i] = new_weight(i);
    p->sent_weights = -p->ranks.sent;
    if (!p->status) p->status = exchange_weights(&exchange, p->weights, &err);
    p->sent_weights += p->ranks.sent;
    p->collected = p->weights + p->from;
    if (!p->status) p->status = exchange_collect(&exchange, &p->collected, false, &err);
    exchange_free(&exchange);
    optimizer_free(&optimizer);
    threads_free(threads);
    return NULL;
}

static Peer *run_peers(int count, size_t cut) {
    Meeting meeting = {.count = count, .cut = cut};
    Peer *peers = mem_zalloc((size_t)count * sizeof *peers);
    pthread_barrier_init(&meeting.barrier, NULL, (unsigned)count);
    for (int r = 0; r < count; r++) {
        peers[r].ranks = (Ranks){&meeting, r, 0};
        assert_int_equal(pthread_create(&peers[r].thread, NULL, run_peer, &peers[r]), 0);
    }
    for (int r = 0; r < count; r++) pthread_join(peers[r].thread, NULL);
    pthread_barrier_destroy(&meeting.barrier);
    return peers;
}

static void peers_free(Peer *peers, int count) {
    for (int r = 0; r < count; r++)
        if (peers[r].collected != peers[r].weights + peers[r].from) mem_free(peers[r].collected);
    mem_free(peers);
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

/* The norm of the sum of the gradients, in one process. */
static double norm_of(int count) {
    Optimizer optimizer;
    Threads *threads = threads_new(1);
    real *sum = mem_alloc(SIZE * sizeof *sum);
    for (size_t i = 0; i < SIZE; i++) sum[i] = tree_at(0, count, i);
    optimizer_init(&optimizer, optimizer_kind("sgd"), segments, 3, SIZE);
    optimizer_squares(&optimizer, threads, sum);
    const double norm = optimizer_norm(&optimizer);
    optimizer_free(&optimizer);
    mem_free(sum);
    threads_free(threads);
    return norm;
}

static void check_peer(const Peer *p, int count, double norm) {
    for (size_t i = 0; i < SIZE; i++) {
        const bool own = i >= p->from && i < p->to;
        if (p->gradient[i] != (count == 1 || own ? tree_at(0, count, i) : 0))
            fail_msg("rank %d of %d: number %zu of the gradient is %a", p->ranks.own, count, i, (double)p->gradient[i]);
        if (p->weights[i] != new_weight(i)) fail_msg("rank %d of %d: weight %zu", p->ranks.own, count, i);
        /* Rank 0 has all slices; the array of another rank ends with its own slice, and has no other. */
        const bool all = p->ranks.own == 0;
        if ((all || i < p->to) && p->collected[i] != (all || own ? new_weight(i) : 0))
            fail_msg("rank %d of %d: number %zu of an array for rank 0", p->ranks.own, count, i);
    }
    assert_memory_equal(&p->norm, &norm, sizeof norm);
}

/* How many numbers of its gradient a rank sends: those of the other slices, without the rows that it does not have. */
static double numbers_sent(const Peer *peers, int rank) {
    double sent = 0;
    for (size_t i = 0; i < SIZE; i++)
        sent += !is_padding(i) && (i < peers[rank].from || i >= peers[rank].to) &&
                (!in_table(i) || (row_of(i) % 7 && (row_of(i) + (size_t)rank) % 5 == 0));
    return sent;
}

static void ranks_add_in_the_tree_and_share_the_weights(void **unused) {
    (void)unused;
    for (int count = 1; count <= MOST_RANKS; count *= 2) {
        Peer *peers = run_peers(count, 0);
        const double norm = norm_of(count);
        for (int r = 0; r < count; r++) {
            assert_int_equal(peers[r].status, 0);
            check_peer(&peers[r], count, norm);
        }
        assert_true(peers[0].from == 0 && peers[count - 1].to == SIZE);
        for (int r = 1; r < count; r++) assert_true(peers[r].from == peers[r - 1].to);
        peers_free(peers, count);
    }
}

static void empty_and_unchanged_rows_are_not_sent(void **unused) {
    (void)unused;
    enum {
        HEADS = 2 * (ROWS + LATER) / 8 + 8 * MOST_RANKS /* bytes of the bits of all rows, and of incomplete words */
    };
    for (int count = 2; count <= MOST_RANKS; count *= 2) {
        Peer *peers = run_peers(count, 0);
        for (int r = 0; r < count; r++) {
            const double gradients = numbers_sent(peers, r) * (double)sizeof(real), sent = peers[r].sent_gradients;
            if (sent < gradients || sent > gradients + HEADS)
                fail_msg("rank %d of %d sends %.0f bytes of gradients, not %.0f", r, count, sent, gradients);
            double weights = 0;
            for (size_t i = peers[r].from; i < peers[r].to; i++)
                weights += !is_padding(i) && (!in_table(i) || row_of(i) % 3);
            weights *= (count - 1) * (double)sizeof(real);
            if (peers[r].sent_weights < weights || peers[r].sent_weights > weights + count * HEADS)
                fail_msg("rank %d of %d sends %.0f bytes of weights, not %.0f", r, count, peers[r].sent_weights,
                         weights);
        }
        peers_free(peers, count);
    }
}

static void a_short_message_is_an_error(void **unused) {
    (void)unused;
    Peer *peers = run_peers(2, sizeof(real));
    assert_int_equal(peers[0].status, -1);
    assert_int_equal(peers[1].status, -1);
    peers_free(peers, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_add_in_the_tree_and_share_the_weights),
        cmocka_unit_test(empty_and_unchanged_rows_are_not_sent),
        cmocka_unit_test(a_short_message_is_an_error),
    };
    return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
