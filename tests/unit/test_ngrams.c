/* Compares the counts of matching n-grams with their definition, on generated sequences. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "core/rng.h"
#include "io/ds.h"
#include "score/ngrams.h"

enum { ORDERS = 6 };

static bool same(const int *a, const int *b, int order) { return !memcmp(a, b, (size_t)order * sizeof *a); }

/* Returns how often the n-gram occurs in a sequence. */
static long occurrences(const int *ngram, const int *sequence, int order) {
    long count = 0;
    for (long i = 0; i + order <= arrlen(sequence); i++) count += same(ngram, sequence + i, order);
    return count;
}

/* Σ over distinct n-grams of min(count in the hypothesis, largest count in a reference). */
static long defined_matches(const int *hypothesis, int *const *references, int count, int order) {
    long matches = 0;
    for (long i = 0; i + order <= arrlen(hypothesis); i++) {
        bool first = true;
        for (long k = 0; k < i; k++) first = first && !same(hypothesis + k, hypothesis + i, order);
        long hyp = occurrences(hypothesis + i, hypothesis, order), ref = 0;
        for (int r = 0; r < count; r++) {
            const long found = occurrences(hypothesis + i, references[r], order);
            if (found > ref) ref = found;
        }
        if (first) matches += hyp < ref ? hyp : ref;
    }
    return matches;
}

static int *random_sequence(Rng *rng, uint32_t alphabet) {
    int *sequence = NULL;
    for (uint32_t n = rng_below(rng, 25); n > 0; n--) arrput(sequence, (int)rng_below(rng, alphabet) - 2);
    return sequence;
}

static void matches_are_those_of_the_definition(void **state) {
    (void)state;
    Rng rng = rng_seed(5, 0);
    for (int round = 0; round < 3000; round++) {
        uint32_t alphabet = 1 + rng_below(&rng, 5);
        int *hypothesis = random_sequence(&rng, alphabet), *references[3], count = 1 + round % 3;
        for (int r = 0; r < count; r++) references[r] = random_sequence(&rng, alphabet);
        long matches[ORDERS] = {0};
        ngrams_match(hypothesis, references, count, ORDERS, matches);
        ngrams_match(hypothesis, references, count, ORDERS, matches); /* adds to matches */
        for (int n = 1; n <= ORDERS; n++)
            assert_int_equal(matches[n - 1], 2 * defined_matches(hypothesis, references, count, n));
        arrfree(hypothesis);
        for (int r = 0; r < count; r++) arrfree(references[r]);
    }
}

static void a_sequence_has_one_ngram_a_place(void **state) {
    (void)state;
    assert_int_equal(ngrams_count(0, 1), 0);
    assert_int_equal(ngrams_count(5, 6), 0);
    assert_int_equal(ngrams_count(6, 6), 1);
    assert_int_equal(ngrams_count(6, 1), 6);
}

/* Hostile input: 300,000 copies of one character must not take quadratic time. */
static void long_runs_are_counted(void **state) {
    (void)state;
    enum { LENGTH = 300000 };
    int *run = NULL;
    for (int i = 0; i < LENGTH; i++) arrput(run, 7);
    long matches[ORDERS] = {0};
    ngrams_match(run, &run, 1, ORDERS, matches);
    for (int n = 1; n <= ORDERS; n++) assert_int_equal(matches[n - 1], LENGTH - n + 1);
    arrfree(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_are_those_of_the_definition),
        cmocka_unit_test(a_sequence_has_one_ngram_a_place),
        cmocka_unit_test(long_runs_are_counted),
    };
    return cmocka_run_group_tests_name("ngrams", tests, NULL, NULL);
}
