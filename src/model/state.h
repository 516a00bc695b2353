/* state.h: f, the decoder's state: s_i = f(s_{i-1}, y_{i-1}, c_i) (Bahdanau et al. 2015, §3.1, appendix A.1.2).

   With one unit, this is the paper's f. With two, it is the conditional GRU (Sennrich et al. 2017, "Nematus", §2.1):
   the first unit reads y_{i-1}, then the attention reads its state, then the second unit reads c_i. More units have no
   input: a deep transition (Miceli Barone et al. 2017, "Deep Architectures for NMT", §2.2.2). */
#ifndef TIDE_STATE_H
#define TIDE_STATE_H

#include "model/encoder.h"
#include "model/gru.h"

enum { STATE_UNITS = 8 /* at most */ };

/* The weights of f. */
typedef struct StateWeights {
    Var *E;                       /* [V, m] target embedding */
    int depth;                    /* the number of units */
    GruWeights unit[STATE_UNITS]; /* [depth]; the input of unit[0].W is E y_{i-1}; the others have no W */
    Var *C;                       /* [Cz Cr C] [a, 3n] of the first or second unit; its input is c_i */
    Var *Ws, *bs;                 /* [n, n], [1, n]; for s_0 */
} StateWeights;

/* Declares the weights. */
void state_declare(StateWeights *state, Params *params, int vocab, int emb, int rnn, int annotation, int depth);
/* Returns E y_{i-1} of n words y_{i-1} [n, m], with dropout. */
Var *state_embed(Tape *tape, const StateWeights *state, const int *previous, int n, Drop drop);
/* Returns s_0 = tanh(W_s ←h_1 + b) [sentences, n]. */
Var *state_initial(Tape *tape, const StateWeights *state, const Annotations *annotations);
/* Returns the state that the attention reads [rows, n]: s_{i-1}, or the state of the first of several units, which
   consumes WEy [rows, 3n]. */
Var *state_query(Tape *tape, const StateWeights *state, Var *WEy, Var *s_prev);
/* Returns W E y + b of both gates and of the candidate [rows, 3n]. Ey [rows, m]: all steps at once, because W E y + b
   does not depend on the state. */
Var *state_input(Tape *tape, const StateWeights *state, Var *Ey);
/* Returns x [rows, 3n], the input of the unit that reads c: W E y + C c + b, in the place of WEy; with several units
   C c + b of the second. c [rows, a]. */
Var *state_context(Tape *tape, const StateWeights *state, Var *WEy, Var *c);
/* What of x depends on c only: C c, and b with several units. state_add adds the rest to a sum of such terms whose
   weights have the sum 1, and returns x. */
Var *state_project(Tape *tape, const StateWeights *state, Var *c);
Var *state_add(Tape *tape, const StateWeights *state, Var *WEy, Var *projected);
/* Returns s_i [rows, n], which is stored in `out` unless `out` is NULL. x [rows, 3n] from state_context, s [rows, n]
   from state_query. Consumes x. */
Var *state_step(Tape *tape, const StateWeights *state, Var *x, Var *s, Var *out);

#endif
