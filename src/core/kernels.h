/* kernels.h: the innermost loops, compiled once for each instruction set; the set to use is chosen before main. */
#ifndef TIDE_KERNELS_H
#define TIDE_KERNELS_H

#include "core/real.h"

#include <stdint.h>

/* What one update of an optimiser needs besides the weights; see optimizer.h for the equations. */
typedef struct UpdateRule {
    real gradient_scale; /* clipping */
    real rate;
    real decay1, decay2; /* Adam: β₁, β₂; Adadelta: ρ in decay1 */
    real epsilon;
    real correction1, correction2; /* Adam: 1 / (1 - βᵗ) */
} UpdateRule;

/* One update of n weights; the gradient is zeroed on the way. An optimizer without slots ignores them. */
typedef void UpdateKernel(int n, const UpdateRule *rule, real *w, real *g, real *slot0, real *slot1);

/* Of a row that is layer-normalised: its mean μ, and 1/σ. */
typedef struct Moments {
    real mean, scale;
} Moments;

/* n numbers at a time, x and y of any alignment. Accumulating arguments are named d.. (gradients). */
typedef struct Kernels {
    const char *name;
    int tile_rows, tile_cols; /* of the matrix product's register tile */

    /* c[rows, cols] = init + a b, one chain of fused multiply-adds an element, k ascending. a is packed [k][rows], b
       [k][tile_cols]; init may be c itself, a bias row (ld_init 0) or NULL for zero. On the way it fetches into the
       caches what a later tile will read: k lines from `prefetch` on, prefetch_step numbers apart. */
    void (*gemm_tile)(int rows, int cols, int k, const real *a, const real *b, const real *init, int ld_init, real *c,
                      int ld_c, const real *prefetch, int prefetch_step);
    /* panel[k][width] = the first columns of source[k][cols]; columns beyond `cols` become zero. */
    void (*pack_rows)(real *panel, int width, const real *source, int ld, int cols, int k);
    /* panel[k][width] = the transpose of source[width rows][k]; columns beyond `rows` become zero. */
    void (*pack_transposed)(real *panel, int width, const real *source, int ld, int rows, int k);

    void (*add)(int n, real *y, const real *x);           /* y += x */
    void (*blend)(int n, real *y, real a, const real *x); /* y += a (x - y) */
    void (*axpy)(int n, real *y, real a, const real *x);  /* y += a x */
    real (*dot)(int n, const real *x, const real *y);     /* Σ x y */
    /* sums_k = Σ x y_k for `count` rows, each as dot has it. The rows that come next, `prefetch` numbers behind these,
       are fetched on the way. */
    void (*dots)(int n, int count, const real *x, const real *const *y, long prefetch, real *sums);
    void (*tanh)(int n, real *y, const real *x);                       /* y = tanh x */
    void (*tanh_back)(int n, real *dx, const real *y, const real *dy); /* dx += dy (1 - y²) */

    /* GRU, see ops_gru.c. x[3n] holds x + h U at first, then z, r and h̃, at last da. */
    void (*gru_gates)(int n, real *x, const real *h, real *rh);
    void (*gru_state)(int n, real *x, const real *h, real *out);
    void (*gru_state_back)(int n, const real *dout, real *x, const real *h, real *dh);
    void (*gru_gates_back)(int n, const real *drh, real *x, const real *h, real *dh, real *rh);

    /* Additive attention: Σ va tanh(q + k), and its gradients for a given de. What stands behind k, and dk, is fetched
       on the way: the next position's. */
    real (*score)(int n, const real *va, const real *q, const real *k);
    void (*score_back)(int n, real de, const real *va, const real *q, const real *k, real *dva, real *dq, real *dk);
    /* y += Σ weight_j x_j over `count` rows of n numbers, one chain of fused multiply-adds an element; `prefetch` as
       above. */
    void (*combine)(int n, int count, const real *weight, const real *const *x, long prefetch, real *y);

    void (*softmax)(int n, real *y, const real *x);
    void (*softmax_back)(int n, real *dx, const real *y, const real *dy);
    /* Returns max x of a row; *sum becomes Σ eˣ⁻ᵐᵃˣ, and e, where it is not NULL, the terms (it may be x). */
    real (*exp_sum)(int n, const real *x, real *sum, real *e);
    /* e = scale (e / sum - floor): the gradient of the cross-entropy, before the target's own entry. */
    void (*softmax_gradient)(int n, real *e, real sum, real scale, real floor);
    real (*sum)(int n, const real *x);

    /* Layer normalisation, see ops_norm.c: y = gain∘x̂ + bias; *moments receives x's. Then dx += .. and
       dgain += dy∘x̂. */
    void (*layer_norm)(int n, real *y, const real *x, const real *gain, const real *bias, Moments *moments);
    void (*layer_norm_back)(int n, real *dx, const real *dy, const real *x, const real *gain, const Moments *moments);
    void (*layer_norm_gain)(int n, real *dgain, const real *dy, const real *x, const Moments *moments);

    void (*maxout)(int n, real *y, const real *x);       /* y_k = max(x_2k, x_2k+1) */
    void (*maxout_back)(int n, real *x, const real *dy); /* dx in the place of x */
    /* y = x m / keep with m ~ Bernoulli(keep), element i's draw depending on key and first + i only. */
    void (*dropout)(int n, real *y, const real *x, uint32_t key, real keep, int accumulate);

    UpdateKernel *sgd, *adam, *adadelta;

    /* `rounds` times tile_rows tile_cols fused multiply-adds in registers alone: the most that this CPU can do. */
    real (*fma_rounds)(long rounds, real x);
} Kernels;

/* The kernels in use. Before main this is set to kernels_at(0), the fastest set of this CPU; any number of threads may
   then read it. */
extern const Kernels *kernels;

/* Returns the sets of kernels that this build and CPU have, the fastest at index 0 and "portable" last; NULL beyond. */
const Kernels *kernels_at(int index);

/* Sets `kernels` to the set of this name: "avx512", "avx2", "neon", "portable", or "auto" for kernels_at(0). Returns 0,
   or -1 if this build and CPU have no such set. Call it before a model is loaded or a tape computes, and not while
   another thread uses tide: packed weights have the format of the set that packed them. */
int kernels_choose(const char *name);

#endif
