/* gemm.h: matrix products. Every element of every product is one chain of fused multiply-adds in ascending order of
   the inner index, computed by one thread: the same bits for any number of threads and any instruction set. */
#ifndef TIDE_GEMM_H
#define TIDE_GEMM_H

#include "core/real.h"
#include "core/threads.h"

#include <stdbool.h>
#include <stddef.h>

/* The right operand B [k, n]: b itself, [k, n] with leading dimension ld, or with `transposed` bᵀ, where b is [n, k].
   It is packed in passing, for this one product, unless it brings panels as the kernel reads them: tile_cols columns
   each, [k][tile_cols], zero-padded. */
typedef struct Operand {
    int k, n;
    const real *b;
    int ld;
    bool transposed;
    const real *panels; /* NULL, or from operand_pack */
} Operand;

/* Numbers that the panels of a [k, n] operand take. */
size_t packed_size(int k, int n);
/* Packs B into panels that the caller provides, for products to come. */
Operand operand_pack(Threads *threads, Operand b, real *panels);

/* c [m, n] = init + a [m, k] B. init is [m, n] with leading dimension ld_init, may be c itself, a row for every row
   (ld_init 0), or NULL for zero. Each matrix may be wider in memory than it is: ld. */
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

/* A few products that do not wait for each other; those of few rows by operands that bring panels are done at once. */
void gemm(Threads *threads, const Multiplication *list, int count);

/* A few rows of x [rows, m] and of y [rows, n] that belong together. */
typedef struct Strip {
    const real *x, *y;
    int ldx, ldy, rows;
} Strip;

/* c [m, n] += Σ over strips xᵀ y, as if the strips stood below each other: the gradient of a weight that was used in
   several places (one chain of k = Σ rows). */
void gemm_strips(Threads *threads, int m, int n, const Strip *strips, int count, real *c, int ldc);

#endif
