/* ops_norm.c: layer normalisation (Ba, Kiros & Hinton 2016). */
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

/* y = g∘x̂ + b,  x̂ = (x - μ) / σ      x [m, n], g and b [1, n]; μ is the mean of a row, σ² its variance + 1e-5
   dx += (d - mean(d) - x̂ mean(d∘x̂)) / σ with d = dy∘g,  dg += Σ dy∘x̂,  db += Σ dy, over the rows */
typedef struct Norm {
    Var *x, *y, *gain, *bias;
    Moments *moments;             /* [m] */
    RowSums gain_sums, bias_sums; /* in the backward pass */
} Norm;

enum { GRAIN = 4096 };

static void normalise(void *context, int begin, int end) {
    const Norm *norm = context;
    for (int i = begin; i < end; i++)
        kernels->layer_norm(norm->x->cols, var_row(norm->y, norm->y->v, i), var_row(norm->x, norm->x->v, i),
                            norm->gain->v, norm->bias->v, &norm->moments[i]);
}

static Back layer_norm_back;
Var *layer_norm(Tape *tape, Var *x, Var *gain, Var *bias) {
    CHECK(gain->rows == 1 && gain->cols == x->cols && bias->rows == 1 && bias->cols == x->cols,
          "layer_norm: x [%d, %d], gain [%d, %d], bias [%d, %d]", x->rows, x->cols, gain->rows, gain->cols, bias->rows,
          bias->cols);
    Norm *norm = arena_alloc(&tape->arena, sizeof *norm);
    *norm = (Norm){x,
                   var_new(tape, x->rows, x->cols),
                   gain,
                   bias,
                   arena_alloc(&tape->arena, (size_t)x->rows * sizeof(Moments)),
                   {0},
                   {0}};
    tape_rows(tape, "layer norm", x, GRAIN, normalise, norm);
    Record *record = tape_record(tape, layer_norm_back, norm->y, x, gain, bias);
    if (record) record->extra = norm;
    return norm->y;
}

static void row_gradients(void *context, int begin, int end) {
    const Norm *norm = context;
    Var *x = norm->x, *y = norm->y;
    for (int i = begin; i < end; i++)
        kernels->layer_norm_back(x->cols, var_row(x, x->g, i), var_row(y, y->g, i), var_row(x, x->v, i), norm->gain->v,
                                 &norm->moments[i]);
}

static void column_gradients(void *context, int begin, int end) {
    const Norm *norm = context;
    Var *x = norm->x, *y = norm->y;
    for (int i = 0; i < x->rows; i++) {
        const real *dy = var_row(y, y->g, i) + begin;
        kernels->layer_norm_gain(end - begin, row_sum(&norm->gain_sums, i) + begin, dy, var_row(x, x->v, i) + begin,
                                 &norm->moments[i]);
        kernels->add(end - begin, row_sum(&norm->bias_sums, i) + begin, dy);
    }
}

static void layer_norm_back(Tape *tape, const Record *record) {
    Norm norm = *(const Norm *)record->extra;
    var_grad(tape, norm.x);
    var_grad(tape, norm.y);
    norm.gain_sums = tape_row_sums(tape, norm.gain);
    norm.bias_sums = tape_row_sums(tape, norm.bias);
    threads_run(tape->threads, "layer norm", norm.x->cols, 64, column_gradients, &norm);
    tape_rows(tape, "layer norm", norm.x, GRAIN, row_gradients, &norm);
}
