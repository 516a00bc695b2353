/* ops_linear.c: the matrix product. */
#include "core/kernels.h"
#include "core/ops.h"

/* y = base + x W      x [m, k], W [k, n], base [m, n] or [1, n]
   dx += dy Wᵀ,  dW += xᵀ dy,  dbase += dy, or its column sums */
static Back linear_back;
Var *linear(Tape *tape, Var *x, Var *W, Var *base) {
    CHECK(x->cols == W->rows, "linear: [%d, %d] by [%d, %d]", x->rows, x->cols, W->rows, W->cols);
    CHECK(!base || (base->cols == W->cols && (base->rows == x->rows || base->rows == 1)),
          "linear: base [%d, %d] for [%d, %d]", base->rows, base->cols, x->rows, W->cols);
    Var *y = var_new(tape, x->rows, W->cols);
    int ld_base = base && base->rows == x->rows ? base->cols : 0;
    tape_product(tape, x->rows, x->v, x->cols, W, false, base ? base->v : NULL, ld_base, y->v, y->cols);
    tape_record(tape, linear_back, y, x, W, base);
    return y;
}

typedef struct Columns {
    const Var *y;
    real *sum;
} Columns;

static void sum_columns(void *context, int begin, int end, int thread) {
    (void)thread;
    const Columns *c = context;
    for (int i = 0; i < c->y->rows; i++)
        kernels->add(end - begin, c->sum + begin, c->y->g + (size_t)i * (size_t)c->y->cols + begin);
}

static void linear_back(Tape *tape, const Record *record) {
    Var *y = record->out, *x = record->in[0], *W = record->in[1], *base = record->in[2];
    const real *dy = var_grad(tape, y);
    real *dx = var_grad(tape, x);
    tape_product(tape, x->rows, dy, y->cols, W, true, dx, x->cols, dx, x->cols);
    tape_weight_grad(tape, W, x->v, x->cols, dy, y->cols, x->rows);
    if (!base) return;
    if (base->rows == y->rows) {
        kernels->add(y->rows * y->cols, var_grad(tape, base), dy);
    } else {
        Columns columns = {y, var_grad(tape, base)};
        threads_run(tape->threads, "bias", y->cols, 1 + 65536 / (1 + y->rows), sum_columns, &columns);
    }
}
