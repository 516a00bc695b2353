/* params.h: the parameters: described once, where the modules declare them; that description drives initialisation,
   saving, loading and printing. */
#ifndef TIDE_PARAMS_H
#define TIDE_PARAMS_H

#include "core/optimizer.h"
#include "core/tape.h"

#include <stdint.h>

/* What a parameter begins as, in appendix B.1 of the paper. */
typedef enum {
    INIT_ZERO,
    INIT_ONE,       /* not in the paper: gains */
    INIT_NORMAL,    /* N(0, sd²) */
    INIT_EMBEDDING, /* the same, of rows that are read one at a time */
    INIT_ORTHOGONAL /* a random orthogonal matrix; [n, k n]: k of them side by side */
} Init;

/* How what is not orthogonal is drawn. A word's embedding is a row of E, read as it is; what else has several rows is
   multiplied with inputs of as many numbers; what has one is a bias. */
typedef enum {
    SCHEME_BAHDANAU, /* as the paper has it, which Adadelta can live with */
    SCHEME_LECUN /* N(0, 1 / inputs), so that a result is as large as its inputs (LeCun et al. 1998, §4.6); E as the
                    input that it is to be, N(0, 1 / m); biases zero */
} InitScheme;

typedef struct Param {
    char name[32]; /* as in the paper: "encoder.fwd.W" */
    Init init;
    double sd; /* INIT_NORMAL */
    Var var;
    Weight weight;
    size_t offset; /* of its values in the block */
} Param;

/* All parameters, in the order of declaration: for training in one block of values and one of gradients; for use where
   somebody else keeps them. */
typedef struct Params {
    Param **list;
    int count, capacity;
    size_t size;              /* numbers in a block */
    real *values, *gradients; /* NULL where the values are borrowed */
} Params;

/* Declares a matrix [rows, cols]; the Var is the module's to use, and has no memory until the parameters are
   allocated or borrowed. */
Var *params_add(Params *params, const char *name, int rows, int cols, Init init, double sd);
/* Gives all values and gradients memory of their own: values as they were borrowed, everything else zero. */
void params_allocate(Params *params);
/* Lets one parameter read its values where they are: never written, and without a gradient, so only on a tape that does
   not record. Any alignment that a number may have will do. */
void param_borrow(Param *param, const real *values);
/* Draws the initial values into allocated memory; each parameter from a stream of its own. */
void params_init(Params *params, InitScheme scheme, uint64_t seed);
/* "bahdanau" or "lecun"; -1 for any other name. */
int init_scheme(const char *name);
/* Lets the parameters have other values, those in *values, which receives the ones that they had; the gradients stay.
   What a tape has packed of them is void: see tape_reset. */
void params_exchange(Params *params, real **values);
void params_free(Params *params);
/* Number of weights. */
size_t params_weights(const Params *params);

#endif
