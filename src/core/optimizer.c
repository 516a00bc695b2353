#include "core/optimizer.h"
#include "core/base.h"
#include "core/kernels.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };

const char optimizer_names[] = "adam|adadelta|sgd";

static int blocks_of(size_t size) { return (int)((size + BLOCK - 1) / BLOCK); }

void optimizer_init(Optimizer *optimizer, OptimizerKind kind, size_t size) {
    *optimizer = (Optimizer){.kind = kind, .size = size};
    optimizer->squares = mem_zalloc((size_t)blocks_of(size) * sizeof(double));
    for (int i = 0; i < 2 && kind != OPTIMIZER_SGD; i++) {
        optimizer->moments[i] = mem_alloc_aligned(size * sizeof(real));
        memset(optimizer->moments[i], 0, size * sizeof(real));
    }
}

void optimizer_free(Optimizer *optimizer) {
    for (int i = 0; i < 2; i++) mem_free(optimizer->moments[i]);
    mem_free(optimizer->squares);
    mem_free(optimizer->average);
    *optimizer = (Optimizer){0};
}

void optimizer_keep_average(Optimizer *optimizer, const real *weights) {
    optimizer->average = mem_alloc_aligned(optimizer->size * sizeof(real));
    memcpy(optimizer->average, weights, optimizer->size * sizeof(real));
}

typedef struct Step {
    const Optimizer *optimizer;
    UpdateRule rule;
    real share; /* of the new weights in the average */
    real *w, *g;
} Step;

static int block_size(const Optimizer *optimizer, int block) {
    size_t left = optimizer->size - (size_t)block * BLOCK;
    return left < BLOCK ? (int)left : BLOCK;
}

static void square_blocks(void *context, int begin, int end) {
    const Step *step = context;
    for (int block = begin; block < end; block++) {
        const real *g = step->g + (size_t)block * BLOCK;
        step->optimizer->squares[block] = kernels->dot(block_size(step->optimizer, block), g, g);
    }
}

static void update_blocks(void *context, int begin, int end) {
    const Step *step = context;
    const Optimizer *o = step->optimizer;
    for (int block = begin; block < end; block++) {
        size_t at = (size_t)block * BLOCK;
        int n = block_size(o, block);
        real *w = step->w + at, *g = step->g + at;
        switch (o->kind) {
        case OPTIMIZER_SGD: kernels->sgd(n, &step->rule, w, g); break;
        case OPTIMIZER_ADAM: kernels->adam(n, &step->rule, w, g, o->moments[0] + at, o->moments[1] + at); break;
        case OPTIMIZER_ADADELTA: kernels->adadelta(n, &step->rule, w, g, o->moments[0] + at, o->moments[1] + at); break;
        }
        if (o->average) kernels->blend(n, o->average + at, step->share, w);
    }
}

/* By multiplications alone, so that the bits are the same everywhere. */
static double power(double base, long n) {
    double product = 1;
    for (; n > 0; n /= 2) {
        if (n % 2) product *= base;
        base *= base;
    }
    return product;
}

static UpdateRule rule_of(const Optimizer *optimizer, double rate, double scale) {
    UpdateRule rule = {.gradient_scale = (real)scale, .rate = (real)rate};
    if (optimizer->kind == OPTIMIZER_ADAM) {
        rule.decay1 = (real)0.9;
        rule.decay2 = (real)0.999;
        rule.epsilon = (real)1e-8;
        rule.correction1 = (real)(1 / (1 - power(rule.decay1, optimizer->steps)));
        rule.correction2 = (real)(1 / (1 - power(rule.decay2, optimizer->steps)));
    } else {
        rule.decay1 = (real)0.95;
        rule.epsilon = (real)1e-6;
    }
    return rule;
}

double optimizer_step(Optimizer *optimizer, Threads *threads, real *weights, real *gradient,
                      const StepOptions *options) {
    Step step = {.optimizer = optimizer, .w = weights, .g = gradient};
    threads_run(threads, "norm", blocks_of(optimizer->size), 4, square_blocks, &step);
    double square = 0;
    for (int block = 0; block < blocks_of(optimizer->size); block++) square += optimizer->squares[block];
    double norm = sqrt(square);
    if (!isfinite(norm)) {
        memset(gradient, 0, optimizer->size * sizeof *gradient);
        return norm;
    }
    optimizer->steps++;
    const double clip = options->clip_norm;
    step.rule = rule_of(optimizer, options->rate, clip > 0 && norm > clip ? clip / norm : 1);
    step.share = (real)fmax(options->smoothing, 9 / (10 + (double)optimizer->steps));
    threads_run(threads, "update", blocks_of(optimizer->size), 4, update_blocks, &step);
    return norm;
}
