/* params.h: the parameters: described once, where the modules declare them; that description drives initialisation,
   saving, loading and printing. */
#ifndef TIDE_PARAMS_H
#define TIDE_PARAMS_H

#include "core/optimizer.h"
#include "core/tape.h"

#include <stdint.h>

typedef enum {
    INIT_ZERO,
    INIT_NORMAL,    /* N(0, sd²) */
    INIT_ORTHOGONAL /* a random orthogonal matrix; [n, k n]: k of them side by side */
} Init;

typedef struct Param {
    char name[32]; /* as in the paper: "encoder.fwd.W" */
    Init init;
    double sd; /* INIT_NORMAL */
    Var var;
    Weight weight;
    size_t offset; /* of its values in the block */
} Param;

/* All parameters in one block of values and one of gradients, in the order of declaration. */
typedef struct Params {
    Param **list;
    int count, capacity;
    size_t size; /* numbers in a block */
    real *values, *gradients;
} Params;

/* Declares a matrix [rows, cols]; the Var is the module's to use, and has no memory before params_allocate. */
Var *params_add(Params *params, const char *name, int rows, int cols, Init init, double sd);
void params_allocate(Params *params);
/* Draws the initial values; each parameter from a stream of its own. */
void params_init(Params *params, uint64_t seed);
void params_free(Params *params);
/* Number of weights. */
size_t params_weights(const Params *params);
/* Packs every matrix for a tape that will not record, before the first mark. */
void params_pack(const Params *params, Tape *tape);

#endif
