/* tape_op.h: the functions of the tape that implement ops: records, gradients, and products with weights. */
#ifndef TIDE_TAPE_OP_H
#define TIDE_TAPE_OP_H

#include "core/gemm.h"
#include "core/gradient_product.h"
#include "core/tape.h"

#include <string.h>

/* ---- matrices ------------------------------------------------------------------------------------------------- */

/* Row i of `matrix`, which has var's shape: var->v, var->g or another matrix. */
static inline real *var_row(const Var *var, real *matrix, int i) { return matrix + (size_t)i * (size_t)var->cols; }

/* The matrix of which var is a slice; var itself if it is not a slice. */
static inline Var *var_whole(Var *var) { return var->whole ? var->whole : var; }

/* Returns the matrix [rows, cols] to which an op writes its result: `out`, whose content is overwritten, or a new
   matrix if `out` is NULL. `out` must not be a parameter or a constant. On a tape that records, no earlier op may have
   written or read its rows. If the record will not have all inputs of the op, call tape_read for the missing ones
   before var_place. */
Var *var_place(Tape *tape, Var *out, int rows, int cols, const char *op);
/* Checks that two matrices have no number in common. */
void var_check_apart(const Var *a, const Var *b, const char *op);

/* ---- arguments that an op overwrites -------------------------------------------------------------------------- */

/* Call it before an op writes its result over x. x must not be a parameter or a constant, and on a tape that
   records, no earlier op may read x in its backward function. */
void tape_overwrite(const Tape *tape, Var *x, const char *op);
/* The same for an op that consumes x (see ops.h): no later op may read x. */
void tape_consume(Tape *tape, Var *x, const char *op);
/* Tells the tape that the backward function of an op reads var. Only for a var that is not an input of a record. */
void tape_read(const Tape *tape, Var *var, const char *op);

/* ---- records -------------------------------------------------------------------------------------------------- */

/* The backward function of an op: reads the gradient of the result, which is record->out->g, and adds to the gradients
   of the inputs. */
typedef void Back(Tape *tape, const Record *record);

/* One op that was computed. */
struct Record {
    Back *back;
    const char *op; /* the name of the backward function: the op's name and "_back" */
    Record *before;
    Var *out;          /* NULL if the op has several results, which are in extra */
    Var *in[3];        /* the inputs that the backward function reads; also the result, if it reads the values of the
                          result */
    const void *extra; /* in the arena: other data of the backward function */
    const RowShards *shards; /* of the rows; tape->shards has them while `back` runs */
};

/* Adds the record of an op and returns it, so that the caller can set `extra`. Returns NULL if the tape does not
   record. */
#define tape_record(tape, back, out, in0, in1, in2) tape_record_op(tape, back, #back, out, in0, in1, in2)
Record *tape_record_op(Tape *tape, Back *back, const char *op, Var *out, Var *in0, Var *in1, Var *in2);

/* Copies `size` bytes of `extra` to the tape's arena, as the extra of a record; does nothing if there is no record. */
static inline void record_keep(Tape *tape, Record *record, const void *extra, size_t size) {
    if (record) record->extra = memcpy(arena_alloc(&tape->arena, size), extra, size);
}

/* Lets the tape's watch, if there is one, check a result that is not the `out` of a record. */
void tape_check_finite(const Tape *tape, const char *op, const Var *result);

/* ---- gradients ------------------------------------------------------------------------------------------------ */

/* Returns the gradient of var, for the caller to add to. A new gradient is zero. The gradient of a slice is its rows of
   the gradient of the whole. */
real *var_grad(Tape *tape, Var *var);

/* Returns the gradient of var for an op that adds a product to all elements: gradient = *init + product. *init is the
   gradient itself, or NULL for zero if the gradient is new. A new gradient is undefined until the op writes it. */
real *var_grad_product(Tape *tape, Var *var, const real **init);

/* Adds a gradient of var's shape, in the tape's arena, which then belongs to the tape. */
void var_add_grad(Tape *tape, Var *var, real *gradient);

/* Returns the gradient of a var that the op consumed (see tape_consume): the gradient overwrites the value. If var is a
   slice, every row of the whole must be consumed. */
real *var_grad_in_place(Var *var);

/* Deferred gradient: run(tape, list) runs once, after the last consumer of var and before its producer. If var is a
   slice, the gradient of its whole matrix is deferred. Returns a pointer to the list, NULL at first, to which the
   backward functions of the consumers add their parts. var must be the full `out` of a record, or a leaf; all
   consumers that defer must use one function. */
typedef void DeferredGradFn(Tape *tape, const void *list);
const void **tape_defer_grad(Tape *tape, Var *var, DeferredGradFn *run);

/* Runs `work` on all rows of x: the threads share them, at least so many that they have about `grain` numbers. */
static inline void tape_rows(Tape *tape, const char *name, const Var *x, int grain, Work *work, void *context) {
    threads_run(tape->threads, name, x->rows, 1 + grain / x->cols, work, context);
}
/* For a backward function: allocates the gradients of all inputs, then runs `work` on all rows of the result. Its
   context is the record. */
static inline void tape_rows_gradients(Tape *tape, const char *name, const Record *record, int grain, Work *work) {
    for (int i = 0; i < 3; i++)
        if (record->in[i]) var_grad(tape, record->in[i]);
    tape_rows(tape, name, record->out, grain, work, (void *)record);
}

/* ---- products with weights ------------------------------------------------------------------------------------ */

/* Returns W, or Wᵀ, as the right operand of a product of m rows: see gemm.h. A shared weight has panels. Another weight
   stays packed if m is small, until the tape is reset or needs the other orientation: so no two operands that are in
   use may be W and Wᵀ of one weight. */
Operand tape_operand(Tape *tape, Var *W, bool transposed, int m);

/* dW += xᵀ dy, for a backward function. The products of a parameter that is used with few rows at a time are computed
   as one product at the end of tape_backward: x and dy must stay until then. */
void tape_weight_grad(Tape *tape, Var *w, const real *x, int ldx, const real *dy, int ldy, int rows);
/* For an op that computes dW in its forward pass, before its record. If tape_weight_waits, the product must wait for
   other uses of W: tape_weight_defer. Otherwise tape_weight_product computes it, with the shards of the tape; the
   caller sets all of `product` but the shape and c. */
bool tape_weight_waits(Tape *tape, Var *w, int rows);
void tape_weight_defer(Tape *tape, Var *w, const real *x, int ldx, const real *dy, int ldy, int rows);
void tape_weight_product(Tape *tape, Var *w, GradientProduct *product);

/* ---- gradients of vectors and tables -------------------------------------------------------------------------- */

/* Sums of rows: row i of a matrix is added to row_sum(sums, i). They are the gradient of a vector, or a part of it for
   each shard, which tape_backward adds to the gradient later. */
typedef struct RowSums {
    real *sum;
    const int *shard; /* NULL: there is one sum */
    int n;
} RowSums;
/* Returns the sums for var, a bias, a gain or va. */
RowSums tape_row_sums(Tape *tape, Var *var);
static inline real *row_sum(const RowSums *sums, int i) {
    return sums->shard ? sums->sum + (size_t)sums->shard[i] * (size_t)sums->n : sums->sum;
}

/* Defers dx[index[i]] += dy[i] for n rows dy [n, ld], of which the first x->cols numbers count, and skips rows with a
   negative index. Returns false, and does nothing, if x is not a parameter or the batch has no shards. dy and index
   must stay until the tape is reset. */
bool tape_table_grad(Tape *tape, Var *x, const int *index, const real *dy, int ld, int n);

#endif
