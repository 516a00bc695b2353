/* test_aligner.c: what the word aligner does with its samplers, which are not real ones here: the blocks and stages of
   a training, and the means over all samplers. */
#include "aligner/aligner.h"
#include "aligner/sampler.h"
#include "io/ds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* ---- samplers that note how they are called: the functions of sampler.h ------------------------------------------ */

enum { MOST_SAMPLERS = 8 };

struct Sampler {
    const Bitext *bitext;
    const LinkCounts *prior;
    Rng rng;
    LinkCounts counts;
};

/* What is called: a letter for the stage of each sweep, and then its blocks, "0-2", with the passes if several. */
static char calls[MOST_SAMPLERS][512];
static int made, freed;

/* The samplers are distinguished by their random numbers. */
static int number_of(const Sampler *sampler) {
    for (int k = 0; k < MOST_SAMPLERS; k++) {
        const Rng rng = rng_seed(7, (uint64_t)k);
        if (!memcmp(&rng, &sampler->rng, sizeof rng)) return k;
    }
    fail_msg("a sampler has other random numbers");
    return -1;
}

Sampler *sampler_new(const Bitext *bitext, int source, const LinkCounts *prior, Rng rng) {
    Sampler *sampler = mem_zalloc(sizeof *sampler);
    *sampler = (Sampler){.bitext = bitext, .prior = prior, .rng = rng, .counts = link_counts_new(3)};
    const int k = number_of(sampler);
    assert_int_equal(source, k % 2);
    link_counts_add(&sampler->counts, 1, 2, (float)(k + 1) + (prior ? (float)prior->total[1] : 0));
    *calls[k] = '\0';
    made++;
    return sampler;
}

void sampler_free(Sampler *sampler) {
    freed++;
    link_counts_free(&sampler->counts);
    mem_free(sampler);
}

static void note(const Sampler *sampler, const char *text) {
    char *own = calls[number_of(sampler)];
    snprintf(own + strlen(own), sizeof *calls - strlen(own), "%s", text);
}

void sampler_start_sweep(Sampler *sampler, Stage stage) {
    note(sampler, stage == STAGE_WORDS ? " w" : stage == STAGE_JUMPS ? " j" : " f");
}

/* The posteriors of sampler k are k + 1. */
void sampler_run(Sampler *sampler, long first, long last, int passes, float *posterior) {
    char text[64];
    snprintf(text, sizeof text, "%ld-%ld%s", first, last, passes == 1 ? "," : passes == 4 ? "x4," : "?");
    note(sampler, text);
    assert_int_equal(posterior != NULL, passes != 1);
    for (long pair = first; pair < last && posterior; pair++)
        for (size_t i = bitext_cells(sampler->bitext, pair); i > 0; i--) *posterior++ = (float)number_of(sampler) + 1;
}

const LinkCounts *sampler_counts(const Sampler *sampler) { return &sampler->counts; }

/* ---- a bitext of which only the lengths matter ------------------------------------------------------------------ */

/* Two pairs of 1000 · 600 cells do not fit into a block together. */
static const int lengths[][2] = {{2, 3}, {1000, 600}, {4, 1}, {600, 1000}, {1, 1}};
enum { PAIRS = sizeof lengths / sizeof *lengths };
static const char blocks[] = "0-3,3-5,", last_blocks[] = "0-3x4,3-5x4,";

static Bitext bitext_of_lengths(void) {
    Bitext bitext = bitext_new(units_new(UNIT_WORD), units_new(UNIT_WORD));
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < PAIRS; i++)
            arrput(bitext.side[side].end, (size_t)lengths[i][side] + (i ? bitext.side[side].end[i - 1] : 0));
    for (int i = 0; i < PAIRS; i++) arrput(bitext.number, i);
    for (int side = 0; side < 2; side++)
        units_add(bitext.side[side].units, "a"), units_add(bitext.side[side].units, "b");
    return bitext;
}

typedef struct Seen {
    long pairs, calls, done, all; /* pairs that were aligned; calls of `progress`, and its last numbers */
    float forward, reverse;       /* the expected means */
    long cancel_at;               /* the call of `progress` that cancels; 0: none */
} Seen;

static int note_pair(void *context, const PairAlignment *alignment, Err *err) {
    Seen *seen = context;
    (void)err;
    const int source = lengths[seen->pairs][0], target = lengths[seen->pairs][1];
    assert_int_equal(alignment->pair, seen->pairs++);
    assert_true(alignment->n[0] == source && alignment->n[1] == target);
    for (int i = 0; i < source * target; i++)
        if (alignment->forward[i] != seen->forward || alignment->reverse[i] != seen->reverse) fail_msg("cell %d", i);
    return 0;
}

static int note_progress(void *context, long done, long all) {
    Seen *seen = context;
    assert_true(done > seen->done && done <= all);
    seen->done = done;
    seen->all = all;
    return ++seen->calls == seen->cancel_at;
}

/* The links of a run: counts and posteriors are the means over the samplers of a direction. */
static void check_run(int samplers, const LinkCounts *prior, const char *stages, float forward, float reverse) {
    const int sweeps = (int)strlen(stages);
    char expected[512] = "";
    Err err;
    Bitext bitext = bitext_of_lengths();
    LinkCounts learned[2];
    Threads *threads = threads_new(1);
    Seen seen = {.forward = forward, .reverse = reverse};
    const AlignerOptions options = {samplers, sweeps, 7};
    for (int k = 0; k < sweeps; k++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), " %c%s", stages[k],
                 k == sweeps - 1 ? last_blocks : blocks);
    made = freed = 0;
    assert_int_equal(aligner_run(&bitext, prior, &options, threads, note_progress, note_pair, &seen, learned, &err), 0);
    assert_true(made == 2 * samplers && freed == made);
    for (int k = 0; k < made; k++) assert_string_equal(calls[k], expected);
    assert_int_equal(seen.pairs, PAIRS);
    assert_int_equal(seen.calls, 2 * sweeps);
    assert_int_equal(seen.done, sweeps * PAIRS);
    assert_int_equal(seen.all, sweeps * PAIRS);
    assert_int_equal(learned[0].n_source, 3); /* the null unit, a and b */
    assert_true(learned[0].total[1] == forward + (prior ? prior[0].total[1] : 0));
    assert_true(learned[1].total[1] == reverse + (prior ? prior[1].total[1] : 0));
    for (int side = 0; side < 2; side++) link_counts_free(&learned[side]);
    threads_free(threads);
    bitext_free(&bitext);
}

/* A fifth of the sweeps, rounded down, is in each of the first two stages; only the last sweep gives posteriors. */
static void a_run_has_stages_and_blocks(void **state) {
    (void)state;
    LinkCounts prior[2] = {link_counts_new(3), link_counts_new(3)};
    link_counts_add(&prior[0], 1, 1, 16);
    link_counts_add(&prior[1], 1, 1, 32);
    check_run(1, NULL, "f", 1, 2);
    check_run(2, NULL, "ffff", 2, 3);
    check_run(1, prior, "wjfff", 1, 2);
    check_run(4, NULL, "wwjjfffffff", 4, 5);
    for (int side = 0; side < 2; side++) link_counts_free(&prior[side]);
}

static void a_run_can_be_cancelled(void **state) {
    (void)state;
    Err err;
    Bitext bitext = bitext_of_lengths();
    LinkCounts learned[2];
    Threads *threads = threads_new(1);
    Seen seen = {.cancel_at = 5};
    const AlignerOptions options = {1, 4, 7};
    made = freed = 0;
    assert_int_equal(aligner_run(&bitext, NULL, &options, threads, note_progress, note_pair, &seen, learned, &err), -1);
    assert_string_equal(err.reason, "stopped in sweep 3");
    assert_int_equal(seen.done, 2 * PAIRS + 3);
    assert_string_equal(calls[1], " f0-3,3-5, f0-3,3-5, f0-3,");
    assert_true(made == 2 && freed == 2 && !learned[0].total && !learned[1].total);
    threads_free(threads);
    bitext_free(&bitext);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_has_stages_and_blocks),
        cmocka_unit_test(a_run_can_be_cancelled),
    };
    return cmocka_run_group_tests_name("aligner", tests, NULL, NULL);
}
