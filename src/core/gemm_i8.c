/* gemm_i8.c: the kernels of products of int8. Compiled once for each instruction set, as kernels.c.

   b has integers w from -128 to 127 and a scale t for each column. A row of a is quantised when it is packed: with
   s = max |a| / 127, q = round(a / s), ties to even. An element of the product is

       c_ij = fma(Σ_k q_ik w_kj, s_i t_j, init_ij).

   The sum of integers is exact. All other operations are rounded as single operations of IEEE 754, so every instruction
   set gives the same bits. For k ≤ GEMM_I8_MOST_K, no sum of 8-bit numbers overflows: 128 128 k < 2³¹.

   Instructions for dot products multiply four unsigned bytes by four signed ones (x86: then b stores w + 128, and each
   sum begins at -128 Σ_k q_ik), or four signed bytes by four signed ones (aarch64). The other sets multiply pairs of
   int16, to which they widen b. An instruction of AMX computes such dot products for all rows and columns of two
   registers; for few rows, the dot products of AVX512-VNNI are faster, and read the same panels. */
#include "core/amx.h"
#include "core/kernels.h"
#include "core/tile.h"

/* NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places within a tile or a panel */

/* A step of a row of a has 32 bits: K_STEP lanes. b stores w + OFFSET. */
#if !defined(TIDE_DOUBLE) && (defined(__AVX512VNNI__) || defined(__AVXVNNI__))
typedef int8_t lane;
enum { OFFSET = 128 };
#elif !defined(TIDE_DOUBLE) && defined(__ARM_FEATURE_DOTPROD)
typedef int8_t lane;
enum { OFFSET = 0 };
#else
typedef int16_t lane;
enum { OFFSET = 0 };
#endif
enum { K_STEP = sizeof(int32_t) / sizeof(lane), STEP_BYTES = TILE_COLS * K_STEP };

/* The numbers of the inner index are packed in blocks, the last filled up with zeros. */
#if defined(TIDE_AMX)
enum { BLOCK = AMX_BYTES, ROW_UNIT = AMX_ROWS, MOST_ROWS = AMX_TILE, HAS_AMX = 1 };
#else
enum { BLOCK = K_STEP, ROW_UNIT = 1, MOST_ROWS = TILE_ROWS, HAS_AMX = 0 };
#endif

typedef int32_t vint __attribute__((vector_size(VW * sizeof(int32_t))));
typedef float vfloat __attribute__((vector_size(VW * sizeof(float))));
typedef lane vlane __attribute__((vector_size(VW * sizeof(int32_t))));
typedef int8_t vbyte __attribute__((vector_size(VW * K_STEP)));

/* One step of VW columns of a panel. */
INLINE vint load_step(const int8_t *b) {
    vbyte bytes;
    memcpy(&bytes, b, sizeof bytes);
    return (vint) __builtin_convertvector(bytes, vlane);
}

/* sum + a · b: the dot product of the lanes in each number of 32 bits. */
INLINE vint dot_step(vint sum, vint a, vint b) {
#if defined(TIDE_DOUBLE)
    return sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#elif defined(__AVX512VNNI__)
    return (vint)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)b, (__m512i)a);
#elif defined(__AVXVNNI__)
    return (vint)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)b, (__m256i)a);
#elif VW == 16
    return sum + (vint)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif VW == 8
    return sum + (vint)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return sum + (vint)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined(__ARM_FEATURE_DOTPROD)
    return (vint)vdotq_s32((int32x4_t)sum, (int8x16_t)a, (int8x16_t)b);
#elif defined(TIDE_NEON)
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    return sum + (vint)vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
#elif defined(TIDE_SIMD128)
    return sum + (vint)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b);
#else
    return sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

/* ---- a tile ---------------------------------------------------------------------------------------------------

   A packed tile has for each row its scale, then for each row the beginning of its sums, then [steps][rows] numbers of
   32 bits. A panel has the scales of its columns, then [steps][TILE_COLS][K_STEP] bytes. A tile for AMX has
   [blocks][rows] rows of a register instead; its rows, scales and beginnings are rounded up to whole registers. */

enum { LEFT_HEAD = sizeof(float) + sizeof(int32_t), RIGHT_HEAD = sizeof(float) };

/* Stores the scaled sums of a row of c. */
INLINE void store_row(const vint *sums, const float *col_scales, float row_scale, const real *init, real *c) {
    vfloat scales[TILE_VECTORS];
    memcpy(scales, col_scales, sizeof scales);
#pragma GCC unroll 2
    for (int j = 0; j < TILE_VECTORS; j++) {
        const vreal scale = __builtin_convertvector(scales[j] * row_scale, vreal);
        const vreal from = init ? v_load(init + j * VW) : v_splat(0);
        v_store(c + j * VW, v_fma(__builtin_convertvector(sums[j], vreal), scale, from));
    }
}

INLINE void tile(const int rows, int steps, const void *left, const void *right, const real *init, int ld_init, real *c,
                 int ld_c, const char *prefetch, int prefetch_step) {
    const float *row_scales = left, *col_scales = right;
    const int32_t *begin = (const int32_t *)left + rows, *a = begin + rows;
    const int8_t *b = (const int8_t *)(col_scales + TILE_COLS);
    vint sum[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) sum[i][0] = sum[i][1] = begin[i] - (vint){0};
    for (int step = 0; step < steps; step++, a += rows, b += STEP_BYTES, prefetch += prefetch_step) {
        const vint b0 = load_step(b), b1 = load_step(b + STEP_BYTES / 2);
        __builtin_prefetch(prefetch, 0, 2);
        __builtin_prefetch(b + PREFETCH_ROWS * STEP_BYTES);
        __builtin_prefetch(b + PREFETCH_ROWS * STEP_BYTES + STEP_BYTES / 2);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            const vint ai = a[i] - (vint){0};
            sum[i][0] = dot_step(sum[i][0], ai, b0);
            sum[i][1] = dot_step(sum[i][1], ai, b1);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
        store_row(sum[i], col_scales, row_scales[i], init ? init + (size_t)i * (size_t)ld_init : NULL,
                  c + (size_t)i * (size_t)ld_c);
}

#if defined(TIDE_AMX)
/* As tile, with registers of AMX; `blocks` blocks. Registers of b are loaded from 16 of the 32 columns. */
static void amx_tile(int rows, int blocks, const void *left, const void *right, const real *init, int ld_init, real *c,
                     int ld_c, const char *prefetch, int prefetch_step) {
    const int halves = blocks_of(rows, AMX_ROWS), padded = halves * AMX_ROWS;
    const float *row_scales = left, *col_scales = right;
    const int32_t *begin = (const int32_t *)left + padded;
    const int8_t *a = (const int8_t *)(begin + padded), *b = (const int8_t *)(col_scales + TILE_COLS);
    amx_enter();
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int block = 0; block < blocks;
         block++, prefetch += prefetch_step, a += padded * BLOCK, b += BLOCK * TILE_COLS) {
        _tile_loadd(4, a, BLOCK);
        _tile_loadd(6, b, STEP_BYTES);
        _tile_loadd(7, b + STEP_BYTES / 2, STEP_BYTES);
        prefetch_lines(prefetch, prefetch_step);
        _tile_dpbsud(0, 4, 6);
        _tile_dpbsud(1, 4, 7);
        if (halves == 2) {
            _tile_loadd(5, a + AMX_ROWS * BLOCK, BLOCK);
            _tile_dpbsud(2, 5, 6);
            _tile_dpbsud(3, 5, 7);
        }
    }
    vint sums[AMX_TILE][TILE_VECTORS];
    _tile_stored(0, &sums[0][0], sizeof *sums);
    _tile_stored(1, &sums[0][1], sizeof *sums);
    _tile_stored(2, &sums[AMX_ROWS][0], sizeof *sums);
    _tile_stored(3, &sums[AMX_ROWS][1], sizeof *sums);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < TILE_VECTORS; j++) sums[i][j] += begin[i];
        store_row(sums[i], col_scales, row_scales[i], init ? init + (size_t)i * (size_t)ld_init : NULL,
                  c + (size_t)i * (size_t)ld_c);
    }
}
#endif

static void full_tile(int rows, int blocks, const void *a, const void *b, const real *init, int ld_init, real *c,
                      int ld_c, const void *prefetch, int prefetch_step) {
#if defined(TIDE_AMX)
    if (rows > TILE_ROWS) {
        amx_tile(rows, blocks, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);
        return;
    }
#endif
    const int steps = blocks * (BLOCK / K_STEP), each = prefetch_step / (BLOCK / K_STEP);
#define TILE(n) tile(n, steps, a, b, init, ld_init, c, ld_c, prefetch, each)
    TILE_OF(rows, TILE);
#undef TILE
}

static void multiply(int rows, int cols, int blocks, const void *a, const void *b, const real *init, int ld_init,
                     real *c, int ld_c, const void *prefetch, int prefetch_step) {
    real buffer[MOST_ROWS * TILE_COLS];
    multiply_with(full_tile, 1, buffer, rows, cols, blocks, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);
}

/* ---- packing -------------------------------------------------------------------------------------------------- */

/* max |x|, or NaN if x has one: non-negative floats and their bits as integers have the same order, NaN last. */
static float largest(const real *x, int n) {
    int32_t most = 0;
    for (int i = 0; i < n; i++) {
        const float number = (float)x[i];
        int32_t bits;
        memcpy(&bits, &number, sizeof bits);
        bits &= INT32_MAX;
        most = bits > most ? bits : most;
    }
    float result;
    memcpy(&result, &most, sizeof result);
    return result;
}

/* q = round(x inverse), ties to even: adding 1.5 2²³ rounds to an integer, which is then in the low bits. Returns Σ q.
 */
static int32_t quantise(lane *q, const real *x, int n, float inverse) {
    int32_t sum = 0;
    for (int i = 0; i < n; i++) {
        const float shifted = (float)x[i] * inverse + 0x1.8p23f;
        int32_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        q[i] = (lane)(((bits & 0xff) ^ 0x80) - 0x80); /* the low byte, with its sign */
        sum += q[i];
    }
    return sum;
}

/* Packs a row: `group` numbers of each block at once, and the next ones `stride` numbers of 32 bits behind. A row with
   max |x| < 2^-100 becomes zeros. If a row has NaN or infinity, its scale and its products are not finite. */
INLINE void pack_row(const int group, float *scale, int32_t *begin, int32_t *to, int stride, const real *x, int k) {
    enum { MOST_INT8 = 127, PART = 512 /* a multiple of BLOCK */ };
    const float most = largest(x, k), smallest = 0x1p-100f;
    const float inverse = most >= smallest ? MOST_INT8 / most : 0;
    int32_t sum = 0;
    for (int at = 0; at < k; at += PART) {
        const int n = k - at < PART ? k - at : PART;
        lane q[PART + BLOCK] = {0};
        sum += quantise(q, x + at, n, inverse);
        for (int p = 0; p < blocks_of(n, BLOCK) * BLOCK; p += group, to += stride)
            memcpy(to, q + p, (size_t)group * sizeof *q);
    }
    *scale = most < smallest ? 0 : most / MOST_INT8;
    *begin = -OFFSET * sum;
}

static void pack_left(void *tile, const real *a, int lda, int rows, int k) {
    float *scales = tile;
    const bool amx = HAS_AMX && rows > TILE_ROWS;
    const int height = amx ? blocks_of(rows, AMX_ROWS) * AMX_ROWS : rows, line = AMX_BYTES / sizeof(int32_t);
    int32_t *begin = (int32_t *)tile + height, *numbers = begin + height;
    for (int i = 0; i < rows; i++, a += lda)
        if (amx) pack_row(BLOCK, &scales[i], &begin[i], numbers + i * line, height * line, a, k);
        else pack_row(K_STEP, &scales[i], &begin[i], numbers + i, height, a, k);
}

/* Packs `count` rows of b, or of its transpose, from row `row` on; they are in one step. Element j of a row is
   b[j stride], and the next row is `next` bytes behind. */
INLINE void pack_step(const int count, uint8_t *panel, int width, int row, const int8_t *b, size_t stride, size_t next,
                      int cols) {
    const int lane_at = row % K_STEP;
    uint8_t *to = panel + (size_t)(row - lane_at) * (size_t)width + lane_at;
    for (int j = 0; j < cols; j++, to += K_STEP, b += stride)
#pragma GCC unroll 4
        for (int i = 0; i < count; i++) to[i] = (uint8_t)(b[(size_t)i * next] + OFFSET);
}

/* The columns of a full step from cols on become zero, as in a step with fewer rows. */
INLINE void pack_steps(uint8_t *panel, int width, int first, const int8_t *b, size_t stride, size_t next, int cols,
                       int k) {
    int p = 0;
    while (p < k) {
        if ((first + p) % BLOCK == 0 && k - p < BLOCK)
            memset(panel + (size_t)(first + p) * (size_t)width, 0, (size_t)width * BLOCK);
        if ((first + p) % K_STEP == 0 && p + K_STEP <= k) {
            uint8_t *step = panel + (size_t)(first + p) * (size_t)width;
            memset(step + cols * K_STEP, 0, (size_t)(width - cols) * K_STEP);
            pack_step(K_STEP, panel, width, first + p, b + (size_t)p * next, stride, next, cols);
            p += K_STEP;
        } else {
            pack_step(1, panel, width, first + p, b + (size_t)p * next, stride, next, cols);
            p++;
        }
    }
}

static void pack_rows(void *panel, int width, int first, const void *b, int ld, int cols, int k) {
    pack_steps(panel, width, first, b, 1, (size_t)ld, cols, k);
}

static void pack_transposed(void *panel, int width, const void *b, int ld, int cols, int k) {
    pack_steps(panel, width, 0, b, (size_t)ld, 1, cols, k);
}

const GemmKernels TABLE = {
    .tile_rows = MOST_ROWS,
    .tile_cols = TILE_COLS,
    .row_unit = ROW_UNIT,
    .k_step = BLOCK,
    .left_step = BLOCK * sizeof(lane),
    .right_step = BLOCK,
    .right_unit = K_STEP,
    .left_head = LEFT_HEAD,
    .right_head = RIGHT_HEAD,
    .multiply = multiply,
    .pack_left = pack_left,
    .pack_rows = pack_rows,
    .pack_transposed = pack_transposed,
#if defined(TIDE_AMX)
    .leave = amx_leave,
#endif
};

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
