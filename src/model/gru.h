/* gru.h: gated recurrent units (Cho et al. 2014; Bahdanau et al. 2015, appendix A.1.1): what the encoders read with and
   the decoder goes on with. */
#ifndef TIDE_GRU_H
#define TIDE_GRU_H

#include "model/batch.h"
#include "model/params.h"

/* A GRU's weights: W = [Wz Wr W] [in, 3n], Uzr = [Uz Ur] [n, 2n], U [n, n], b = [bz br b] [1, 3n]. */
typedef struct GruWeights {
    Var *W, *Uzr, *U, *b;
} GruWeights;

/* Declares them as `name`.W, .Uzr, .U and .b, as appendix B.1 initialises them. */
GruWeights gru_declare(Params *params, const char *name, int in, int n);

/* One direction on its way: W x of all words, the states that it makes [rows, n] as x is, and its present state. */
typedef struct GruDirection {
    const GruWeights *weights;
    Var *xW, *states, *h;
} GruDirection;

/* x [rows, in] as the sequences lie; the state begins at zero, for so many sentences. */
GruDirection gru_direction(Tape *tape, const GruWeights *weights, Var *x, int sentences);
/* Reads position t of the sentences alive there, with their states before. */
GruStep gru_step_at(Tape *tape, const GruDirection *direction, const Sequences *sequences, int t, Var *h);

#endif
