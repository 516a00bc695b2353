/* test_share.c: what the ranks of a training give each other at its start, without MPI: this process is first rank 0
   and then rank 1 of a machine. Rank 1 gets the data of rank 0, and an error of any exchange is an error of both. */
#include "train/training.h"
#include "io/ds.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- two ranks one after the other: the functions of ranks.h ---------------------------------------------------- */

enum { RANKS = 2 };

struct Ranks {
    int own, alone; /* alone: there is no other rank on this machine */
    char *sent;     /* stb_ds array: what rank 0 has sent */
    size_t at;      /* what rank 1 has received of it */
    int calls, fails_at;
    uint64_t first; /* the number that rank 0 compares with the others */
};

int ranks_own(const Ranks *ranks) { return ranks->own; }
int ranks_count(const Ranks *ranks) { return ranks ? RANKS : 1; }
int ranks_own_on_node(const Ranks *ranks) { return ranks->alone ? 0 : ranks->own; }
int ranks_count_on_node(const Ranks *ranks) { return ranks->alone ? 1 : RANKS; }

/* Counts a call; -1 if it fails. */
static int call(Ranks *ranks, Err *err) {
    return ++ranks->calls == ranks->fails_at ? err_set(err, NULL, 0, "call %d", ranks->calls) : 0;
}

int ranks_broadcast(Ranks *ranks, RankGroup group, void *data, size_t bytes, Err *err) {
    assert_int_equal(group, RANKS_OF_NODE);
    if (call(ranks, err)) return -1;
    if (ranks->own == 0) {
        if (bytes) memcpy(arraddnptr(ranks->sent, bytes), data, bytes);
        return 0;
    }
    assert_true(ranks->at + bytes <= arrlenu(ranks->sent));
    if (bytes) memcpy(data, ranks->sent + ranks->at, bytes);
    ranks->at += bytes;
    return 0;
}

int ranks_gather(Ranks *ranks, const void *own, void *all, size_t bytes, bool patient, Err *err) {
    assert_true(bytes == sizeof ranks->first && patient);
    if (call(ranks, err)) return -1;
    if (ranks->own == 0) memcpy(&ranks->first, own, bytes);
    memcpy(all, &ranks->first, bytes);
    memcpy((char *)all + bytes, own, bytes);
    return 0;
}

int ranks_exchange(Ranks *ranks, const RankMessage *out, RankMessage *in, bool patient, Err *err) {
    (void)ranks, (void)out, (void)in, (void)patient, (void)err;
    fail();
    return -1;
}

static void as_rank(Ranks *ranks, int own, int fails_at) {
    ranks->own = own;
    ranks->calls = 0;
    ranks->fails_at = fails_at;
    ranks->at = 0;
    if (own == 0) arrsetlen(ranks->sent, 0);
}

/* ---- the data --------------------------------------------------------------------------------------------------- */

enum { PAIRS = 3 };
static const int numbers[PAIRS][4] = {{5, 3, 6, 3}, {7, 8, 3, 3}, {9, 3, 3, 3}};
static const int source_length[PAIRS] = {2, 3, 2}, lengths[PAIRS] = {4, 4, 3};

static void add_records(Records *records, int first, int more) {
    Err err;
    assert_int_equal(records_open(records, scratch_folder(), &err), 0);
    for (int i = 0; i < PAIRS; i++)
        assert_int_equal(records_add(records, numbers[i] + first, (size_t)(lengths[i] - more), &err), 0);
    assert_int_equal(records_flush(records, &err), 0);
}

/* What the first rank of a machine has read. */
static void fill(Data *data) {
    Pairs *pairs = &data->pairs;
    *pairs = (Pairs){.n = PAIRS, .dropped_long = 4, .hash = 0x123456789abcdefu};
    add_records(&pairs->ids, 0, 0);
    for (int i = 0; i < PAIRS; i++) {
        arrput(pairs->source_length, source_length[i]);
        arrput(pairs->target_length, lengths[i] - source_length[i]);
        arrput(pairs->line, 10 + i);
    }
    arrput(pairs->sets, ((TrainSet){2, 1, 3, false, 0}));
    arrput(pairs->sets, ((TrainSet){3, 2.5, 3, true, 0.5}));
    data->guides.hash = 77;
    add_records(&data->guides.links, 1, 2);
}

static void check_records(const Records *records, int first, int more) {
    Err err;
    for (int i = 0; i < PAIRS; i++) {
        int got[4];
        assert_int_equal(records_length(records, i), lengths[i] - more);
        assert_int_equal(records_read(records, i, got, &err), 0);
        assert_memory_equal(got, numbers[i] + first, (size_t)(lengths[i] - more) * sizeof *got);
    }
}

static void check(const Data *data) {
    const Pairs *pairs = &data->pairs;
    assert_true(pairs->n == PAIRS && pairs->dropped_long == 4 && pairs->hash == 0x123456789abcdefu);
    assert_int_equal(data->guides.hash, 77);
    for (int i = 0; i < PAIRS; i++) {
        assert_int_equal(pairs->source_length[i], source_length[i]);
        assert_int_equal(pairs->target_length[i], lengths[i] - source_length[i]);
        assert_int_equal(pairs->line[i], 10 + i);
    }
    assert_int_equal(arrlen(pairs->sets), 2);
    assert_true(pairs->sets[1].end == 3 && pairs->sets[1].weight == 2.5 && pairs->sets[1].quiet &&
                pairs->sets[1].distillation == 0.5);
    check_records(&pairs->ids, 0, 0);
    check_records(&data->guides.links, 1, 2);
}

static void free_data(Data *data) {
    pairs_free(&data->pairs);
    records_close(&data->guides.links);
}

static Training training_of(Ranks *ranks, const char *guides) {
    return (Training){.ranks = ranks, .files = {.dir = scratch_folder(), .guides = guides}};
}

static void ranks_of_a_machine_share_its_data(void **state) {
    (void)state;
    Ranks ranks = {0};
    Err err;
    Training first = training_of(&ranks, "links"), other = training_of(&ranks, "links");
    fill(&first.data);
    as_rank(&ranks, 0, 0);
    assert_int_equal(share_data(&first, &err), 0);
    const int calls = ranks.calls;
    as_rank(&ranks, 1, 0);
    assert_int_equal(share_data(&other, &err), 0);
    assert_int_equal(ranks.calls, calls);
    assert_int_equal(ranks.at, arrlen(ranks.sent));
    check(&other.data);
    free_data(&other.data);
    for (int k = 1; k <= calls; k++) { /* each call fails once */
        char reason[32];
        snprintf(reason, sizeof reason, "call %d", k);
        as_rank(&ranks, 0, k);
        assert_int_equal(share_data(&first, &err), -1);
        assert_string_equal(err.reason, reason);
        as_rank(&ranks, 0, 0);
        assert_int_equal(share_data(&first, &err), 0);
        as_rank(&ranks, 1, k);
        Training broken = training_of(&ranks, "links");
        assert_int_equal(share_data(&broken, &err), -1);
        assert_string_equal(err.reason, reason);
        free_data(&broken.data);
    }
    check(&first.data); /* is not changed */
    free_data(&first.data);
    arrfree(ranks.sent);
}

/* Machines compare their data; without guides there are none to share. */
static void data_of_machines_are_compared(void **state) {
    (void)state;
    Ranks ranks = {.alone = 1};
    Err err;
    Training first = training_of(&ranks, NULL), other = training_of(&ranks, NULL);
    fill(&first.data);
    fill(&other.data);
    for (int part = 0; part < 4; part++) {
        as_rank(&ranks, 0, 0);
        assert_int_equal(share_data(&first, &err), 0);
        assert_int_equal(ranks.calls, 1);
        as_rank(&ranks, 1, 0);
        assert_int_equal(share_data(&other, &err), part ? -1 : 0);
        if (part) assert_string_equal(err.reason, "rank 1 has other training or validation data than rank 0");
        other.data.pairs.hash = first.data.pairs.hash + (part == 0);
        other.data.valid_pairs.hash = part == 1;
        other.data.guides.hash = 77 + (part == 2);
    }
    free_data(&first.data);
    free_data(&other.data);
    first.ranks = NULL;
    assert_int_equal(share_data(&first, &err), 0);
    arrfree(ranks.sent);
}

/* Two ranks must have the same options, also those that a checkpoint does not have. */
static void options_of_ranks_are_compared(void **state) {
    (void)state;
    Ranks ranks = {0};
    Err err;
    TrainOptions usual = {0};
    options_default(train_option_tables, &usual);
    for (int k = 0; k < 9; k++) {
        TrainOptions o = usual;
        if (k == 1) o.after_epochs += 1;
        if (k == 2) o.after_minutes += 1;
        if (k == 3) o.after_batches += 1;
        if (k == 4) o.early_stopping += 1;
        if (k == 5) o.valid_freq += 1;
        if (k == 6) o.save_freq += 1;
        if (k == 7) o.disp_freq += 1;
        if (k == 8) o.model.dim_emb += 1;
        as_rank(&ranks, 0, 0);
        assert_int_equal(share_check_options(&ranks, &usual, &err), 0);
        as_rank(&ranks, 1, 0);
        assert_int_equal(share_check_options(&ranks, &o, &err), k ? -1 : 0);
        if (k) assert_string_equal(err.reason, "rank 1 has other options, or another version of tide, than rank 0");
        as_rank(&ranks, 1, 1);
        assert_int_equal(share_check_options(&ranks, &usual, &err), -1);
        assert_string_equal(err.reason, "call 1");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_a_machine_share_its_data),
        cmocka_unit_test(data_of_machines_are_compared),
        cmocka_unit_test(options_of_ranks_are_compared),
    };
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
