/* readout.h: g: the distribution of the next word (Bahdanau et al. 2015, eq. 4, appendix A.2.2). */
#ifndef TIDE_READOUT_H
#define TIDE_READOUT_H

#include "model/params.h"

typedef struct Readout {
    Var *Uo, *Vo, *Co, *bt; /* [n, 2l], [m, 2l], [2n, 2l], [1, 2l] */
    Var *Wo, *bo;           /* [l, V], [1, V] */
    double dropout;
} Readout;

void readout_declare(Readout *readout, Params *params, int vocab, int emb, int rnn, int maxout);
/* g for as many steps at once as there are rows. Ey [m, emb], s [m, n], c [m, 2n]. Returns the logits [m, V]. */
Var *readout(Tape *tape, const Readout *readout, Var *Ey, Var *s, Var *c);

#endif
