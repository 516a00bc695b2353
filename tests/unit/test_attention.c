/* Tests dot-product attention: self-attention of six words with three numbers each, with the numbers of a textbook;
   sentences of a batch do not affect each other; any number of threads and any kernel set give the same bits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/kernels.h"
#include "core/ops.h"
#include "identity_loss.h"
#include "sets.h"

enum { WORDS = 6, DIM = 3 };

/* Your journey starts with one step */
static const real X[WORDS][DIM] = {{.43f, .15f, .89f}, {.55f, .87f, .66f}, {.57f, .85f, .64f},
                                   {.22f, .58f, .33f}, {.77f, .25f, .10f}, {.05f, .80f, .55f}};

static Var *matrix(Tape *tape, const real *numbers, int rows, int cols) {
    Var *var = var_new(tape, rows, cols);
    memcpy(var->v, numbers, (size_t)rows * (size_t)cols * sizeof *numbers);
    return var;
}

static void assert_figures(const real *numbers, const double *expected, int n) {
    for (int i = 0; i < n; i++)
        if (!(fabs(numbers[i] - expected[i]) <= 0.5001e-4)) fail_msg("%d: %.6f, not %.4f", i, numbers[i], expected[i]);
}

static void the_numbers_of_the_textbook(void **unused) {
    (void)unused;
    static const double scores[] = {.9544, 1.4950, 1.4754, .8434, .7070, 1.0865},
                        weights[] = {.1385, .2379, .2333, .1240, .1082, .1581},
                        contexts[] = {.4421, .5931, .5790, .4419, .6515, .5683, .4431, .6496, .5671,
                                      .4304, .6298, .5510, .4671, .5910, .5266, .4177, .6503, .5645};
    Threads *threads = threads_new(1);
    Tape tape;
    tape_init(&tape, threads, rng_seed(0, 0));
    Var *x = matrix(&tape, X[0], WORDS, DIM);
    const Spans one = spans_one(&tape, WORDS, WORDS);
    const DotAttention self = dot_attention(&tape, x, x, x, 1, &one);
    assert_figures(self.e->v + WORDS, scores, WORDS);
    assert_figures(self.alpha->v + WORDS, weights, WORDS);
    assert_figures(self.c->v, contexts, WORDS * DIM);
    tape_free(&tape);
    threads_free(threads);
}

/* A sum starts at exactly 0, whatever the memory held before. */
static void a_sum_of_zeros_is_zero(void **unused) {
    (void)unused;
    Threads *threads = threads_new(1);
    Tape tape;
    tape_init(&tape, threads, rng_seed(0, 0));
    Var *x = matrix(&tape, X[0], WORDS, DIM), *zeros = var_new(&tape, WORDS, DIM);
    memset(zeros->v, 0, sizeof(real) * WORDS * DIM);
    const Spans one = spans_one(&tape, WORDS, WORDS);
    const DotAttention zero = dot_attention(&tape, x, x, zeros, 1, &one),
                       flat = dot_attention(&tape, x, zeros, x, 1, &one);
    for (int i = 0; i < WORDS * DIM; i++) assert_true(zero.c->v[i] == 0);
    for (int i = 0; i < WORDS * WORDS; i++) assert_true(flat.e->v[i] == 0);
    tape_free(&tape);
    threads_free(threads);
}

/* ---- a batch ---------------------------------------------------------------------------------------------------- */

/* 40 words: three sentences, one after the other. Each word is a query to its own sentence. */
enum { SENTENCES = 3, ALL = 40, LONGEST = 19, COLS = 70 };
static const int start[SENTENCES] = {0, 2, 21}, length[SENTENCES] = {2, LONGEST, 19};

typedef struct Outcome {
    real c[ALL * COLS], gradient[ALL * COLS];
} Outcome;

static Var *some_words(Tape *tape) {
    Rng rng = rng_seed(1, 1);
    Var *x = var_new(tape, ALL, COLS);
    for (int i = 0; i < ALL * COLS; i++) x->v[i] = (real)rng_normal(&rng);
    return x;
}

/* Applies attention. To get gradients, scores the result against the words and applies cross-entropy; the target is the
   first word of each sentence. */
static void attend_batch(int thread_count, Outcome *outcome) {
    static const int targets[ALL];
    int owner[ALL];
    for (int i = 0; i < ALL; i++) owner[i] = (i >= start[1]) + (i >= start[2]);
    Threads *threads = threads_new(thread_count);
    Tape tape;
    tape_init(&tape, threads, rng_seed(0, 0));
    tape.recording = true;
    Var *x = some_words(&tape);
    const Spans spans = {.start = start, .length = length, .owner = owner, .longest = LONGEST};
    Var *c = dot_attention(&tape, x, x, x, 0.125, &spans).c;
    memcpy(outcome->c, c->v, sizeof outcome->c);
    double nats;
    tape_backward(&tape, identity_loss(&tape, dot_scores(&tape, c, x, 1, 0.5, &spans), targets, &nats));
    memcpy(outcome->gradient, x->g, sizeof outcome->gradient);
    tape_free(&tape);
    threads_free(threads);
}

static void any_threads_and_kernels_give_the_same_bits(void **unused) {
    (void)unused;
    static const int counts[] = {1, 2, 5};
    static Outcome first, other;
    attend_batch(1, &first);
    assert_true(isfinite(first.gradient[0]) && first.gradient[0] != 0);
    for (int set = 0; (kernels = distinct_set(set, PANELS_F32)); set++)
        for (int i = 0; i < 3; i++) {
            attend_batch(counts[i], &other);
            if (memcmp(&first, &other, sizeof first) != 0)
                fail_msg("%s with %d threads differs", kernels->name, counts[i]);
        }
    kernels_choose("auto");
}

static void sentences_of_a_batch_do_not_see_each_other(void **unused) {
    (void)unused;
    static Outcome batch;
    attend_batch(1, &batch);
    Threads *threads = threads_new(1);
    Tape tape;
    tape_init(&tape, threads, rng_seed(0, 0));
    for (int s = 0; s < SENTENCES; s++) {
        Var *x = slice(&tape, some_words(&tape), start[s], length[s]);
        const Spans one = spans_one(&tape, length[s], length[s]);
        const Var *c = dot_attention(&tape, x, x, x, 0.125, &one).c;
        assert_memory_equal(c->v, batch.c + (size_t)start[s] * COLS, (size_t)(length[s] * COLS) * sizeof(real));
    }
    tape_free(&tape);
    threads_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_of_the_textbook),
        cmocka_unit_test(a_sum_of_zeros_is_zero),
        cmocka_unit_test(any_threads_and_kernels_give_the_same_bits),
        cmocka_unit_test(sentences_of_a_batch_do_not_see_each_other),
    };
    return cmocka_run_group_tests_name("attention", tests, NULL, NULL);
}
