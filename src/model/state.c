#include "model/state.h"

void state_declare(StateWeights *m, Params *params, const ModelConfig *c, int annotation) {
    m->E = params_add_table(params, "state.E", c->target_vocab, c->emb, INIT_EMBEDDING, 0.01);
    m->gru = gru_declare(params, "state", c->emb, c->rnn);
    if (c->conditional) m->second = gru_declare_recurrent(params, "state.2", c->rnn);
    m->C = params_add(params, "state.C", annotation, 3 * c->rnn, INIT_NORMAL, 0.01);
    m->Ws = params_add(params, "state.Ws", c->rnn, c->rnn, INIT_NORMAL, 0.01);
    m->bs = params_add(params, "state.bs", 1, c->rnn, INIT_ZERO, 0);
}

static bool is_conditional(const StateWeights *m) { return m->second.U; }

Var *state_embed(Tape *tape, const StateWeights *m, const int *previous, int n, Drop drop) {
    return dropout(tape, gather(tape, m->E, previous, n), drop);
}

Var *state_initial(Tape *tape, const StateWeights *m, const Annotations *H) {
    return tanh_of(tape, linear(tape, H->summary, m->Ws, m->bs));
}

Var *state_input(Tape *tape, const StateWeights *m, Var *Ey) { return linear(tape, Ey, m->gru.W, m->gru.b); }

/* s_{i-1}, or s' = GRU_1(W E y_{i-1} + b, s_{i-1}) */
Var *state_query(Tape *tape, const StateWeights *m, Var *WEy, Var *s_prev) {
    return is_conditional(m) ? gru_step(tape, (GruStep){WEy, s_prev, m->gru.Uzr, m->gru.U, NULL}) : s_prev;
}

/* x_i = W E y_{i-1} + C c_i + b, or C c_i + b_2 */
Var *state_context(Tape *tape, const StateWeights *m, Var *WEy, Var *c) {
    return is_conditional(m) ? state_project(tape, m, c) : linear_accumulate(tape, WEy, c, m->C);
}

Var *state_project(Tape *tape, const StateWeights *m, Var *c) { return linear(tape, c, m->C, m->second.b); }

Var *state_add(Tape *tape, const StateWeights *m, Var *WEy, Var *projected) {
    return is_conditional(m) ? projected : add_scaled(tape, WEy, 1, projected);
}

/* s_i = GRU(x_i, s_{i-1}), or GRU_2(x_i, s') */
Var *state_step(Tape *tape, const StateWeights *m, Var *x, Var *s, Var *out) {
    const GruWeights *last = is_conditional(m) ? &m->second : &m->gru;
    return gru_step(tape, (GruStep){x, s, last->Uzr, last->U, out});
}
