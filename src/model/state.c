#include "model/state.h"

void state_declare(StateWeights *m, Params *params, int vocab, int emb, int rnn, int annotation) {
    m->E = params_add_table(params, "state.E", vocab, emb, INIT_EMBEDDING, 0.01);
    m->gru = gru_declare(params, "state", emb, rnn);
    m->C = params_add(params, "state.C", annotation, 3 * rnn, INIT_NORMAL, 0.01);
    m->Ws = params_add(params, "state.Ws", rnn, rnn, INIT_NORMAL, 0.01);
    m->bs = params_add(params, "state.bs", 1, rnn, INIT_ZERO, 0);
}

Var *state_embed(Tape *tape, const StateWeights *m, const int *previous, int n, Drop drop) {
    return dropout(tape, gather(tape, m->E, previous, n), drop);
}

Var *state_initial(Tape *tape, const StateWeights *m, const Annotations *H) {
    return tanh_of(tape, linear(tape, H->summary, m->Ws, m->bs));
}

Var *state_input(Tape *tape, const StateWeights *m, Var *Ey) { return linear(tape, Ey, m->gru.W, m->gru.b); }

/* x_i = W E y_{i-1} + C c_i + b */
Var *state_context(Tape *tape, const StateWeights *m, Var *WEy, Var *c) {
    return linear_accumulate(tape, WEy, c, m->C);
}

/* s_i = GRU(x_i, s_{i-1}) */
Var *state_step(Tape *tape, const StateWeights *m, Var *x, Var *s_prev, Var *out) {
    return gru_step(tape, (GruStep){x, s_prev, m->gru.Uzr, m->gru.U, out});
}
