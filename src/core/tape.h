/* tape.h: eager reverse-mode automatic differentiation, for code that builds and runs a model. The ops are declared
   in ops.h; code that implements an op also needs tape_op.h.

   An op computes its value at once. While the tape records, the op also leaves a Record that points to its backward
   function. tape_backward calls these functions, from the last record to the first. Every value is a row-major matrix
   [rows, cols]; time and batch are folded into rows. All memory of a batch is in the tape's arena until tape_reset. */
#ifndef TIDE_TAPE_H
#define TIDE_TAPE_H

#include "core/arena.h"
#include "core/base.h"
#include "core/real.h"
#include "core/rng.h"
#include "core/shard_sums.h"
#include "core/threads.h"
#include "core/weight.h"

#include <stdbool.h>

typedef struct Var Var;
typedef struct Tape Tape;
typedef struct Notes Notes;               /* see notes.h */
typedef struct Record Record;             /* one op that was computed: see tape_op.h */
typedef struct DeferredGrad DeferredGrad; /* a deferred gradient: see tape_defer_grad */
typedef struct WeightUse WeightUse;       /* a weight in one tape: see tape.c */

/* A matrix and its gradient. */
struct Var {
    int rows, cols;
    real *v;
    real *g;    /* NULL until var_grad; the gradient of a parameter is allocated with the parameter */
    Var *whole; /* of a slice: the matrix that it is a slice of, from row `first` on; NULL otherwise */
    int first;
    Weight *weight;         /* of a parameter; NULL otherwise */
    DeferredGrad *deferred; /* NULL until tape_defer_grad */
    bool constant;          /* the caller owns the values */
    /* For the checks of a tape that records. A slice uses the fields of its whole matrix. */
    bool read; /* a backward function reads the matrix */
    enum {
        NOT_COMPUTED,
        COMPUTED,          /* a record has the matrix, or a slice of it, as its `out` */
        COMPUTED_IN_PIECES /* no record has the whole matrix as its `out`, for example because ops wrote slices */
    } computed;
    int consumed_rows; /* number of consumed rows */
    int *consumed;     /* [rows] 1: an op consumed the row; NULL: no row is consumed */
    /* [rows] 1: an op was given the row for its result, or has read it since; NULL: no row was given. Like a matrix,
       the list fills whole lines of the arena if it has a multiple of sixteen rows (workspace.c). */
    int *placed;
};

/* Finds the first number that is not finite, in the results of ops and, in the backward pass, in their gradients. It
   reads every number, so use it for a batch that is known to have one. */
typedef struct Watch {
    const char *op; /* NULL: all numbers were finite */
    int length;     /* of the name, without "_back" */
    bool back;
} Watch;

struct Tape {
    Arena arena;
    Arena panels;            /* the weights that this tape packed; tape_rewind keeps them */
    Threads *threads;        /* not owned */
    Rng rng;                 /* for the masks of dropout; no op changes it */
    int dropouts;            /* dropout ops since the last reset */
    bool recording;          /* ops leave records and dropout is active: training */
    Watch *watch;            /* or NULL; not owned */
    Notes *notes;            /* receives the values that tape_note names; or NULL; not owned */
    const RowShards *shards; /* of the rows that ops compute now: see tape_shard_rows; NULL: no shards */
    /* The format of products with weights, and of those of their gradients: PANELS_F32, or PANELS_BF16 if no weight has
       integers. If a weight that is not shared was used, it may change only after a reset, which sets PANELS_F32. */
    PanelFormat products;
    Record *last;
    /* By index: the weights that were used since the last reset and are not shared, with their operands and what waits
       for the end of the backward pass. They are also a list: last_used is 1 + the index of the one that was used first
       most recently; 0: none. */
    WeightUse *uses;
    int use_capacity, last_used;
    DeferredGrad *deferred; /* list of all deferred gradients, the newest first */
};

/* A position in the arena of a tape that does not record, for tape_rewind. */
typedef ArenaMark TapeMark;

void tape_init(Tape *tape, Threads *threads, Rng rng);
void tape_free(Tape *tape);
/* Frees all values, gradients and records. Parameters stay. Their values may change only after a reset, before the
   next op. */
void tape_reset(Tape *tape);
/* tape_rewind frees all values since the mark; weights stay packed. The tape must not record. */
TapeMark tape_mark(const Tape *tape);
void tape_rewind(Tape *tape, TapeMark mark);

/* From here on, row i of a matrix that an op computes belongs to shard shards->of[i]; NULL: the batch is not divided.
   The rows of a time step have the shards of the first rows: step t has the sentences 0, 1, .., and so has step 0.
   Then the gradient of each parameter is the sum over the shards of shard_sums.h. Call it before each group of ops
   whose rows are in another order. `shards` must stay valid until the tape is reset; tape_reset sets NULL. A batch has
   one number of shards. */
void tape_shard_rows(Tape *tape, const RowShards *shards);

/* Computes d loss / d x for every x on which loss [1, 1] depends, and adds to the gradients of the parameters. Uses
   up the records: call it once for a loss. */
void tape_backward(Tape *tape, Var *loss);

/* var_new returns a new matrix in the tape's arena, var_in one in the given arena. The values are undefined. */
Var *var_new(Tape *tape, int rows, int cols);
Var *var_in(Arena *arena, int rows, int cols);
/* Returns a matrix of given values. The caller keeps the values unchanged until the tape is reset. */
Var *var_constant(Tape *tape, int rows, int cols, const real *values);
/* Sets the memory of a matrix: its values, and its gradient or NULL. The caller owns both. */
void var_bind(Var *var, real *values, real *gradient);
/* The number of values; all values; the values of one row. */
static inline size_t var_size(const Var *var) { return (size_t)var->rows * (size_t)var->cols; }
const real *var_values(const Var *var);
const real *var_row_values(const Var *var, int row);
/* Copies row index[i] of `from` (row i if index is NULL) to row first + i of `to`, for i from 0 to n - 1. The tape
   leaves no record: it is for the state of a decoder, on a tape that does not record. */
void var_copy_rows(Var *to, int first, const Var *from, const int *index, int n);

#endif
