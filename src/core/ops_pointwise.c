/* ops_pointwise.c: ops that compute each number of the result from one number, or two, of the inputs. */
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

#include <string.h>

enum { GRAIN = 1 << 14 };

/* y = tanh x;  dx += dy (1 - y²) */
static void tanh_rows(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    for (int i = begin; i < end; i++) kernels->tanh(y->cols, var_row(y, y->v, i), var_row(x, x->v, i));
}

static Back tanh_of_back;
Var *tanh_of(Tape *tape, Var *x) {
    Var *y = var_new(tape, x->rows, x->cols);
    tape_rows(tape, "tanh", y, GRAIN, tanh_rows, &(Record){.out = y, .in = {x}});
    tape_record(tape, tanh_of_back, y, x, y, NULL);
    return y;
}

static void tanh_gradients(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    for (int i = begin; i < end; i++)
        kernels->tanh_back(y->cols, var_row(x, x->g, i), var_row(y, y->v, i), var_row(y, y->g, i));
}

static void tanh_of_back(Tape *tape, const Record *record) {
    tape_rows_gradients(tape, "tanh", record, GRAIN, tanh_gradients);
}

/* y_k = max(x_2k, x_2k+1)      x [m, 2n], y [m, n]      (Goodfellow et al. 2013; Bahdanau et al. 2015, A.2.2)
   dx = dy_k for the larger of the two, else 0; dx overwrites x */
static void maxout_rows(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    for (int i = begin; i < end; i++) kernels->maxout(y->cols, var_row(y, y->v, i), var_row(x, x->v, i));
}

static Back maxout_back;
Var *maxout(Tape *tape, Var *x) {
    CHECK(x->cols % 2 == 0, "maxout: %d columns", x->cols);
    tape_consume(tape, x, "maxout");
    Var *y = var_new(tape, x->rows, x->cols / 2);
    tape_rows(tape, "maxout", y, GRAIN, maxout_rows, &(Record){.out = y, .in = {x}});
    Record *record = tape_record(tape, maxout_back, y, NULL, NULL, NULL);
    if (record) record->extra = x;
    return y;
}

static void maxout_gradients(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->extra, *y = ((const Record *)context)->out;
    for (int i = begin; i < end; i++) kernels->maxout_back(y->cols, var_row(x, x->v, i), var_row(y, y->g, i));
}

static void maxout_back(Tape *tape, const Record *record) {
    tape_rows_gradients(tape, "maxout", record, GRAIN, maxout_gradients);
    var_grad_in_place((Var *)record->extra);
}

/* y = max(x, 0);  dx = dy if y > 0, else 0. y overwrites x, and dx overwrites dy. */
static void relu_rows(void *context, int begin, int end) {
    const Var *x = context;
    for (int i = begin; i < end; i++) kernels->relu(x->cols, var_row(x, x->v, i));
}

static Back relu_back;
Var *relu(Tape *tape, Var *x) {
    tape_overwrite(tape, x, "relu");
    tape_rows(tape, "relu", x, GRAIN, relu_rows, x);
    tape_record(tape, relu_back, x, x, NULL, NULL);
    return x;
}

static void relu_gradients(void *context, int begin, int end) {
    const Var *y = context;
    for (int i = begin; i < end; i++) kernels->relu_back(y->cols, var_row(y, y->g, i), var_row(y, y->v, i));
}

static void relu_back(Tape *tape, const Record *record) {
    tape_rows(tape, "relu", record->out, GRAIN, relu_gradients, record->out);
}

/* y = a + scale b;  da += dy,  db += scale dy */
static void add_rows(void *context, int begin, int end) {
    const Record *op = context;
    const Var *y = op->out, *a = op->in[0], *b = op->in[1];
    for (int i = begin; i < end; i++) {
        real *sum = memcpy(var_row(y, y->v, i), var_row(a, a->v, i), (size_t)y->cols * sizeof(real));
        kernels->axpy(y->cols, sum, *(const real *)op->extra, var_row(b, b->v, i));
    }
}

static Back add_scaled_back;
Var *add_scaled(Tape *tape, Var *a, double scale, Var *b) {
    CHECK(a->rows == b->rows && a->cols == b->cols, "add_scaled: [%d, %d] and [%d, %d]", a->rows, a->cols, b->rows,
          b->cols);
    /* the threads add to the gradients of both, row by row */
    if (tape->recording && a->v != b->v) var_check_apart(a, b, "add_scaled");
    const real factor = (real)scale;
    Var *y = var_new(tape, a->rows, a->cols);
    tape_rows(tape, "add", y, GRAIN, add_rows, &(Record){.out = y, .in = {a, b}, .extra = &factor});
    record_keep(tape, tape_record(tape, add_scaled_back, y, a, b, NULL), &factor, sizeof factor);
    return y;
}

static void add_gradients(void *context, int begin, int end) {
    const Record *op = context;
    const Var *y = op->out, *a = op->in[0], *b = op->in[1];
    for (int i = begin; i < end; i++) {
        kernels->add(y->cols, var_row(a, a->g, i), var_row(y, y->g, i));
        kernels->axpy(y->cols, var_row(b, b->g, i), *(const real *)op->extra, var_row(y, y->g, i));
    }
}

static void add_scaled_back(Tape *tape, const Record *record) {
    tape_rows_gradients(tape, "add", record, GRAIN, add_gradients);
}

/* y_k = x_k + x_(n+k)      x [m, 2n], y [m, n];  dx_k += dy_k,  dx_(n+k) += dy_k */
static void add_halves_rows(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    for (int i = begin; i < end; i++) {
        real *sum = memset(var_row(y, y->v, i), 0, (size_t)y->cols * sizeof(real));
        kernels->add(y->cols, sum, var_row(x, x->v, i));
        kernels->add(y->cols, sum, var_row(x, x->v, i) + y->cols);
    }
}

static Back add_halves_back;
Var *add_halves(Tape *tape, Var *x) {
    CHECK(x->cols % 2 == 0, "add_halves: %d columns", x->cols);
    Var *y = var_new(tape, x->rows, x->cols / 2);
    tape_rows(tape, "add", y, GRAIN, add_halves_rows, &(Record){.out = y, .in = {x}});
    tape_record(tape, add_halves_back, y, x, NULL, NULL);
    return y;
}

static void add_halves_gradients(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    for (int i = begin; i < end; i++) {
        kernels->add(y->cols, var_row(x, x->g, i), var_row(y, y->g, i));
        kernels->add(y->cols, var_row(x, x->g, i) + y->cols, var_row(y, y->g, i));
    }
}

static void add_halves_back(Tape *tape, const Record *record) {
    tape_rows_gradients(tape, "add", record, GRAIN, add_halves_gradients);
}

/* y = x m / (1 - rate), m ~ Bernoulli(1 - rate);  dx += dy m / (1 - rate) (Srivastava et al. 2014, inverted
   scaling). The mask is not stored: number i of a row of the mask is a hash of the row's key and i. */
typedef struct Mask {
    Rng rng; /* number n of rng is the key of a row; n follows from the RowId */
    const RowId *rows;
    real keep;
} Mask;

static uint32_t row_key(const Mask *mask, int row) {
    const RowId id = mask->rows[row];
    return (uint32_t)(rng_at(&mask->rng, (uint64_t)id.pair << 32 | (uint32_t)id.position) >> 32);
}

static void drop_rows(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    const Mask *mask = ((const Record *)context)->extra;
    for (int i = begin; i < end; i++)
        kernels->dropout(x->cols, var_row(y, y->v, i), var_row(x, x->v, i), row_key(mask, i), mask->keep, 0);
}

static Back dropout_back;
Var *dropout(Tape *tape, Var *x, Drop drop) {
    if (!tape->recording) return x;
    const Rng rng = rng_seed(tape->rng.state, (uint64_t)tape->dropouts++);
    if (drop.rate <= 0) return x;
    CHECK(drop.rate < 1 && drop.rows, "dropout: rate %g", drop.rate);
    const Mask mask = {rng, drop.rows, (real)(1 - drop.rate)};
    Var *y = var_new(tape, x->rows, x->cols);
    tape_rows(tape, "dropout", y, GRAIN, drop_rows, &(Record){.out = y, .in = {x}, .extra = &mask});
    record_keep(tape, tape_record(tape, dropout_back, y, x, NULL, NULL), &mask, sizeof mask);
    return y;
}

static void drop_gradients(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    const Mask *mask = ((const Record *)context)->extra;
    for (int i = begin; i < end; i++)
        kernels->dropout(x->cols, var_row(x, x->g, i), var_row(y, y->g, i), row_key(mask, i), mask->keep, 1);
}

static void dropout_back(Tape *tape, const Record *record) {
    tape_rows_gradients(tape, "dropout", record, GRAIN, drop_gradients);
}
