#include "bench/row_kernels.h"

#include <math.h>
#include <stddef.h>

const UpdateRule row_kernel_rule = {.gradient_scale = (real)0.7,
                                    .rate = (real)0.01,
                                    .decay1 = (real)0.9,
                                    .decay2 = (real)0.999,
                                    .epsilon = (real)1e-6,
                                    .correction1 = (real)1.3,
                                    .correction2 = (real)1.7};
const Moments row_kernel_moments = {.mean = (real)0.1, .scale = (real)1.3};

static void run_add(int n, KernelRows *r) { kernels->add(n, r->x[0], r->x[1]); }
static void run_axpy(int n, KernelRows *r) { kernels->axpy(n, r->x[0], (real)0.3, r->x[1]); }
static void run_blend(int n, KernelRows *r) { kernels->blend(n, r->x[0], (real)0.3, r->x[1]); }
static void run_divide(int n, KernelRows *r) { kernels->divide(n, r->x[0], 3); }
static void run_dot(int n, KernelRows *r) { r->result[0] = kernels->dot(n, r->x[0], r->x[1]); }
static void run_sum(int n, KernelRows *r) { r->result[0] = kernels->sum(n, r->x[0]); }

/* A search finds few numbers above its limit. */
static void run_next_above(int n, KernelRows *r) {
    int found = 0;
    for (int i = 0; (i = kernels->next_above(n, r->x[0], i, 2)) < n; i++) r->x[1][found++] = (real)i;
}

static void run_dots(int n, KernelRows *r) {
    const real *y[] = {r->x[1], r->x[2], r->x[3], r->x[0]};
    real sums[4];
    kernels->dots(n, 4, r->x[0], y, 0, sums);
    r->result[0] = sums[0] + sums[1];
    r->result[1] = sums[2] + sums[3];
}

static void run_combine(int n, KernelRows *r) {
    const real weight[] = {(real)0.3, (real)-1.7, (real)0.9, (real)0.1};
    const real *y[] = {r->x[1], r->x[2], r->x[3], r->x[4]};
    kernels->combine(n, 4, weight, y, 0, r->x[0]);
}

static void run_tanh(int n, KernelRows *r) { kernels->tanh(n, r->x[0], r->x[1]); }
static void run_tanh_back(int n, KernelRows *r) { kernels->tanh_back(n, r->x[0], r->x[1], r->x[2]); }
static void run_gru_gates(int n, KernelRows *r) { kernels->gru_gates(n, r->x[0], r->x[1], r->x[2]); }
static void run_gru_state(int n, KernelRows *r) { kernels->gru_state(n, r->x[0], r->x[1], r->x[2]); }
static void run_gru_state_back(int n, KernelRows *r) { kernels->gru_state_back(n, r->x[0], r->x[1], r->x[2], r->x[3]); }
static void run_gru_gates_back(int n, KernelRows *r) {
    kernels->gru_gates_back(n, r->x[0], r->x[1], r->x[2], r->x[3], r->x[4]);
}
static void run_score(int n, KernelRows *r) { r->result[0] = kernels->score(n, r->x[0], r->x[1], r->x[2]); }
static void run_score_back(int n, KernelRows *r) {
    kernels->score_back(n, (real)0.3, r->x[0], r->x[1], r->x[2], r->x[3], r->x[4], r->x[5]);
}
static void run_softmax(int n, KernelRows *r) { kernels->softmax(n, r->x[0], r->x[1]); }
static void run_softmax_back(int n, KernelRows *r) { kernels->softmax_back(n, r->x[0], r->x[1], r->x[2]); }
static void run_exp_sum(int n, KernelRows *r) { r->result[0] = kernels->exp_sum(n, r->x[0], &r->result[1], r->x[1]); }
static void run_softmax_gradient(int n, KernelRows *r) {
    kernels->softmax_gradient(n, r->x[0], 3, (real)0.1, (real)0.01);
}

static void run_layer_norm(int n, KernelRows *r) {
    Moments m;
    kernels->layer_norm(n, r->x[0], r->x[1], r->x[2], r->x[3], &m);
    r->result[0] = m.mean;
    r->result[1] = m.scale;
}
static void run_layer_norm_back(int n, KernelRows *r) {
    kernels->layer_norm_back(n, r->x[0], r->x[1], r->x[2], r->x[3], &row_kernel_moments);
}
static void run_layer_norm_gain(int n, KernelRows *r) {
    kernels->layer_norm_gain(n, r->x[0], r->x[1], r->x[2], &row_kernel_moments);
}

static void run_maxout(int n, KernelRows *r) { kernels->maxout(n, r->x[0], r->x[1]); }
static void run_maxout_back(int n, KernelRows *r) { kernels->maxout_back(n, r->x[0], r->x[1]); }
static void run_relu(int n, KernelRows *r) { kernels->relu(n, r->x[0]); }
static void run_relu_back(int n, KernelRows *r) { kernels->relu_back(n, r->x[0], r->x[1]); }
static void run_sgd(int n, KernelRows *r) { kernels->sgd(n, &row_kernel_rule, r->x[0], r->x[1], NULL, NULL); }

static void make_positive(int n, real *x) {
    for (int i = 0; i < n; i++) x[i] = (real)fabs(x[i]);
}

static void run_adam(int n, KernelRows *r) {
    make_positive(n, r->x[3]);
    kernels->adam(n, &row_kernel_rule, r->x[0], r->x[1], r->x[2], r->x[3]);
}

static void run_adadelta(int n, KernelRows *r) {
    make_positive(n, r->x[2]);
    make_positive(n, r->x[3]);
    kernels->adadelta(n, &row_kernel_rule, r->x[0], r->x[1], r->x[2], r->x[3]);
}

const RowKernel row_kernels[] = {
    {"add", run_add, {1, 1}},
    {"axpy", run_axpy, {1, 1}},
    {"blend", run_blend, {1, 1}},
    {"divide", run_divide, {1}},
    {"dot", run_dot, {1, 1}},
    {"sum", run_sum, {1}},
    {"next_above", run_next_above, {1, 1}},
    {"dots", run_dots, {1, 1, 1, 1}},
    {"combine", run_combine, {1, 1, 1, 1, 1}},
    {"tanh", run_tanh, {1, 1}},
    {"tanh_back", run_tanh_back, {1, 1, 1}},
    {"gru_gates", run_gru_gates, {2, 1, 1}},
    {"gru_state", run_gru_state, {3, 1, 1}},
    {"gru_state_back", run_gru_state_back, {1, 3, 1, 1}},
    {"gru_gates_back", run_gru_gates_back, {1, 2, 1, 1, 1}},
    {"score", run_score, {1, 1, 1}},
    {"score_back", run_score_back, {1, 1, 1, 1, 1, 1}},
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
    {"sgd", run_sgd, {1, 1}},
    {"adam", run_adam, {1, 1, 1, 1}},
    {"adadelta", run_adadelta, {1, 1, 1, 1}},
    {0},
};
