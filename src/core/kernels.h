/* kernels.h: the innermost loops, compiled once for each instruction set. `kernels` is the set in use. */
#ifndef TIDE_KERNELS_H
#define TIDE_KERNELS_H

#include "core/real.h"

#include <stdint.h>

/* The constants of one update of an optimizer; see optimizer.h for the equations. */
typedef struct UpdateRule {
    real gradient_scale; /* clipping */
    real rate;
    real decay1, decay2; /* Adam: β₁, β₂; Adadelta: ρ in decay1 */
    real epsilon;
    real correction1, correction2; /* Adam: 1 / (1 - βᵗ) */
} UpdateRule;

/* Updates n weights and sets their gradient to zero. A kind of optimizer without slots ignores slot0 and slot1. */
typedef void UpdateKernel(int n, const UpdateRule *rule, real *w, real *g, real *slot0, real *slot1);

/* The mean μ of a row, and 1/σ, for layer normalisation. */
typedef struct Moments {
    real mean, scale;
} Moments;

/* The kernels of one instruction set. n is the length of a row. Pointers may have any alignment. A kernel adds to
   its arguments d.. that are not const (gradients). */
typedef struct Kernels {
    const char *name;
    int tile_rows, tile_cols; /* size of a tile of c that stays in registers */

    /* c [rows, cols] = init + a b. Each element is one chain of fused multiply-adds, k ascending. a is packed
       [k][rows], b [k][tile_cols]. init may be c, one bias row (ld_init 0), or NULL for zero. Also prefetches k
       cache lines, from `prefetch` on, prefetch_step numbers apart: data that a later tile reads. */
    void (*gemm_tile)(int rows, int cols, int k, const real *a, const real *b, const real *init, int ld_init, real *c,
                      int ld_c, const real *prefetch, int prefetch_step);
    /* panel[k][width] = the first `cols` columns of source[k][ld]; the other columns of the panel become zero. */
    void (*pack_rows)(real *panel, int width, const real *source, int ld, int cols, int k);
    /* The same for columns col..col+cols-1 of k rows that are anywhere in memory. */
    void (*pack_list)(real *panel, int width, const real *const *rows, int col, int cols, int k);
    /* panel[k][width] = the transpose of source[rows][ld], k columns; the columns of the panel beyond `rows` become
       zero. */
    void (*pack_transposed)(real *panel, int width, const real *source, int ld, int rows, int k);

    void (*add)(int n, real *y, const real *x);           /* y += x */
    void (*blend)(int n, real *y, real a, const real *x); /* y += a (x - y) */
    void (*axpy)(int n, real *y, real a, const real *x);  /* y += a x */
    real (*dot)(int n, const real *x, const real *y);     /* Σ x y */
    /* sums_k = Σ x y_k for `count` rows y_k, with the same bits as dot. Also prefetches the numbers y_k + prefetch,
       which the next call reads. */
    void (*dots)(int n, int count, const real *x, const real *const *y, long prefetch, real *sums);
    void (*tanh)(int n, real *y, const real *x);                       /* y = tanh x */
    void (*tanh_back)(int n, real *dx, const real *y, const real *dy); /* dx += dy (1 - y²) */

    /* GRU, see ops_gru.c. x [3n] is first x + h U, then z, r and h̃, and after the backward kernels da. */
    void (*gru_gates)(int n, real *x, const real *h, real *rh);
    void (*gru_state)(int n, real *x, const real *h, real *out);
    void (*gru_state_back)(int n, const real *dout, real *x, const real *h, real *dh);
    void (*gru_gates_back)(int n, const real *drh, real *x, const real *h, real *dh, real *rh);

    /* Additive attention: Σ va tanh(q + k), and its gradients for a given de. Both also prefetch the n numbers after
       k, and after dk: the next position. */
    real (*score)(int n, const real *va, const real *q, const real *k);
    void (*score_back)(int n, real de, const real *va, const real *q, const real *k, real *dva, real *dq, real *dk);
    /* y += Σ weight_j x_j over `count` rows of n numbers. Each element is one chain of fused multiply-adds. Also
       prefetches the numbers x_j + prefetch. */
    void (*combine)(int n, int count, const real *weight, const real *const *x, long prefetch, real *y);

    void (*softmax)(int n, real *y, const real *x);
    void (*softmax_back)(int n, real *dx, const real *y, const real *dy);
    /* Returns max x. *sum = Σ exp(x_i - max x). e_i = exp(x_i - max x), if e is not NULL; e may be x. */
    real (*exp_sum)(int n, const real *x, real *sum, real *e);
    /* e = scale (e / sum - floor): the gradient of the cross-entropy, without the term of the target. */
    void (*softmax_gradient)(int n, real *e, real sum, real scale, real floor);
    real (*sum)(int n, const real *x);

    /* Layer normalisation, see ops_norm.c. y = gain∘x̂ + bias; *moments receives the moments of x. The backward
       kernels add to dx, and dgain += dy∘x̂. */
    void (*layer_norm)(int n, real *y, const real *x, const real *gain, const real *bias, Moments *moments);
    void (*layer_norm_back)(int n, real *dx, const real *dy, const real *x, const real *gain, const Moments *moments);
    void (*layer_norm_gain)(int n, real *dgain, const real *dy, const real *x, const Moments *moments);

    void (*maxout)(int n, real *y, const real *x);       /* y_k = max(x_2k, x_2k+1) */
    void (*maxout_back)(int n, real *x, const real *dy); /* writes dx over x */
    /* y = x m / keep with m ~ Bernoulli(keep), or y += x m / keep if `accumulate`. m_i depends only on key and i. */
    void (*dropout)(int n, real *y, const real *x, uint32_t key, real keep, int accumulate);

    UpdateKernel *sgd, *adam, *adadelta;

    /* Computes `rounds` tile_rows tile_cols fused multiply-adds in registers, to measure the peak speed of the CPU. */
    real (*fma_rounds)(long rounds, real x);
} Kernels;

/* The kernels in use. A constructor sets it to kernels_at(0), the fastest set of this CPU, before main. Any number
   of threads may then read it. */
extern const Kernels *kernels;

/* Returns the sets of kernels that this build and CPU have, the fastest at index 0 and "portable" last; NULL beyond.
   WebAssembly has only "simd128". */
const Kernels *kernels_at(int index);

/* Sets `kernels` to the set of this name: "avx512", "avx2", "neon", "portable", or "auto" for kernels_at(0). Returns 0,
   or -1 if this build and CPU have no such set. Call it before a model is loaded or a tape computes, and not while
   another thread uses tide: packed weights have the format of the set that packed them. */
int kernels_choose(const char *name);

#endif
