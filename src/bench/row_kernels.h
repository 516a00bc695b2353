/* row_kernels.h: a call of each kernel on rows, in one form, for `tide bench kernels` and tests/unit/test_kernels.c.
   Without dropout, which is random and which only the test calls. */
#ifndef TIDE_ROW_KERNELS_H
#define TIDE_ROW_KERNELS_H

#include "core/kernels.h"

enum { KERNEL_ROWS = 6, WIDEST_ROW = 3 };

/* The data of a call: rows x[0], x[1], .. of n to WIDEST_ROW · n numbers, and up to two results. */
typedef struct KernelRows {
    real *x[KERNEL_ROWS], result[2];
} KernelRows;

typedef struct RowKernel {
    const char *name;
    void (*run)(int n, KernelRows *rows);
    int width[KERNEL_ROWS]; /* length of each row, in multiples of n */
} RowKernel;

/* All these kernels, then an entry without a name. */
extern const RowKernel row_kernels[];
/* The arguments of those kernels that need them. */
extern const UpdateRule row_kernel_rule;
extern const Moments row_kernel_moments;

#endif
