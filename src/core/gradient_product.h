/* gradient_product.h: the gradient of a weight, as one product over all steps in which the weight was used in a batch.
 */
#ifndef TIDE_GRADIENT_PRODUCT_H
#define TIDE_GRADIENT_PRODUCT_H

#include "core/operand.h"
#include "core/shard_sums.h"

/* Computes what the rows x_i and y_i of the steps begin..end-1 point to. It may use the threads and compute products.
 */
typedef void StepsNeeded(void *context, int begin, int end);

/* Step i has a row x_i [m] and a row y_i [n].
   Without shards: c [m, n] += Σ x_iᵀ y_i; each element is one chain of fused multiply-adds that continues c.
   With shards: c += Σ_shards (Σ x_iᵀ y_i over the shard's steps i, then its additions), in the tree of shard_sums.h.
   Each element of a shard's sum is one chain of fused multiply-adds over its steps.
   With PANELS_BF16, the steps are divided into blocks of 32 instead, those of each shard from its first step on, and
   are added as gemm_bf16.c says. */
typedef struct GradientProduct {
    int m, n, shards;                /* shards 0: the batch has none; a power of two, at most MOST_SHARDS */
    const int *start;                /* [shards + 1], shards 0: [2]. Shard s has the steps start[s]..start[s + 1] - 1 */
    const real *const *x, *const *y; /* [number of steps] */
    const RowAdditions *additions;   /* with shards; NULL: none */
    real *c;
    StepsNeeded *needed; /* called for the steps in order, at most `most` at a time; NULL: all rows are there */
    void *context;       /* of `needed` */
    int most;            /* 0: a default. PANELS_BF16: 32 at least, or all steps; rounded down to a multiple of 32 */
    PanelFormat format;  /* PANELS_F32 or PANELS_BF16 */
} GradientProduct;
void gradient_product(Threads *threads, const GradientProduct *product);

#endif
