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

/* Receives a part of a product: the rows row..row+rows-1 of the columns col..col+cols-1, y [rows, cols] with the
   leading dimension ld. col is a multiple of PART_COLS, and cols is PART_COLS but for the last columns; so the columns
   of a part do not depend on the machine. Threads call it at the same time, each with other parts; y is valid during
   the call. */
typedef void UsePart(void *context, int row, int rows, int col, int cols, const real *y, int ld);
enum { PART_COLS = 512 };

/* Computes a product that is not stored: `use` receives each part. B has panels, k > 0, init is one row or NULL, and c
   is not used. */
void gemm_parts(Threads *threads, const Product *product, UsePart *use, void *context);

#endif
