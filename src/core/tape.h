/* tape.h: reverse-mode automatic differentiation, eager and small, for code that builds and runs a model. The ops are
   declared in ops.h; code that implements an op also needs tape_op.h.

   An op computes its value at once. While the tape records, the op also leaves a Record that points at its backward
   function. tape_backward runs the records from the last to the first. Every value is a row-major matrix [rows, cols];
   time and batch are folded into rows. All memory of a batch lies in the tape's arena until tape_reset. */
#ifndef TIDE_TAPE_H
#define TIDE_TAPE_H

#include "core/arena.h"
#include "core/base.h"
#include "core/real.h"
#include "core/rng.h"
#include "core/threads.h"

#include <stdbool.h>

typedef struct Var Var;
typedef struct Tape Tape;
typedef struct Record Record;             /* one op that was computed: see tape_op.h */
typedef struct DeferredGrad DeferredGrad; /* a deferred gradient: see tape_defer_grad */
typedef struct SharedWeight SharedWeight; /* packed weights for all tapes: see panels.h */
typedef struct WeightUse WeightUse;       /* what one tape keeps about a weight of a model that is trained */

/* A parameter as tapes see it. Several tapes may use it: what a tape keeps about it is found by its index. Its
   gradient, if it has one, is the model's: one tape at a time may run tape_backward. */
typedef struct Weight {
    int index;            /* among the parameters of its model */
    SharedWeight *shared; /* of a model that is only read: panels for all tapes; NULL: each tape packs for itself */
} Weight;

/* A matrix and its gradient. */
struct Var {
    int rows, cols;
    real *v;
    real *g;    /* NULL until var_grad; the gradient of a parameter is allocated with the parameter */
    Var *whole; /* of a slice: the matrix of which the slice is rows first..; NULL otherwise */
    int first;
    const Weight *weight;   /* of a parameter; NULL otherwise */
    DeferredGrad *deferred; /* NULL until tape_defer_grad */
    bool last_read;         /* in the backward pass, only the op that computed the matrix still reads it */
    bool constant;          /* the values are the caller's */
    /* What a tape that records needs to refuse misuse. The fields of the whole stand for those of its slices. */
    bool read;         /* a backward function reads the matrix */
    bool in_pieces;    /* no record has the whole matrix as its `out` */
    int *consumed;     /* [rows] 1 where an op consumed the row; NULL: no row */
    int consumed_rows; /* how many these are */
};

/* Finds the first number that is not finite, in the result of an op or, in the backward pass, in the gradient of the
   result of an op. Reads every number, so it is meant for a batch that is known to contain one. */
typedef struct Watch {
    const char *op; /* NULL: all numbers were finite */
    int length;     /* of the op's name */
    bool back;
} Watch;

struct Tape {
    Arena arena;
    Arena panels;     /* weights that this tape packed; tape_rewind keeps them */
    Threads *threads; /* not owned */
    Rng rng;          /* of the masks of dropout; no op changes it */
    int dropouts;     /* dropout ops since the last reset */
    bool recording;   /* ops leave records; also means training: dropout is active */
    Watch *watch;     /* or NULL; not owned */
    Record *last;
    /* By index, what the tape keeps about the weights of the model that it trains, from the first use after a reset. */
    WeightUse *uses;
    int use_capacity, last_used; /* 1 + index of the weight that was first used latest; 0: none was used */
    DeferredGrad *deferred;      /* all deferred gradients, the latest first */
    real *spare;                 /* see tape_backward_release */
    size_t spare_size;
};

/* A moment of a tape that does not record; tape_rewind returns to it. */
typedef ArenaMark TapeMark;

void tape_init(Tape *tape, Threads *threads, Rng rng);
void tape_free(Tape *tape);
/* Frees all values, gradients and records. Parameters stay, and their values may change before the next op. */
void tape_reset(Tape *tape);
/* tape_rewind frees what was computed since the mark; weights stay packed. The tape must not record. */
TapeMark tape_mark(const Tape *tape);
void tape_rewind(Tape *tape, TapeMark mark);

/* Computes d loss / d x for every x that loss [1, 1] depends on, and adds to the gradients of the parameters. Uses the
   records up: a loss is differentiated once. */
void tape_backward(Tape *tape, Var *loss);

/* var_new returns a new matrix in the tape's arena, var_in one in the given arena. The values are undefined. */
Var *var_new(Tape *tape, int rows, int cols);
Var *var_in(Arena *arena, int rows, int cols);
/* Returns a matrix of given values. The caller keeps the values unchanged until the tape is reset. */
Var *var_constant(Tape *tape, int rows, int cols, const real *values);
/* Sets the memory of a matrix: its values, and its gradient or NULL. The caller keeps both. */
void var_bind(Var *var, real *values, real *gradient);
/* The number of values; all values; the values of one row. */
static inline size_t var_size(const Var *var) { return (size_t)var->rows * (size_t)var->cols; }
const real *var_values(const Var *var);
const real *var_row_values(const Var *var, int row);
/* Copies row index[i] of `from` (row i, if index is NULL) to row first + i of `to`, for i from 0 to n - 1. The tape
   leaves no record: this is for what a decoder keeps between steps, on a tape that does not record. */
void var_copy_rows(Var *to, int first, const Var *from, const int *index, int n);

#endif
