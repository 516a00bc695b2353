/* gemm.h: matrix products. One thread computes each element of a product, as one chain of fused multiply-adds in
   ascending order of the inner index. So the bits are the same for any number of threads and any instruction set. */
#ifndef TIDE_GEMM_H
#define TIDE_GEMM_H

#include "core/real.h"
#include "core/threads.h"

#include <stdbool.h>
#include <stddef.h>

/* The right operand B [k, n] of a product: b [k, n], or if `transposed` bᵀ with b [n, k]. ld is the leading
   dimension of b. panels: B in the order in which the kernel reads it: panels of tile_cols columns, each
   [k][tile_cols], padded with zeros. Without panels, each product packs B. */
typedef struct Operand {
    int k, n;
    const real *b;
    int ld;
    bool transposed;
    const real *panels; /* NULL, or from operand_pack */
} Operand;

/* The size of the panels of a [k, n] operand, in numbers. */
size_t packed_size(int k, int n);
/* Packs B into `panels`, packed_size(k, n) numbers that the caller owns. Returns b with these panels, for any number
   of products. */
Operand operand_pack(Threads *threads, Operand b, real *panels);

/* c [m, n] = init + a [m, k] B. init is [m, n] and may be c; with ld_init 0 it is one row [n], added to each row;
   NULL is zero. lda, ld_init and ldc are leading dimensions. */
typedef struct Multiplication {
    int m;
    const real *a;
    int lda;
    Operand b;
    const real *init;
    int ld_init;
    real *c;
    int ldc;
} Multiplication;

/* Computes `count` independent products. Small products whose operands have panels are computed together, in one run
   of the threads. */
void gemm(Threads *threads, const Multiplication *list, int count);

/* x [rows, m] and y [rows, n]: xᵀ y is one term of gemm_strips. */
typedef struct Strip {
    const real *x, *y;
    int ldx, ldy, rows;
} Strip;

/* c [m, n] += Σ xᵀ y over the strips: the gradient of a weight that is used in several places. Each element is one
   chain over the rows of all strips, in the order of the list. */
void gemm_strips(Threads *threads, int m, int n, const Strip *strips, int count, real *c, int ldc);

#endif
