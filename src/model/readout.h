/* readout.h: g: the distribution of the next word (Bahdanau et al. 2015, eq. 4, appendix A.2.2). */
#ifndef TIDE_READOUT_H
#define TIDE_READOUT_H

#include "core/ops.h"
#include "model/params.h"

typedef struct Readout {
    Var *Uo, *Vo, *Co, *bt; /* [n, 2l], [m, 2l], [a, 2l], [1, 2l] */
    Var *Wo, *bo;           /* [l, V], [1, V] */
    Var *E; /* [V, m] where the output is tied to the target embedding: Eᵀ in W_o's place; else NULL */
} Readout;

/* E: the embedding that the output is tied to (Press & Wolf 2017), for which maxout must be emb; or NULL. */
void readout_declare(Readout *readout, Params *params, Var *E, int vocab, int emb, int rnn, int annotation, int maxout);
/* C_o c + b. c [m, a] -> [m, 2l] */
Var *readout_context(Tape *tape, const Readout *readout, Var *c);
/* g for as many steps at once as there are rows. t [m, 2l] from readout_context is consumed; Ey [m, emb], s [m, n];
   `drop` is the dropout of the maxout layer. Returns the logits [m, V]. */
Var *readout(Tape *tape, const Readout *readout, Var *t, Var *Ey, Var *s, Drop drop);

#endif
