/* Compares matrix products with a naive loop, for ragged sizes, in buffers surrounded by NaN, with every instruction
   set of this CPU and several numbers of threads. By promise 2, an element is one chain of fused multiply-adds in
   ascending order, so the bits are known and always the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/gemm.h"
#include "core/kernels.h"
#include "core/rng.h"

/* ---- matrices surrounded by NaN ------------------------------------------------------------------------ */

enum { MARGIN = 40 /* more than the widest tile */ };

typedef struct Matrix {
    int rows, cols, ld;
    float *block, *v; /* v = block + MARGIN */
} Matrix;

static size_t block_size(const Matrix *m) { return 2UL * MARGIN + (size_t)m->rows * (size_t)m->ld; }
static float *at(const Matrix *m, int i, int j) { return m->v + (size_t)i * (size_t)m->ld + j; }

/* Returns a matrix of random numbers with gaps of NaN between its rows. */
static Matrix matrix_new(Rng *rng, int rows, int cols) {
    Matrix m = {rows, cols, cols + 1 + (int)rng_below(rng, 5), NULL, NULL};
    m.block = mem_alloc(block_size(&m) * sizeof(float));
    m.v = m.block + MARGIN;
    for (size_t i = 0; i < block_size(&m); i++) m.block[i] = NAN;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) *at(&m, i, j) = (float)rng_normal(rng);
    return m;
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

static int stop_pools(void **unused) {
    (void)unused;
    for (int i = 0; i < POOLS; i++) threads_free(pools[i]);
    return kernels_choose("auto");
}

static void with_everything(void (*check)(Threads *threads, const void *context), const void *context) {
    for (int set = 0; kernels_at(set); set++) {
        kernels = kernels_at(set);
        for (int i = 0; i < POOLS; i++) check(pools[i], context);
    }
}

/* ---- gemm ---------------------------------------------------------------------------------------------- */

typedef struct Sizes {
    int m, n, k;
} Sizes;

/* The initial value of the sum. */
typedef enum { NOTHING, A_ROW, A_MATRIX, ITSELF, INITS } Init;

typedef struct Product {
    Sizes s;
    Init init;
    bool transposed;
    Matrix a, b, start, c, expected; /* c: before the product */
} Product;

static float naive_element(const Product *p, int i, int j) {
    Chain chain = chain_from(p->init == NOTHING ? 0 : *at(&p->start, p->init == A_ROW ? 0 : i, j));
    for (int k = 0; k < p->s.k; k++)
        chain_add(&chain, *at(&p->a, i, k), p->transposed ? *at(&p->b, j, k) : *at(&p->b, k, j));
    return chain_end(&chain);
}

static Product product_new(Rng *rng, Sizes s, Init init, bool transposed) {
    Product p = {.s = s, .init = init, .transposed = transposed};
    p.a = matrix_new(rng, s.m, s.k);
    p.b = transposed ? matrix_new(rng, s.n, s.k) : matrix_new(rng, s.k, s.n);
    p.c = matrix_new(rng, s.m, s.n);
    p.start = init == ITSELF ? matrix_copy(&p.c) : matrix_new(rng, init == A_ROW ? 1 : s.m, s.n);
    p.expected = matrix_copy(&p.c);
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++) *at(&p.expected, i, j) = naive_element(&p, i, j);
    return p;
}

static void product_free(Product *p) {
    Matrix *all[] = {&p->a, &p->b, &p->start, &p->c, &p->expected};
    for (int i = 0; i < 5; i++) matrix_free(all[i]);
}

static void check_product(Threads *threads, const void *context) {
    const Product *p = context;
    const Sizes s = p->s;
    size_t size = packed_size(PANELS_F32, s.k, s.n) / sizeof(float);
    float *panels = mem_alloc_aligned((size + MARGIN) * sizeof(float));
    for (size_t i = 0; i < size + MARGIN; i++) panels[i] = NAN;
    Operand plain = {s.k, s.n, p->b.v, p->b.ld, p->transposed, PANELS_F32, NULL, NULL};
    Operand packed = operand_pack(threads, plain, panels), *operands[] = {&plain, &packed};
    for (size_t i = size; i < size + MARGIN; i++) assert_true(isnan(panels[i]));

    for (int i = 0; i < 2; i++) {
        Matrix c = matrix_copy(&p->c);
        const float *init[INITS] = {NULL, p->start.v, p->start.v, c.v};
        const int ld_init[INITS] = {0, 0, p->start.ld, c.ld};
        const Multiplication x = {s.m, p->a.v, p->a.ld, *operands[i], init[p->init], ld_init[p->init], c.v, c.ld};
        gemm(threads, &x, 1);
        assert_same_block(&c, &p->expected);
        matrix_free(&c);
    }
    /* two products in one call, or three, one with packing during the product: the same results as separate calls */
    for (int count = 2; count <= 3; count++) {
        Matrix c[] = {matrix_copy(&p->c), matrix_copy(&p->c), matrix_copy(&p->c)};
        Multiplication list[3];
        for (int i = 0; i < 3; i++) {
            const float *init[INITS] = {NULL, p->start.v, p->start.v, c[i].v};
            const int ld_init[INITS] = {0, 0, p->start.ld, c[i].ld};
            list[i] = (Multiplication){s.m,           p->a.v,           p->a.ld, *operands[i < 2],
                                       init[p->init], ld_init[p->init], c[i].v,  c[i].ld};
        }
        gemm(threads, list, count);
        for (int i = 0; i < 3; i++) {
            if (i < count) assert_same_block(&c[i], &p->expected);
            matrix_free(&c[i]);
        }
    }
    mem_free(panels);
}

static void gemm_is_the_naive_loop(void **unused) {
    (void)unused;
    /* Sizes above the blocks of the inner index (512) and of the rows (168), and an empty sum. */
    static const Sizes large[] = {{5, 7, 0},      {1, 1, 256},    {3, 33, 257},  {168, 32, 40}, {169, 17, 256},
                                  {337, 65, 30},  {200, 40, 300}, {2, 500, 513}, {400, 3, 600}, {173, 100, 1025},
                                  {340, 5, 6200}, {3, 4200, 520}, {4200, 2, 515}};
    const int many = sizeof large / sizeof *large;
    Rng rng = rng_seed(1, 1);
    for (int i = 0; i < 2 * 70 + many; i += EVERY) {
        Sizes s = {1 + i % 70, 1 + (int)rng_below(&rng, 70), 1 + (int)rng_below(&rng, 70)};
        if (i >= 2 * 70) s = large[i - 2 * 70];
        Product p = product_new(&rng, s, (Init)rng_below(&rng, INITS), rng_below(&rng, 2));
        with_everything(check_product, &p);
        product_free(&p);
    }
}

/* ---- gemm_strips --------------------------------------------------------------------------------------- */

enum { MOST_STRIPS = 12 };

typedef struct Strips {
    int count;
    Strip list[MOST_STRIPS];
    Matrix x[MOST_STRIPS], y[MOST_STRIPS], c, expected;
} Strips;

static float naive_strips(const Strips *s, int i, int j) {
    Chain chain = chain_from(*at(&s->c, i, j));
    for (int strip = 0; strip < s->count; strip++)
        for (int k = 0; k < s->list[strip].rows; k++)
            chain_add(&chain, *at(&s->x[strip], k, i), *at(&s->y[strip], k, j));
    return chain_end(&chain);
}

/* Strips of 0 to `longest` rows. */
static Strips strips_new(Rng *rng, int m, int n, int longest) {
    Strips s = {.count = (int)rng_below(rng, MOST_STRIPS + 1), .c = matrix_new(rng, m, n)};
    for (int i = 0; i < s.count; i++) {
        int rows = (int)rng_below(rng, (uint32_t)longest + 1);
        s.x[i] = matrix_new(rng, rows, m);
        s.y[i] = matrix_new(rng, rows, n);
        s.list[i] = (Strip){s.x[i].v, s.y[i].v, s.x[i].ld, s.y[i].ld, rows};
    }
    s.expected = matrix_copy(&s.c);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) *at(&s.expected, i, j) = naive_strips(&s, i, j);
    return s;
}

static void strips_free(Strips *s) {
    for (int i = 0; i < s->count; i++) {
        matrix_free(&s->x[i]);
        matrix_free(&s->y[i]);
    }
    matrix_free(&s->c);
    matrix_free(&s->expected);
}

static void check_strips(Threads *threads, const void *context) {
    const Strips *s = context;
    Matrix c = matrix_copy(&s->c);
    gemm_strips(threads, c.rows, c.cols, s->list, s->count, c.v, c.ld);
    assert_same_block(&c, &s->expected);
    matrix_free(&c);
}

static void gemm_strips_is_the_naive_loop(void **unused) {
    (void)unused;
    static const struct {
        int m, n, longest;
    } large[] = {{200, 30, 20}, {20, 200, 60}, {170, 70, 80}, {1, 33, 600}, {40, 50, 250}};
    const int many = sizeof large / sizeof *large;
    Rng rng = rng_seed(2, 1);
    for (int i = 0; i < 70 + many; i += EVERY) {
        int m = 1 + i, n = 1 + (int)rng_below(&rng, 70), longest = (int)rng_below(&rng, 9);
        if (i >= 70) m = large[i - 70].m, n = large[i - 70].n, longest = large[i - 70].longest;
        Strips s = strips_new(&rng, m, n, longest);
        with_everything(check_strips, &s);
        strips_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_is_the_naive_loop),
        cmocka_unit_test(gemm_strips_is_the_naive_loop),
    };
    return cmocka_run_group_tests_name("gemm", tests, start_pools, stop_pools);
}
