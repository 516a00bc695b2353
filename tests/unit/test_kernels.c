/* Tests the row kernels: compares exp, tanh and sigmoid with libm; every kernel gives the same bits with each
   instruction set of this CPU, for any length, and reads and writes only its own numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/kernels.h"
#include "core/rng.h"

/* Must be the first test, before any call of kernels_choose. */
static void the_fastest_set_is_chosen_before_main(void **unused) {
    (void)unused;
    assert_true(kernels == kernels_at(0));
    assert_int_equal(kernels_choose("no such set"), -1);
    assert_true(kernels == kernels_at(0));
}

static int restore(void **unused) {
    (void)unused;
    return kernels_choose("auto");
}

/* ---- accuracy ------------------------------------------------------------------------------------------ */

enum { RUN = 1000 /* numbers per call; not a multiple of any vector length */ };

static void run_tanh(float *y, const float *x) { kernels->tanh(RUN, y, x); }

static void run_exp(float *y, const float *x) {
    for (int i = 0; i < RUN; i++) { /* the kernel computes e^(x - maximum): the maximum is 0 */
        float pair[2] = {x[i], 0}, terms[2], sum;
        kernels->exp_sum(2, pair, &sum, terms);
        y[i] = terms[0];
    }
}

static void run_sigmoid(float *y, const float *x) {
    static float gates[2 * RUN], state[RUN], reset[RUN];
    memcpy(gates, x, RUN * sizeof(float));
    kernels->gru_gates(RUN, gates, state, reset);
    memcpy(y, gates, RUN * sizeof(float)); /* z = σ(x) */
}

static double true_sigmoid(double x) { return 1 / (1 + exp(-x)); }

typedef struct Curve {
    const char *name;
    void (*run)(float *y, const float *x);
    double (*truth)(double x);
    float low, high;
    double ulps; /* largest error of y, in units in the last place of the exact value */
} Curve;

/* The limits are the errors measured on every 7th float (1.010, 4.3, 2.481), rounded up. */
static const Curve curves[] = {
    {"exp", run_exp, exp, -87, 0, 1.1},
    {"tanh", run_tanh, tanh, -30, 30, 5},
    {"sigmoid", run_sigmoid, true_sigmoid, -87, 88, 2.6},
};

static double ulps_between(float y, double truth) {
    int exponent;
    frexp(truth, &exponent);
    const double error = fabs(y - truth) / ldexp(1, (exponent > -125 ? exponent : -125) - 24);
    return isnan(error) ? INFINITY : error;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Fills x with the next RUN floats: every STEPth float from zero to `limit`, with the given sign. Returns whether there
   are more. */
static bool sweep_next(uint32_t *bits, bool negative, float limit, float *x) {
#if defined(EMULATED)
    enum { STEP = 20399 };
#else
    enum { STEP = 2039 };
#endif
    bool more = true;
    for (int i = 0; i < RUN; i++) {
        x[i] = float_of(*bits);
        if (x[i] < limit) *bits += STEP;
        else x[i] = limit, more = false;
        if (negative) x[i] = -x[i];
    }
    return more;
}

/* Returns the largest error among RUN numbers; checks that all instruction sets give the same bits. */
static double run_error(const Curve *curve, const float *x) {
    float y[RUN], again[RUN];
    double worst = 0;
    kernels = kernels_at(0);
    curve->run(y, x);
    for (int i = 0; i < RUN; i++) worst = fmax(worst, ulps_between(y[i], curve->truth(x[i])));
    for (int set = 1; kernels_at(set); set++) {
        kernels = kernels_at(set);
        curve->run(again, x);
        assert_memory_equal(y, again, sizeof y);
    }
    return worst;
}

static void exp_tanh_and_sigmoid_are_accurate(void **unused) {
    (void)unused;
    for (size_t c = 0; c < sizeof curves / sizeof *curves; c++) {
        const Curve *curve = &curves[c];
        double worst = 0;
        for (int negative = 0; negative < 2; negative++) {
            float x[RUN];
            uint32_t bits = 0;
            for (bool more = true; more;) {
                more = sweep_next(&bits, negative, negative ? -curve->low : curve->high, x);
                worst = fmax(worst, run_error(curve, x));
            }
        }
        print_message("%s: %.3f ulp\n", curve->name, worst);
        assert_true(worst <= curve->ulps);
    }
}

/* Outside the range the functions saturate and do not overflow. */
static void extremes_are_finite(void **unused) {
    (void)unused;
    float x[RUN], y[RUN];
    for (int i = 0; i < RUN; i++) x[i] = i % 2 ? 1e30f : -INFINITY;
    for (int set = 0; kernels_at(set); set++) {
        kernels = kernels_at(set);
        run_tanh(y, x);
        assert_true(y[0] == -1 && y[1] == 1);
        run_sigmoid(y, x);
        assert_true(y[0] >= 0 && y[0] < 1e-37 && y[1] == 1);
        kernels->softmax(3, y, (float[]){1e30f, -1e30f, 1e30f});
        assert_true(y[0] == 0.5f && y[1] < 1e-37 && y[2] == 0.5f);
    }
}

/* ---- the same bits ------------------------------------------------------------------------------------- */

enum { ROWS = 7, WIDEST = 3, LONGEST = 1000, MARGIN = 40 };

/* The data of a kernel: rows of random numbers with NaN after them, and up to two results. */
typedef struct Bench {
    float row[ROWS][WIDEST * LONGEST + MARGIN];
    float result[2];
} Bench;

typedef struct RowKernel {
    const char *name;
    void (*run)(int n, Bench *b);
    int width[ROWS]; /* length of each row, in multiples of n */
} RowKernel;

static const UpdateRule rule = {0.7f, 0.01f, 0.9f, 0.999f, 1e-6f, 1.3f, 1.7f};

#define R(i) b->row[i]
static void run_add(int n, Bench *b) { kernels->add(n, R(0), R(1)); }
static void run_axpy(int n, Bench *b) { kernels->axpy(n, R(0), 0.3f, R(1)); }
static void run_divide(int n, Bench *b) { kernels->divide(n, R(0), 3); }
static void run_blend(int n, Bench *b) { kernels->blend(n, R(0), 0.3f, R(1)); }
static void run_dot(int n, Bench *b) { b->result[0] = kernels->dot(n, R(0), R(1)); }
static void run_sum(int n, Bench *b) { b->result[0] = kernels->sum(n, R(0)); }
static void run_next_above(int n, Bench *b) {
    for (int i = 0; (i = kernels->next_above(n, R(0), i, 0.5f)) < n; i++) R(1)[i] = 0;
}
static void run_tanh_row(int n, Bench *b) { kernels->tanh(n, R(0), R(1)); }
static void run_tanh_back(int n, Bench *b) { kernels->tanh_back(n, R(0), R(1), R(2)); }
static void run_gru_gates(int n, Bench *b) { kernels->gru_gates(n, R(0), R(1), R(2)); }
static void run_gru_state(int n, Bench *b) { kernels->gru_state(n, R(0), R(1), R(2)); }
static void run_gru_state_back(int n, Bench *b) { kernels->gru_state_back(n, R(0), R(1), R(2), R(3)); }
static void run_gru_gates_back(int n, Bench *b) { kernels->gru_gates_back(n, R(0), R(1), R(2), R(3), R(4)); }
static void run_score(int n, Bench *b) { b->result[0] = kernels->score(n, R(0), R(1), R(2)); }
static void run_score_back(int n, Bench *b) { kernels->score_back(n, 0.3f, R(0), R(1), R(2), R(3), R(4), R(5)); }
static void run_combine(int n, Bench *b) {
    const float weight[] = {0.3f, -1.7f, 0.9f}, *x[] = {R(1), R(2), R(3)};
    kernels->combine(n, 3, weight, x, 0, R(0));
}

static void run_dots(int n, Bench *b) {
    const float *y[] = {R(1), R(2), R(3), R(4), R(0)};
    float sums[5];
    kernels->dots(n, 5, R(0), y, 0, sums);
    for (int k = 0; k < 5; k++) assert_true(sums[k] == kernels->dot(n, R(0), y[k]));
    b->result[0] = sums[1];
}
static void run_softmax(int n, Bench *b) { kernels->softmax(n, R(0), R(1)); }
static void run_softmax_back(int n, Bench *b) { kernels->softmax_back(n, R(0), R(1), R(2)); }
static void run_exp_sum(int n, Bench *b) { b->result[0] = kernels->exp_sum(n, R(0), &b->result[1], R(1)); }
static void run_softmax_gradient(int n, Bench *b) { kernels->softmax_gradient(n, R(0), 3, 0.1f, 0.01f); }

static const Moments moments = {0.1f, 1.3f};
static void run_layer_norm(int n, Bench *b) {
    Moments m;
    kernels->layer_norm(n, R(0), R(1), R(2), R(3), &m);
    b->result[0] = m.mean;
    b->result[1] = m.scale;
}
static void run_layer_norm_back(int n, Bench *b) { kernels->layer_norm_back(n, R(0), R(1), R(2), R(3), &moments); }
static void run_layer_norm_gain(int n, Bench *b) { kernels->layer_norm_gain(n, R(0), R(1), R(2), &moments); }
static void run_maxout(int n, Bench *b) { kernels->maxout(n, R(0), R(1)); }
static void run_maxout_back(int n, Bench *b) { kernels->maxout_back(n, R(0), R(1)); }
static void run_relu(int n, Bench *b) { kernels->relu(n, R(0)); }
static void run_relu_back(int n, Bench *b) { kernels->relu_back(n, R(0), R(1)); }
static void run_dropout(int n, Bench *b) { kernels->dropout(n, R(0), R(1), 12345, 0.8f, 0); }
static void run_dropout_back(int n, Bench *b) { kernels->dropout(n, R(0), R(1), 12345, 0.8f, 1); }
static void run_sgd(int n, Bench *b) { kernels->sgd(n, &rule, R(0), R(1), NULL, NULL); }

static void make_positive(int n, float *x) {
    for (int i = 0; i < n; i++) x[i] = fabsf(x[i]);
}

static void run_adam(int n, Bench *b) {
    make_positive(n, R(3));
    kernels->adam(n, &rule, R(0), R(1), R(2), R(3));
}

static void run_adadelta(int n, Bench *b) {
    make_positive(n, R(2));
    make_positive(n, R(3));
    kernels->adadelta(n, &rule, R(0), R(1), R(2), R(3));
}
#undef R

static const RowKernel row_kernels[] = {
    {"add", run_add, {1, 1}},
    {"axpy", run_axpy, {1, 1}},
    {"divide", run_divide, {1}},
    {"blend", run_blend, {1, 1}},
    {"dot", run_dot, {1, 1}},
    {"sum", run_sum, {1}},
    {"next_above", run_next_above, {1, 1}},
    {"tanh", run_tanh_row, {1, 1}},
    {"tanh_back", run_tanh_back, {1, 1, 1}},
    {"gru_gates", run_gru_gates, {2, 1, 1}},
    {"gru_state", run_gru_state, {3, 1, 1}},
    {"gru_state_back", run_gru_state_back, {1, 3, 1, 1}},
    {"gru_gates_back", run_gru_gates_back, {1, 2, 1, 1, 1}},
    {"score", run_score, {1, 1, 1}},
    {"score_back", run_score_back, {1, 1, 1, 1, 1, 1}},
    {"combine", run_combine, {1, 1, 1, 1}},
    {"dots", run_dots, {1, 1, 1, 1, 1}},
    {"softmax", run_softmax, {1, 1}},
    {"softmax_back", run_softmax_back, {1, 1, 1}},
    {"exp_sum", run_exp_sum, {1, 1}},
    {"softmax_gradient", run_softmax_gradient, {1}},
    {"layer_norm", run_layer_norm, {1, 1, 1, 1}},
    {"layer_norm_back", run_layer_norm_back, {1, 1, 1, 1}},
    {"layer_norm_gain", run_layer_norm_gain, {1, 1, 1}},
    {"maxout", run_maxout, {1, 2}},
    {"maxout_back", run_maxout_back, {2, 1}},
    {"relu", run_relu, {1}},
    {"relu_back", run_relu_back, {1, 1}},
    {"dropout", run_dropout, {1, 1}},
    {"dropout, accumulating", run_dropout_back, {1, 1}},
    {"sgd", run_sgd, {1, 1}},
    {"adam", run_adam, {1, 1, 1, 1}},
    {"adadelta", run_adadelta, {1, 1, 1, 1}},
};

static void bench_fill(Bench *b, const RowKernel *kernel, int n) {
    Rng rng = rng_seed((uint64_t)n, 1);
    memset(b->result, 0, sizeof b->result);
    for (int r = 0; r < ROWS; r++) {
        const int width = kernel->width[r] * n;
        for (int i = 0; i < width + MARGIN; i++) b->row[r][i] = i < width ? (float)rng_normal(&rng) : NAN;
    }
}

/* Checks that the kernel wrote nothing after the rows, and read none of the NaN there. */
static void assert_within_rows(const Bench *b, const RowKernel *kernel, int n) {
    for (int r = 0; r < ROWS; r++) {
        const int width = kernel->width[r] * n;
        for (int i = 0; i < width + MARGIN; i++)
            if (!isnan(b->row[r][i]) != (i < width)) fail_msg("%s of %d: row %d at %d", kernel->name, n, r, i);
    }
    assert_false(isnan(b->result[0]) || isnan(b->result[1]));
}

static void assert_same_bits(const Bench *x, const Bench *y, const RowKernel *kernel, int n) {
    for (int r = 0; r < ROWS; r++)
        if (memcmp(x->row[r], y->row[r], (size_t)(kernel->width[r] * n) * sizeof(float)) != 0)
            fail_msg("%s of %d: row %d differs", kernel->name, n, r);
    assert_memory_equal(x->result, y->result, sizeof x->result);
}

static void check_row_kernel(const RowKernel *kernel, int n) {
    static Bench first, other;
    kernels = kernels_at(0);
    bench_fill(&first, kernel, n);
    kernel->run(n, &first);
    assert_within_rows(&first, kernel, n);
    for (int set = 1; kernels_at(set); set++) {
        kernels = kernels_at(set);
        bench_fill(&other, kernel, n);
        kernel->run(n, &other);
        assert_within_rows(&other, kernel, n);
        assert_same_bits(&first, &other, kernel, n);
    }
}

static void all_sets_compute_the_same_bits(void **unused) {
    (void)unused;
    static const int longer[] = {63, 64, 65, 100, 255, 256, 257, 511, LONGEST};
    for (size_t k = 0; k < sizeof row_kernels / sizeof *row_kernels; k++) {
        for (int n = 1; n <= 40; n++) check_row_kernel(&row_kernels[k], n);
        for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) check_row_kernel(&row_kernels[k], longer[i]);
    }
}

/* Promise 2: number i is added to lane i mod 16; then lane l + 8 is added to lane l, then l + 4, l + 2, l + 1. */
static float sum_in_lanes(int n, const float *x) {
    float lane[16] = {0};
    for (int i = 0; i < n; i++) lane[i % 16] += x[i];
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

static void sums_run_in_sixteen_lanes(void **unused) {
    (void)unused;
    float x[LONGEST], y[LONGEST], product[LONGEST];
    Rng rng = rng_seed(9, 1);
    for (int i = 0; i < LONGEST; i++) {
        x[i] = (float)rng_normal(&rng);
        y[i] = (float)rng_normal(&rng);
        product[i] = x[i] * y[i];
    }
    for (int set = 0; kernels_at(set); set++) {
        kernels = kernels_at(set);
        for (int n = 0; n < LONGEST; n++) {
            assert_true(kernels->sum(n, x) == sum_in_lanes(n, x));
            assert_true(kernels->dot(n, x, y) == sum_in_lanes(n, product));
        }
    }
}

/* Every number above the limit and every NaN is found, from any place on, and nothing else. */
static void numbers_above_a_limit_are_found(void **unused) {
    (void)unused;
    float x[LONGEST];
    Rng rng = rng_seed(9, 1);
    for (int set = 0; kernels_at(set); set++) {
        kernels = kernels_at(set);
        for (int n = 0; n < LONGEST; n += 1 + n / 40) {
            for (int i = 0; i < n; i++) x[i] = rng_below(&rng, 50) ? (float)-(int)rng_below(&rng, 2) : 1;
            if (n) x[rng_below(&rng, (uint32_t)n)] = NAN, x[rng_below(&rng, (uint32_t)n)] = -INFINITY;
            for (int from = n, next = n; from >= 0; from--) {
                if (from < n && !(x[from] <= 0)) next = from;
                assert_int_equal(kernels->next_above(n, x, from, 0), next);
            }
            for (int i = 0; i < n; i++)
                assert_true((kernels->next_above(n, x, i, -INFINITY) == i) == (x[i] != -INFINITY));
        }
    }
}

/* A normalised row has mean 0 and variance 1; a constant row becomes the bias. */
static void rows_are_normalised(void **unused) {
    (void)unused;
    float x[LONGEST], y[LONGEST], one[LONGEST], none[LONGEST] = {0};
    Rng rng = rng_seed(9, 1);
    Moments m;
    for (int i = 0; i < LONGEST; i++) one[i] = 1;
    for (int set = 0; kernels_at(set); set++) {
        kernels = kernels_at(set);
        for (int n = 2; n < LONGEST; n += 7) {
            const double mean = 10 * rng_normal(&rng), deviation = 1 + 9 * rng_uniform(&rng);
            double sum = 0, squares = 0;
            for (int i = 0; i < n; i++) x[i] = (float)(mean + deviation * (i % 2 ? 1 : -1) * (n % 2 && !i ? 0 : 1));
            kernels->layer_norm(n, y, x, one, none, &m);
            for (int i = 0; i < n; i++) sum += y[i], squares += (double)y[i] * y[i];
            assert_true(fabs(sum / n) < 1e-5 && fabs(squares / n - 1) < 1e-4);
            for (int i = 0; i < n; i++) x[i] = 3.5f;
            kernels->layer_norm(n, y, x, one, one, &m);
            for (int i = 0; i < n; i++) assert_true(fabsf(y[i] - 1) < 1e-3f);
        }
    }
}

/* A row keeps the requested share of its numbers; rows with different keys keep different numbers. */
static void dropout_keeps_a_share(void **unused) {
    (void)unused;
    enum { N = 100000 };
    static float ones[N], y[2][N];
    int kept = 0, both = 0;
    for (int i = 0; i < N; i++) ones[i] = 1;
    for (int k = 0; k < 2; k++) kernels->dropout(N, y[k], ones, 42 + (uint32_t)k, 0.8f, 0);
    for (int i = 0; i < N; i++) {
        assert_true(y[0][i] == 0 || y[0][i] == 1.25f);
        kept += y[0][i] > 0;
        both += y[0][i] > 0 && y[1][i] > 0;
    }
    assert_in_range(both, 63400, 64600); /* 0.64 N ± four standard deviations sqrt(N 0.64 0.36) = 152 */
    assert_in_range(kept, 79500, 80500); /* 0.8 N ± four standard deviations sqrt(N 0.8 0.2) = 126 */
}

/* One multiply-add: c + a b, as a matrix product of one row. */
static float fma_of(float a, float b, float c) {
    float panel[256] = {0}, init[256] = {0}, out[256];
    const GemmKernels *gemm = kernels->gemm[PANELS_F32];
    const int cols = gemm->tile_cols;
    for (int j = 0; j < cols; j++) panel[j] = b, init[j] = c;
    gemm->multiply(1, cols, 1, &a, panel, init, 0, out, cols, panel, 0);
    for (int j = 1; j < cols; j++) assert_memory_equal(&out[j], &out[0], sizeof *out);
    return out[0];
}

/* Draws numbers whose exact c + a b is often close to the middle of two floats, to a subnormal float, or to overflow.
 */
static void draw_hard(Rng *rng, float *a, float *b, float *c) {
    const int kind = (int)rng_below(rng, 4), shift = (int)rng_below(rng, 80);
    *a = (float)(1 + rng_below(rng, 1 << 13)), *b = (float)(1 + rng_below(rng, 1 << 13));
    *c = ldexpf((float)(1 + rng_below(rng, 1 << (1 + rng_below(rng, 24)))), 24 - shift);
    if (kind == 1) {
        *a = ldexpf((float)((1 << 23) + 1 - (int)rng_below(rng, 3)), -98);
        *b = ldexpf((float)((1 << 23) + 1 - (int)rng_below(rng, 3)), -98);
        *c = ldexpf((float)(1 + rng_below(rng, 1 << 23)), -149);
    }
    if (kind == 2) *a = ldexpf(*a, 60), *b = ldexpf(*b, 42), *c = ldexpf(*c, 100);
    if (kind == 3) *a = (float)rng_normal(rng), *b = (float)rng_normal(rng), *c = (float)rng_normal(rng);
    if (rng_below(rng, 2)) *c = -*c;
    if (rng_below(rng, 2)) *a = -*a;
}

/* c + a b, rounded once. In WebAssembly, fmaf rounds twice; there, a long double has 113 bits, which hold the exact sum
   of the numbers above. */
static float exact_fma(float a, float b, float c) {
#if defined(TIDE_WASM)
    return (float)((long double)a * b + c);
#else
    return fmaf(a, b, c);
#endif
}

/* c + a b is rounded once, also where rounding first to a double gives another number. */
static void multiply_adds_round_once(void **unused) {
    (void)unused;
    enum { DRAWS = 200000 };
    int harder = 0; /* draws where two roundings differ from one */
    for (int set = 0; kernels_at(set); set++) {
        Rng rng = rng_seed(11, 1);
        kernels = kernels_at(set);
        for (int i = 0; i < DRAWS; i++) {
            float a, b, c;
            draw_hard(&rng, &a, &b, &c);
            const float once = exact_fma(a, b, c), twice = (float)((double)a * b + (double)c), ours = fma_of(a, b, c);
            if (memcmp(&ours, &once, sizeof ours) != 0)
                fail_msg("%s: %a * %a + %a = %a, not %a", kernels->name, a, b, c, once, ours);
            harder += once != twice;
        }
        assert_true(isinf(fma_of(3e38f, 3e38f, 1)) && isinf(fma_of(1, -INFINITY, 1)) && isnan(fma_of(NAN, 1, 1)));
    }
    assert_true(harder > 100);
    kernels_choose("auto");
}

/* The kernel that measures the peak speed really computes: with a factor of 1, its registers keep their numbers. */
static void the_peak_kernel_computes(void **unused) {
    (void)unused;
    for (int set = 0; kernels_at(set); set++) {
        const GemmKernels *gemm = kernels_at(set)->gemm[PANELS_F32];
        const int rows = gemm->tile_rows;
        assert_true(gemm->fma_rounds(5, 1) == (float)(rows * (2 * rows - 1)));
        assert_true(gemm->fma_rounds(5, 0) == (float)(2 * rows));
    }
}

/* If a weight gets no more gradients, its moments become zero. They do not stay subnormal, which is a hundred times
   slower on some processors. */
static void decayed_moments_become_zero(void **unused) {
    (void)unused;
    static float w[RUN], g[RUN], m[RUN], v[RUN], g2[RUN], dx2[RUN];
    for (int set = 0; kernels_at(set); set++) {
        kernels_choose(kernels_at(set)->name);
        for (int i = 0; i < RUN; i++) w[i] = 1, m[i] = i % 2 ? 1e-4f : -1e-4f, v[i] = g2[i] = dx2[i] = 1e-30f;
        for (int update = 0; update < 20000; update++) {
            kernels->adam(RUN, &rule, w, g, m, v);
            kernels->adadelta(RUN, &rule, w, g, g2, dx2);
            for (int i = 0; i < RUN; i += 333)
                assert_true(fpclassify(m[i]) != FP_SUBNORMAL && fpclassify(g2[i]) != FP_SUBNORMAL);
        }
        for (int i = 0; i < RUN; i++)
            assert_true(m[i] == 0 && v[i] == 0 && g2[i] == 0 && dx2[i] == 0 && isfinite(w[i]));
    }
    kernels_choose("auto");
}

/* A constructor with default priority, as a host program may have, runs after the choice of kernels. */
static const Kernels *early;
__attribute__((constructor)) static void look_early(void) { early = kernels; }

static void kernels_are_chosen_before_constructors_run(void **unused) {
    (void)unused;
    assert_ptr_equal(early, kernels_at(0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_set_is_chosen_before_main),
        cmocka_unit_test(exp_tanh_and_sigmoid_are_accurate),
        cmocka_unit_test(extremes_are_finite),
        cmocka_unit_test(all_sets_compute_the_same_bits),
        cmocka_unit_test(decayed_moments_become_zero),
        cmocka_unit_test(multiply_adds_round_once),
        cmocka_unit_test(sums_run_in_sixteen_lanes),
        cmocka_unit_test(numbers_above_a_limit_are_found),
        cmocka_unit_test(dropout_keeps_a_share),
        cmocka_unit_test(kernels_are_chosen_before_constructors_run),
        cmocka_unit_test(rows_are_normalised),
        cmocka_unit_test(the_peak_kernel_computes),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, restore);
}
