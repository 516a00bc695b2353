/* Promise 2: training steps give the same bits for any number of threads and any instruction set. After the first steps
   they allocate nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels.h"
#include "identity_loss.h"
#include "sets.h"
#include "training.h"

/* Trains. Fills nats with the losses and size with the number of weights; returns the weights, which the caller
   releases. */
static real *train(const char *kind, PanelFormat products, int threads, double nats[UPDATES], size_t *size) {
    Training t;
    training_begin(&t, kind, SENTENCES, threads);
    t.products = products;
    for (uint64_t update = 0; update < UPDATES; update++) nats[update] = training_step(&t, update);
    *size = t.model.params.size * sizeof(real);
    real *weights = memcpy(mem_alloc(*size), t.model.params.values, *size);
    training_end(&t);
    return weights;
}

static void check_bits(const char *kind, PanelFormat products, const int counts[], int n) {
    double right[UPDATES], nats[UPDATES];
    size_t size;
    real *first = train(kind, products, 1, right, &size);
    assert_true(isfinite(right[UPDATES - 1]));
    for (int set = 0; (kernels = distinct_set(set, products)); set++)
        for (int i = 0; i < n; i++) {
            real *weights = train(kind, products, counts[i], nats, &size);
            if (memcmp(weights, first, size) != 0 || memcmp(nats, right, sizeof nats) != 0)
                fail_msg("%s, format %d, %s with %d threads differs", kind, products, kernels->name, counts[i]);
            mem_free(weights);
        }
    mem_free(first);
    kernels_choose("auto");
}

static void any_threads_and_kernels_end_in_the_same_bits(void **unused) {
    (void)unused;
    static const int counts[] = {1, 2, 3, 8};
    check_bits("additive", PANELS_F32, counts, 4);
    check_bits("additive", PANELS_BF16, counts + 2, 1);
    static const char *const others[] = {"multi-head", "deep-bigru", "gru", "cnn", "self-attention", "transformer"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        check_bits(others[i], PANELS_F32, counts + 2, 1);
        check_bits(others[i], PANELS_BF16, counts + 2, 1);
    }
}

/* ---- ops on matrices that are split among eight threads -------------------------------------------------------- */

enum { ROWS = 300, POSITIONS = 120, COLS = 4 * POSITIONS /* four heads */, PADDED = 2 * ROWS };

typedef struct Outcome {
    double nats;
    real value[(ROWS - 1) * (COLS + POSITIONS)],
        gradient[ROWS * COLS]; /* value of an op in the middle, gradient of the input */
} Outcome;

/* Runs all ops one after the other. hcat reads two overlapping slices, then matrices of different widths. */
static void run_ops(int thread_count, Outcome *outcome) {
    static const int targets[PADDED];
    const Spans spans = {.longest = POSITIONS};
    Threads *threads = threads_new(thread_count);
    Tape tape;
    Rng rng = rng_seed(1, 1);
    tape_init(&tape, threads, rng_seed(1, 2));
    tape.recording = true;
    Var *x = var_new(&tape, ROWS, COLS);
    for (int i = 0; i < ROWS * COLS; i++) x->v[i] = (real)rng_normal(&rng);
    Var *y = tanh_of(&tape, x);
    y = hcat(&tape, slice(&tape, y, 0, ROWS - 1), slice(&tape, y, 1, ROWS - 1));
    y = add_halves(&tape, y);
    y = hcat(&tape, y, mean_heads(&tape, y, (Heads){1, 3}, &spans));
    assert_int_equal(var_size(y) * sizeof *y->v, sizeof outcome->value);
    memcpy(outcome->value, y->v, sizeof outcome->value);
    y = pad_rows(&tape, y, PADDED);
    tape_backward(&tape, identity_loss(&tape, y, targets, &outcome->nats));
    memcpy(outcome->gradient, x->g, sizeof outcome->gradient);
    tape_free(&tape);
    threads_free(threads);
}

static void ops_that_threads_share_give_the_same_bits(void **unused) {
    (void)unused;
    static const int counts[] = {1, 2, 3, 8};
    static Outcome first, other;
    run_ops(1, &first);
    assert_true(isfinite(first.nats) && first.gradient[0] != 0);
    for (int set = 0; (kernels = distinct_set(set, PANELS_F32)); set++)
        for (int i = 0; i < 4; i++) {
            run_ops(counts[i], &other);
            if (memcmp(&first, &other, sizeof first) != 0)
                fail_msg("%s with %d threads differs", kernels->name, counts[i]);
        }
    kernels_choose("auto");
}

static void a_step_allocates_nothing_once_warm(void **unused) {
    (void)unused;
    Training t;
    training_begin(&t, "multi-head", SENTENCES, 3);
    long warm = 0;
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t number = 0; number < 2; number++) training_step(&t, number);
        if (round == 0) warm = mem_count();
    }
    assert_int_equal(mem_count(), warm);
    training_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_threads_and_kernels_end_in_the_same_bits),
        cmocka_unit_test(ops_that_threads_share_give_the_same_bits),
        cmocka_unit_test(a_step_allocates_nothing_once_warm),
    };
    return cmocka_run_group_tests_name("same bits", tests, NULL, NULL);
}
