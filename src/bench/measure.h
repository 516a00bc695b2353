/* measure.h: helpers for the measurements of `tide bench`. */
#ifndef TIDE_BENCH_MEASURE_H
#define TIDE_BENCH_MEASURE_H

#include "core/threads.h"

/* Measures the peak speed: floating-point operations per second of fused multiply-adds that use only registers, summed
   over all threads; the best of five runs. */
double bench_peak(Threads *threads);

/* Sorts the n values in ascending order and returns their median. */
double bench_median(double *values, int n);

#endif
