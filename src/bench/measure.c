#include "bench/bench.h"
#include "core/base.h"
#include "core/kernels.h"

#include <stdlib.h>

static void busy(void *context, int begin, int end) {
    const long *rounds = context;
    for (int i = begin; i < end; i++) kernels->gemm[PANELS_F32]->fma_rounds(*rounds, (real)0.5);
}

double bench_peak(Threads *threads) {
    long rounds = 1 << 21;
    const GemmKernels *gemm = kernels->gemm[PANELS_F32];
    double best = 0, flops = 2.0 * gemm->tile_rows * gemm->tile_cols * (double)rounds * threads_count(threads);
    for (int repeat = 0; repeat < 5; repeat++) {
        double began = seconds_now();
        threads_run(threads, "peak", threads_count(threads), 1, busy, &rounds);
        double speed = flops / (seconds_now() - began);
        best = speed > best ? speed : best;
    }
    return best;
}

static int ascending(const void *left, const void *right) {
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

double bench_median(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
