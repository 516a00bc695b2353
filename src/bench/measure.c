#include "bench/bench.h"
#include "core/base.h"
#include "core/kernels.h"

#include <stdlib.h>

enum { ROUNDS = 1 << 21 };

static void busy(void *context, int begin, int end) {
    const GemmKernels *gemm = *(const GemmKernels **)context;
    for (int i = begin; i < end; i++) gemm->fma_rounds(ROUNDS, (real)0.5);
}

double bench_peak(Threads *threads, PanelFormat format) {
    const GemmKernels *gemm = kernels->gemm[format];
    if (!gemm->fma_rounds) gemm = kernels->gemm[PANELS_F32];
    const double each = 2.0 * gemm->tile_rows * gemm->tile_cols * gemm->k_step;
    double best = 0, flops = each * ROUNDS * threads_count(threads);
    for (int repeat = 0; repeat < 5; repeat++) {
        double began = seconds_now();
        threads_run_and_leave(threads, "peak", threads_count(threads), 1, busy, &gemm, gemm->leave);
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
