/* ops_pointwise.c: ops on each number, or pair of numbers, by itself. */
#include "core/kernels.h"
#include "core/ops.h"

static int size_of(const Var *x) { return x->rows * x->cols; }

/* y = tanh x;  dx += dy (1 - y²) */
static Back tanh_of_back;
Var *tanh_of(Tape *tape, Var *x) {
    Var *y = var_new(tape, x->rows, x->cols);
    kernels->tanh(size_of(x), y->v, x->v);
    tape_record(tape, tanh_of_back, y, x, NULL, NULL);
    return y;
}

static void tanh_of_back(Tape *tape, const Record *record) {
    Var *y = record->out, *x = record->in[0];
    kernels->tanh_back(size_of(x), var_grad(tape, x), y->v, var_grad(tape, y));
}

/* y_k = max(x_2k, x_2k+1)      x [m, 2n], y [m, n]      (Goodfellow et al. 2013; appendix A.2.2)
   dx of the larger += dy_k */
static Back maxout_back;
Var *maxout(Tape *tape, Var *x) {
    CHECK(x->cols % 2 == 0, "maxout: %d columns", x->cols);
    Var *y = var_new(tape, x->rows, x->cols / 2);
    kernels->maxout(size_of(y), y->v, x->v);
    tape_record(tape, maxout_back, y, x, NULL, NULL);
    return y;
}

static void maxout_back(Tape *tape, const Record *record) {
    Var *y = record->out, *x = record->in[0];
    kernels->maxout_back(size_of(y), var_grad(tape, x), x->v, var_grad(tape, y));
}

/* y = x m / (1 - rate), m ~ Bernoulli(1 - rate);  dx += dy m / (1 - rate). The mask is not stored: number i of the mask
   is a hash of the op's key and i (Srivastava et al. 2014, inverted scaling). */
typedef struct Mask {
    uint32_t key;
    real keep;
} Mask;

static Back dropout_back;
Var *dropout(Tape *tape, Var *x, double rate) {
    if (!tape->recording || rate <= 0) return x;
    CHECK(rate < 1, "dropout: rate %g", rate);
    Mask *mask = arena_alloc(&tape->arena, sizeof *mask);
    *mask = (Mask){(uint32_t)(rng_next(&tape->rng) >> 32), (real)(1 - rate)};
    Var *y = var_new(tape, x->rows, x->cols);
    kernels->dropout(size_of(x), y->v, x->v, mask->key, 0, mask->keep, 0);
    tape_record(tape, dropout_back, y, x, NULL, NULL)->extra = mask;
    return y;
}

static void dropout_back(Tape *tape, const Record *record) {
    Var *y = record->out, *x = record->in[0];
    const Mask *mask = record->extra;
    kernels->dropout(size_of(x), var_grad(tape, x), var_grad(tape, y), mask->key, 0, mask->keep, 1);
}
