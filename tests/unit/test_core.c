/* Tests the base of core/: memory, the arena, random numbers, threads, and tapes that share a model. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/arena.h"
#include "core/base.h"
#include "core/exact.h"
#include "core/kernels.h"
#include "core/ops.h"
#include "core/weight.h"
#include "core/rng.h"
#include "core/threads.h"

/* ---- memory -------------------------------------------------------------------------------------------- */

static jmp_buf refused;
static size_t refused_bytes;

static void on_refusal(size_t bytes) {
    refused_bytes = bytes;
    longjmp(refused, 1);
}

/* Only the chosen allocation fails, whichever function allocates. */
static void the_nth_allocation_is_refused(void **unused) {
    (void)unused;
    static const size_t sizes[] = {42, 42, 42, 64, 4, 8};
    mem_on_failure(on_refusal);
    for (int way = 0; way < 6; way++) {
        refused_bytes = 0;
        mem_fail_nth(2);
        mem_free(mem_alloc(1));
        if (!setjmp(refused)) {
            switch (way) {
            case 0: mem_free(mem_alloc(42)); break;
            case 1: mem_free(mem_zalloc(42)); break;
            case 2: mem_free(mem_realloc(NULL, 42)); break;
            case 3: mem_free(mem_alloc_aligned(64)); break;
            case 4: mem_free(mem_strndup("refused", 3)); break;
            default: mem_free(mem_strdup("refused"));
            }
            fail_msg("way %d was not refused", way);
        }
        assert_int_equal(refused_bytes, sizes[way]);
        mem_free(mem_alloc(1));
    }
    mem_fail_nth(1);
    mem_fail_nth(0);
    mem_free(mem_alloc(1));
    mem_on_failure(NULL);
}

/* ---- arena --------------------------------------------------------------------------------------------- */

enum { LARGE = 9 << 20 /* more than a chunk */ };

/* Fills blocks of odd sizes, some larger than a chunk; checks that they are aligned and do not overlap. */
static void use_arena(Arena *arena, int blocks) {
    unsigned char *memory[64];
    size_t size[64];
    assert_true(blocks <= 64);
    for (int i = 0; i < blocks; i++) {
        size[i] = i % 20 == 19 ? LARGE : (size_t)(i * i * 97);
        memory[i] = arena_alloc(arena, size[i]);
        assert_int_equal((uintptr_t)memory[i] % 64, 0);
        memset(memory[i], i, size[i]);
    }
    for (int i = 0; i < blocks; i++)
        for (size_t k = 0; k < size[i]; k++)
            if (memory[i][k] != i) fail_msg("block %d was overwritten at %zu", i, k);
}

static void arena_blocks_are_aligned_and_disjoint(void **unused) {
    (void)unused;
    Arena arena = {0};
    use_arena(&arena, 64);
    unsigned char *zeros = arena_zalloc(&arena, 1000);
    for (int i = 0; i < 1000; i++) assert_int_equal(zeros[i], 0);
    arena_free(&arena);
    assert_int_equal(arena_capacity(&arena), 0);
}

static void arena_reset_leaves_one_chunk_that_fits(void **unused) {
    (void)unused;
    Arena arena = {0};
    use_arena(&arena, 64);
    arena_reset(&arena);
    const long before = mem_count();
    for (int round = 0; round < 3; round++) {
        use_arena(&arena, 64);
        arena_reset(&arena);
    }
    assert_int_equal(mem_count(), before);
    arena_free(&arena);
}

static void arena_rewinds_to_a_mark(void **unused) {
    (void)unused;
    Arena arena = {0};
    arena_rewind(&arena, arena_mark(&arena)); /* an empty arena */
    char *kept = memset(arena_alloc(&arena, 100), 'k', 100);
    const ArenaMark mark = arena_mark(&arena);
    char *first = arena_alloc(&arena, 100);
    use_arena(&arena, 20); /* across the boundary between chunks */
    long before = 0;
    for (int round = 0; round < 3; round++) {
        arena_rewind(&arena, mark);
        assert_ptr_equal(arena_alloc(&arena, 100), first);
        if (round) assert_int_equal(mem_count(), before);
        use_arena(&arena, 20);
        before = mem_count();
    }
    for (int i = 0; i < 100; i++) assert_int_equal(kept[i], 'k');
    arena_free(&arena);
}

/* ---- random numbers ------------------------------------------------------------------------------------ */

static void rng_is_splitmix64(void **unused) {
    (void)unused;
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                     4593380528125082431u, 16408922859458223821u};
    Rng rng = {1234567};
    for (int i = 0; i < 5; i++) assert_true(rng_next(&rng) == known[i]);
}

static void numbers_of_a_stream_have_positions(void **unused) {
    (void)unused;
    Rng rng = rng_seed(4, 5);
    const Rng first = rng;
    for (uint64_t i = 0; i < 100; i++) assert_true(rng_at(&first, i) == rng_next(&rng));
}

static void streams_differ(void **unused) {
    (void)unused;
    uint64_t first[8 * 8];
    for (uint64_t i = 0; i < 64; i++) {
        Rng rng = rng_seed(i / 8, i % 8);
        first[i] = rng_next(&rng);
        for (uint64_t k = 0; k < i; k++) assert_true(first[k] != first[i]);
    }
}

/* rng_below draws each of n numbers about equally often: within five standard deviations. */
static void below_is_uniform(void **unused) {
    (void)unused;
    enum { DRAWS = 70000 };
    static const uint32_t bounds[] = {1, 2, 7, 100};
    Rng rng = rng_seed(1, 1);
    for (int b = 0; b < 4; b++) {
        const double n = bounds[b], mean = DRAWS / n, deviation = sqrt(mean * (1 - 1 / n));
        int count[100] = {0};
        for (int i = 0; i < DRAWS; i++) {
            uint32_t x = rng_below(&rng, bounds[b]);
            assert_true(x < bounds[b]);
            count[x]++;
        }
        for (uint32_t x = 0; x < bounds[b]; x++) assert_true(fabs(count[x] - mean) <= 5 * deviation);
    }
    assert_true(rng_below(&rng, UINT32_MAX) < UINT32_MAX);
}

static void shuffle_is_a_permutation(void **unused) {
    (void)unused;
    enum { N = 1000 };
    Rng rng = rng_seed(2, 1);
    int items[N], seen[N] = {0}, at_home = 0;
    for (int i = 0; i < N; i++) items[i] = i;
    rng_shuffle(&rng, items, N);
    for (int i = 0; i < N; i++) {
        seen[items[i]]++;
        at_home += items[i] == i;
    }
    for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
    assert_true(at_home < 10); /* one is expected */
    rng_shuffle(&rng, items, 0);
    rng_shuffle(&rng, items, 1);
}

/* The first four moments of N(0, 1) are 0, 1, 0, 3, each within five of its standard deviations √(1, 2, 15, 96) / √N;
   the first two of U[0, 1) are ½ and ⅓. */
static void moments_are_right(void **unused) {
    (void)unused;
    enum { N = 400000 };
    Rng rng = rng_seed(3, 1);
    double normal[4] = {0}, uniform[2] = {0};
    for (int i = 0; i < N; i++) {
        double x = rng_normal(&rng), u = rng_uniform(&rng), power = 1;
        assert_true(u >= 0 && u < 1);
        for (int k = 0; k < 4; k++) normal[k] += power *= x;
        uniform[0] += u, uniform[1] += u * u;
    }
    const double right[] = {0, 1, 0, 3}, variance[] = {1, 2, 15, 96};
    for (int k = 0; k < 4; k++) assert_true(fabs(normal[k] / N - right[k]) < 5 * sqrt(variance[k] / N));
    assert_true(fabs(uniform[0] / N - 1.0 / 2) < 5 * sqrt(1.0 / 12 / N));
    assert_true(fabs(uniform[1] / N - 1.0 / 3) < 5 * sqrt(4.0 / 45 / N));
}

/* Differs from libm's log by at most 2⁻⁵¹: a relative error if the log is above 1, else absolute. Half of the arguments
   are close to 1. */
static void exact_log_is_the_logarithm(void **unused) {
    (void)unused;
    Rng rng = rng_seed(4, 1);
    for (int i = 0; i < 200000; i++) {
        const int exponent = i % 2 ? (int)rng_below(&rng, 2000) - 1000 : (int)rng_below(&rng, 3) - 2;
        const double x = ldexp(1 + rng_uniform(&rng), exponent), right = log(x);
        assert_true(fabs(exact_log(x) - right) <= 0x1p-51 * fmax(1, fabs(right)));
    }
    assert_true(exact_log(1) == 0);
}

static void exact_functions_agree_with_libm(void **unused) {
    (void)unused;
    Rng rng = rng_seed(5, 1);
    for (int i = 0; i < 100000; i++) {
        const double x = 1400 * rng_uniform(&rng) - 700, angle = (2 * rng_uniform(&rng) - 1) * (i % 2 ? 10 : 1e6);
        assert_true(fabs(exact_exp(x) - exp(x)) <= 1e-14 * exp(x) * fmax(1, fabs(x)));
        assert_true(fabs(exact_sin(angle) - sin(angle)) <= 1e-9 && fabs(exact_cos(angle) - cos(angle)) <= 1e-9);
        if (i % 2) assert_true(fabs(exact_sin(angle) - sin(angle)) <= 1e-14);
    }
    assert_true(exact_exp(0) == 1 && exact_sin(0) == 0 && fabs(exact_cos(0) - 1) <= 1e-15);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

enum { MOST = 1001 };

enum { MOST_THREADS = 8 };

/* Counts how often each item was computed, and which threads computed items. */
typedef struct Visits {
    int n;
    atomic_int index[MOST];
    pthread_t threads[MOST_THREADS];
    int thread_count;
} Visits;

static void note_thread(Visits *v) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const pthread_t self = pthread_self();
    pthread_mutex_lock(&mutex);
    int i = 0;
    while (i < v->thread_count && !pthread_equal(v->threads[i], self)) i++;
    CHECK(i < MOST_THREADS, "a run on more than %d threads", MOST_THREADS);
    if (i == v->thread_count) v->threads[v->thread_count++] = self;
    pthread_mutex_unlock(&mutex);
}

static void visit(void *context, int begin, int end) {
    Visits *v = context;
    CHECK(0 <= begin && begin < end && end <= v->n, "a range from %d to %d of %d", begin, end, v->n);
    for (int i = begin; i < end; i++) v->index[i]++;
    note_thread(v);
}

static void check_visits(Threads *pool, int n, int grain) {
    static Visits v;
    memset(&v, 0, sizeof v);
    v.n = n;
    threads_run(pool, "visit", n, grain, visit, &v);
    for (int i = 0; i < MOST; i++) assert_int_equal(v.index[i], i < n);
    assert_true(v.thread_count <= threads_count(pool));
}

static void every_index_is_visited_once(void **unused) {
    (void)unused;
    static const int sizes[] = {0, 1, 2, 3, 7, 16, 17, 100, MOST}, grains[] = {1, 2, 5, 64, 5000},
                     counts[] = {1, 2, 3, 8};
    for (int c = 0; c < 4; c++) {
        Threads *pool = threads_new(counts[c]);
        assert_int_equal(threads_count(pool), counts[c]);
        for (int s = 0; s < 9; s++)
            for (int g = 0; g < 5; g++) check_visits(pool, sizes[s], grains[g]);
        threads_free(pool);
    }
}

/* Runs that follow each other at once, and runs with a pause in which the threads of the pool fall asleep. */
static void no_round_is_lost(void **unused) {
    (void)unused;
    Threads *pool = threads_new(3);
    for (int round = 0; round < 2000; round++) {
        check_visits(pool, 7, 1);
        if (round % 100 == 0) nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    }
    threads_free(pool);
}

static void add_up(void *context, int begin, int end) {
    for (int i = begin; i < end; i++) atomic_fetch_add((atomic_int *)context, i + 1);
}

/* With more threads than processors, most threads wake up after the run is over. They must not access its memory. */
static void a_late_thread_does_not_touch_a_finished_run(void **unused) {
    (void)unused;
    Threads *pool = threads_new(8);
    for (int round = 0; round < 5000; round++) {
        const int n = 2 + round % 50;
        atomic_int *sum =
            mem_zalloc(sizeof *sum); /* new memory for each run, so that the sanitizers detect a late access */
        threads_run(pool, "sum", n, 1, add_up, sum);
        assert_int_equal(*sum, n * (n + 1) / 2);
        mem_free(sum);
    }
    threads_free(pool);
}

enum { CREW = 3 };
typedef struct Crew {
    Threads *own, *other;
    atomic_int seen[CREW], begun;
} Crew;

/* Keeps its thread until every thread of the pool has an item. */
static void note_self(void *context, int begin, int end) {
    Crew *crew = context;
    (void)end;
    atomic_fetch_add(&crew->begun, 1);
    while (crew->begun < CREW) sched_yield();
    atomic_fetch_add(&crew->seen[threads_self(crew->own)], 1);
    CHECK(threads_self(crew->other) == 0, "item %d: index %d", begin, threads_self(crew->other));
}

/* A thread has its index in its own pool, and may be the caller of another one. */
static void threads_know_their_index_in_a_pool(void **unused) {
    (void)unused;
    Crew crew = {threads_new(CREW), threads_new(CREW), {0}, 0};
    assert_int_equal(threads_count(crew.own), CREW);
    threads_run(crew.own, "self", CREW, 1, note_self, &crew);
    for (int i = 0; i < CREW; i++) assert_int_equal(crew.seen[i], 1);
    threads_free(crew.own);
    threads_free(crew.other);
}

static void scratch_buffers_are_disjoint_and_kept(void **unused) {
    (void)unused;
    Threads *pool = threads_new(3);
    char *left = threads_scratch(pool, SCRATCH_LEFT, 1000), *right = threads_scratch(pool, SCRATCH_RIGHT, 1000);
    assert_int_equal((uintptr_t)left % 64, 0);
    assert_ptr_not_equal(left, right);
    const long before = mem_count();
    assert_ptr_equal(threads_scratch(pool, SCRATCH_LEFT, 900), left);
    assert_ptr_equal(threads_scratch(pool, SCRATCH_RIGHT, 900), right);
    assert_int_equal(mem_count(), before);
    memset(threads_scratch(pool, SCRATCH_LEFT, 100000), 1, 100000);
    threads_free(pool);
}

/* The tally of a name counts its runs, and its time is at most the elapsed time. */
static void runs_are_tallied(void **unused) {
    (void)unused;
    static const int counts[] = {1, 3};
    for (int c = 0; c < 2; c++) {
        Threads *pool = threads_new(counts[c]);
        int tallies;
        check_visits(pool, 7, 1); /* profiling is off */
        threads_profile(pool, true);
        for (int round = 0; round < 5; round++) check_visits(pool, 7, 1);
        threads_profile(pool, false);
        check_visits(pool, 7, 1);
        const Tally *tally = threads_tallies(pool, &tallies);
        assert_int_equal(tallies, 1);
        assert_string_equal(tally->name, "visit");
        assert_int_equal(tally->runs, 5);
        assert_int_equal(tally->shared, counts[c] > 1 ? 5 : 0);
        assert_true(tally->seconds > 0 && tally->busy > 0 && tally->busy <= counts[c] * tally->seconds);
        threads_free(pool);
    }
}

/* ---- two tapes on one model ---------------------------------------------------------------------------- */

/* Two tapes record the same weight and run their backward passes one after the other: each adds its gradient. */
static void two_tapes_train_one_weight(void **unused) {
    (void)unused;
    enum { ROWS = 3, SIZE = 2 };
    Threads *threads = threads_new(1);
    Tape tapes[2];
    Weight weight = {.index = 0};
    real values[SIZE * SIZE] = {1, 2, 3, 4}, gradient[SIZE * SIZE] = {0};
    Var W = {.rows = SIZE, .cols = SIZE, .v = values, .g = gradient, .weight = &weight}, *loss[2];
    const int target[ROWS] = {0, 0, 0};
    double nats[ROWS];
    for (int i = 0; i < 2; i++) {
        tape_init(&tapes[i], threads, (Rng){1});
        tapes[i].recording = true;
        Var *x = var_new(&tapes[i], ROWS, SIZE);
        for (int k = 0; k < ROWS * SIZE; k++) x->v[k] = (real)(k + 1);
        loss[i] = linear_cross_entropy(&tapes[i], (OutputLayer){.x = x, .W = &W}, target, ROWS, 0, nats);
    }
    real first[SIZE * SIZE];
    tape_backward(&tapes[1], loss[1]);
    memcpy(first, gradient, sizeof first);
    tape_backward(&tapes[0], loss[0]);
    for (int k = 0; k < SIZE * SIZE; k++) {
        assert_true(first[k] != 0);
        assert_true(gradient[k] == 2 * first[k]);
    }
    for (int i = 0; i < 2; i++) tape_free(&tapes[i]);
    threads_free(threads);
}

/* ---- one weight for many tapes ------------------------------------------------------------------------- */

enum { TAPES = 4 };

typedef struct Reader {
    Weight *weight;
    pthread_barrier_t *start;
    PanelFormat products;
    const void *panels;
} Reader;

enum { DROPPED = 4, DROP_COLUMNS = 64 };

/* Fills in the dropout mask of these rows, drawn after `others` other dropout ops. */
static void draw_mask(Tape *tape, const RowId *rows, int others, real mask[DROPPED][DROP_COLUMNS]) {
    static real ones[DROPPED * DROP_COLUMNS];
    for (int i = 0; i < DROPPED * DROP_COLUMNS; i++) ones[i] = 1;
    tape_reset(tape);
    tape->recording = true;
    Var *x = var_constant(tape, DROPPED, DROP_COLUMNS, ones);
    for (int i = 0; i < others; i++) dropout(tape, x, (Drop){0});
    memcpy(mask, dropout(tape, x, (Drop){0.5, rows})->v, sizeof ones);
}

/* The dropout mask of a row depends on the pair, the position, the op and the tape's rng, but not on the row's
   index. */
static void masks_do_not_depend_on_the_row_index(void **unused) {
    (void)unused;
    enum { MASKS = 4 };
    const RowId rows[DROPPED] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, turned[DROPPED] = {{1, 1}, {1, 0}, {0, 1}, {0, 0}};
    static real mask[MASKS][DROPPED][DROP_COLUMNS], again[DROPPED][DROP_COLUMNS];
    Threads *threads = threads_new(2);
    for (int k = 0; k < MASKS; k++) { /* two ops for each of two generators */
        Tape tape;
        tape_init(&tape, threads, rng_seed(1, (uint64_t)k / 2));
        draw_mask(&tape, rows, k % 2, mask[k]);
        draw_mask(&tape, turned, k % 2, again);
        for (int i = 0; i < DROPPED; i++) assert_memory_equal(mask[k][i], again[DROPPED - 1 - i], sizeof again[0]);
        tape_free(&tape);
    }
    const real(*all)[DROP_COLUMNS] = mask[0];
    for (int i = 0; i < MASKS * DROPPED; i++)
        for (int j = 0; j < i; j++) {
            int same = 0;
            for (int k = 0; k < DROP_COLUMNS; k++) same += all[i][k] == all[j][k];
            assert_in_range(same, 12, 52); /* 32 are expected; the limits are five standard deviations (4) away */
        }
    threads_free(threads);
}

static void *read_weight(void *context) {
    Reader *reader = context;
    Threads *threads = threads_new(1);
    pthread_barrier_wait(reader->start);
    reader->panels = weight_operand(reader->weight, threads, false, reader->products).panels;
    threads_free(threads);
    return NULL;
}

/* Threads that need a weight at the same time read the same panels, and the panels are right: those of floats, and
   those of bfloat16, packed from the values, or from the panels of floats. */
static void a_shared_weight_is_packed_once(void **unused) {
    (void)unused;
    enum { ROUNDS = 200 };
    const size_t SIZE = (size_t)40 * 96, most = packed_size(PANELS_BF16, 40, 96);
    Threads *alone = threads_new(1);
    real *right = mem_alloc_aligned(most), *floats = mem_alloc_aligned(most);
    for (int round = 0; round < ROUNDS; round++) {
        const PanelFormat products = round % 3 ? PANELS_BF16 : PANELS_F32;
        const bool keep = round % 3 != 2;
        Weight weight;
        Reader readers[TAPES];
        pthread_t threads[TAPES];
        pthread_barrier_t start;
        real *values = mem_alloc_aligned(SIZE * sizeof *values);
        for (size_t i = 0; i < SIZE; i++) values[i] = (real)i;
        weight_share(&weight, PANELS_F32, 40, 96, keep ? values : floats, keep, NULL);
        if (!keep) operand_pack_rows(weight.packed[0], 0, values, NULL, 40);
        pthread_barrier_init(&start, NULL, TAPES);
        for (int i = 0; i < TAPES; i++) {
            readers[i] = (Reader){&weight, &start, products, NULL};
            assert_int_equal(pthread_create(&threads[i], NULL, read_weight, &readers[i]), 0);
        }
        for (int i = 0; i < TAPES; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < TAPES; i++) assert_ptr_equal(readers[i].panels, readers[0].panels);
        operand_pack(alone, (Operand){.k = 40, .n = 96, .b = values, .ld = 96, .format = products}, right);
        assert_memory_equal(readers[0].panels, right, packed_size(products, 40, 96));
        pthread_barrier_destroy(&start);
        weight_free(&weight);
        mem_free(values);
    }
    mem_free(right);
    mem_free(floats);
    threads_free(alone);
}

/* ---- matrices with more numbers than an int can count -------------------------------------------------- */

enum { LARGE_ROWS = 2049, LARGE_COLS = 1 << 20 };

/* Kernels that compute nothing and only record the numbers that they get: from `begin` to `end`. */
static struct { const real *begin, *end; } visited;

static void visit_numbers(int n, const real *numbers) {
    assert_true(n > 0 && (!visited.begin || numbers == visited.end));
    if (!visited.begin) visited.begin = numbers;
    visited.end = numbers + n;
}

static void visit_y(int n, real *y, const real *x) {
    (void)x;
    visit_numbers(n, y);
}
static void visit_tanh_back(int n, real *dx, const real *y, const real *dy) {
    (void)y;
    (void)dy;
    visit_numbers(n, dx);
}
static void visit_dropout(int n, real *y, const real *x, uint32_t key, real keep, int accumulate) {
    (void)x;
    (void)key;
    (void)keep;
    (void)accumulate;
    visit_numbers(n, y);
}
/* Checks that kernels got each number of a matrix once; `first` is the address of its first number, or NULL if
   unknown. */
static void check_all_visited(const real *first, const Var *var) {
    assert_true(!first || visited.begin == first);
    assert_true((size_t)(visited.end - visited.begin) == var_size(var));
    visited.begin = NULL;
}

/* A matrix whose values and gradient must not be written. */
static Var *large_matrix(Tape *tape, int cols, real *memory) {
    Var *x = var_constant(tape, LARGE_ROWS, cols, memory);
    x->g = memory;
    x->constant = false; /* ops may overwrite it */
    return x;
}

/* Runs the backward functions of the recorded ops. */
static void backward(Tape *tape, Var *y, real *memory) {
    y->g = memory;
    tape_backward(tape, var_new(tape, 1, 1));
}

static void run_large_ops(Tape *tape, real *memory) {
    static const RowId ids[LARGE_ROWS];
    Var *x = large_matrix(tape, LARGE_COLS, memory), *y = tanh_of(tape, x);
    check_all_visited(y->v, y);
    backward(tape, y, memory);
    check_all_visited(x->g, x);
    tape_reset(tape);
    x = large_matrix(tape, LARGE_COLS, memory);
    y = dropout(tape, x, (Drop){0.5, ids});
    check_all_visited(y->v, y);
    backward(tape, y, memory);
    check_all_visited(x->g, x);
    tape_reset(tape);
    x = large_matrix(tape, 2 * LARGE_COLS, memory);
    y = maxout(tape, x);
    check_all_visited(y->v, y);
}

/* Computes nothing: real kernels would take long and need more memory than most machines have. */
static void a_matrix_may_have_more_numbers_than_an_int_counts(void **unused) {
    (void)unused;
    const size_t bytes = (size_t)LARGE_ROWS * 2 * LARGE_COLS * sizeof(real);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    Threads *threads = threads_new(1);
    Tape tape;
    const Kernels *before = kernels;
    Kernels visitors = *kernels;
    visitors.tanh = visitors.maxout = visit_y;
    visitors.tanh_back = visit_tanh_back;
    visitors.dropout = visit_dropout;
    kernels = &visitors;
    tape_init(&tape, threads, rng_seed(1, 1));
    tape.recording = true;
    mem_on_failure(on_refusal);
    const bool granted = memory != MAP_FAILED && !setjmp(refused);
    if (granted) run_large_ops(&tape, memory);
    mem_on_failure(NULL);
    kernels = before;
    tape_free(&tape);
    threads_free(threads);
    if (memory != MAP_FAILED) munmap(memory, bytes);
    if (!granted) {
        print_message("skipped: ops on many numbers: needs address space, which the system refuses\n");
        skip();
    }
}

/* Also the sizes whose product exceeds 32 bits, which `long` has on some machines. */
static void parts_cover_all_items(void **unused) {
    (void)unused;
    static const int sizes[] = {0, 1, 7, 64, 65, INT_MAX - 1, INT_MAX}, parts[] = {1, 2, 3, 64, 1000003, INT_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            const int n = sizes[i], count = parts[p], step = count < 2000 ? 1 : count / 1000;
            assert_int_equal(part_offset(n, count, 0), 0);
            assert_int_equal(part_offset(n, count, count), n);
            for (int k = 0; k <= count - step; k += step) {
                const int size = part_offset(n, count, k + 1) - part_offset(n, count, k);
                assert_in_range(size, n / count, n / count + (n % count != 0));
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_cover_all_items),
        cmocka_unit_test(the_nth_allocation_is_refused),
        cmocka_unit_test(arena_blocks_are_aligned_and_disjoint),
        cmocka_unit_test(arena_reset_leaves_one_chunk_that_fits),
        cmocka_unit_test(arena_rewinds_to_a_mark),
        cmocka_unit_test(rng_is_splitmix64),
        cmocka_unit_test(numbers_of_a_stream_have_positions),
        cmocka_unit_test(streams_differ),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(shuffle_is_a_permutation),
        cmocka_unit_test(moments_are_right),
        cmocka_unit_test(exact_log_is_the_logarithm),
        cmocka_unit_test(exact_functions_agree_with_libm),
        cmocka_unit_test(every_index_is_visited_once),
        cmocka_unit_test(no_round_is_lost),
        cmocka_unit_test(a_late_thread_does_not_touch_a_finished_run),
        cmocka_unit_test(threads_know_their_index_in_a_pool),
        cmocka_unit_test(scratch_buffers_are_disjoint_and_kept),
        cmocka_unit_test(runs_are_tallied),
        cmocka_unit_test(two_tapes_train_one_weight),
        cmocka_unit_test(masks_do_not_depend_on_the_row_index),
        cmocka_unit_test(a_shared_weight_is_packed_once),
        cmocka_unit_test(a_matrix_may_have_more_numbers_than_an_int_counts),
    };
    return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
