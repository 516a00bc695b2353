/* tape.h: reverse-mode automatic differentiation, eager and small.

   An op computes its value at once. While the tape records, it also leaves a Record that points at its own backward
   function. tape_backward walks the records from the last to the first. Everything is a row-major matrix [rows, cols];
   time and batch are folded into rows. All memory of a batch is the tape's arena and is gone at tape_reset. */
#ifndef TIDE_TAPE_H
#define TIDE_TAPE_H

#include "core/arena.h"
#include "core/base.h"
#include "core/gemm.h"
#include "core/real.h"
#include "core/rng.h"
#include "core/threads.h"

#include <stdbool.h>

typedef struct Var Var;
typedef struct Tape Tape;

/* A weight gradient that waits: xᵀ dy of one use of the weight. */
typedef struct Pending {
    struct Pending *before;
    const real *x, *dy;
    int ldx, ldy, rows;
} Pending;

/* What waits for a matrix to get all of its gradient: see tape_later. */
typedef struct Later Later;

/* What a tape keeps about a weight until it is reset. */
typedef struct Weight {
    real *panels;     /* of W, or of Wᵀ, whichever was read last; NULL until first used */
    bool transposed;  /* which */
    Pending *pending; /* gradients that are gathered into one product, the latest first */
    int pending_count;
    Var *next; /* the weight that the tape met before this one */
    bool met;
} Weight;

/* A matrix with, where something flows back to it, its gradient. */
struct Var {
    int rows, cols;
    real *v;
    real *g;    /* NULL until var_grad; a parameter brings its own */
    Var *whole; /* of a slice: what it is rows first.. of; NULL otherwise */
    int first;
    Weight *weight; /* of a parameter; NULL otherwise */
    Later *later;   /* NULL until tape_later */
    bool last_read; /* on the way back, nobody reads it any more but the op that made it */
};

/* One op that has been done: what it read, what it made, and how to go back. */
typedef struct Record Record;
typedef void Back(Tape *tape, const Record *record);
struct Record {
    Back *back;
    const char *op; /* its name, and "_back" */
    Record *before;
    Var *out; /* NULL where there are several, in extra */
    Var *in[3];
    const void *extra; /* whatever else the op's backward needs, in the arena */
};

/* Finds the first number that is not finite: which op made it, or on the way back, the gradient of whose result it is
   in. Looks at every number, so only for a batch that is known to hold one. */
typedef struct Watch {
    const char *op; /* NULL: all were finite */
    int length;     /* of the op's name */
    bool back;
} Watch;

struct Tape {
    Arena arena;
    Arena panels;     /* the packed weights, which stay when the tape is rewound */
    Threads *threads; /* not owned */
    Rng rng;          /* for dropout */
    bool recording;   /* leave records; also: training, so dropout drops */
    Watch *watch;     /* NULL: none; not owned */
    Record *last;
    Var *weights; /* met since the last reset */
    Later *later; /* of all that wait, the latest first */
    real *spare;  /* see tape_give */
    size_t spare_size;
};

/* A moment of a tape that does not record, to which it can be taken back: see tape_rewind. */
typedef ArenaMark TapeMark;

void tape_init(Tape *tape, Threads *threads, Rng rng);
void tape_free(Tape *tape);
/* Forgets all values, gradients and records; parameters stay, and may have changed when they are next used. */
void tape_reset(Tape *tape);
/* Forgets what was computed since the mark; weights stay packed. Only while the tape does not record. */
TapeMark tape_mark(const Tape *tape);
void tape_rewind(Tape *tape, TapeMark mark);

/* d loss / d everything, for a loss of [1, 1]: adds to the gradients of the parameters. The records are used up. */
void tape_backward(Tape *tape, Var *loss);

/* For ops. A new matrix of undefined content; a new record of an op, or NULL while the tape does not record. */
Var *var_new(Tape *tape, int rows, int cols);
/* Where an op's result [rows, cols] goes: `out`, whose content is overwritten, or where that is NULL a new matrix. */
Var *var_place(Tape *tape, Var *out, int rows, int cols);
#define tape_record(tape, back, out, in0, in1, in2) tape_record_op(tape, back, #back, out, in0, in1, in2)
Record *tape_record_op(Tape *tape, Back *back, const char *op, Var *out, Var *in0, Var *in1, Var *in2);
/* Lets the watch, if there is one, see a result that tape_record was not told of. */
void tape_look(const Tape *tape, const char *op, const Var *result);
/* The gradient, zero at first; for a slice, the rows of the whole's. */
real *var_grad(Tape *tape, Var *var);
/* The same for an op that adds a product to all of it: *init is what the product begins with, NULL where the gradient
   is new and undefined as yet. */
real *var_grad_product(Tape *tape, Var *var, const real **init);
/* The gradient in the place of the value, for an op that took the value over. All rows of a slice's whole must be taken
   over by somebody. */
real *var_grad_in_place(Var *var);
/* Memory for the way back, until the tape is reset: undefined content. tape_give offers some that is read no more. */
real *tape_take(Tape *tape, size_t numbers);
void tape_give(Tape *tape, real *memory, size_t numbers);
/* A list, NULL at first, that an op's backward adds to in order to hand gradients to `var`, or what it is a slice of,
   all at once: hand_back is called with it when nothing more flows there. `var` must be the whole result of an op that
   makes one, or nobody's. */
typedef void HandBack(Tape *tape, const void *list);
const void **tape_later(Tape *tape, Var *var, HandBack *hand_back);
/* c = init + a W, or with `transposed` init + a Wᵀ, for m rows; see Multiplication in gemm.h. */
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
/* A few products that do not wait for each other, using the packed form where W is a parameter; none of them reads one
   W as it is while another reads it transposed. */
void tape_products(Tape *tape, const TapeProduct *list, int count);
/* dW += xᵀ dy; of a parameter that meets few rows at a time at the end of tape_backward, all uses at once. Returns
   whether it is done: otherwise dy must stay as it is until then. */
bool tape_weight_grad(Tape *tape, Var *w, const real *x, int ldx, const real *dy, int ldy, int rows);

#endif
