/* params.h: the parameters of a model. Each module declares its parameters once; initialisation, saving, loading and
   printing use these declarations. */
#ifndef TIDE_PARAMS_H
#define TIDE_PARAMS_H

#include "core/optimizer.h"
#include "core/tape.h"

#include <stdint.h>

/* The initial values of a parameter with SCHEME_BAHDANAU (appendix B.1 of the paper). */
typedef enum {
    INIT_ZERO,
    INIT_ONE,       /* ones, for the gains of layer norms; the paper has no layer norms */
    INIT_NORMAL,    /* N(0, sd²) */
    INIT_EMBEDDING, /* N(0, sd²), for an embedding */
    INIT_ORTHOGONAL /* a random orthogonal matrix; [n, k n]: k of them side by side */
} Init;

/* The scheme of initialisation. INIT_ONE and INIT_ORTHOGONAL mean the same in both schemes. */
typedef enum {
    SCHEME_LECUN,   /* variance-preserving (LeCun et al. 1998, §4.6): a matrix [rows, cols], N(0, 1 / rows); an
                       embedding [V, m], N(0, 1 / m); a matrix with one row is a bias: zero */
    SCHEME_BAHDANAU /* the small weights of the paper */
} InitScheme;
/* The names of the schemes, separated by '|', in the order of InitScheme. */
extern const char init_names[];

typedef struct Param {
    char name[32]; /* the module, and the letter of the paper: "encoder.fwd.W" */
    Init init;
    double sd;  /* INIT_NORMAL, INIT_EMBEDDING */
    bool table; /* ops read rows by index, so the values are needed even if a product reads the packed form */
    bool int8;  /* see param_use_int8 */
    Var var;
    Weight weight;
    size_t offset; /* where the parameter begins in the blocks of values and gradients */
} Param;

/* All parameters, in the order of declaration. A model for training has one block of values and one of gradients. A
   read-only model has one block, which all tapes share: see params_share. */
typedef struct Params {
    Param **list;
    int count, capacity;
    size_t size;              /* numbers in a block of values or gradients */
    real *values, *gradients; /* the blocks of a model for training; else NULL */
    char *shared;             /* the block of a read-only model; else NULL */
} Params;

/* Declares a matrix [rows, cols]. Returns its Var, which the Params own; the Var has no memory before params_allocate
   or params_share. params_add_part gives the matrix the name "module.name". params_add_table declares a matrix whose
   rows are read by index, such as an embedding. */
Var *params_add(Params *params, const char *name, int rows, int cols, Init init, double sd);
Var *params_add_part(Params *params, const char *module, const char *name, int rows, int cols, Init init, double sd);
Var *params_add_table(Params *params, const char *name, int rows, int cols, Init init, double sd);
/* For training: allocates one block of values and one of gradients for all parameters, filled with zeros. */
void params_allocate(Params *params);
/* Requests values of 8 bits with a scale for each column, or for each row. Call it before params_share. Sets
   param->int8 if products can use such values; then write them with param_write. Products cannot use them for a
   table with scales of its columns, another matrix with scales of its rows, a vector, or an inner index above
   GEMM_I8_MOST_K. */
void param_use_int8(Param *param, bool scales_of_rows);
/* For a read-only model: allocates one block for all parameters. The block stores each weight once: tables and vectors
   as values, all other matrices as panels, because only matrix products read them. There are no gradients. The caller
   fills the block with param_write before the first tape reads it. */
void params_share(Params *params);
/* Writes the values first..first+n-1 of a parameter, counted in row-major order: real, or int8_t if param->int8 is set;
   then `scales` are those of all columns, or of all rows of a table; else NULL. A parameter that is stored as panels
   requires whole rows, and integers in ascending order. */
void param_write(Param *param, size_t first, const void *values, const float *scales, size_t n);
/* Draws the initial values of all parameters. Each parameter has its own random stream, which depends on `seed`
   and on the index of the parameter. Requires params_allocate. */
void params_init(Params *params, InitScheme scheme, uint64_t seed);
/* Initialises an optimizer. Each parameter is one segment, in the order of declaration. Release it with
   optimizer_free. */
void params_optimizer(const Params *params, const OptimizerKind *kind, Optimizer *optimizer);
/* The values [rows, cols] of a parameter. Requires params_allocate. */
real *params_values(const Params *params, const Param *param);
/* Swaps the block of values with *values; the gradients stay. Call tape_reset before the next op, because a tape may
   have packed the old values. Requires params_allocate. */
void params_exchange(Params *params, real **values);
void params_free(Params *params);
/* The number of weights of all parameters. */
size_t params_weights(const Params *params);

#endif
