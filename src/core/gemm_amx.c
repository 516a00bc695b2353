/* gemm_amx.c: the kernels of products of bfloat16 for AMX. The arithmetic is that of gemm_bf16.c, which the instruction
   TDPBF16PS has by itself. gemm_i8.c has the products of int8.

   A block of a tile, 32 numbers of each row, is packed as one or two registers: the rows one after the other, each of
   64 bytes. A block of a panel has 16 pairs of rows of b; a pair has for each of the 32 columns its two numbers.
   Registers are loaded from 16 columns of it.

   The four instructions of a block take 64 cycles and read four registers, 4 KiB. L1 delivers that, L2 hardly. With
   K_MOST, 512 numbers, a panel has 32 KiB and stays in an L1 of 48 KiB for all tiles of a block of rows; only tiles
   come from L2, 32 bytes a cycle. With more numbers, the panel would not stay; with fewer, the sums are read and
   written more often, which is 8 KiB in 16 x 64 = 1024 cycles. */
#include "core/amx.h"
#include "core/kernels.h"

#if defined(TIDE_AMX) && !defined(TIDE_DOUBLE)
#include "core/tile.h"

/* NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places within a tile or a panel */

enum {
    BLOCK = AMX_BYTES / sizeof(uint16_t), /* numbers of a row in a register */
    PAIRS = BLOCK / 2,
    PAIR_BYTES = TILE_COLS * sizeof(uint32_t),
    REGISTER = AMX_ROWS * AMX_BYTES,
    K_MOST = 512 /* numbers of the inner index in a call of `multiply` */
};

/* ---- a tile ------------------------------------------------------------------------------------------------------ */

/* The compiler must not move stores of numbers behind the instruction that loads them: gcc 12 does not know that a
   register reads memory. */
#define ALL_IS_STORED __asm__ volatile("" : : : "memory")

/* For the numbers of c or init that are register 2 i + j: rows 16 i .., columns 16 j ... */
#define LOAD_SUMS(register, i, j)                                                                                      \
    do {                                                                                                               \
        if (init) _tile_loadd(register, init + 16 * (i) * (size_t)ld_init + 16 * (j), (size_t)ld_init * sizeof(real)); \
        else _tile_zero(register);                                                                                     \
    } while (0)
#define STORE_SUMS(register, i, j)                                                                                     \
    _tile_stored(register, c + 16 * (i) * (size_t)ld_c + 16 * (j), (size_t)ld_c * sizeof(real))

/* `halves` registers of rows: 1 or 2, a constant in each inlined copy. */
INLINE void tile(const int halves, int steps, const char *a, const char *b, const real *init, int ld_init, real *c,
                 int ld_c, const char *prefetch, int prefetch_step) {
    LOAD_SUMS(0, 0, 0);
    LOAD_SUMS(1, 0, 1);
    if (halves == 2) {
        LOAD_SUMS(2, 1, 0);
        LOAD_SUMS(3, 1, 1);
    }
    for (int step = 0; step < steps;
         step++, prefetch += prefetch_step, a += halves * REGISTER, b += PAIRS * PAIR_BYTES) {
        _tile_loadd(4, a, AMX_BYTES);
        _tile_loadd(6, b, PAIR_BYTES);
        _tile_loadd(7, b + AMX_BYTES, PAIR_BYTES);
        prefetch_lines(prefetch, prefetch_step);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        if (halves == 2) {
            _tile_loadd(5, a + REGISTER, AMX_BYTES);
            _tile_dpbf16ps(2, 5, 6);
            _tile_dpbf16ps(3, 5, 7);
        }
    }
    STORE_SUMS(0, 0, 0);
    STORE_SUMS(1, 0, 1);
    if (halves == 2) {
        STORE_SUMS(2, 1, 0);
        STORE_SUMS(3, 1, 1);
    }
}

static void full_tile(int rows, int steps, const void *a, const void *b, const real *init, int ld_init, real *c,
                      int ld_c, const void *prefetch, int prefetch_step) {
    amx_enter();
    ALL_IS_STORED;
    if (rows > AMX_ROWS) tile(2, steps, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);
    else tile(1, steps, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);
}

static void multiply(int rows, int cols, int steps, const void *a, const void *b, const real *init, int ld_init,
                     real *c, int ld_c, const void *prefetch, int prefetch_step) {
    real buffer[AMX_TILE * TILE_COLS];
    multiply_with(full_tile, AMX_ROWS, buffer, rows, cols, steps, a, b, init, ld_init, c, ld_c, prefetch,
                  prefetch_step);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* The first n of 16 numbers; the others are zero. */
INLINE __m512 load_16(const real *x, int n) {
    if (n >= AMX_ROWS) return _mm512_loadu_ps(x);
    return _mm512_maskz_loadu_ps((__mmask16)(n > 0 ? (1u << n) - 1 : 0), x);
}

/* The numbers of `first`, then those of `second`, rounded to bfloat16. Like bfloat16() of gemm_bf16.c, the instruction
   rounds to nearest, ties to even, and a subnormal number becomes zero. */
INLINE __m512i round_both(__m512 first, __m512 second) { return (__m512i)_mm512_cvtne2ps_pbh(second, first); }

/* A row of a: n numbers, then zeros. */
INLINE __m512i round_row(const real *x, int n) {
    return round_both(load_16(x, n), load_16(x + AMX_ROWS, n - AMX_ROWS));
}

/* A pair of rows of b, for 16 columns of which `cols` are there: the two numbers of each column. A row may be NULL. */
INLINE __m512i round_pair(const real *first, const real *second, int cols) {
    const vbits lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const __m512i alternate = (__m512i)(lanes | (lanes + 16) << 16),
                  both = round_both(first ? load_16(first, cols) : _mm512_setzero_ps(),
                                    second ? load_16(second, cols) : _mm512_setzero_ps());
    return _mm512_permutexvar_epi16(alternate, both);
}

/* Transposes 16 x 16 numbers of 32 bits: first within blocks of 4 x 4, then the blocks. */
INLINE void transpose(__m512i r[16]) {
    __m512i t[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    enum { EVEN = 0x88, ODD = 0xdd }; /* blocks 0 and 2 of both operands, 1 and 3 */
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const __m512i even[] = {_mm512_shuffle_i32x4(r[i], r[i + 4], EVEN),
                                _mm512_shuffle_i32x4(r[i + 8], r[i + 12], EVEN)};
        const __m512i odd[] = {_mm512_shuffle_i32x4(r[i], r[i + 4], ODD),
                               _mm512_shuffle_i32x4(r[i + 8], r[i + 12], ODD)};
        t[i] = _mm512_shuffle_i32x4(even[0], even[1], EVEN);
        t[i + 4] = _mm512_shuffle_i32x4(odd[0], odd[1], EVEN);
        t[i + 8] = _mm512_shuffle_i32x4(even[0], even[1], ODD);
        t[i + 12] = _mm512_shuffle_i32x4(odd[0], odd[1], ODD);
    }
    for (int i = 0; i < 16; i++) r[i] = t[i];
}

static void pack_left(void *tile, const real *a, int lda, int rows, int k) {
    const int padded = blocks_of(rows, AMX_ROWS) * AMX_ROWS;
    for (int i = 0; i < rows; i++, a += lda) {
        char *to = (char *)tile + i * AMX_BYTES;
        for (int p = 0; p < k; p += BLOCK, to += padded * AMX_BYTES) _mm512_storeu_si512(to, round_row(a + p, k - p));
    }
}

/* Pair `pair` of a panel. */
INLINE char *pair_at(void *panel, int pair) { return (char *)panel + (size_t)pair * PAIR_BYTES; }

/* Packs a pair of rows of b; if there is no second one, zeros. */
INLINE void pack_pair(char *to, const real *first, const real *second, int cols) {
    for (int j = 0; j < TILE_COLS; j += AMX_ROWS, to += AMX_BYTES)
        _mm512_storeu_si512(to, round_pair(first ? first + j : NULL, second ? second + j : NULL, cols - j));
}

/* Packs the second row of a pair. */
INLINE void complete_pair(char *to, const real *second, int cols) {
    for (int j = 0; j < TILE_COLS; j += AMX_ROWS, to += AMX_BYTES) {
        const __m512i pair = round_pair(NULL, second + j, cols - j);
        _mm512_storeu_si512(to, _mm512_or_si512(pair, _mm512_loadu_si512(to)));
    }
}

/* If row `row` begins a block and the `rows` rows to be packed do not fill it, makes the block zero. */
INLINE void begin_block(void *panel, int row, int rows) {
    if (row % BLOCK == 0 && rows < BLOCK) memset(pair_at(panel, row / 2), 0, PAIRS * PAIR_BYTES);
}

static void pack_rows(void *steps, int width, int first, const void *b, int ld, int cols, int k) {
    (void)width;
    const real *row = b;
    const int end = first + k;
    if (first % 2 && k > 0) {
        complete_pair(pair_at(steps, first / 2), row, cols);
        row += ld;
        first++;
    }
    for (int p = first; p < end; p += 2, row += 2 * (size_t)ld) {
        begin_block(steps, p, end - p);
        pack_pair(pair_at(steps, p / 2), row, p + 1 < end ? row + ld : NULL, cols);
    }
}

static void pack_list(void *steps, int width, const real *const *rows, int col, int cols, int k) {
    (void)width;
    for (int p = 0; p < k; p += 2) {
        begin_block(steps, p, k - p);
        pack_pair(pair_at(steps, p / 2), rows[p] + col, p + 1 < k ? rows[p + 1] + col : NULL, cols);
    }
}

static void pack_transposed(void *steps, int width, const void *b, int ld, int cols, int k) {
    (void)width;
    __m512i r[16];
    for (int j = 0; j < TILE_COLS; j += AMX_ROWS)
        for (int p = 0; p < k; p += BLOCK) {
            for (int i = 0; i < AMX_ROWS; i++)
                r[i] = j + i < cols ? round_row((const real *)b + (size_t)(j + i) * (size_t)ld + p, k - p)
                                    : _mm512_setzero_si512();
            transpose(r);
            for (int pair = 0; pair < PAIRS; pair++)
                _mm512_storeu_si512(pair_at(steps, p / 2 + pair) + j / AMX_ROWS * AMX_BYTES, r[pair]);
        }
}

static void pack_left_list(void *tile, int width, const real *const *rows, int col, int cols, int k) {
    const int padded = blocks_of(width, AMX_ROWS) * AMX_ROWS;
    __m512i r[16];
    for (int p = 0; p < k; p += BLOCK)
        for (int i = 0; i < padded; i += AMX_ROWS) {
            for (int pair = 0, at = p; pair < PAIRS; pair++, at += 2)
                r[pair] = round_pair(at < k ? rows[at] + col + i : NULL, at + 1 < k ? rows[at + 1] + col + i : NULL,
                                     cols - i);
            transpose(r);
            char *to = (char *)tile + ((size_t)(p / BLOCK) * (size_t)padded + (size_t)i) * AMX_BYTES;
            for (int row = 0; row < AMX_ROWS; row++, to += AMX_BYTES) _mm512_storeu_si512(to, r[row]);
        }
}

/* ---- the limit --------------------------------------------------------------------------------------------------- */

static real fma_rounds(long rounds, real x) {
    real sums[AMX_ROWS][AMX_ROWS];
    char a[REGISTER], b[REGISTER];
    const __m512i xs = round_both(_mm512_set1_ps(x), _mm512_set1_ps(x)),
                  ones = round_both(_mm512_set1_ps(1), _mm512_set1_ps(1));
    for (int i = 0; i < AMX_ROWS; i++) {
        _mm512_storeu_si512(a + i * AMX_BYTES, xs);
        _mm512_storeu_si512(b + i * AMX_BYTES, ones);
    }
    amx_enter();
    ALL_IS_STORED;
    _tile_loadd(4, a, AMX_BYTES);
    _tile_loadd(5, a, AMX_BYTES);
    _tile_loadd(6, b, AMX_BYTES);
    _tile_loadd(7, b, AMX_BYTES);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (long round = 0; round < rounds; round++) {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, sums, sizeof *sums);
    return **sums;
}

const GemmKernels TABLE = {
    .tile_rows = AMX_TILE,
    .tile_cols = TILE_COLS,
    .row_unit = AMX_ROWS,
    .k_step = BLOCK,
    .k_most = K_MOST,
    .left_step = AMX_BYTES,
    .right_step = AMX_BYTES,
    .right_unit = sizeof(uint32_t),
    .multiply = multiply,
    .pack_left = pack_left,
    .pack_rows = pack_rows,
    .pack_transposed = pack_transposed,
    .pack_list = pack_list,
    .pack_left_list = pack_left_list,
    .fma_rounds = fma_rounds,
    .leave = amx_leave,
};

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
#endif
