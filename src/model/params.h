/* params.h: the parameters: described once, where the modules declare them; that description drives initialisation,
   saving, loading and printing. */
#ifndef TIDE_PARAMS_H
#define TIDE_PARAMS_H

#include "core/optimizer.h"
#include "core/panels.h"
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

/* How initial values that are not orthogonal are drawn. A row of an embedding is used directly. Any other matrix with
   several rows is multiplied by an input with as many numbers as the matrix has rows. A matrix with one row is a bias.
 */
typedef enum {
    SCHEME_LECUN,   /* N(0, 1 / inputs): outputs are as large as inputs (LeCun et al. 1998, §4.6); E, which is an input
                       itself: N(0, 1 / m); biases: zero */
    SCHEME_BAHDANAU /* the small weights of the paper, for Adadelta */
} InitScheme;
/* Their names, separated by '|', in this order. */
extern const char init_names[];

typedef struct Param {
    char name[32]; /* as in the paper: "encoder.fwd.W" */
    Init init;
    double sd;  /* INIT_NORMAL */
    bool table; /* rows are read by index: the values are needed even if they are packed, too */
    Var var;
    Weight weight;
    SharedWeight shared; /* of a model that is only read */
    size_t offset;       /* of its values in the block */
} Param;

/* All parameters, in the order of declaration. A model that is trained has one block of values and one of gradients. A
   model that is only read has one block, which all tapes share: see params_share. */
typedef struct Params {
    Param **list;
    int count, capacity;
    size_t size;              /* numbers in a block */
    real *values, *gradients; /* the blocks; NULL: the model is only read */
    real *shared;             /* its block */
} Params;

/* Declares a matrix [rows, cols]. The Var is the module's to use; it has no memory until params_allocate or
   params_share. params_add_part: the same with the name "module.name". params_add_table: the same for a matrix whose
   rows are read by index, as an embedding's are. */
Var *params_add(Params *params, const char *name, int rows, int cols, Init init, double sd);
Var *params_add_part(Params *params, const char *module, const char *name, int rows, int cols, Init init, double sd);
Var *params_add_table(Params *params, const char *name, int rows, int cols, Init init, double sd);
/* For training: one block of values and one of gradients for all parameters, both zero. */
void params_allocate(Params *params);
/* For a model that is only read: one block for all parameters, which param_write fills before the first tape reads it.
   It holds the values of tables and vectors, and the panels of what only products read: each weight once. There are no
   gradients. */
void params_share(Params *params);
/* Writes n values of a parameter from the `first` on, in row-major order; of a matrix whole rows. */
void param_write(Param *param, size_t first, const real *values, size_t n);
/* Draws the initial values into allocated memory; each parameter from a stream of its own. */
void params_init(Params *params, InitScheme scheme, uint64_t seed);
/* Sets up an optimizer of all parameters, each a segment, in the order of declaration. */
void params_optimizer(const Params *params, const OptimizerKind *kind, Optimizer *optimizer);
/* The values of a parameter of allocated memory [rows, cols]. */
real *params_values(const Params *params, const Param *param);
/* Lets the parameters have other values, those in *values, which receives the ones that they had; the gradients stay.
   What a tape has packed of them is void: see tape_reset. */
void params_exchange(Params *params, real **values);
void params_free(Params *params);
/* Number of weights. */
size_t params_weights(const Params *params);

#endif
