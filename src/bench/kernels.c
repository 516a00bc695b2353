/* tide bench kernels: checks each kernel on rows against a plain loop, which computes in double with functions of libm,
   and measures its speed. Dropout is random and is tested elsewhere. */
#include "bench/measure.h"
#include "bench/bench.h"
#include "core/base.h"
#include "core/kernels.h"
#include "core/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARRAYS = 6, LONGEST = 1024, WIDEST = 3 };

/* A kernel and the plain loop with which it must agree. Both work on the arrays x[0], x[1], ..., of n to WIDEST · n
   numbers. */
typedef struct Case {
    const char *name;
    void (*kernel)(int n, real *const *x);
    void (*naive)(int n, real *const *x);
} Case;

static const UpdateRule rule = {.gradient_scale = (real)0.7,
                                .rate = (real)0.01,
                                .decay1 = (real)0.9,
                                .decay2 = (real)0.999,
                                .epsilon = (real)1e-6,
                                .correction1 = (real)1.3,
                                .correction2 = (real)1.7};

/* KERNEL(name) calls the kernel, NAIVE(name) is its plain loop. */
#define KERNEL(name) static void name##_kernel(int n, real *const *x)
#define NAIVE(name)  static void name##_naive(int n, real *const *x)
#define EACH         for (int i = 0; i < n; i++)

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

KERNEL(add) { kernels->add(n, x[0], x[1]); }
NAIVE(add) { EACH x[0][i] += x[1][i]; }

KERNEL(axpy) { kernels->axpy(n, x[0], (real)0.3, x[1]); }
NAIVE(axpy) { EACH x[0][i] = (real)(x[0][i] + 0.3 * x[1][i]); }

KERNEL(divide) { kernels->divide(n, x[0], 3); }
NAIVE(divide) { EACH x[0][i] = (real)(x[0][i] / 3.0); }

KERNEL(dot) { x[2][0] = kernels->dot(n, x[0], x[1]); }
NAIVE(dot) {
    double sum = 0;
    EACH sum += (double)x[0][i] * x[1][i];
    x[2][0] = (real)sum;
}

KERNEL(sum) { x[1][0] = kernels->sum(n, x[0]); }
NAIVE(sum) {
    double sum = 0;
    EACH sum += x[0][i];
    x[1][0] = (real)sum;
}

/* A search finds few numbers above its limit. */
KERNEL(next_above) {
    int found = 0;
    for (int i = 0; (i = kernels->next_above(n, x[0], i, 2)) < n; i++) x[1][found++] = (real)i;
}
NAIVE(next_above) {
    int found = 0;
    EACH if (x[0][i] > 2) x[1][found++] = (real)i;
}

KERNEL(dots) {
    const real *y[] = {x[1], x[2], x[3], x[4]};
    kernels->dots(n, 4, x[0], y, 0, x[5]);
}
NAIVE(dots) {
    for (int k = 0; k < 4; k++) {
        double sum = 0;
        EACH sum += (double)x[0][i] * x[1 + k][i];
        x[5][k] = (real)sum;
    }
}

KERNEL(combine) {
    const real weight[] = {(real)0.3, (real)-1.7, (real)0.9, (real)0.1}, *y[] = {x[1], x[2], x[3], x[4]};
    kernels->combine(n, 4, weight, y, 0, x[0]);
}
NAIVE(combine) { EACH x[0][i] = (real)(x[0][i] + 0.3 * x[1][i] - 1.7 * x[2][i] + 0.9 * x[3][i] + 0.1 * x[4][i]); }

KERNEL(tanh) { kernels->tanh(n, x[0], x[1]); }
NAIVE(tanh) { EACH x[0][i] = (real)tanh(x[1][i]); }

KERNEL(tanh_back) { kernels->tanh_back(n, x[0], x[1], x[2]); }
NAIVE(tanh_back) { EACH x[0][i] = (real)(x[0][i] + x[2][i] * (1.0 - (double)x[1][i] * x[1][i])); }

KERNEL(gru_gates) { kernels->gru_gates(n, x[0], x[1], x[2]); }
NAIVE(gru_gates) {
    EACH {
        x[0][i] = (real)sigmoid(x[0][i]);
        x[0][n + i] = (real)sigmoid(x[0][n + i]);
        x[2][i] = x[0][n + i] * x[1][i];
    }
}

KERNEL(gru_state) { kernels->gru_state(n, x[0], x[1], x[2]); }
NAIVE(gru_state) {
    EACH {
        x[0][2 * n + i] = (real)tanh(x[0][2 * n + i]);
        x[2][i] = (1 - x[0][i]) * x[1][i] + x[0][i] * x[0][2 * n + i];
    }
}

KERNEL(gru_state_back) { kernels->gru_state_back(n, x[1], x[0], x[2], x[3]); }
NAIVE(gru_state_back) {
    EACH {
        double z = x[0][i], c = x[0][2 * n + i], d = x[1][i];
        x[0][i] = (real)(d * (c - x[2][i]) * z * (1 - z));
        x[0][2 * n + i] = (real)(d * z * (1 - c * c));
        x[3][i] = (real)(x[3][i] + d * (1 - z));
    }
}

KERNEL(gru_gates_back) { kernels->gru_gates_back(n, x[1], x[0], x[2], x[3], x[4]); }
NAIVE(gru_gates_back) {
    EACH {
        double r = x[0][n + i], d = x[1][i];
        x[0][n + i] = (real)(d * x[2][i] * r * (1 - r));
        x[3][i] = (real)(x[3][i] + d * r);
        x[4][i] = (real)(r * x[2][i]);
    }
}

KERNEL(score) { x[3][0] = kernels->score(n, x[0], x[1], x[2]); }
NAIVE(score) {
    double sum = 0;
    EACH sum += x[0][i] * tanh((double)x[1][i] + x[2][i]);
    x[3][0] = (real)sum;
}

KERNEL(score_back) { kernels->score_back(n, (real)0.3, x[0], x[1], x[2], x[3], x[4], x[5]); }
NAIVE(score_back) {
    EACH {
        double t = tanh((double)x[1][i] + x[2][i]), da = 0.3 * x[0][i] * (1 - t * t);
        x[3][i] = (real)(x[3][i] + 0.3 * t);
        x[4][i] = (real)(x[4][i] + da);
        x[5][i] = (real)(x[5][i] + da);
    }
}

KERNEL(softmax) { kernels->softmax(n, x[0], x[1]); }
NAIVE(softmax) {
    double sum = 0;
    EACH sum += exp(x[1][i]);
    EACH x[0][i] = (real)(exp(x[1][i]) / sum);
}

KERNEL(softmax_back) { kernels->softmax_back(n, x[0], x[1], x[2]); }
NAIVE(softmax_back) {
    double mean = 0;
    EACH mean += (double)x[1][i] * x[2][i];
    EACH x[0][i] = (real)(x[0][i] + x[1][i] * (x[2][i] - mean));
}

KERNEL(exp_sum) { kernels->exp_sum(n, x[0], x[2], x[1]); }
NAIVE(exp_sum) {
    double sum = 0, max = x[0][0];
    EACH max = fmax(max, x[0][i]);
    EACH sum += x[1][i] = (real)exp(x[0][i] - max);
    x[2][0] = (real)sum;
}

KERNEL(softmax_gradient) { kernels->softmax_gradient(n, x[0], 3, (real)0.1, (real)0.01); }
NAIVE(softmax_gradient) { EACH x[0][i] = (real)(0.1 * (x[0][i] / 3.0 - 0.01)); }

KERNEL(layer_norm) {
    Moments m;
    kernels->layer_norm(n, x[0], x[1], x[2], x[3], &m);
}
NAIVE(layer_norm) {
    double mean = 0, square = 0;
    EACH mean += (double)x[1][i] / n;
    EACH square += (x[1][i] - mean) * (x[1][i] - mean) / n;
    EACH x[0][i] = (real)((x[1][i] - mean) / sqrt(square + 1e-5) * x[2][i] + x[3][i]);
}

static const Moments moments = {.mean = (real)0.1, .scale = (real)1.3};
static double normalised(real x) { return (x - (double)moments.mean) * moments.scale; }

KERNEL(layer_norm_back) { kernels->layer_norm_back(n, x[0], x[1], x[2], x[3], &moments); }
NAIVE(layer_norm_back) {
    double mean = 0, slope = 0;
    EACH {
        mean += (double)x[1][i] * x[3][i] / n;
        slope += (double)x[1][i] * x[3][i] * normalised(x[2][i]) / n;
    }
    EACH {
        double d = (double)x[1][i] * x[3][i];
        x[0][i] = (real)(x[0][i] + moments.scale * (d - mean - slope * normalised(x[2][i])));
    }
}

KERNEL(layer_norm_gain) { kernels->layer_norm_gain(n, x[0], x[1], x[2], &moments); }
NAIVE(layer_norm_gain) { EACH x[0][i] = (real)(x[0][i] + x[1][i] * normalised(x[2][i])); }

KERNEL(maxout) { kernels->maxout(n, x[0], x[1]); }
NAIVE(maxout) { EACH x[0][i] = x[1][2L * i] > x[1][2L * i + 1] ? x[1][2L * i] : x[1][2L * i + 1]; }

KERNEL(maxout_back) { kernels->maxout_back(n, x[0], x[1]); }
NAIVE(maxout_back) {
    EACH {
        long larger = 2L * i + (x[0][2L * i + 1] > x[0][2L * i]);
        x[0][2L * i] = x[0][2L * i + 1] = 0;
        x[0][larger] = x[1][i];
    }
}

KERNEL(relu) { kernels->relu(n, x[0]); }
NAIVE(relu) { EACH x[0][i] = (real)fmax(x[0][i], 0); }

KERNEL(relu_back) { kernels->relu_back(n, x[0], x[1]); }
NAIVE(relu_back) { EACH x[0][i] *= (real)(x[1][i] > 0); }

KERNEL(sgd) { kernels->sgd(n, &rule, x[0], x[1], NULL, NULL); }
NAIVE(sgd) {
    EACH {
        x[0][i] -= rule.rate * rule.gradient_scale * x[1][i];
        x[1][i] = 0;
    }
}

static void make_positive(int n, real *x) { EACH x[i] = (real)fabs(x[i]); }

KERNEL(adam) {
    make_positive(n, x[3]);
    kernels->adam(n, &rule, x[0], x[1], x[2], x[3]);
}
NAIVE(adam) {
    make_positive(n, x[3]);
    EACH {
        double d = (double)x[1][i] * rule.gradient_scale, b1 = rule.decay1, b2 = rule.decay2;
        x[1][i] = 0;
        x[2][i] = (real)(b1 * x[2][i] + (1 - b1) * d);
        x[3][i] = (real)(b2 * x[3][i] + (1 - b2) * d * d);
        x[0][i] = (real)(x[0][i] - rule.rate * x[2][i] * rule.correction1 /
                                       (sqrt((double)x[3][i] * rule.correction2) + rule.epsilon));
    }
}

KERNEL(adadelta) {
    make_positive(n, x[2]);
    make_positive(n, x[3]);
    kernels->adadelta(n, &rule, x[0], x[1], x[2], x[3]);
}
NAIVE(adadelta) {
    make_positive(n, x[2]);
    make_positive(n, x[3]);
    EACH {
        double d = (double)x[1][i] * rule.gradient_scale, decay = rule.decay1;
        x[1][i] = 0;
        x[2][i] = (real)(decay * x[2][i] + (1 - decay) * d * d);
        double step = sqrt((double)x[3][i] + rule.epsilon) / sqrt((double)x[2][i] + rule.epsilon) * d;
        x[3][i] = (real)(decay * x[3][i] + (1 - decay) * step * step);
        x[0][i] = (real)(x[0][i] - rule.rate * step);
    }
}

#define CASE(name)                                                                                                     \
    { #name, name##_kernel, name##_naive }
static const Case cases[] = {
    CASE(add),
    CASE(axpy),
    CASE(divide),
    CASE(dot),
    CASE(sum),
    CASE(next_above),
    CASE(dots),
    CASE(combine),
    CASE(tanh),
    CASE(tanh_back),
    CASE(gru_gates),
    CASE(gru_state),
    CASE(gru_state_back),
    CASE(gru_gates_back),
    CASE(score),
    CASE(score_back),
    CASE(softmax),
    CASE(softmax_back),
    CASE(exp_sum),
    CASE(softmax_gradient),
    CASE(layer_norm),
    CASE(layer_norm_back),
    CASE(layer_norm_gain),
    CASE(maxout),
    CASE(maxout_back),
    CASE(relu),
    CASE(relu_back),
    CASE(sgd),
    CASE(adam),
    CASE(adadelta),
};

/* The arrays of a case: x[k] points to numbers[k]. */
typedef struct Arrays {
    real numbers[ARRAYS][WIDEST * LONGEST];
    real *x[ARRAYS];
} Arrays;

static void fill(Arrays *a) {
    Rng rng = rng_seed(1, 1);
    for (int k = 0; k < ARRAYS; k++) {
        a->x[k] = a->numbers[k];
        for (int i = 0; i < WIDEST * LONGEST; i++) a->numbers[k][i] = (real)rng_normal(&rng);
    }
}

static void verify(const Case *c, int n) {
    static Arrays got, wanted;
    fill(&got);
    fill(&wanted);
    c->kernel(n, got.x);
    c->naive(n, wanted.x);
    for (int k = 0; k < ARRAYS; k++)
        for (int i = 0; i < WIDEST * LONGEST; i++) {
            double g = got.numbers[k][i], w = wanted.numbers[k][i];
            CHECK(fabs(g - w) <= 1e-5 * (1 + fabs(w) + (i == 0) * sqrt(n)), "kernel %s of %d: got %g, expected %g",
                  c->name, n, g, w);
        }
}

/* Measures how many numbers per nanosecond a kernel handles if its arrays are in the cache. */
static double speed(const Case *c) {
    static Arrays arrays;
    enum { REPEATS = 51, RUNS = 3 /* then new numbers, because repeated calls let them grow */ };
    double seconds[REPEATS];
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        fill(&arrays);
        double began = seconds_now();
        for (int run = 0; run < RUNS; run++) c->kernel(LONGEST, arrays.x);
        seconds[repeat] = seconds_now() - began;
    }
    return RUNS * (double)LONGEST / bench_median(seconds, REPEATS) / 1e9;
}

void bench_kernels(void) {
    static const int sizes[] = {1, 15, 16, 17, 100, LONGEST};
    printf("kernels: each agrees with its plain loop; one thread, %d numbers in the cache\n", LONGEST);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) verify(&cases[i], sizes[k]);
        printf("  %-18s %6.2f numbers a nanosecond\n", cases[i].name, speed(&cases[i]));
    }
}
