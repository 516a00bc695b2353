/* Compares matrix products with a naive loop, for ragged sizes, in buffers surrounded by NaN, with every instruction
   set of this CPU and several numbers of threads. By promise 2, an element of a product of floats is one chain of fused
   multiply-adds in ascending order, one of a product of bfloat16 the sum of a matrix unit, and one of a product of int8
   an exact sum, scaled once. So the bits are known and always the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/gemm.h"
#include "core/gradient_product.h"
#include "core/kernels.h"
#include "core/rng.h"
#include "bfloat16.h"
#include "sets.h"

/* ---- matrices surrounded by NaN ------------------------------------------------------------------------ */

enum { MARGIN = 40 /* more than the widest tile */ };

typedef struct Matrix {
    int rows, cols, ld;
    float *block, *v; /* v = block + MARGIN */
} Matrix;

static size_t block_size(const Matrix *m) { return 2UL * MARGIN + (size_t)m->rows * (size_t)m->ld; }
static float *at(const Matrix *m, int i, int j) { return m->v + (size_t)i * (size_t)m->ld + j; }

/* Returns a matrix of random numbers with gaps of `gap` NaN between its rows. */
static Matrix matrix_with_gaps(Rng *rng, int rows, int cols, int gap) {
    Matrix m = {rows, cols, cols + gap, NULL, NULL};
    m.block = mem_alloc(block_size(&m) * sizeof(float));
    m.v = m.block + MARGIN;
    for (size_t i = 0; i < block_size(&m); i++) m.block[i] = NAN;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) *at(&m, i, j) = (float)rng_normal(rng);
    return m;
}

static Matrix matrix_new(Rng *rng, int rows, int cols) {
    return matrix_with_gaps(rng, rows, cols, 1 + (int)rng_below(rng, 5));
}

static Matrix matrix_copy(const Matrix *m) {
    Matrix copy = *m;
    copy.block = mem_alloc(block_size(m) * sizeof(float));
    copy.v = copy.block + MARGIN;
    memcpy(copy.block, m->block, block_size(m) * sizeof(float));
    return copy;
}

static void matrix_free(Matrix *m) { mem_free(m->block); }

/* Checks that the matrices are equal bit for bit, and that the NaN around x did not change. A NaN that was read would
   be in x. */
static void assert_same_block(const Matrix *x, const Matrix *y) {
    assert_memory_equal(x->block, y->block, block_size(x) * sizeof(float));
}

/* ---- the naive loop ------------------------------------------------------------------------------------ */

/* One element: the chain in float, and the sum in double to which the chain must be close. */
typedef struct Chain {
    float sum;
    double exact, size;
    int steps;
} Chain;

static Chain chain_from(float init) { return (Chain){init, init, fabsf(init), 0}; }

static void chain_add(Chain *chain, float a, float b) {
    chain->sum = fmaf(a, b, chain->sum);
    chain->exact += (double)a * b;
    chain->size += fabs((double)a * b);
    chain->steps++;
}

/* Draws the numbers of a product of bfloat16: sometimes near the smallest normal number, or zero, or very large. */
static void draw_extremes(Rng *rng, const Matrix *m) {
    const int kind = (int)rng_below(rng, 4);
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->cols; j++) {
            float *x = at(m, i, j);
            if (kind == 1) *x = ldexpf(*x, -64 + (int)rng_below(rng, 4));
            if (kind == 2 && rng_below(rng, 3) == 0) *x = ldexpf(*x, -140 + (int)rng_below(rng, 30));
            if (kind == 3 && rng_below(rng, 3) == 0) *x = copysignf(0, *x);
        }
}

/* Returns the end of the chain. Each step rounds once, by at most 2⁻²⁴ of the sum so far. */
static float chain_end(const Chain *chain) {
    assert_true(fabs(chain->sum - chain->exact) <= chain->steps * 0x1p-24 * chain->size);
    return chain->sum;
}

/* ---- with all kernels and thread counts ---------------------------------------------------------------- */

#if defined(EMULATED) /* a hundred times slower: fewer numbers of threads, a fourth of the sizes */
static const int counts[] = {1, 3};
enum { EVERY = 4 };
#else
static const int counts[] = {1, 2, 3, 8};
enum { EVERY = 1 };
#endif
enum { POOLS = sizeof counts / sizeof *counts };
static Threads *pools[POOLS];

static int start_pools(void **unused) {
    (void)unused;
    for (int i = 0; i < POOLS; i++) pools[i] = threads_new(counts[i]);
    return 0;
}

/* The threads that use registers of software_set. A weak name: other CPUs have no such set. */
extern atomic_int software_threads __attribute__((weak));

static int stop_pools(void **unused) {
    (void)unused;
    for (int i = 0; i < POOLS; i++) threads_free(pools[i]);
    if (software_set) assert_int_equal(software_threads, 0); /* a thread may leave after its last run */
    return kernels_choose("auto");
}

/* Calls `check` with the sets of kernels that have different products of this format, with blocks of both sizes (those
   of int8 have one), and with every number of threads. */
static void with_everything(PanelFormat format, void (*check)(Threads *threads, const void *context),
                            const void *context) {
    const Kernels *set;
    for (int i = 0; (set = distinct_set(i, format)); i++) {
        static Kernels chosen;
        chosen = *set;
        kernels = &chosen;
        for (int blocks = 1; blocks <= (format == PANELS_I8 ? 1 : 2); blocks++) {
            chosen.k_block = blocks * 512;
            for (int pool = 0; pool < POOLS; pool++) check(pools[pool], context);
        }
    }
}

/* ---- gemm ---------------------------------------------------------------------------------------------- */

typedef struct Sizes {
    int m, n, k;
} Sizes;

/* The initial value of the sum. */
typedef enum { NOTHING, A_ROW, A_MATRIX, ITSELF, INITS } Init;

typedef struct Problem {
    PanelFormat format;
    Sizes s;
    Init init;
    bool transposed;
    Matrix a, b, start, c, expected; /* c: before the product */
} Problem;

static float naive_element(const Problem *p, int i, int j) {
    const float init = p->init == NOTHING ? 0 : *at(&p->start, p->init == A_ROW ? 0 : i, j);
    Chain chain = chain_from(init);
    Bfloat16Sum sum = {.sum = init};
    for (int k = 0; k < p->s.k; k++) {
        const float a = *at(&p->a, i, k), b = p->transposed ? *at(&p->b, j, k) : *at(&p->b, k, j);
        if (p->format == PANELS_BF16) bfloat16_add(&sum, a, b);
        else chain_add(&chain, a, b);
    }
    return p->format == PANELS_BF16 ? bfloat16_end(&sum) : chain_end(&chain);
}

static Problem product_new(PanelFormat format, Rng *rng, Sizes s, Init init, bool transposed) {
    Problem p = {.format = format, .s = s, .init = init, .transposed = transposed};
    p.a = matrix_new(rng, s.m, s.k);
    p.b = transposed ? matrix_new(rng, s.n, s.k) : matrix_new(rng, s.k, s.n);
    p.c = matrix_new(rng, s.m, s.n);
    if (format == PANELS_BF16) {
        draw_extremes(rng, &p.a);
        draw_extremes(rng, &p.b);
        draw_extremes(rng, &p.c);
    }
    p.start = init == ITSELF ? matrix_copy(&p.c) : matrix_new(rng, init == A_ROW ? 1 : s.m, s.n);
    p.expected = matrix_copy(&p.c);
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++) *at(&p.expected, i, j) = naive_element(&p, i, j);
    return p;
}

static void product_free(Problem *p) {
    Matrix *all[] = {&p->a, &p->b, &p->start, &p->c, &p->expected};
    for (int i = 0; i < 5; i++) matrix_free(all[i]);
}

/* Every third column of b, the last one first, as an operand of its own. */
static void check_columns(Threads *threads, const Problem *p, Operand packed) {
    int columns[100], count = 0;
    for (int j = p->s.n - 1; j >= 0 && count < 100; j -= 3) columns[count++] = j;
    const size_t size = packed_size(p->format, p->s.k, count);
    char *memory = memset(mem_alloc_aligned(size + 8UL * MARGIN), 0x55, size + 8UL * MARGIN);
    const Operand some = operand_gather(packed, columns, count, memory);
    for (int i = 0; i < 8 * MARGIN; i++) assert_int_equal(memory[size + (size_t)i], 0x55);
    float *c = mem_zalloc((size_t)p->s.m * (size_t)count * sizeof *c);
    gemm(threads, &(Product){p->s.m, p->a.v, p->a.ld, some, NULL, 0, c, count}, 1);
    for (int i = 0; i < p->s.m; i++)
        for (int j = 0; j < count; j++)
            assert_memory_equal(&c[(size_t)i * (size_t)count + (size_t)j], at(&p->expected, i, columns[j]), sizeof *c);
    mem_free(c);
    mem_free(memory);
}

/* The parts of a product that is not stored, copied to c. */
static void copy_part(void *context, int row, int rows, int col, int cols, const real *y, int ld) {
    const Product *x = context;
    assert_true(col % PART_COLS == 0 && cols == (x->b.n - col < PART_COLS ? x->b.n - col : PART_COLS));
    for (int i = 0; i < rows; i++)
        memcpy(x->c + (size_t)(row + i) * (size_t)x->ldc + col, y + (size_t)i * (size_t)ld, (size_t)cols * sizeof *y);
}

/* Computes the product x, which has panels, in parts, into a copy of `before`. */
static void check_product_in_parts(Threads *threads, Product x, const Matrix *before, const Matrix *expected) {
    if (x.b.k == 0) return;
    Matrix c = matrix_copy(before);
    x.c = c.v;
    gemm_parts(threads, &x, copy_part, &x);
    assert_same_block(&c, expected);
    matrix_free(&c);
}

static void check_product(Threads *threads, const void *context) {
    const Problem *p = context;
    const Sizes s = p->s;
    size_t size = packed_size(p->format, s.k, s.n) / sizeof(float);
    float *panels = mem_alloc_aligned((size + MARGIN) * sizeof(float));
    for (size_t i = 0; i < size + MARGIN; i++) panels[i] = NAN;
    Operand plain = {s.k, s.n, p->b.v, p->b.ld, p->transposed, p->format, NULL, NULL, 0};
    Operand packed = operand_pack(threads, plain, panels), *operands[] = {&plain, &packed};
    for (size_t i = size; i < size + MARGIN; i++) assert_true(isnan(panels[i]));
    if (p->init == NOTHING) check_columns(threads, p, packed);

    for (int i = 0; i < 2; i++) {
        Matrix c = matrix_copy(&p->c);
        const float *init[INITS] = {NULL, p->start.v, p->start.v, c.v};
        const int ld_init[INITS] = {0, 0, p->start.ld, c.ld};
        const Product x = {s.m, p->a.v, p->a.ld, *operands[i], init[p->init], ld_init[p->init], c.v, c.ld};
        gemm(threads, &x, 1);
        assert_same_block(&c, &p->expected);
        matrix_free(&c);
    }
    const Product in_parts = {s.m, p->a.v, p->a.ld, packed, p->init == NOTHING ? NULL : p->start.v, 0, NULL, p->c.ld};
    if (p->init <= A_ROW) check_product_in_parts(threads, in_parts, &p->c, &p->expected);
    /* two products in one call, or three, one with packing during the product: the same results as separate calls */
    for (int count = 2; count <= 3; count++) {
        Matrix c[] = {matrix_copy(&p->c), matrix_copy(&p->c), matrix_copy(&p->c)};
        Product list[3];
        for (int i = 0; i < 3; i++) {
            const float *init[INITS] = {NULL, p->start.v, p->start.v, c[i].v};
            const int ld_init[INITS] = {0, 0, p->start.ld, c[i].ld};
            list[i] =
                (Product){s.m, p->a.v, p->a.ld, *operands[i < 2], init[p->init], ld_init[p->init], c[i].v, c[i].ld};
        }
        gemm(threads, list, count);
        for (int i = 0; i < 3; i++) {
            if (i < count) assert_same_block(&c[i], &p->expected);
            matrix_free(&c[i]);
        }
    }
    mem_free(panels);
}

static void check_sizes(PanelFormat format) {
    /* Sizes above the blocks of the inner index (512, 1024) and of the rows (168), and an empty sum. */
    static const Sizes large[] = {{5, 7, 0},      {1, 1, 256},    {3, 33, 257},  {168, 32, 40}, {169, 17, 256},
                                  {337, 65, 30},  {200, 40, 300}, {2, 500, 513}, {400, 3, 600}, {173, 100, 1025},
                                  {340, 5, 6200}, {3, 4200, 520}, {4200, 2, 515}};
    const int many = sizeof large / sizeof *large;
    Rng rng = rng_seed(1, 1);
    for (int i = 0; i < 2 * 70 + many; i += format == PANELS_F32 ? EVERY : EVERY * 2) {
        Sizes s = {1 + i % 70, 1 + (int)rng_below(&rng, 70), 1 + (int)rng_below(&rng, 70)};
        if (i >= 2 * 70) s = large[i - 2 * 70];
        Problem p = product_new(format, &rng, s, (Init)rng_below(&rng, INITS), rng_below(&rng, 2));
        with_everything(format, check_product, &p);
        product_free(&p);
    }
}

static void gemm_is_the_naive_loop(void **unused) {
    (void)unused;
    check_sizes(PANELS_F32);
}

static void bfloat16_is_the_naive_loop(void **unused) {
    (void)unused;
    check_sizes(PANELS_BF16);
}

/* ---- recorded results of a matrix unit ------------------------------------------------------------------ */

/* tests/fixtures/tdpbf16ps.bin: what TDPBF16PS of an Intel Xeon (family 6, model 207) computed, all little-endian. The
   cases are of seven kinds, among them numbers near the smallest normal number, subnormal ones, overflow, and any bits.
 */
enum { TILE = 16, CASES = 168 };
typedef struct Recorded {
    float before[TILE][TILE];
    uint16_t a[TILE][BFLOAT16_BLOCK], b[BFLOAT16_BLOCK / 2][TILE][2];
    float after[TILE][TILE];
} Recorded;

static float from_bfloat16(uint16_t bits) {
    const uint32_t all = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &all, sizeof x);
    return x;
}

static void check_recorded(Threads *threads, const void *context) {
    const Recorded *r = context;
    float a[TILE][BFLOAT16_BLOCK], b[BFLOAT16_BLOCK][TILE], c[TILE][TILE];
    for (int i = 0; i < TILE; i++)
        for (int k = 0; k < BFLOAT16_BLOCK; k++) {
            a[i][k] = from_bfloat16(r->a[i][k]);
            b[k][i] = from_bfloat16(r->b[k / 2][i][k % 2]);
        }
    const Operand operand = {BFLOAT16_BLOCK, TILE, b, TILE, false, PANELS_BF16, NULL, NULL, 0};
    gemm(threads, &(Product){TILE, a[0], BFLOAT16_BLOCK, operand, r->before[0], TILE, c[0], TILE}, 1);
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++) {
            const float got = c[i][j], right = r->after[i][j];
            if (memcmp(&got, &right, sizeof got) != 0 && !(isnan(got) && isnan(right)))
                fail_msg("%s: element [%d, %d] from %a is %a, not %a", kernels->name, i, j, r->before[i][j], got,
                         right);
        }
}

static void bfloat16_is_what_a_matrix_unit_computes(void **unused) {
    (void)unused;
    FILE *file = fopen("tests/fixtures/tdpbf16ps.bin", "rb");
    static Recorded recorded[CASES];
    assert_non_null(file);
    assert_int_equal(fread(recorded, sizeof *recorded, CASES, file), CASES);
    fclose(file);
    for (int i = 0; i < CASES; i++) with_everything(PANELS_BF16, check_recorded, &recorded[i]);
}

/* ---- int8 ---------------------------------------------------------------------------------------------- */

/* A product of int8: b [k, n], or [n, k] if it is transposed, in a block surrounded by -128; scales [n]. */
typedef struct ByteProduct {
    Sizes s;
    Init init;
    bool transposed;
    int ld;
    int8_t *block, *b;
    Matrix a, scales, start, c, expected;
} ByteProduct;

static size_t bytes_size(const ByteProduct *p) {
    return 2UL * MARGIN + (size_t)(p->transposed ? p->s.n : p->s.k) * (size_t)p->ld;
}

/* The number that a is quantised to; `most` is the largest number of the row. The conversion to int rounds to even. */
static int quantised(float a, float most) {
    if (most < 0x1p-100f) return 0;
    const float x = a * (127 / most), down = floorf(x), rest = x - down;
    const bool up = rest > 0.5f || (rest == 0.5f && (int)down % 2 != 0);
    return (int)down + up;
}

static float naive_bytes(const ByteProduct *p, int i, int j) {
    float most = 0;
    long long sum = 0;
    for (int k = 0; k < p->s.k; k++) most = fmaxf(most, fabsf(*at(&p->a, i, k)));
    for (int k = 0; k < p->s.k; k++) {
        const int row = p->transposed ? j : k, col = p->transposed ? k : j;
        sum += (long long)quantised(*at(&p->a, i, k), most) * p->b[(size_t)row * (size_t)p->ld + (size_t)col];
    }
    const float scale = (most < 0x1p-100f ? 0 : most / 127) * *at(&p->scales, 0, j);
    const float init = p->init == NOTHING ? 0 : *at(&p->start, p->init == A_ROW ? 0 : i, j);
    return p->s.k ? fmaf((float)sum, scale, init) : init;
}

/* Rows of a with numbers that are exactly between two integers, with zeros only, and with one sign. */
static void draw_left(Rng *rng, const Matrix *a) {
    for (int i = 0; i < a->rows; i++) switch (rng_below(rng, 5)) {
        case 0:
            for (int k = 0; k < a->cols; k++) *at(a, i, k) = (float)((int)rng_below(rng, 509) - 254) / 2;
            *at(a, i, a->cols - 1) = rng_below(rng, 2) ? 127 : -127;
            break;
        case 1:
            for (int k = 0; k < a->cols; k++) *at(a, i, k) = rng_below(rng, 2) ? 0 : -0x1p-120f;
            break;
        case 2:
            for (int k = 0; k < a->cols; k++) *at(a, i, k) = 3;
            break;
        default: break; /* normal */
        }
}

static ByteProduct byte_product_new(Rng *rng, Sizes s, Init init, bool transposed) {
    ByteProduct p = {.s = s, .init = init, .transposed = transposed};
    const int rows = transposed ? s.n : s.k, cols = transposed ? s.k : s.n;
    p.ld = cols + (int)rng_below(rng, 6);
    p.block = memset(mem_alloc(bytes_size(&p)), -128, bytes_size(&p));
    p.b = p.block + MARGIN;
    const bool extreme = rng_below(rng, 4) == 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            p.b[(size_t)i * (size_t)p.ld + (size_t)j] = (int8_t)(extreme ? -128 : (int)rng_below(rng, 256) - 128);
    p.a = matrix_new(rng, s.m, s.k);
    if (s.k > 0) draw_left(rng, &p.a);
    p.scales = matrix_new(rng, 1, s.n);
    p.c = matrix_new(rng, s.m, s.n);
    p.start = init == ITSELF ? matrix_copy(&p.c) : matrix_new(rng, init == A_ROW ? 1 : s.m, s.n);
    p.expected = matrix_copy(&p.c);
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++) *at(&p.expected, i, j) = naive_bytes(&p, i, j);
    return p;
}

static void byte_product_free(ByteProduct *p) {
    Matrix *all[] = {&p->a, &p->scales, &p->start, &p->c, &p->expected};
    for (int i = 0; i < 5; i++) matrix_free(all[i]);
    mem_free(p->block);
}

static void check_bytes(Threads *threads, const void *context) {
    const ByteProduct *p = context;
    const Sizes s = p->s;
    const size_t size = packed_size(PANELS_I8, s.k, s.n);
    char *memory[2];
    for (int i = 0; i < 2; i++) memory[i] = memset(mem_alloc_aligned(size + MARGIN), 0x55, size + MARGIN);
    const Operand b = {s.k, s.n, p->b, p->ld, p->transposed, PANELS_I8, p->scales.v, NULL, 0};
    const Operand packed = operand_pack(threads, b, memory[0]);
    for (int i = 0; i < MARGIN; i++) assert_int_equal(memory[0][size + (size_t)i], 0x55);
    if (!p->transposed && s.k > 0 && p->ld == s.n) { /* packed in parts: the same panels */
        const Operand parts = operand_with_panels(b, memory[1]);
        for (int first = 0, rows; first < s.k; first += rows) {
            rows = 1 + first % 7 < s.k - first ? 1 + first % 7 : s.k - first;
            operand_pack_rows(parts, first, p->b + (size_t)first * (size_t)p->ld, p->scales.v, rows);
        }
        assert_memory_equal(memory[0], memory[1], size + MARGIN);
    }
    const Product in_parts = {s.m, p->a.v, p->a.ld, packed, p->init == NOTHING ? NULL : p->start.v, 0, NULL, p->c.ld};
    if (p->init <= A_ROW) check_product_in_parts(threads, in_parts, &p->c, &p->expected);
    for (int count = 1; count <= 2; count++) {
        Matrix c[] = {matrix_copy(&p->c), matrix_copy(&p->c)};
        Product list[2];
        for (int i = 0; i < 2; i++) {
            const float *init[INITS] = {NULL, p->start.v, p->start.v, c[i].v};
            const int ld_init[INITS] = {0, 0, p->start.ld, c[i].ld};
            list[i] = (Product){s.m, p->a.v, p->a.ld, packed, init[p->init], ld_init[p->init], c[i].v, c[i].ld};
        }
        gemm(threads, list, count);
        for (int i = 0; i < 2; i++) {
            if (i < count) assert_same_block(&c[i], &p->expected);
            matrix_free(&c[i]);
        }
    }
    for (int i = 0; i < 2; i++) mem_free(memory[i]);
}

static void int8_is_the_naive_loop(void **unused) {
    (void)unused;
    static const Sizes large[] = {
        {5, 7, 0},      {1, 1, 256},   {3, 33, 1025},   {168, 32, 40},          {169, 17, 256}, {337, 65, 30},
        {2, 500, 2050}, {400, 3, 600}, {173, 100, 515}, {1, 2, GEMM_I8_MOST_K}, {2, 2100, 520}, {2100, 2, 515}};
    const int many = sizeof large / sizeof *large;
    Rng rng = rng_seed(3, 1);
    for (int i = 0; i < 2 * 70 + many; i += EVERY) {
        Sizes s = {1 + i % 70, 1 + (int)rng_below(&rng, 70), 1 + (int)rng_below(&rng, 70)};
        if (i >= 2 * 70) s = large[i - 2 * 70];
        ByteProduct p = byte_product_new(&rng, s, (Init)rng_below(&rng, INITS), rng_below(&rng, 2));
        with_everything(PANELS_I8, check_bytes, &p);
        byte_product_free(&p);
    }
}

/* A row that is not finite gives results that are not finite; the other rows stay as they are. */
static void a_row_that_is_not_finite_is_seen(void **unused) {
    (void)unused;
    enum { K = 37, N = 50 };
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    static int8_t b[K * N];
    float a[3 * K], scales[N], c[3 * N] = {0};
    for (int i = 0; i < K * N; i++) b[i] = (int8_t)(i % 255 - 127);
    for (int set = 0; (kernels = distinct_set(set, PANELS_I8)); set++)
        for (int kind = 0; kind < 4; kind++) {
            void *memory = mem_alloc_aligned(packed_size(PANELS_I8, K, N));
            for (int j = 0; j < N; j++) scales[j] = 0.5f;
            for (int i = 0; i < 3 * K; i++) a[i] = (float)(i % 11);
            a[K + 5 + 7 * kind] = bad[kind];
            const Operand packed =
                operand_pack(pools[0], (Operand){K, N, b, N, false, PANELS_I8, scales, NULL, 0}, memory);
            gemm(pools[0], &(Product){3, a, K, packed, NULL, 0, c, N}, 1);
            for (int j = 0; j < 3 * N; j++) assert_int_equal(isfinite(c[j]) != 0, j / N != 1);
            mem_free(memory);
        }
}

/* ---- gradient_product without shards; test_shards.c has those with shards ------------------------------- */

typedef struct Steps {
    PanelFormat format;
    int count;
    Matrix x, y, c, expected;
    const float **xs, **ys;
} Steps;

/* Steps that read the rows of x and y, some of them in another order. */
static Steps steps_new(PanelFormat format, Rng *rng, int m, int n, int count) {
    Steps s = {.format = format, .count = count, .c = matrix_with_gaps(rng, m, n, 0)};
    s.x = matrix_new(rng, count + 1, m);
    s.y = matrix_new(rng, count + 1, n);
    s.xs = mem_alloc(((size_t)count + 1) * sizeof *s.xs);
    s.ys = mem_alloc(((size_t)count + 1) * sizeof *s.ys);
    for (int k = 0; k < count; k++) {
        s.xs[k] = at(&s.x, k % 3 ? k : count - k, 0);
        s.ys[k] = at(&s.y, k, 0);
    }
    s.expected = matrix_copy(&s.c);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            Chain chain = chain_from(*at(&s.c, i, j));
            Bfloat16Sum sum = {.sum = *at(&s.c, i, j)};
            for (int k = 0; k < count; k++)
                if (format == PANELS_BF16) bfloat16_add(&sum, s.xs[k][i], s.ys[k][j]);
                else chain_add(&chain, s.xs[k][i], s.ys[k][j]);
            *at(&s.expected, i, j) = format == PANELS_BF16 ? bfloat16_end(&sum) : chain_end(&chain);
        }
    return s;
}

static void steps_free(Steps *s) {
    mem_free(s->xs);
    mem_free(s->ys);
    matrix_free(&s->x);
    matrix_free(&s->y);
    matrix_free(&s->c);
    matrix_free(&s->expected);
}

static void count_steps(void *context, int begin, int end) {
    int *done = context;
    assert_true(*done == begin && end - begin <= 100);
    *done = end;
}

/* All rows at once, and at most 100 at a time, which are announced. */
static void check_steps(Threads *threads, const void *context) {
    const Steps *s = context;
    for (int most = 0; most <= 100; most += 100) {
        Matrix c = matrix_copy(&s->c);
        int done = 0;
        GradientProduct p = {
            c.rows, c.cols, 0, (const int[]){0, s->count}, s->xs, s->ys, .c = c.v, .most = most, .format = s->format};
        if (most) p.needed = count_steps, p.context = &done;
        gradient_product(threads, &p);
        if (most) assert_int_equal(done, s->count);
        assert_same_block(&c, &s->expected);
        matrix_free(&c);
    }
}

static void check_gradients(PanelFormat format) {
    static const struct {
        int m, n, count;
    } large[] = {{200, 30, 120}, {20, 200, 360}, {170, 70, 480}, {1, 33, 3600}, {40, 50, 1500}};
    const int many = sizeof large / sizeof *large;
    Rng rng = rng_seed(2, 1);
    for (int i = 0; i < 70 + many; i += EVERY) {
        int m = 1 + i, n = 1 + (int)rng_below(&rng, 70), count = (int)rng_below(&rng, 60);
        if (i >= 70) m = large[i - 70].m, n = large[i - 70].n, count = large[i - 70].count;
        Steps s = steps_new(format, &rng, m, n, count);
        with_everything(format, check_steps, &s);
        steps_free(&s);
    }
}

static void a_gradient_is_one_chain(void **unused) {
    (void)unused;
    check_gradients(PANELS_F32);
}

static void a_gradient_of_bfloat16_has_blocks(void **unused) {
    (void)unused;
    check_gradients(PANELS_BF16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_is_the_naive_loop),
        cmocka_unit_test(a_gradient_is_one_chain),
        cmocka_unit_test(bfloat16_is_the_naive_loop),
        cmocka_unit_test(bfloat16_is_what_a_matrix_unit_computes),
        cmocka_unit_test(a_gradient_of_bfloat16_has_blocks),
        cmocka_unit_test(int8_is_the_naive_loop),
        cmocka_unit_test(a_row_that_is_not_finite_is_seen),
    };
    return cmocka_run_group_tests_name("gemm", tests, start_pools, stop_pools);
}
