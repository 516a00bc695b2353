/* state.h: f: the decoder's state s_i = f(s_{i-1}, y_{i-1}, c_i) (Bahdanau et al. 2015, §3.1, appendix A.1.2). */
#ifndef TIDE_STATE_H
#define TIDE_STATE_H

#include "model/encoder.h"
#include "model/gru.h"

/* The weights of f. */
typedef struct StateWeights {
    Var *E;         /* [V, m] target embedding */
    GruWeights gru; /* W takes E y_{i-1} */
    Var *C;         /* [Cz Cr C] [a, 3n] takes c_i */
    Var *Ws, *bs;   /* [n, n], [1, n] */
} StateWeights;

void state_declare(StateWeights *state, Params *params, int vocab, int emb, int rnn, int annotation);
/* E y for n previous words, with dropout. Returns [n, m]. */
Var *state_embed(Tape *tape, const StateWeights *state, const int *previous, int n, Drop drop);
/* s_0 = tanh(W_s ←h_1 + b). Returns [sentences, n]. */
Var *state_initial(Tape *tape, const StateWeights *state, const Annotations *annotations);
/* W E y + b of all gates: does not depend on the state, so all steps at once. Ey [m, emb] -> [m, 3n]. */
Var *state_input(Tape *tape, const StateWeights *state, Var *Ey);
/* W E y + C c + b, in the place of WEy, which is returned. c [m, a]. */
Var *state_context(Tape *tape, const StateWeights *state, Var *WEy, Var *c);
/* f. x [m, 3n] is W E y + C c + b, used up; s_prev [m, n]. Returns s_i [m, n], in `out` unless that is NULL. */
Var *state_step(Tape *tape, const StateWeights *state, Var *x, Var *s_prev, Var *out);

#endif
