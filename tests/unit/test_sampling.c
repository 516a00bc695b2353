/* Samples: the words that are drawn have the right frequencies and come from the right sets, and the samples of a
   sentence depend only on the seed and its number. */
#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "beam_world.h"
#include "core/rng.h"

enum { WORDS = 12, DRAWS = 20000 };
/* Two words are equal, one may not occur. The sum is 16. */
static const real weights[WORDS] = {0, 1, 4, 0.5f, 2, 2, 0.25f, 3, 0.25f, 1.5f, 1, 0.5f};

static void count_draws(const Sampling *sampling, int counts[WORDS]) {
    int heap[WORDS];
    memset(counts, 0, WORDS * sizeof *counts);
    for (int i = 0; i < DRAWS; i++)
        counts[sampling_draw(sampling, WORDS, weights, heap, sampling_random(sampling, 3, 1, i))]++;
}

/* Every count is within five standard deviations of its expectation; words outside the set never occur. */
static void check_counts(const Sampling *sampling, const int *set, int n) {
    int counts[WORDS], inside[WORDS] = {0};
    double sum = 0;
    count_draws(sampling, counts);
    for (int i = 0; i < n; i++) {
        sum += (double)weights[set[i]];
        inside[set[i]] = 1;
    }
    for (int id = 0; id < WORDS; id++) {
        const double p = inside[id] ? (double)weights[id] / sum : 0;
        assert_true(fabs(counts[id] - DRAWS * p) <= 5 * sqrt(DRAWS * p * (1 - p)));
    }
}

static void frequencies_are_the_probabilities(void **state) {
    (void)state;
    static const int all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, best[] = {2, 7, 4, 5, 9, 1};
    Sampling sampling = {.kind = SAMPLING_FULL, .temperature = 1, .seed = 5};
    check_counts(&sampling, all, 11);
    sampling.kind = SAMPLING_TOPK;
    for (sampling.k = 1; sampling.k <= 6; sampling.k++) check_counts(&sampling, best, sampling.k);
    sampling.k = 100;
    check_counts(&sampling, all, 11);
    /* 4 + 3 + 2 + 2 = 11 of 16; 4 + 3 + 2 = 9 are not enough for 0.6 */
    sampling.kind = SAMPLING_NUCLEUS;
    sampling.p = 0.6;
    check_counts(&sampling, best, 4);
    sampling.p = 0.01;
    check_counts(&sampling, best, 1);
    sampling.p = 1;
    check_counts(&sampling, all, 11);
}

static void one_best_word_is_a_search_with_a_beam_of_one(void **state) {
    (void)state;
    World w;
    begin(&w, "additive", false);
    BeamOptions o = options(1, 0.6);
    Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
    o.sampling = &(Sampling){.kind = SAMPLING_TOPK, .k = 1, .temperature = 1};
    Nbest *drawn = search(&w, sources, lengths, SENTENCES, &o);
    for (int s = 0; s < SENTENCES; s++) check_same(&found[s], &drawn[s], lengths[s]);
    end(&w);
}

static double sum_of(const Nbest *nbest) {
    double sum = 0;
    for (int k = 0; k < nbest->count; k++) sum += nbest->list[k].score;
    return sum;
}

/* The same samples alone and in a batch; others with another seed or number; all have the probability of the model. */
static void samples_depend_on_seed_and_number(void **state) {
    (void)state;
    World w;
    begin(&w, "additive", false);
    const Sampling sampling = {.kind = SAMPLING_FULL, .temperature = 1, .seed = 9};
    BeamOptions o = options(4, 0.6);
    o.sampling = &sampling;
    Nbest *all = search(&w, sources, lengths, SENTENCES, &o);
    int different = 0;
    for (int s = 0; s < SENTENCES; s++) {
        Sampling own = sampling, moved = sampling, reseeded = sampling;
        own.first = reseeded.first = s;
        moved.first = s + 100;
        reseeded.seed = 10;
        assert_int_equal(all[s].count, 4);
        o.sampling = &own;
        Nbest *alone = search(&w, &sources[s], &lengths[s], 1, &o);
        check_same(&all[s], alone, lengths[s]);
        for (int k = 0; k < 4; k++) check_forced(&w, s, &alone->list[k]);
        o.sampling = &moved;
        const Nbest *other = search(&w, &sources[s], &lengths[s], 1, &o);
        o.sampling = &reseeded;
        const Nbest *seed = search(&w, &sources[s], &lengths[s], 1, &o);
        different += (sum_of(other) != sum_of(alone)) + (sum_of(seed) != sum_of(alone));
    }
    assert_true(different >= 8);
    end(&w);
}

/* A low temperature draws the best words; a high one makes all words likely. */
static void temperature_changes_the_distribution(void **state) {
    (void)state;
    World w;
    begin(&w, "additive", false);
    BeamOptions o = options(1, 0.6);
    Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
    o.sampling = &(Sampling){.kind = SAMPLING_FULL, .temperature = 0.01};
    Nbest *cold = search(&w, sources, lengths, SENTENCES, &o);
    for (int s = 0; s < SENTENCES; s++) check_same(&found[s], &cold[s], lengths[s]);
    enum { SAMPLES = 200 };
    o = options(SAMPLES, 0.6);
    o.sampling = &(Sampling){.kind = SAMPLING_FULL, .temperature = 100};
    const Nbest *hot = search(&w, sources, lengths, 1, &o);
    int first[VOCAB] = {0};
    for (int k = 0; k < SAMPLES; k++) first[hot->list[k].ids[0]]++;
    for (int id = 0; id < VOCAB; id++) {
        const bool forbidden = id == PAD || id == UNK || id == BOS;
        assert_true(forbidden ? first[id] == 0 : first[id] > SAMPLES / 6 / 2);
    }
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_are_the_probabilities),
        cmocka_unit_test(one_best_word_is_a_search_with_a_beam_of_one),
        cmocka_unit_test(samples_depend_on_seed_and_number),
        cmocka_unit_test(temperature_changes_the_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
