/* ops_pointwise.c: ops on each number, or pair of numbers, by itself. */
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

#include <limits.h>
#include <string.h>

/* The numbers of x, as threads_run counts them. */
static int items_of(const Var *x) {
    CHECK(var_size(x) <= INT_MAX, "a matrix of %d times %d numbers", x->rows, x->cols);
    return x->rows * x->cols;
}

typedef struct Pointwise {
    Var *x, *y;
    const struct Mask *mask;
} Pointwise;

enum { GRAIN = 1 << 14 };

/* y = tanh x;  dx += dy (1 - y²) */
static void tanh_part(void *context, int begin, int end) {
    const Pointwise *p = context;
    kernels->tanh(end - begin, p->y->v + begin, p->x->v + begin);
}

static Back tanh_of_back;
Var *tanh_of(Tape *tape, Var *x) {
    Var *y = var_new(tape, x->rows, x->cols);
    threads_run(tape->threads, "tanh", items_of(x), GRAIN, tanh_part, &(Pointwise){x, y, NULL});
    tape_record(tape, tanh_of_back, y, x, y, NULL);
    return y;
}

static void tanh_back_part(void *context, int begin, int end) {
    const Pointwise *p = context;
    kernels->tanh_back(end - begin, p->x->g + begin, p->y->v + begin, p->y->g + begin);
}

static void tanh_of_back(Tape *tape, const Record *record) {
    Var *y = record->out, *x = record->in[0];
    var_grad(tape, x);
    var_grad(tape, y);
    threads_run(tape->threads, "tanh", items_of(x), GRAIN, tanh_back_part, &(Pointwise){x, y, NULL});
}

/* y_k = max(x_2k, x_2k+1)      x [m, 2n], y [m, n]      (Goodfellow et al. 2013; appendix A.2.2)
   dx of the larger = dy_k, of the other 0; it takes the place of x */
static void maxout_part(void *context, int begin, int end) {
    const Pointwise *p = context;
    kernels->maxout(end - begin, p->y->v + begin, p->x->v + 2L * begin);
}

static Back maxout_back;
Var *maxout(Tape *tape, Var *x) {
    CHECK(x->cols % 2 == 0, "maxout: %d columns", x->cols);
    tape_consume(tape, x, "maxout");
    Var *y = var_new(tape, x->rows, x->cols / 2);
    threads_run(tape->threads, "maxout", items_of(y), GRAIN, maxout_part, &(Pointwise){x, y, NULL});
    Record *record = tape_record(tape, maxout_back, y, NULL, NULL, NULL);
    if (record) record->extra = x;
    return y;
}

static void maxout_back_part(void *context, int begin, int end) {
    const Pointwise *p = context;
    kernels->maxout_back(end - begin, p->x->v + 2L * begin, p->y->g + begin);
}

static void maxout_back(Tape *tape, const Record *record) {
    Var *y = record->out, *x = (Var *)record->extra;
    var_grad(tape, y);
    threads_run(tape->threads, "maxout", items_of(y), GRAIN, maxout_back_part, &(Pointwise){x, y, NULL});
    var_grad_in_place(x);
}

/* y = max(x, 0);  dx = dy where y > 0, else 0; both in the places of x and dy */
static void relu_part(void *context, int begin, int end) {
    real *x = context;
    for (int i = begin; i < end; i++) x[i] = x[i] > 0 ? x[i] : 0;
}

static Back relu_back;
Var *relu(Tape *tape, Var *x) {
    tape_overwrite(tape, x, "relu");
    threads_run(tape->threads, "relu", items_of(x), GRAIN, relu_part, x->v);
    tape_record(tape, relu_back, x, x, NULL, NULL);
    return x;
}

static void relu_back_part(void *context, int begin, int end) {
    const Pointwise *p = context;
    for (int i = begin; i < end; i++) p->y->g[i] = p->y->v[i] > 0 ? p->y->g[i] : 0;
}

static void relu_back(Tape *tape, const Record *record) {
    var_grad(tape, record->out);
    threads_run(tape->threads, "relu", items_of(record->out), GRAIN, relu_back_part, &(Pointwise){.y = record->out});
}

/* y = a + scale b;  da += dy,  db += scale dy */
typedef struct Sum {
    Var *y, *a, *b;
    real scale;
} Sum;

static void add_part(void *context, int begin, int end) {
    const Sum *sum = context;
    memcpy(sum->y->v + begin, sum->a->v + begin, (size_t)(end - begin) * sizeof(real));
    kernels->axpy(end - begin, sum->y->v + begin, sum->scale, sum->b->v + begin);
}

static Back add_scaled_back;
Var *add_scaled(Tape *tape, Var *a, double scale, Var *b) {
    CHECK(a->rows == b->rows && a->cols == b->cols, "add_scaled: [%d, %d] and [%d, %d]", a->rows, a->cols, b->rows,
          b->cols);
    Sum *sum = arena_alloc(&tape->arena, sizeof *sum);
    *sum = (Sum){var_new(tape, a->rows, a->cols), a, b, (real)scale};
    threads_run(tape->threads, "add", items_of(a), GRAIN, add_part, sum);
    Record *record = tape_record(tape, add_scaled_back, sum->y, a, b, NULL);
    if (record) record->extra = sum;
    return sum->y;
}

static void add_back_part(void *context, int begin, int end) {
    const Sum *sum = context;
    kernels->add(end - begin, sum->a->g + begin, sum->y->g + begin);
    kernels->axpy(end - begin, sum->b->g + begin, sum->scale, sum->y->g + begin);
}

static void add_scaled_back(Tape *tape, const Record *record) {
    Sum sum = *(const Sum *)record->extra;
    var_grad(tape, sum.y);
    var_grad(tape, sum.a);
    var_grad(tape, sum.b);
    threads_run(tape->threads, "add", items_of(sum.y), GRAIN, add_back_part, &sum);
}

/* y_k = x_k + x_(n+k)      x [m, 2n], y [m, n];  dx_k += dy_k,  dx_(n+k) += dy_k */
static void halves_run(Tape *tape, Var *x, Var *y, Work *work) {
    threads_run(tape->threads, "add", y->rows, 1 + GRAIN / y->cols, work, &(Pointwise){x, y, NULL});
}

static void add_halves_rows(void *context, int begin, int end) {
    const Var *x = ((const Pointwise *)context)->x, *y = ((const Pointwise *)context)->y;
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
    halves_run(tape, x, y, add_halves_rows);
    tape_record(tape, add_halves_back, y, x, NULL, NULL);
    return y;
}

static void add_halves_gradients(void *context, int begin, int end) {
    const Var *x = ((const Pointwise *)context)->x, *y = ((const Pointwise *)context)->y;
    for (int i = begin; i < end; i++) {
        kernels->add(y->cols, var_row(x, x->g, i), var_row(y, y->g, i));
        kernels->add(y->cols, var_row(x, x->g, i) + y->cols, var_row(y, y->g, i));
    }
}

static void add_halves_back(Tape *tape, const Record *record) {
    Var *y = record->out, *x = record->in[0];
    var_grad(tape, y);
    var_grad(tape, x);
    halves_run(tape, x, y, add_halves_gradients);
}

/* y = x m / (1 - rate), m ~ Bernoulli(1 - rate);  dx += dy m / (1 - rate). The mask is not stored: number i of a row
   of the mask is a hash of the row's key and i (Srivastava et al. 2014, inverted scaling). */
typedef struct Mask {
    Rng rng; /* the key of a row is the number at its place */
    const RowId *rows;
    real keep;
} Mask;

static uint32_t row_key(const Mask *mask, int row) {
    const RowId id = mask->rows[row];
    return (uint32_t)(rng_at(&mask->rng, (uint64_t)id.pair << 32 | (uint32_t)id.position) >> 32);
}

static void drop_part(void *context, int begin, int end) {
    const Pointwise *p = context;
    for (int i = begin; i < end; i++)
        kernels->dropout(p->x->cols, var_row(p->y, p->y->v, i), var_row(p->x, p->x->v, i), row_key(p->mask, i),
                         p->mask->keep, 0);
}

static Back dropout_back;
Var *dropout(Tape *tape, Var *x, Drop drop) {
    if (!tape->recording) return x;
    const Rng rng = rng_seed(tape->rng.state, (uint64_t)tape->dropouts++);
    if (drop.rate <= 0) return x;
    CHECK(drop.rate < 1 && drop.rows, "dropout: rate %g", drop.rate);
    Mask *mask = arena_alloc(&tape->arena, sizeof *mask);
    *mask = (Mask){rng, drop.rows, (real)(1 - drop.rate)};
    Var *y = var_new(tape, x->rows, x->cols);
    threads_run(tape->threads, "dropout", x->rows, 1 + GRAIN / x->cols, drop_part, &(Pointwise){x, y, mask});
    tape_record(tape, dropout_back, y, x, NULL, NULL)->extra = mask;
    return y;
}

static void drop_back_part(void *context, int begin, int end) {
    const Pointwise *p = context;
    for (int i = begin; i < end; i++)
        kernels->dropout(p->x->cols, var_row(p->x, p->x->g, i), var_row(p->y, p->y->g, i), row_key(p->mask, i),
                         p->mask->keep, 1);
}

static void dropout_back(Tape *tape, const Record *record) {
    Var *y = record->out, *x = record->in[0];
    var_grad(tape, x);
    var_grad(tape, y);
    threads_run(tape->threads, "dropout", x->rows, 1 + GRAIN / x->cols, drop_back_part,
                &(Pointwise){x, y, record->extra});
}
