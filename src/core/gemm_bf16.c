/* gemm_bf16.c: the kernels of products of bfloat16. Compiled once for each instruction set, as kernels.c.

   The arithmetic is that of the instruction TDPBF16PS of current CPUs, in every bit, for sets that lack it. Both
   operands are rounded to bfloat16 when they are packed: to nearest, ties to even; a subnormal number becomes zero. The
   inner index is divided into blocks of 32 numbers, the last filled up with zeros. For each block,

       even = Σ a_ik b_kj over the even k,  odd = Σ a_ik b_kj over the odd k,  c_ij = c_ij + (even + odd),

   where c begins with init, and even and odd are chains of fused multiply-adds from zero, k ascending. In all
   operations, subnormal numbers count as zero of their sign, and a result becomes zero if it is below the smallest
   normal number, 2^-126, after rounding to 24 bits as if the exponent had no end.

   The numbers are packed as floats, in the order of gemm_f32.c. So the inner loops are those of gemm_f32.c, too, over
   every second number, and the sums of the even numbers wait in memory for those of the odd ones. */
#include "core/kernels.h"
#include "core/pack.h"
#include "core/tile.h"

/* NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places within a tile or a row */

enum { BLOCK = 32, HALF = BLOCK / 2 };

/* ---- results below the smallest normal number -------------------------------------------------------------------- */

#if defined(TIDE_DOUBLE) || defined(__FMA__)
/* Doubles, for the test of the gradients, have a wide range; for floats, the CPU does it, between flush_begin and
   flush_end. */
INLINE vreal flush(vreal x) { return x; }
INLINE vreal multiply_add(vreal a, vreal b, vreal c) { return v_fma(a, b, c); }
#else
#define SMALLEST 0x1p-126f
/* |x| */
INLINE vreal magnitude_of(vreal x) { return (vreal)((vbits)x & 0x7fffffffu); }

/* Numbers below `smallest` become zero of their sign. */
INLINE vreal flush_below(vreal x, vreal smallest) {
    return v_select(magnitude_of(x) < smallest, (vreal)((vbits)x & 0x80000000u), x);
}
INLINE vreal flush(vreal x) { return flush_below(x, v_splat(SMALLEST)); }

/* Near the smallest normal number, floats have fewer than 24 bits. A result there is computed again, 2^64 times as
   large, so that it is rounded to 24 bits. Nothing overflows, because c and the smaller factor are small. */
INLINE vreal multiply_add(vreal a, vreal b, vreal c) {
    const vreal result = v_fma(a, b, c), magnitude = magnitude_of(result), large = v_splat(0x1p64f);
    const vword in_doubt = (magnitude > v_splat(0)) & (magnitude <= v_splat(SMALLEST));
    if (__builtin_expect(!v_any(in_doubt), 1)) return result;
    const vword a_smaller = magnitude_of(a) < magnitude_of(b);
    const vreal once = v_fma(v_select(a_smaller, a, b) * large, v_select(a_smaller, b, a), c * large);
    return v_select(in_doubt, flush_below(once, v_splat(SMALLEST) * large) * v_splat(0x1p-64f), result);
}
#endif

#if defined(__FMA__) && !defined(TIDE_DOUBLE)
INLINE unsigned flush_begin(void) {
    enum { FTZ = 1 << 15, DAZ = 1 << 6 }; /* for results; for arguments */
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | FTZ | DAZ);
    return saved;
}
INLINE void flush_end(unsigned saved) { _mm_setcsr(saved); }
#else
INLINE unsigned flush_begin(void) { return 0; }
INLINE void flush_end(unsigned saved) { (void)saved; }
#endif

/* ---- a tile ------------------------------------------------------------------------------------------------------ */

typedef vreal Sums[TILE_ROWS][TILE_VECTORS];

/* sum = the chains over every second number of a block, from the first one of a and b on. */
INLINE void half_block(const int rows, const real *a, const real *b, const char *prefetch, int prefetch_step,
                       Sums sum) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) sum[i][0] = sum[i][1] = v_splat(0);
    for (int p = 0; p < HALF; p++, a += 2 * rows, b += 2 * TILE_COLS) {
        const vreal b0 = v_load(b), b1 = v_load(b + VW);
        __builtin_prefetch(prefetch + p * prefetch_step, 0, 2);
        __builtin_prefetch(b + PREFETCH_ROWS * TILE_COLS);
        __builtin_prefetch(b + PREFETCH_ROWS * TILE_COLS + VW);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            const vreal ai = v_splat(a[i]);
            sum[i][0] = multiply_add(ai, b0, sum[i][0]);
            sum[i][1] = multiply_add(ai, b1, sum[i][1]);
        }
    }
}

/* For i, j of a tile of `rows` rows: vector j of row i. */
#define EACH_VECTOR                                                                                                    \
    _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)                                                            \
        _Pragma("GCC unroll 2") for (int j = 0; j < TILE_VECTORS; j++)

/* Computes one tile of full width. `rows` is a constant in each inlined copy, so that the sums of half a block are in
   registers. */
INLINE void tile(const int rows, int steps, const real *a, const real *b, const real *init, int ld_init, real *c,
                 int ld_c, const char *prefetch, int prefetch_step) {
    const int each = prefetch_step / BLOCK; /* a block has 32 prefetches, so many bytes apart */
    Sums all, even, odd;                    /* `all` and `even` are in memory: see below */
    EACH_VECTOR all[i][j] = init ? flush(v_load(init + (size_t)i * (size_t)ld_init + j * VW)) : v_splat(0);
    for (int step = 0; step < steps; step++, prefetch += prefetch_step, a += BLOCK * rows, b += BLOCK * TILE_COLS) {
        half_block(rows, a, b, prefetch, each, even);
        /* otherwise the compiler wants more registers than there are */
        __asm__ volatile("" : "+m"(all), "+m"(even));
        half_block(rows, a + rows, b + TILE_COLS, prefetch + HALF * each, each, odd);
        EACH_VECTOR all[i][j] = flush(all[i][j] + flush(even[i][j] + odd[i][j]));
    }
    EACH_VECTOR v_store(c + (size_t)i * (size_t)ld_c + j * VW, all[i][j]);
}

/* Not inlined, because the compiler might move operations to before flush_begin or behind flush_end. */
__attribute__((noinline)) static void full_tile(int rows, int steps, const void *a, const void *b, const real *init,
                                                int ld_init, real *c, int ld_c, const void *prefetch,
                                                int prefetch_step) {
#define TILE(n) tile(n, steps, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step)
    TILE_OF(rows, TILE);
#undef TILE
}

static void multiply(int rows, int cols, int steps, const void *a, const void *b, const real *init, int ld_init,
                     real *c, int ld_c, const void *prefetch, int prefetch_step) {
    const unsigned saved = flush_begin();
    real buffer[TILE_ROWS * TILE_COLS];
    multiply_with(full_tile, 1, buffer, rows, cols, steps, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);
    flush_end(saved);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* x rounded to bfloat16. NaN stays NaN. */
INLINE real bfloat16(real x) {
    const uint32_t sign = 0x80000000u, infinity = 0x7f800000u, smallest = 0x00800000u, quiet = 0x00400000u;
    float number = (float)x;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint32_t magnitude = bits & ~sign, rounded = bits + 0x7fff + (bits >> 16 & 1);
    bits = magnitude < smallest ? bits & sign : magnitude > infinity ? bits | quiet : rounded;
    bits &= 0xffff0000u;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Rounds the rows begin..end-1 of a block. If they are its first rows, the rows behind them become zero. */
INLINE void finish_block(real *block, int width, int begin, int end) {
    for (int i = begin * width; i < end * width; i++) block[i] = bfloat16(block[i]);
    for (int i = end * width; begin == 0 && i < BLOCK * width; i++) block[i] = 0;
}

/* The rows of a block that are still to be packed, from row `at` of the block on. */
INLINE int rows_of_block(int at, int remaining) { return remaining < BLOCK - at ? remaining : BLOCK - at; }

static void pack_rows(void *steps, int width, int first, const void *from, int ld, int cols, int k) {
    const real *row = from;
    for (int p = 0, n; p < k; p += n, row += (size_t)n * (size_t)ld) {
        const int at = (first + p) % BLOCK;
        real *block = (real *)steps + (size_t)(first + p - at) * (size_t)width;
        n = rows_of_block(at, k - p);
        place_rows(block + at * width, width, row, ld, cols, n);
        finish_block(block, width, at, at + n);
    }
}

static void pack_list(void *steps, int width, const real *const *rows, int col, int cols, int k) {
    real *block = steps;
    for (int p = 0; p < k; p += BLOCK, block += BLOCK * width) {
        const int n = rows_of_block(0, k - p);
        place_list(block, width, rows + p, col, cols, n);
        finish_block(block, width, 0, n);
    }
}

static void pack_transposed(void *steps, int width, const void *from, int ld, int cols, int k) {
    real *block = steps;
    for (int p = 0; p < k; p += BLOCK, block += BLOCK * width) {
        const int n = rows_of_block(0, k - p);
        place_transposed(block, width, (const real *)from + p, ld, cols, n);
        finish_block(block, width, 0, n);
    }
}

static void pack_left(void *tile, const real *a, int lda, int rows, int k) {
    pack_transposed(tile, rows, a, lda, rows, k);
}

const GemmKernels TABLE = {
    .tile_rows = TILE_ROWS,
    .tile_cols = TILE_COLS,
    .row_unit = 1,
    .k_step = BLOCK,
    .left_step = BLOCK * sizeof(real),
    .right_step = BLOCK * sizeof(real),
    .right_unit = sizeof(real),
    .multiply = multiply,
    .pack_left = pack_left,
    .pack_rows = pack_rows,
    .pack_transposed = pack_transposed,
    .pack_list = pack_list,
    .pack_left_list = pack_list,
};

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
