/* Tests the row kernels: compares exp, tanh and sigmoid with libm. Every kernel but dropout agrees with a plain loop;
   every kernel gives the same bits with each instruction set of this CPU, for any length, and reads and writes only its
   own numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/row_kernels.h"
#include "core/base.h"
#include "core/rng.h"
#include "sets.h"

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

/* The limits are the errors measured on every float (1.010, 5.7005, 2.481), rounded up. */
static const Curve curves[] = {
    {"exp", run_exp, exp, -87, 0, 1.1},
    {"tanh", run_tanh, tanh, -30, 30, 5.71},
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

#if defined(EMULATED)
enum { SPARSE = 20399, DENSE = 19 };
#else
enum { SPARSE = 2039, DENSE = 1 };
#endif

/* Fills x with the next RUN floats: every `step`th float from *bits to `limit`, with the given sign. Returns whether
   there are more. */
static bool sweep_next(uint32_t *bits, uint32_t step, bool negative, float limit, float *x) {
    bool more = true;
    for (int i = 0; i < RUN; i++) {
        x[i] = float_of(*bits);
        if (x[i] < limit) *bits += step;
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

/* The largest error on the floats of this sign, from the given one on. */
static double sweep(const Curve *curve, uint32_t bits, uint32_t step, bool negative, float limit) {
    double worst = 0;
    float x[RUN];
    for (bool more = true; more;) {
        more = sweep_next(&bits, step, negative, limit, x);
        worst = fmax(worst, run_error(curve, x));
    }
    return worst;
}

static void exp_tanh_and_sigmoid_are_accurate(void **unused) {
    (void)unused;
    for (size_t c = 0; c < sizeof curves / sizeof *curves; c++) {
        const Curve *curve = &curves[c];
        const double worst =
            fmax(sweep(curve, 0, SPARSE, false, curve->high), sweep(curve, 0, SPARSE, true, -curve->low));
        print_message("%s: %.3f ulp\n", curve->name, worst);
        assert_true(worst <= curve->ulps);
    }
}

/* The largest error of tanh, 5.7005 ulp at 8.24799061, is between 8 and 9: there, every float is computed. */
static void the_largest_error_of_tanh_is_known(void **unused) {
    (void)unused;
    const float eight = 8;
    uint32_t bits;
    memcpy(&bits, &eight, sizeof bits);
    const Curve *curve = &curves[1];
    const double worst = fmax(sweep(curve, bits, DENSE, false, 9), sweep(curve, bits, DENSE, true, 9));
    print_message("%s from 8 to 9: %.4f ulp\n", curve->name, worst);
    assert_true(worst > 5 && worst <= curve->ulps);
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

/* NaN, whatever its low bits, and the difference of two infinities stay NaN: an error of the numbers is not hidden. */
static void nan_stays_nan(void **unused) {
    (void)unused;
    static const uint32_t patterns[] = {0x7fc00000, 0xffc00000, 0x7fc00001, 0x7fc000ff, 0xffc001ff};
    float x[RUN], y[RUN], sum;
    for (int set = 0; kernels_at(set); set++) {
        kernels = kernels_at(set);
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
            for (int i = 0; i < RUN; i++) x[i] = float_of(patterns[p]);
            for (size_t c = 0; c < sizeof curves / sizeof *curves; c++) {
                curves[c].run(y, x);
                for (int i = 0; i < RUN; i++)
                    if (!isnan(y[i])) fail_msg("%s of NaN %08x is %g", curves[c].name, patterns[p], (double)y[i]);
            }
            memset(y, 0, sizeof y);
            y[RUN / 2] = x[0];
            kernels->exp_sum(RUN, y, &sum, NULL);
            assert_true(isnan(sum));
        }
        memset(y, 0, sizeof y);
        y[RUN / 2] = INFINITY;
        kernels->exp_sum(RUN, y, &sum, NULL);
        assert_true(isnan(sum));
    }
}

/* ---- the same bits ------------------------------------------------------------------------------------- */

enum { LONGEST = 1000, MARGIN = 40 };

/* Rows of random numbers with NaN after them. */
typedef struct Bench {
    float row[KERNEL_ROWS][WIDEST_ROW * LONGEST + MARGIN];
    KernelRows rows;
} Bench;

static void run_dropout(int n, KernelRows *r) { kernels->dropout(n, r->x[0], r->x[1], 12345, 0.8f, 0); }
static void run_dropout_back(int n, KernelRows *r) { kernels->dropout(n, r->x[0], r->x[1], 12345, 0.8f, 1); }

static const RowKernel other_kernels[] = {
    {"dropout", run_dropout, {1, 1}},
    {"dropout, accumulating", run_dropout_back, {1, 1}},
    {0},
};

static void bench_fill(Bench *b, const RowKernel *kernel, int n) {
    Rng rng = rng_seed((uint64_t)n, 1);
    b->rows = (KernelRows){0};
    for (int r = 0; r < KERNEL_ROWS; r++) {
        const int width = kernel->width[r] * n;
        b->rows.x[r] = b->row[r];
        for (int i = 0; i < width + MARGIN; i++) b->row[r][i] = i < width ? (float)rng_normal(&rng) : NAN;
    }
}

/* Checks that the kernel wrote nothing after the rows, and read none of the NaN there. */
static void assert_within_rows(const Bench *b, const RowKernel *kernel, int n) {
    for (int r = 0; r < KERNEL_ROWS; r++) {
        const int width = kernel->width[r] * n;
        for (int i = 0; i < width + MARGIN; i++)
            if (!isnan(b->row[r][i]) != (i < width)) fail_msg("%s of %d: row %d at %d", kernel->name, n, r, i);
    }
    assert_false(isnan(b->rows.result[0]) || isnan(b->rows.result[1]));
}

static void assert_same_bits(const Bench *x, const Bench *y, const RowKernel *kernel, int n) {
    for (int r = 0; r < KERNEL_ROWS; r++)
        if (memcmp(x->row[r], y->row[r], (size_t)(kernel->width[r] * n) * sizeof(float)) != 0)
            fail_msg("%s of %d: row %d differs", kernel->name, n, r);
    assert_memory_equal(x->rows.result, y->rows.result, sizeof x->rows.result);
}

static void check_row_kernel(const RowKernel *kernel, int n) {
    static Bench first, other;
    kernels = kernels_at(0);
    bench_fill(&first, kernel, n);
    kernel->run(n, &first.rows);
    assert_within_rows(&first, kernel, n);
    for (int set = 1; kernels_at(set); set++) {
        kernels = kernels_at(set);
        bench_fill(&other, kernel, n);
        kernel->run(n, &other.rows);
        assert_within_rows(&other, kernel, n);
        assert_same_bits(&first, &other, kernel, n);
    }
}

static void check_row_kernels(const RowKernel *list) {
    static const int longer[] = {63, 64, 65, 100, 255, 256, 257, 511, LONGEST};
    for (const RowKernel *kernel = list; kernel->name; kernel++) {
        for (int n = 1; n <= 40; n++) check_row_kernel(kernel, n);
        for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) check_row_kernel(kernel, longer[i]);
    }
}

static void all_sets_compute_the_same_bits(void **unused) {
    (void)unused;
    check_row_kernels(row_kernels);
    check_row_kernels(other_kernels);
}

/* ---- widths ---------------------------------------------------------------------------------------------- */

/* Whether the kernel, called with two different numbers at this place of a row, does more than leave them there. */
static bool kernel_uses(const RowKernel *kernel, int n, int row, int at) {
    static Bench x[2];
    float given[2];
    for (uint64_t draw = 0; draw < 100; draw++) {
        for (int k = 0; k < 2; k++) {
            Rng rng = rng_seed(draw, 1);
            memset(&x[k], 0, sizeof x[k]);
            for (int r = 0; r < KERNEL_ROWS; r++) {
                x[k].rows.x[r] = x[k].row[r];
                for (int i = 0; i < WIDEST_ROW * n + 1; i++) x[k].row[r][i] = (float)(3 * rng_normal(&rng));
            }
            given[k] = x[k].row[row][at] = (float)(3 * rng_normal(&rng)) + (float)k;
            kernel->run(n, &x[k].rows);
        }
        if (x[0].row[row][at] != given[0] || x[1].row[row][at] != given[1]) return true;
        x[0].row[row][at] = x[1].row[row][at];
        if (memcmp(x[0].row, x[1].row, sizeof x[0].row) != 0 ||
            memcmp(x[0].rows.result, x[1].rows.result, sizeof x[0].rows.result) != 0)
            return true;
    }
    return false;
}

/* Each kernel reads or writes the last number of a row, but not the next one. */
static void rows_are_as_wide_as_the_table_says(void **unused) {
    (void)unused;
    enum { N = 2 };
    for (const RowKernel *kernel = row_kernels; kernel->name; kernel++)
        for (int row = 0; row < KERNEL_ROWS; row++) {
            const int width = kernel->width[row] * N;
            if ((width && !kernel_uses(kernel, N, row, width - 1)) || kernel_uses(kernel, N, row, width))
                fail_msg("%s: row %d has not %d times n numbers", kernel->name, row, kernel->width[row]);
        }
}

/* ---- plain loops, which compute in double with functions of libm ---------------------------------------- */

#define PLAIN(name) static void name##_plain(int n, real *const *x, __attribute__((unused)) real *result)
#define EACH        for (int i = 0; i < n; i++)

PLAIN(add) { EACH x[0][i] += x[1][i]; }

PLAIN(axpy) { EACH x[0][i] = (real)(x[0][i] + 0.3 * x[1][i]); }

PLAIN(blend) { EACH x[0][i] = (real)(x[0][i] + 0.3 * ((double)x[1][i] - x[0][i])); }

PLAIN(divide) { EACH x[0][i] = (real)(x[0][i] / 3.0); }

PLAIN(dot) {
    double sum = 0;
    EACH sum += (double)x[0][i] * x[1][i];
    result[0] = (real)sum;
}

PLAIN(sum) {
    double sum = 0;
    EACH sum += x[0][i];
    result[0] = (real)sum;
}

PLAIN(next_above) {
    int found = 0;
    EACH if (x[0][i] > 2) x[1][found++] = (real)i;
}

PLAIN(dots) {
    for (int k = 0; k < 4; k++) {
        double sum = 0;
        EACH sum += (double)x[0][i] * x[(k + 1) % 4][i];
        result[k / 2] += (real)sum;
    }
}

PLAIN(combine) { EACH x[0][i] = (real)(x[0][i] + 0.3 * x[1][i] - 1.7 * x[2][i] + 0.9 * x[3][i] + 0.1 * x[4][i]); }

PLAIN(tanh) { EACH x[0][i] = (real)tanh(x[1][i]); }

PLAIN(tanh_back) { EACH x[0][i] = (real)(x[0][i] + x[2][i] * (1.0 - (double)x[1][i] * x[1][i])); }

PLAIN(gru_gates) {
    EACH {
        x[0][i] = (real)true_sigmoid(x[0][i]);
        x[0][n + i] = (real)true_sigmoid(x[0][n + i]);
        x[2][i] = x[0][n + i] * x[1][i];
    }
}

PLAIN(gru_state) {
    EACH {
        x[0][2 * n + i] = (real)tanh(x[0][2 * n + i]);
        x[2][i] = (1 - x[0][i]) * x[1][i] + x[0][i] * x[0][2 * n + i];
    }
}

PLAIN(gru_state_back) {
    EACH {
        double z = x[1][i], c = x[1][2 * n + i], d = x[0][i];
        x[1][i] = (real)(d * (c - x[2][i]) * z * (1 - z));
        x[1][2 * n + i] = (real)(d * z * (1 - c * c));
        x[3][i] = (real)(x[3][i] + d * (1 - z));
    }
}

PLAIN(gru_gates_back) {
    EACH {
        double r = x[1][n + i], d = x[0][i];
        x[1][n + i] = (real)(d * x[2][i] * r * (1 - r));
        x[3][i] = (real)(x[3][i] + d * r);
        x[4][i] = (real)(r * x[2][i]);
    }
}

PLAIN(score) {
    double sum = 0;
    EACH sum += x[0][i] * tanh((double)x[1][i] + x[2][i]);
    result[0] = (real)sum;
}

PLAIN(score_back) {
    EACH {
        double t = tanh((double)x[1][i] + x[2][i]), da = 0.3 * x[0][i] * (1 - t * t);
        x[3][i] = (real)(x[3][i] + 0.3 * t);
        x[4][i] = (real)(x[4][i] + da);
        x[5][i] = (real)(x[5][i] + da);
    }
}

PLAIN(softmax) {
    double sum = 0;
    EACH sum += exp(x[1][i]);
    EACH x[0][i] = (real)(exp(x[1][i]) / sum);
}

PLAIN(softmax_back) {
    double mean = 0;
    EACH mean += (double)x[1][i] * x[2][i];
    EACH x[0][i] = (real)(x[0][i] + x[1][i] * (x[2][i] - mean));
}

PLAIN(exp_sum) {
    double sum = 0, max = x[0][0];
    EACH if (x[0][i] > max) max = x[0][i];
    EACH sum += x[1][i] = (real)exp(x[0][i] - max);
    result[1] = (real)sum;
    result[0] = (real)max;
}

PLAIN(softmax_gradient) { EACH x[0][i] = (real)(0.1 * (x[0][i] / 3.0 - 0.01)); }

PLAIN(layer_norm) {
    double mean = 0, square = 0;
    EACH mean += (double)x[1][i] / n;
    EACH square += (x[1][i] - mean) * (x[1][i] - mean) / n;
    EACH x[0][i] = (real)((x[1][i] - mean) / sqrt(square + 1e-5) * x[2][i] + x[3][i]);
    result[0] = (real)mean;
    result[1] = (real)(1 / sqrt(square + 1e-5));
}

static double normalised(real x) { return (x - (double)row_kernel_moments.mean) * row_kernel_moments.scale; }

PLAIN(layer_norm_back) {
    double mean = 0, slope = 0;
    EACH {
        mean += (double)x[1][i] * x[3][i] / n;
        slope += (double)x[1][i] * x[3][i] * normalised(x[2][i]) / n;
    }
    EACH {
        double d = (double)x[1][i] * x[3][i];
        x[0][i] = (real)(x[0][i] + row_kernel_moments.scale * (d - mean - slope * normalised(x[2][i])));
    }
}

PLAIN(layer_norm_gain) { EACH x[0][i] = (real)(x[0][i] + x[1][i] * normalised(x[2][i])); }

PLAIN(maxout) { EACH x[0][i] = x[1][2L * i] > x[1][2L * i + 1] ? x[1][2L * i] : x[1][2L * i + 1]; }

PLAIN(maxout_back) {
    EACH {
        long larger = 2L * i + (x[0][2L * i + 1] > x[0][2L * i]);
        x[0][2L * i] = x[0][2L * i + 1] = 0;
        x[0][larger] = x[1][i];
    }
}

PLAIN(relu) { EACH x[0][i] = (real)fmax(x[0][i], 0); }

PLAIN(relu_back) { EACH x[0][i] *= (real)(x[1][i] > 0); }

PLAIN(sgd) {
    EACH {
        x[0][i] -= row_kernel_rule.rate * row_kernel_rule.gradient_scale * x[1][i];
        x[1][i] = 0;
    }
}

static void make_positive(int n, real *x) { EACH x[i] = (real)fabs(x[i]); }

PLAIN(adam) {
    make_positive(n, x[3]);
    EACH {
        double d = (double)x[1][i] * row_kernel_rule.gradient_scale, b1 = row_kernel_rule.decay1,
               b2 = row_kernel_rule.decay2;
        x[1][i] = 0;
        x[2][i] = (real)(b1 * x[2][i] + (1 - b1) * d);
        x[3][i] = (real)(b2 * x[3][i] + (1 - b2) * d * d);
        x[0][i] = (real)(x[0][i] - row_kernel_rule.rate * x[2][i] * row_kernel_rule.correction1 /
                                       (sqrt((double)x[3][i] * row_kernel_rule.correction2) + row_kernel_rule.epsilon));
    }
}

PLAIN(adadelta) {
    make_positive(n, x[2]);
    make_positive(n, x[3]);
    EACH {
        double d = (double)x[1][i] * row_kernel_rule.gradient_scale, decay = row_kernel_rule.decay1;
        x[1][i] = 0;
        x[2][i] = (real)(decay * x[2][i] + (1 - decay) * d * d);
        double step =
            sqrt((double)x[3][i] + row_kernel_rule.epsilon) / sqrt((double)x[2][i] + row_kernel_rule.epsilon) * d;
        x[3][i] = (real)(decay * x[3][i] + (1 - decay) * step * step);
        x[0][i] = (real)(x[0][i] - row_kernel_rule.rate * step);
    }
}

static const struct {
    const char *name;
    void (*run)(int n, real *const *x, real *result);
} plain[] = {
    {"add", add_plain},
    {"axpy", axpy_plain},
    {"blend", blend_plain},
    {"divide", divide_plain},
    {"dot", dot_plain},
    {"sum", sum_plain},
    {"next_above", next_above_plain},
    {"dots", dots_plain},
    {"combine", combine_plain},
    {"tanh", tanh_plain},
    {"tanh_back", tanh_back_plain},
    {"gru_gates", gru_gates_plain},
    {"gru_state", gru_state_plain},
    {"gru_state_back", gru_state_back_plain},
    {"gru_gates_back", gru_gates_back_plain},
    {"score", score_plain},
    {"score_back", score_back_plain},
    {"softmax", softmax_plain},
    {"softmax_back", softmax_back_plain},
    {"exp_sum", exp_sum_plain},
    {"softmax_gradient", softmax_gradient_plain},
    {"layer_norm", layer_norm_plain},
    {"layer_norm_back", layer_norm_back_plain},
    {"layer_norm_gain", layer_norm_gain_plain},
    {"maxout", maxout_plain},
    {"maxout_back", maxout_back_plain},
    {"relu", relu_plain},
    {"relu_back", relu_back_plain},
    {"sgd", sgd_plain},
    {"adam", adam_plain},
    {"adadelta", adadelta_plain},
};

static void assert_agrees(const RowKernel *kernel, int n, float got, float wanted, double slack) {
    if (!(fabsf(got - wanted) <= 1e-5 * (1 + fabsf(wanted) + slack)))
        fail_msg("%s of %d: got %g, expected %g", kernel->name, n, (double)got, (double)wanted);
}

/* Every kernel of row_kernels agrees with its plain loop, a sum within the rounding of its n terms. */
static void kernels_agree_with_plain_loops(void **unused) {
    (void)unused;
    static const int sizes[] = {1, 15, 16, 17, 100, LONGEST};
    static Bench got, wanted;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        const RowKernel *kernel = &row_kernels[k];
        assert_string_equal(kernel->name, plain[k].name);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int n = sizes[s];
            bench_fill(&got, kernel, n);
            bench_fill(&wanted, kernel, n);
            kernel->run(n, &got.rows);
            plain[k].run(n, wanted.rows.x, wanted.rows.result);
            for (int r = 0; r < KERNEL_ROWS; r++)
                for (int i = 0; i < kernel->width[r] * n; i++)
                    assert_agrees(kernel, n, got.row[r][i], wanted.row[r][i], 0);
            for (int i = 0; i < 2; i++) assert_agrees(kernel, n, got.rows.result[i], wanted.rows.result[i], sqrt(n));
        }
    }
    assert_null(row_kernels[sizeof plain / sizeof *plain].name);
}

/* Sums of dots have the bits of dot. */
static void dots_have_the_bits_of_dot(void **unused) {
    (void)unused;
    static Bench b;
    const float *y[] = {b.row[1], b.row[2], b.row[3], b.row[4], b.row[0]};
    float sums[5];
    for (int set = 0; kernels_at(set); set++) {
        kernels = kernels_at(set);
        for (int n = 1; n < LONGEST; n += 1 + n / 40) {
            bench_fill(&b, &(RowKernel){.width = {1, 1, 1, 1, 1}}, n);
            kernels->dots(n, 5, b.row[0], y, 0, sums);
            for (int k = 0; k < 5; k++) assert_true(sums[k] == kernels->dot(n, b.row[0], y[k]));
        }
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

/* The kernels that measure the peak speed really compute: with a factor of 1, the registers of floats keep their
   numbers; those of a matrix unit add up their products. */
static void the_peak_kernels_compute(void **unused) {
    (void)unused;
    const Kernels *set;
    for (int i = 0; (set = distinct_set(i, PANELS_BF16)); i++) {
        const GemmKernels *gemm = set->gemm[PANELS_F32], *unit = set->gemm[PANELS_BF16];
        const int rows = gemm->tile_rows;
        assert_true(gemm->fma_rounds(5, 1) == (float)(rows * (2 * rows - 1)));
        assert_true(gemm->fma_rounds(5, 0) == (float)(2 * rows));
        if (!unit->fma_rounds) continue;
        assert_true(unit->fma_rounds(5, 3) == (float)(5 * unit->k_step * 3));
        unit->leave();
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
            kernels->adam(RUN, &row_kernel_rule, w, g, m, v);
            kernels->adadelta(RUN, &row_kernel_rule, w, g, g2, dx2);
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
        cmocka_unit_test(the_largest_error_of_tanh_is_known),
        cmocka_unit_test(extremes_are_finite),
        cmocka_unit_test(nan_stays_nan),
        cmocka_unit_test(all_sets_compute_the_same_bits),
        cmocka_unit_test(rows_are_as_wide_as_the_table_says),
        cmocka_unit_test(kernels_agree_with_plain_loops),
        cmocka_unit_test(dots_have_the_bits_of_dot),
        cmocka_unit_test(decayed_moments_become_zero),
        cmocka_unit_test(multiply_adds_round_once),
        cmocka_unit_test(sums_run_in_sixteen_lanes),
        cmocka_unit_test(numbers_above_a_limit_are_found),
        cmocka_unit_test(dropout_keeps_a_share),
        cmocka_unit_test(kernels_are_chosen_before_constructors_run),
        cmocka_unit_test(rows_are_normalised),
        cmocka_unit_test(the_peak_kernels_compute),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, restore);
}
