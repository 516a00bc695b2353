/* bench_measure.h: what the parts of `tide bench` measure with. */
#ifndef TIDE_BENCH_MEASURE_H
#define TIDE_BENCH_MEASURE_H

#include "core/threads.h"

/* Returns the floating-point operations a second of multiply-adds in registers alone, on all threads together: the best
   of a few runs. */
double bench_peak(Threads *threads);

/* Sorts the n values in ascending order and returns their median. */
double bench_median(double *values, int n);

#endif
