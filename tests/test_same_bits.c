/* Promise 2: a few training steps end in the same bits whatever the number of threads and the instruction
   set; and, once warm, allocate nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels.h"
#include "training.h"

/* Fills what must be the same: the losses on the way, and the weights, which the caller releases. */
static real *train(const char *kind, int threads, double nats[UPDATES], size_t *size) {
    Training t;
    training_begin(&t, kind, SENTENCES, threads);
    for (uint64_t update = 0; update < UPDATES; update++) nats[update] = training_step(&t, update);
    *size = t.model.params.size * sizeof(real);
    real *weights = memcpy(mem_alloc(*size), t.model.params.values, *size);
    training_end(&t);
    return weights;
}

static void check_bits(const char *kind, const int counts[], int n) {
    double right[UPDATES], nats[UPDATES];
    size_t size;
    real *first = train(kind, 1, right, &size);
    assert_true(isfinite(right[UPDATES - 1]));
    for (int set = 0; kernels_at(set); set++)
        for (int i = 0; i < n; i++) {
            kernels = kernels_at(set);
            real *weights = train(kind, counts[i], nats, &size);
            if (memcmp(weights, first, size) != 0 || memcmp(nats, right, sizeof nats) != 0)
                fail_msg("%s, %s with %d threads differs", kind, kernels->name, counts[i]);
            mem_free(weights);
        }
    mem_free(first);
    kernels_choose("auto");
}

static void any_threads_and_kernels_end_in_the_same_bits(void **unused) {
    (void)unused;
    static const int counts[] = {1, 2, 3, 8};
    check_bits("additive", counts, 4);
    static const char *const others[] = {"multi-head", "deep-bigru", "gru", "cnn", "self-attention", "transformer"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) check_bits(others[i], counts + 2, 1);
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
        cmocka_unit_test(a_step_allocates_nothing_once_warm),
    };
    return cmocka_run_group_tests_name("same bits", tests, NULL, NULL);
}
