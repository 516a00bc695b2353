/* ops_linear.c: the matrix product. */
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

/* Returns x W + b, or x Wᵀ + b if `transposed`; b may be NULL. */
static Var *product(Tape *tape, Var *x, Var *W, bool transposed, const Var *b) {
    const int rows = transposed ? W->cols : W->rows, cols = transposed ? W->rows : W->cols;
    CHECK(x->cols == rows, "a product of [%d, %d] by [%d, %d]", x->rows, x->cols, rows, cols);
    CHECK(!b || (b->cols == cols && b->rows == 1), "a bias of [%d, %d] for %d columns", b->rows, b->cols, cols);
    Var *y = var_new(tape, x->rows, cols);
    const Operand weight = tape_operand(tape, W, transposed, x->rows);
    gemm(tape->threads, &(Product){x->rows, x->v, x->cols, weight, b ? b->v : NULL, 0, y->v, cols}, 1);
    return y;
}

/* y = x W + b      x [m, k], W [k, n], b [1, n]
   dx += dy Wᵀ,  dW += xᵀ dy,  db += the column sums of dy */
static Back linear_back;
Var *linear(Tape *tape, Var *x, Var *W, Var *b) {
    Var *y = product(tape, x, W, false, b);
    tape_record(tape, linear_back, y, x, W, b);
    return y;
}

/* Adds the gradients of x and W for y = x W, or with `transposed` y = x Wᵀ. */
static void product_gradients(Tape *tape, Var *x, Var *W, bool transposed, const real *dy) {
    const int cols = transposed ? W->rows : W->cols;
    const real *init;
    real *dx = var_grad_product(tape, x, &init);
    const Operand weight = tape_operand(tape, W, !transposed, x->rows);
    gemm(tape->threads, &(Product){x->rows, dy, cols, weight, init, x->cols, dx, x->cols}, 1);
    if (transposed) tape_weight_grad(tape, W, dy, cols, x->v, x->cols, x->rows);
    else tape_weight_grad(tape, W, x->v, x->cols, dy, cols, x->rows);
}

typedef struct Columns {
    const Var *y;
    RowSums sums;
} Columns;

static void sum_columns(void *context, int begin, int end) {
    const Columns *c = context;
    for (int i = 0; i < c->y->rows; i++)
        kernels->add(end - begin, row_sum(&c->sums, i) + begin, var_row(c->y, c->y->g, i) + begin);
}

/* Adds db, dx and dW, for linear and linear_transposed. */
static void linear_gradients(Tape *tape, const Record *record, bool transposed) {
    Var *y = record->out, *b = record->in[2];
    if (b) {
        Columns columns = {y, tape_row_sums(tape, b)};
        threads_run(tape->threads, "bias", y->cols, 1024, sum_columns, &columns);
    }
    product_gradients(tape, record->in[0], record->in[1], transposed, y->g);
}

static void linear_back(Tape *tape, const Record *record) { linear_gradients(tape, record, false); }

/* y = x Wᵀ + b      x [m, k], W [n, k], b [1, n]
   dx += dy W,  dW += dyᵀ x,  db += the column sums of dy */
static Back linear_transposed_back;
Var *linear_transposed(Tape *tape, Var *x, Var *W, Var *b) {
    Var *y = product(tape, x, W, true, b);
    tape_record(tape, linear_transposed_back, y, x, W, b);
    return y;
}

static void linear_transposed_back(Tape *tape, const Record *record) { linear_gradients(tape, record, true); }

/* y += x W      y [m, n], x [m, k], W [k, n]
   dx += dy Wᵀ,  dW += xᵀ dy;  the gradient of the old y is dy */
static Back linear_accumulate_back;
Var *linear_accumulate(Tape *tape, Var *y, Var *x, Var *W) {
    CHECK(x->cols == W->rows && y->rows == x->rows && y->cols == W->cols,
          "linear_accumulate: [%d, %d] by [%d, %d] onto [%d, %d]", x->rows, x->cols, W->rows, W->cols, y->rows,
          y->cols);
    var_check_apart(y, x, "linear_accumulate");
    var_check_apart(y, W, "linear_accumulate");
    tape_overwrite(tape, y, "linear_accumulate");
    const Operand weight = tape_operand(tape, W, false, x->rows);
    gemm(tape->threads, &(Product){x->rows, x->v, x->cols, weight, y->v, y->cols, y->v, y->cols}, 1);
    tape_record(tape, linear_accumulate_back, y, x, W, NULL);
    return y;
}

static void linear_accumulate_back(Tape *tape, const Record *record) {
    product_gradients(tape, record->in[0], record->in[1], false, record->out->g);
}
