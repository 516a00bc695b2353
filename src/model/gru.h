/* gru.h: the gated recurrent unit of the encoders and of the decoder (Cho et al. 2014; Bahdanau et al. 2015, appendix
   A.1.1). */
#ifndef TIDE_GRU_H
#define TIDE_GRU_H

#include "model/batch.h"
#include "model/params.h"

/* The weights of a GRU: W = [Wz Wr W] [in, 3n], Uzr = [Uz Ur] [n, 2n], U [n, n], b = [bz br b] [1, 3n]. */
typedef struct GruWeights {
    Var *W, *Uzr, *U, *b;
} GruWeights;

/* Declares the weights `name`.W, .Uzr, .U and .b with the initialisation of appendix B.1. */
GruWeights gru_declare(Params *params, const char *name, int in, int n);

/* The same without W, for a unit whose input the caller computes. */
GruWeights gru_declare_recurrent(Params *params, const char *name, int n);

/* One direction of an encoder while it runs. */
typedef struct GruDirection {
    const GruWeights *weights;
    Var *xW;     /* [rows, 3n] W x + b of all words */
    Var *states; /* [rows, n] the states of all words; each step writes its rows */
    Var *h;      /* [alive, n] the present states; the caller sets them after each step */
} GruDirection;

/* Starts a direction for x [rows, in], which has the rows of the sequences, with zero states h [sentences, n]. */
GruDirection gru_direction(Tape *tape, const GruWeights *weights, Var *x, int sentences);
/* Returns the arguments of gru_step for position t. h [alive, n]: the states before this step of the sentences that are
   alive at t. */
GruStep gru_step_at(Tape *tape, const GruDirection *direction, const Sequences *sequences, int t, Var *h);

#endif
