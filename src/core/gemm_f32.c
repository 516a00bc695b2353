/* gemm_f32.c: the kernels of products of floats. Compiled once for each instruction set, as kernels.c. */
#include "core/kernels.h"
#include "core/pack.h"
#include "core/tile.h"

/* NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places within a tile or a row */

/* ---- a tile --------------------------------------------------------------------------------------------------- */

/* Computes one tile of full width. `rows` is a constant in each inlined copy, so that acc is in registers. */
INLINE void tile(const int rows, int k, const real *a, const real *b, const real *init, int ld_init, real *c, int ld_c,
                 const char *prefetch, int prefetch_step) {
    vreal acc[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < TILE_VECTORS; j++)
            acc[i][j] = init ? v_load(init + (size_t)i * (size_t)ld_init + j * VW) : v_splat(0);
    for (int p = 0; p < k; p++, a += rows, b += TILE_COLS, prefetch += prefetch_step) {
        vreal b0 = v_load(b), b1 = v_load(b + VW);
        __builtin_prefetch(prefetch, 0, 2);
        __builtin_prefetch(b + PREFETCH_ROWS * TILE_COLS);
        __builtin_prefetch(b + PREFETCH_ROWS * TILE_COLS + VW);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            vreal ai = v_splat(a[i]);
            acc[i][0] = v_fma(ai, b0, acc[i][0]);
            acc[i][1] = v_fma(ai, b1, acc[i][1]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < TILE_VECTORS; j++) v_store(c + (size_t)i * (size_t)ld_c + j * VW, acc[i][j]);
}

static void full_tile(int rows, int k, const void *a, const void *b, const real *init, int ld_init, real *c, int ld_c,
                      const void *prefetch, int prefetch_step) {
#define TILE(n) tile(n, k, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step)
    TILE_OF(rows, TILE);
#undef TILE
}

static void multiply(int rows, int cols, int k, const void *a, const void *b, const real *init, int ld_init, real *c,
                     int ld_c, const void *prefetch, int prefetch_step) {
    real buffer[TILE_ROWS * TILE_COLS];
    multiply_with(full_tile, 1, buffer, rows, cols, k, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);
}

/* ---- packing -------------------------------------------------------------------------------------------------- */

static void pack_rows(void *to, int width, int first, const void *from, int ld, int cols, int k) {
    place_rows((real *)to + (size_t)first * (size_t)width, width, from, ld, cols, k);
}

static void pack_list(void *to, int width, const real *const *rows, int col, int cols, int k) {
    place_list(to, width, rows, col, cols, k);
}

static void pack_transposed(void *to, int width, const void *from, int ld, int cols, int k) {
    enum { STRETCH = 32 };
    for (int p = 0; p < k; p += STRETCH)
        place_transposed((real *)to + (size_t)p * (size_t)width, width, (const real *)from + p, ld, cols,
                         k - p < STRETCH ? k - p : STRETCH);
}

static void pack_left(void *to, const real *a, int lda, int rows, int k) { pack_transposed(to, rows, a, lda, rows, k); }

/* ---- the limit ------------------------------------------------------------------------------------------------ */

static real fma_rounds(long rounds, real x) {
    vreal acc[TILE_ROWS][TILE_VECTORS], a = v_splat(x), b = v_splat(1 - x);
#pragma GCC unroll 16
    for (int i = 0; i < TILE_ROWS; i++) { /* all different: otherwise the compiler would merge the chains */
        acc[i][0] = v_splat((real)i);
        acc[i][1] = v_splat((real)(i + TILE_ROWS));
    }
    for (long round = 0; round < rounds; round++)
#pragma GCC unroll 16
        for (int i = 0; i < TILE_ROWS; i++) {
            acc[i][0] = v_fma(a, acc[i][0], b);
            acc[i][1] = v_fma(a, acc[i][1], b);
        }
    vreal sum = v_splat(0);
    for (int i = 0; i < TILE_ROWS; i++) sum += acc[i][0] + acc[i][1];
    return sum[0];
}

const GemmKernels TABLE = {
    .tile_rows = TILE_ROWS,
    .tile_cols = TILE_COLS,
    .row_unit = 1,
    .k_step = 1,
    .left_step = sizeof(real),
    .right_step = sizeof(real),
    .right_unit = sizeof(real),
    .multiply = multiply,
    .pack_left = pack_left,
    .pack_rows = pack_rows,
    .pack_transposed = pack_transposed,
    .pack_list = pack_list,
    .pack_left_list = pack_list,
    .fma_rounds = fma_rounds,
};

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
