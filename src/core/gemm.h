/* gemm.h: matrix products. One thread computes each element of a product, in an order that depends only on the format
   of the right operand: see PanelFormat. So the bits are the same for any number of threads and any instruction set. */
#ifndef TIDE_GEMM_H
#define TIDE_GEMM_H

#include "core/kernels.h"
#include "core/real.h"
#include "core/threads.h"

#include <stdbool.h>
#include <stddef.h>

/* The right operand B [k, n] of a product: b [k, n], or if `transposed` bᵀ with b [n, k]. ld is the leading
   dimension of b. panels: B in the order in which the kernel reads it: panels of tile_cols columns, each with a head
   and [steps][tile_cols][k_step], padded with zeros: see GemmKernels. Without panels, each product packs B; PANELS_I8
   needs panels, and k ≤ GEMM_I8_MOST_K. */
typedef struct Operand {
    int k, n;
    const void *b; /* real, or int8_t with PANELS_I8 */
    int ld;
    bool transposed;
    PanelFormat format;
    const float *scales; /* PANELS_I8: [n], of the columns of B; needed only by operand_pack */
    const void *panels;  /* NULL, or from operand_pack */
} Operand;

/* The size of the panels of a [k, n] operand, in bytes; of one panel. */
size_t packed_size(PanelFormat format, int k, int n);
size_t panel_size(PanelFormat format, int k);
/* Writes the head of a panel, the scales of `cols` columns, if the format has scales. Returns the steps of the panel.
 */
void *panel_head(PanelFormat format, void *panel, const float *scales, int cols);
/* Packs B into `panels`, packed_size bytes that the caller owns. Returns b with these panels, for any number of
   products. */
Operand operand_pack(Threads *threads, Operand b, void *panels);

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
