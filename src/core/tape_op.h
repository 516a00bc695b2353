/* tape_op.h: the functions of the tape that implement ops: records, gradients, and products with weights. */
#ifndef TIDE_TAPE_OP_H
#define TIDE_TAPE_OP_H

#include "core/tape.h"

/* ---- matrices ------------------------------------------------------------------------------------------------- */

/* Row i of `matrix`, which has var's shape: var->v, var->g or another matrix. */
static inline real *var_row(const Var *var, real *matrix, int i) { return matrix + (size_t)i * (size_t)var->cols; }

/* The matrix of which var is a slice; var itself if it is not a slice. */
static inline Var *var_whole(Var *var) { return var->whole ? var->whole : var; }

/* Returns the matrix [rows, cols] to which an op writes its result: `out`, whose content is overwritten, or a new
   matrix if `out` is NULL. */
Var *var_place(Tape *tape, Var *out, int rows, int cols);

/* ---- arguments that an op overwrites -------------------------------------------------------------------------- */

/* Call it before an op writes its result over x. x must not be a parameter or a constant, and on a tape that
   records, no earlier op may read x in its backward function. */
void tape_overwrite(const Tape *tape, Var *x, const char *op);
/* The same for an op that consumes x (see ops.h): no later op may read x. */
void tape_consume(Tape *tape, Var *x, const char *op);
/* Tells the tape that the backward function of an op reads var. Only for a var that is not an input of a record. */
void tape_read(const Tape *tape, Var *var, const char *op);

/* ---- records -------------------------------------------------------------------------------------------------- */

/* The backward function of an op: reads the gradient of the result, and adds to the gradients of the inputs. */
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

/* Lets the tape's watch, if there is one, check a result that is not the `out` of a record. */
void tape_check_finite(const Tape *tape, const char *op, const Var *result);

/* ---- gradients ------------------------------------------------------------------------------------------------ */

/* Returns the gradient of var, for the caller to add to. A new gradient is zero. The gradient of a slice is its rows of
   the gradient of the whole. */
real *var_grad(Tape *tape, Var *var);

/* Returns the gradient of var for an op that adds a product to all elements: gradient = *init + product. *init is the
   gradient itself, or NULL for zero if the gradient is new. A new gradient is undefined until the op writes it. */
real *var_grad_product(Tape *tape, Var *var, const real **init);

/* Returns the gradient of a var that the op consumed (see tape_consume): the gradient overwrites the value. If var is a
   slice, every row of the whole must be consumed. */
real *var_grad_in_place(Var *var);

/* tape_backward_alloc returns memory for the backward pass, valid until the tape is reset; its content is undefined.
   tape_backward_release offers memory of the arena that will not be read again for reuse by tape_backward_alloc. */
real *tape_backward_alloc(Tape *tape, size_t numbers);
void tape_backward_release(Tape *tape, real *memory, size_t numbers);

/* Deferred gradient: run(tape, list) runs once, after the last consumer of var and before its producer. If var is a
   slice, the gradient of its whole matrix is deferred. Returns a pointer to the list, NULL at first, to which the
   backward functions of the consumers add their parts. var must be the full `out` of a record, or a leaf; all
   consumers that defer must use one function. */
typedef void DeferredGradFn(Tape *tape, const void *list);
const void **tape_defer_grad(Tape *tape, Var *var, DeferredGradFn *run);

/* ---- products with weights ------------------------------------------------------------------------------------ */

/* c = init + a W, or with `transposed` init + a Wᵀ, for m rows. init is a matrix, which may be c; with ld_init 0 it is
   one row, added to each row; NULL is zero. lda, ld_init and ldc are leading dimensions. */
typedef struct TapeProduct {
    int m;
    const real *a;
    int lda;
    Var *W;
    bool transposed;
    const real *init;
    int ld_init;
    real *c;
    int ldc;
} TapeProduct;

/* Computes `count` independent products, with packed panels if W is a parameter. No two of the products may read W
   and Wᵀ of one weight. */
void tape_products(Tape *tape, const TapeProduct *list, int count);

/* dW += xᵀ dy. The products of a parameter that is used with few rows at a time are deferred, and computed as one
   product at the end of tape_backward. Returns false if the product is deferred: x and dy must stay until then. */
bool tape_weight_grad(Tape *tape, Var *w, const real *x, int ldx, const real *dy, int ldy, int rows);

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
