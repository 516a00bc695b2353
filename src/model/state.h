/* state.h: f, the decoder's state: s_i = f(s_{i-1}, y_{i-1}, c_i) (Bahdanau et al. 2015, §3.1, appendix A.1.2). */
#ifndef TIDE_STATE_H
#define TIDE_STATE_H

#include "model/encoder.h"
#include "model/gru.h"

/* The weights of f. */
typedef struct StateWeights {
    Var *E;         /* [V, m] target embedding */
    GruWeights gru; /* the input of W is E y_{i-1} */
    Var *C;         /* [Cz Cr C] [a, 3n]; its input is c_i */
    Var *Ws, *bs;   /* [n, n], [1, n]; for s_0 */
} StateWeights;

/* Declares the weights. */
void state_declare(StateWeights *state, Params *params, int vocab, int emb, int rnn, int annotation);
/* Returns E y_{i-1} of n words y_{i-1} [n, m], with dropout. */
Var *state_embed(Tape *tape, const StateWeights *state, const int *previous, int n, Drop drop);
/* Returns s_0 = tanh(W_s ←h_1 + b) [sentences, n]. */
Var *state_initial(Tape *tape, const StateWeights *state, const Annotations *annotations);
/* Returns W E y + b of both gates and of the candidate [rows, 3n]. Ey [rows, m]: all steps at once, because W E y + b
   does not depend on the state. */
Var *state_input(Tape *tape, const StateWeights *state, Var *Ey);
/* Computes W E y + C c + b in the place of WEy [rows, 3n] and returns it. c [rows, a]. */
Var *state_context(Tape *tape, const StateWeights *state, Var *WEy, Var *c);
/* Returns s_i [rows, n], which is stored in `out` unless `out` is NULL. x [rows, 3n] from state_context, s_prev
   [rows, n]. Consumes x. */
Var *state_step(Tape *tape, const StateWeights *state, Var *x, Var *s_prev, Var *out);

#endif
