/* readout.h: g, the distribution of the next word (Bahdanau et al. 2015, eq. 4, appendix A.2.2). */
#ifndef TIDE_READOUT_H
#define TIDE_READOUT_H

#include "core/ops.h"
#include "model/config.h"
#include "model/params.h"

typedef struct Readout {
    Var *Uo, *Vo, *Co, *bt; /* [n, 2l], [m, 2l], [a, 2l], [1, 2l] */
    Var *Wo, *bo;           /* [l, V], [1, V] */
    Var *E;                 /* [V, m] target embedding, if the output layer is tied to it: W_o = Eᵀ; else NULL */
} Readout;

/* Declares the weights; l is `maxout`. E: the target embedding, if the output layer is tied to it (Press & Wolf 2017):
   this requires maxout = emb; else NULL. */
void readout_declare(Readout *readout, Params *params, Var *E, const ModelConfig *config, int annotation);
/* Returns C_o c + b [rows, 2l]. c [rows, a]. */
Var *readout_context(Tape *tape, const Readout *readout, Var *c);
/* Returns the output layer of any number of positions, with logits [rows, V]. t [rows, 2l] from readout_context, Ey
   [rows, m], s [rows, n]; `drop` is the dropout of the maxout layer. Consumes t. */
OutputLayer readout(Tape *tape, const Readout *readout, Var *t, Var *Ey, Var *s, Drop drop);

#endif
