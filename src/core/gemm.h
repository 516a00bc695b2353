/* gemm.h: matrix products. One thread computes each element of a product, in an order that depends only on the format
   of the right operand: see PanelFormat. So the bits are the same for any number of threads and any instruction set. */
#ifndef TIDE_GEMM_H
#define TIDE_GEMM_H

#include "core/operand.h"
#include "core/real.h"

/* c [m, n] = init + a [m, k] B. init is [m, n] and may be c; with ld_init 0 it is one row [n], added to each row;
   NULL is zero. lda, ld_init and ldc are leading dimensions. */
typedef struct Product {
    int m;
    const real *a;
    int lda;
    Operand b;
    const real *init;
    int ld_init;
    real *c;
    int ldc;
} Product;

/* Computes `count` independent products. Small products whose operands have panels are computed together, in one run
   of the threads. */
void gemm(Threads *threads, const Product *list, int count);

#endif
