/* tide bench kernels: checks that each kernel on rows has the bits of the portable set, which tests/unit/test_kernels.c
   compares with plain loops in double, and measures its speed. */
#include "bench/bench.h"
#include "bench/row_kernels.h"
#include "core/base.h"
#include "core/rng.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 1024 };

typedef struct Arrays {
    real numbers[KERNEL_ROWS][WIDEST_ROW * LONGEST];
    KernelRows rows;
} Arrays;

static void fill(Arrays *a) {
    Rng rng = rng_seed(1, 1);
    a->rows = (KernelRows){0};
    for (int k = 0; k < KERNEL_ROWS; k++) {
        a->rows.x[k] = a->numbers[k];
        for (int i = 0; i < WIDEST_ROW * LONGEST; i++) a->numbers[k][i] = (real)rng_normal(&rng);
    }
}

static void run_with(const Kernels *set, const RowKernel *kernel, int n, Arrays *a) {
    const Kernels *const chosen = kernels;
    fill(a);
    kernels = set;
    kernel->run(n, &a->rows);
    kernels = chosen;
}

/* The bits tell 0 from -0; the comparison refuses NaN. */
static void check_bits(const RowKernel *kernel, int n, real got, real wanted) {
    CHECK(got == wanted && !memcmp(&got, &wanted, sizeof got), "kernel %s of %d: got %g, expected %g", kernel->name, n,
          (double)got, (double)wanted);
}

static void verify(const RowKernel *kernel, int n) {
    static Arrays got, wanted;
    int last = 0;
    while (kernels_at(last + 1)) last++;
    run_with(kernels, kernel, n, &got);
    run_with(kernels_at(last), kernel, n, &wanted);
    for (int k = 0; k < KERNEL_ROWS; k++)
        for (int i = 0; i < WIDEST_ROW * LONGEST; i++) check_bits(kernel, n, got.numbers[k][i], wanted.numbers[k][i]);
    for (int k = 0; k < 2; k++) check_bits(kernel, n, got.rows.result[k], wanted.rows.result[k]);
}

/* Measures how many numbers per nanosecond a kernel handles if its arrays are in the cache. */
static double speed(const RowKernel *kernel) {
    static Arrays arrays;
    enum { REPEATS = 51, RUNS = 3 /* then new numbers, because repeated calls let them grow */ };
    double seconds[REPEATS];
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        fill(&arrays);
        double began = seconds_now();
        for (int run = 0; run < RUNS; run++) kernel->run(LONGEST, &arrays.rows);
        seconds[repeat] = seconds_now() - began;
    }
    return RUNS * (double)LONGEST / bench_median(seconds, REPEATS) / 1e9;
}

void bench_kernels(void) {
    static const int sizes[] = {1, 15, 16, 17, 100, LONGEST};
    printf("kernels: each has the bits of the portable set; one thread, %d numbers in the cache\n", LONGEST);
    for (const RowKernel *kernel = row_kernels; kernel->name; kernel++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) verify(kernel, sizes[k]);
        printf("  %-18s %6.2f numbers a nanosecond\n", kernel->name, speed(kernel));
    }
}
