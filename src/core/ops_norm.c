/* ops_norm.c: layer normalisation (Ba, Kiros & Hinton 2016). */
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

/* y = g∘x̂ + b,  x̂ = (x - μ) / σ      x [m, n], g and b [1, n]; μ is the mean of a row, σ² its variance + 1e-5
   dx += (d - mean(d) - x̂ mean(d∘x̂)) / σ with d = dy∘g,  dg += Σ dy∘x̂,  db += Σ dy, over the rows */
enum { GRAIN = 4096 };

static void normalise(void *context, int begin, int end) {
    const Record *op = context;
    const Var *x = op->in[0], *y = op->out, *gain = op->in[1], *bias = op->in[2];
    Moments *moments = (Moments *)op->extra; /* [m] */
    for (int i = begin; i < end; i++)
        kernels->layer_norm(x->cols, var_row(y, y->v, i), var_row(x, x->v, i), gain->v, bias->v, &moments[i]);
}

static Back layer_norm_back;
Var *layer_norm(Tape *tape, Var *x, Var *gain, Var *bias) {
    CHECK(gain->rows == 1 && gain->cols == x->cols && bias->rows == 1 && bias->cols == x->cols,
          "layer_norm: x [%d, %d], gain [%d, %d], bias [%d, %d]", x->rows, x->cols, gain->rows, gain->cols, bias->rows,
          bias->cols);
    Var *y = var_new(tape, x->rows, x->cols);
    const Moments *moments = arena_alloc(&tape->arena, (size_t)x->rows * sizeof *moments);
    tape_rows(tape, "layer norm", x, GRAIN, normalise, &(Record){.out = y, .in = {x, gain, bias}, .extra = moments});
    Record *record = tape_record(tape, layer_norm_back, y, x, gain, bias);
    if (record) record->extra = moments;
    return y;
}

static void row_gradients(void *context, int begin, int end) {
    const Record *op = context;
    const Var *x = op->in[0], *y = op->out, *gain = op->in[1];
    const Moments *moments = op->extra;
    for (int i = begin; i < end; i++)
        kernels->layer_norm_back(x->cols, var_row(x, x->g, i), var_row(y, y->g, i), var_row(x, x->v, i), gain->v,
                                 &moments[i]);
}

typedef struct Columns {
    const Record *op;
    RowSums gain, bias;
} Columns;

static void column_gradients(void *context, int begin, int end) {
    const Columns *c = context;
    const Var *x = c->op->in[0], *y = c->op->out;
    const Moments *moments = c->op->extra;
    for (int i = 0; i < x->rows; i++) {
        const real *dy = var_row(y, y->g, i) + begin;
        kernels->layer_norm_gain(end - begin, row_sum(&c->gain, i) + begin, dy, var_row(x, x->v, i) + begin,
                                 &moments[i]);
        kernels->add(end - begin, row_sum(&c->bias, i) + begin, dy);
    }
}

static void layer_norm_back(Tape *tape, const Record *record) {
    Columns columns = {record, tape_row_sums(tape, record->in[1]), tape_row_sums(tape, record->in[2])};
    threads_run(tape->threads, "layer norm", record->out->cols, 64, column_gradients, &columns);
    tape_rows_gradients(tape, "layer norm", record, GRAIN, row_gradients);
}
