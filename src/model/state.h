/* state.h: f, the decoder's state: s_i = f(s_{i-1}, y_{i-1}, c_i) (Bahdanau et al. 2015, §3.1, appendix A.1.2).

   The paper's f is one gated unit. A conditional GRU (Sennrich et al. 2017, "Nematus", §2) has two: the first one reads
   y_{i-1}; the attention reads the state of the first unit; the second one reads c_i. */
#ifndef TIDE_STATE_H
#define TIDE_STATE_H

#include "model/encoder.h"
#include "model/gru.h"

/* The weights of f. */
typedef struct StateWeights {
    Var *E;            /* [V, m] target embedding */
    GruWeights gru;    /* the input of W is E y_{i-1} */
    GruWeights second; /* the second unit of a conditional GRU, without W; all NULL: there is none */
    Var *C;            /* [Cz Cr C] [a, 3n] of the last unit; its input is c_i */
    Var *Ws, *bs;      /* [n, n], [1, n]; for s_0 */
} StateWeights;

/* Declares the weights. */
void state_declare(StateWeights *state, Params *params, const ModelConfig *config, int annotation);
/* Returns E y_{i-1} of n words y_{i-1} [n, m], with dropout. */
Var *state_embed(Tape *tape, const StateWeights *state, const int *previous, int n, Drop drop);
/* Returns s_0 = tanh(W_s ←h_1 + b) [sentences, n]. */
Var *state_initial(Tape *tape, const StateWeights *state, const Annotations *annotations);
/* Returns W E y + b of both gates and of the candidate [rows, 3n]. Ey [rows, m]: all steps at once, because W E y + b
   does not depend on the state. */
Var *state_input(Tape *tape, const StateWeights *state, Var *Ey);
/* Returns the state that the attention reads [rows, n]: s_{i-1}, or the state of the first of two units. The first unit
   consumes WEy [rows, 3n]. */
Var *state_query(Tape *tape, const StateWeights *state, Var *WEy, Var *s_prev);
/* Returns the input of the last unit [rows, 3n]: W E y + C c + b, which overwrites WEy; of the second unit C c + b.
   c [rows, a]. */
Var *state_context(Tape *tape, const StateWeights *state, Var *WEy, Var *c);
/* A search computes this input in another order. state_project returns the part that depends on c only [rows, 3n]: C c;
   of the second unit C c + b. For a weighted mean of such rows, state_add returns the input of the last unit. */
Var *state_project(Tape *tape, const StateWeights *state, Var *c);
Var *state_add(Tape *tape, const StateWeights *state, Var *WEy, Var *projected);
/* Returns s_i [rows, n], which is stored in `out` unless `out` is NULL. x [rows, 3n] from state_context or state_add, s
   [rows, n] from state_query. Consumes x. */
Var *state_step(Tape *tape, const StateWeights *state, Var *x, Var *s, Var *out);

#endif
