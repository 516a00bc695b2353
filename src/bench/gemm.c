/* tide bench gemm: the matrix products of one size of model; each is checked against a plain loop and measured. */
#include "bench/bench.h"
#include "core/base.h"
#include "core/gemm.h"
#include "core/gradient_product.h"
#include "core/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A product c = a b with c [m, n], a [m, k], b [k, n]. TRANSPOSED: b is stored as [n, k]. GRADIENT: c += aᵀ b with
   a [k, m]. */
typedef enum { PLAIN, TRANSPOSED, GRADIENT } ProductKind;
typedef struct Shape {
    const char *name;
    int m, k, n;
    ProductKind kind;
} Shape;

static real *random_matrix(int rows, int cols, uint64_t stream) {
    Rng rng = rng_seed(1, stream);
    size_t size = (size_t)rows * (size_t)cols;
    real *x = mem_alloc_aligned(size * sizeof *x);
    for (size_t i = 0; i < size; i++) x[i] = (real)(rng_uniform(&rng) - 0.5);
    return x;
}

/* x rounded to eight bits; x is finite, and neither very large nor very small. */
static float rounded(float x) {
    int exponent;
    const float fraction = frexpf(x, &exponent);
    return ldexpf(rintf(ldexpf(fraction, 8)), exponent - 8);
}

/* Compares 64 elements of c with chains of fused multiply-adds, or with the sums of gemm_bf16.c: every bit must be
   equal. */
static void verify(const Shape *s, PanelFormat format, const real *a, const real *b, const real *c) {
    const bool gradient = s->kind == GRADIENT, transposed = s->kind == TRANSPOSED;
    for (int sample = 0; sample < 64; sample++) {
        int i = sample * 7919 % s->m, j = sample * 104729 % s->n;
        float sum = 0, half[2] = {0};
        for (int p = 0; p < s->k; p++) {
            size_t at_a = gradient ? (size_t)p * (size_t)s->m + (size_t)i : (size_t)i * (size_t)s->k + (size_t)p;
            size_t at_b = transposed ? (size_t)j * (size_t)s->k + (size_t)p : (size_t)p * (size_t)s->n + (size_t)j;
            if (format == PANELS_F32) sum = fmaf(a[at_a], b[at_b], sum);
            else half[p % 2] = fmaf(rounded(a[at_a]), rounded(b[at_b]), half[p % 2]);
            if (p % 32 < 31 && p < s->k - 1) continue;
            sum += half[0] + half[1];
            half[0] = half[1] = 0;
        }
        real got = c[(size_t)i * (size_t)s->n + (size_t)j];
        CHECK(got == sum, "product %s: got %g, expected %g", s->name, got, sum);
    }
}

static const real **rows_of(const real *matrix, int rows, int cols) {
    const real **list = mem_alloc((size_t)rows * sizeof *list);
    for (int i = 0; i < rows; i++) list[i] = matrix + (size_t)i * (size_t)cols;
    return list;
}

static void bench_shape(Threads *threads, const Shape *s, PanelFormat format, double peak) {
    enum { REPEATS = 15, FEW = 512 };
    const bool is_gradient = s->kind == GRADIENT, transposed = s->kind == TRANSPOSED;
    double seconds[REPEATS], packing[REPEATS];
    real *a = random_matrix(is_gradient ? s->k : s->m, is_gradient ? s->m : s->k, 1);
    real *b = random_matrix(transposed ? s->n : s->k, transposed ? s->k : s->n, 2);
    real *c = random_matrix(s->m, s->n, 3);
    void *panels = mem_alloc_aligned(packed_size(format, s->k, s->n));
    const Operand plain = {
        .k = s->k, .n = s->n, .b = b, .ld = transposed ? s->k : s->n, .transposed = transposed, .format = format};
    const real **x = rows_of(a, s->k, s->m), **y = rows_of(b, s->k, s->n);
    const GradientProduct gradient = {s->m, s->n, 0, (const int[]){0, s->k}, x, y, .c = c, .format = format};
    const bool before = !is_gradient && s->m < FEW; /* packed before the product, as on the tape */
    Operand operand = plain;
    memset(c, 0, (size_t)s->m * (size_t)s->n * sizeof *c);
    for (int i = 0; i < REPEATS; i++) {
        double began = seconds_now();
        if (before) operand = operand_pack(threads, plain, panels);
        packing[i] = seconds_now() - began;
        began = seconds_now();
        if (is_gradient) gradient_product(threads, &gradient);
        else gemm(threads, &(Product){s->m, a, s->k, operand, NULL, 0, c, s->n}, 1);
        seconds[i] = seconds_now() - began;
        if (i == 0) verify(s, format, a, b, c);
    }
    double median = bench_median(seconds, REPEATS), speed = 2.0 * s->m * s->n * s->k / median;
    printf("  %-14s %5d x %5d x %5d  %6.1f GFLOP/s  %3.0f %%", s->name, s->m, s->k, s->n, speed / 1e9,
           100 * speed / peak);
    if (before) printf("   packing takes %.1f times as long", bench_median(packing, REPEATS) / median);
    putchar('\n');
    mem_free(x);
    mem_free(y);
    mem_free(a);
    mem_free(b);
    mem_free(c);
    mem_free(panels);
}

void bench_gemm(Threads *threads, const BenchSize *z) {
    const int B = z->batch, rows = z->batch * z->length, n = z->config.rnn, m = z->config.emb, l = z->config.maxout;
    const Shape shapes[] = {
        {"h Uzr", B, n, 2 * n, PLAIN},
        {"(r h) U", B, n, n, PLAIN},
        {"s Wa", B, n, z->config.att, PLAIN},
        {"c C", B, 2 * n, 3 * n, PLAIN},
        {"da Uzr'", B, 2 * n, n, TRANSPOSED},
        {"da C'", B, 3 * n, 2 * n, TRANSPOSED},
        {"x W", rows, m, 3 * n, PLAIN},
        {"H Ua", rows, 2 * n, z->config.att, PLAIN},
        {"c Co", rows, 2 * n, 2 * l, PLAIN},
        {"t Wo", rows, l, z->config.target_vocab, PLAIN},
        {"dy Wo'", rows, z->config.target_vocab, l, TRANSPOSED},
        {"dUzr = h' da", n, rows, 2 * n, GRADIENT},
        {"dC = c' da", 2 * n, rows, 3 * n, GRADIENT},
        {"dWo = t' dy", l, rows, z->config.target_vocab, GRADIENT},
    };
    double peak = bench_peak(threads, z->products);
    printf("gemm %s: rows x inner x columns, peak %.0f GFLOP/s\n", z->name, peak / 1e9);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) bench_shape(threads, &shapes[i], z->products, peak);
}
