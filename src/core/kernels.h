/* kernels.h: the innermost loops, compiled once for each instruction set. `kernels` is the set in use. */
#ifndef TIDE_KERNELS_H
#define TIDE_KERNELS_H

#include "core/base.h"
#include "core/operand.h"
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

/* For loops over blocks. */
static inline int blocks_of(int size, int block) { return (size + block - 1) / block; }

/* The kernels of a product c = init + a b for one format of the packed operands, see gemm.h. The inner index is divided
   into steps of k_step numbers, the last filled up with zeros. A tile of a is packed [steps][rows], a panel of b
   [steps][tile_cols], each with the k_step numbers of a row or column; within a step, the format decides their order.
   Ahead of the steps, a tile or panel has a head with the scales of its rows or columns, if the format has scales. */
typedef struct GemmKernels {
    int tile_rows, tile_cols; /* size of a tile of c that stays in registers */
    /* Each tile of a begins at a multiple of row_unit, and tile_rows is one, too. The memory of a tile has room for its
       rows, rounded up to a multiple of row_unit. */
    int row_unit;
    int k_step;
    int k_most; /* most numbers of the inner index in one call of `multiply`, if less than Kernels.k_block; or 0 */
    /* Bytes of a step and of the head, for one row of a tile (left) and one column of a panel (right). */
    int left_step, right_step, left_head, right_head;
    /* A step of a panel has right_step / right_unit units of each column, [units][tile_cols]; a unit is contiguous. */
    int right_unit;

    /* c [rows, cols] = init + a b, for a tile of a and a panel of b. init may be c, one bias row (ld_init 0), or NULL
       for zero. Also prefetches data that a later tile reads, from `prefetch` on, and prefetch_step bytes further
       with each step. Without heads, a and b may begin at any step. */
    void (*multiply)(int rows, int cols, int steps, const void *a, const void *b, const real *init, int ld_init,
                     real *c, int ld_c, const void *prefetch, int prefetch_step);
    /* Packs a tile of a: `rows` rows of k numbers, and the head. */
    void (*pack_left)(void *tile, const real *a, int lda, int rows, int k);
    /* Packs the rows first..first+k-1 of b [.., cols] into the steps of a panel of `width` columns; the other columns
       become zero. b has numbers of the type real, or int8_t with PANELS_I8. If k_step is not 1, the rows of a step
       must be packed in ascending order. */
    void (*pack_rows)(void *steps, int width, int first, const void *b, int ld, int cols, int k);
    /* Packs all k rows of b, whose transpose [cols, k] is given. */
    void (*pack_transposed)(void *steps, int width, const void *b, int ld, int cols, int k);

    /* Not PANELS_I8: pack_rows for columns col..col+cols-1 of k rows that are anywhere in memory; the last step is
       filled up with zeros. pack_list packs a panel, pack_left_list a tile, whose `width` rows are these columns. */
    void (*pack_list)(void *steps, int width, const real *const *rows, int col, int cols, int k);
    void (*pack_left_list)(void *steps, int width, const real *const *rows, int col, int cols, int k);
    /* Computes `rounds` tile_rows tile_cols k_step multiply-adds in registers, to measure the peak speed of the CPU.
       NULL: the peak is that of PANELS_F32. */
    real (*fma_rounds)(long rounds, real x);
    /* Called by each thread after its last call of `multiply` or fma_rounds in a run of the threads; may be NULL. */
    Leave *leave;
} GemmKernels;

/* The most numbers of the inner index in one call of `multiply`, if there are no heads. */
int gemm_k_block(const GemmKernels *g);

/* `rows`, rounded up to whole units. */
static inline int whole_units(const GemmKernels *g, int rows) { return blocks_of(rows, g->row_unit) * g->row_unit; }

/* `rows`, rounded down to whole tiles. */
static inline int whole_tiles(const GemmKernels *g, int rows) { return rows / g->tile_rows * g->tile_rows; }

/* The first row of tile `tile`, if `rows` rows are divided into `tiles` tiles. tile == tiles: `rows`. */
static inline int tile_offset(const GemmKernels *g, int rows, int tiles, int tile) {
    return smaller(part_offset(blocks_of(rows, g->row_unit), tiles, tile) * g->row_unit, rows);
}

/* The kernels of one instruction set. n is the length of a row. Pointers may have any alignment. A kernel adds to
   its arguments d.. that are not const (gradients). */
typedef struct Kernels {
    const char *name;
    const GemmKernels *gemm[PANEL_FORMATS];
    int k_block; /* see gemm_k_block and gemm.c: a multiple of every k_step; the bits do not depend on it */

    void (*add)(int n, real *y, const real *x);           /* y += x */
    void (*divide)(int n, real *y, real d);               /* y /= d */
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
    /* Returns the first i from `from` on with x_i > limit, or NaN; n if there is none. `from` may be n. */
    int (*next_above)(int n, const real *x, int from, real limit);

    /* Layer normalisation, see ops_norm.c. y = gain∘x̂ + bias; *moments receives the moments of x. The backward
       kernels add to dx, and dgain += dy∘x̂. */
    void (*layer_norm)(int n, real *y, const real *x, const real *gain, const real *bias, Moments *moments);
    void (*layer_norm_back)(int n, real *dx, const real *dy, const real *x, const real *gain, const Moments *moments);
    void (*layer_norm_gain)(int n, real *dgain, const real *dy, const real *x, const Moments *moments);

    void (*maxout)(int n, real *y, const real *x);       /* y_k = max(x_2k, x_2k+1) */
    void (*maxout_back)(int n, real *x, const real *dy); /* writes dx over x */
    void (*relu)(int n, real *x);                        /* x = max(x, 0) */
    void (*relu_back)(int n, real *dy, const real *y);   /* dy = 0 where y is not above 0 */
    /* y = x m / keep with m ~ Bernoulli(keep), or y += x m / keep if `accumulate`. m_i depends only on key and i. */
    void (*dropout)(int n, real *y, const real *x, uint32_t key, real keep, int accumulate);

    UpdateKernel *sgd, *adam, *adadelta;
} Kernels;

/* The kernels in use. A constructor sets it to kernels_at(0), the fastest set of this CPU, before main. Any number
   of threads may then read it. */
extern const Kernels *kernels;

/* Returns the sets of kernels that this build and CPU have, the fastest at index 0 and "portable" last; NULL beyond.
   WebAssembly has only "simd128". Sets with the instructions for dot products differ from the next set only in
   gemm[PANELS_I8], and "amx" also in gemm[PANELS_BF16]. */
const Kernels *kernels_at(int index);

/* Sets `kernels` to the set of this name: "amx", "avx512vnni", "avx512", "avxvnni", "avx2", "neondot", "neon",
   "portable", or "auto" for kernels_at(0). Returns 0, or -1 if this build and CPU have no such set. Call it before a
   model is loaded or a tape computes, and not while another thread uses tide: packed weights have the format of the set
   that packed them. */
int kernels_choose(const char *name);

#endif
