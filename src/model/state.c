#include "model/state.h"

#include <stdio.h>

void state_declare(StateWeights *m, Params *params, int vocab, int emb, int rnn, int annotation, int depth) {
    CHECK(depth >= 1 && depth <= STATE_UNITS, "a state of %d units", depth);
    m->E = params_add_table(params, "state.E", vocab, emb, INIT_EMBEDDING, 0.01);
    m->depth = depth;
    m->unit[0] = gru_declare(params, "state", emb, rnn);
    for (int k = 1; k < depth; k++) {
        char name[16];
        snprintf(name, sizeof name, "state.%d", k + 1);
        m->unit[k] = gru_declare_recurrent(params, name, rnn);
    }
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

Var *state_input(Tape *tape, const StateWeights *m, Var *Ey) { return linear(tape, Ey, m->unit[0].W, m->unit[0].b); }

static Var *unit_step(Tape *tape, const GruWeights *unit, Var *x, Var *s, Var *out) {
    return gru_step(tape, (GruStep){x, s, unit->Uzr, unit->U, out});
}

/* s_{i-1}, or s' = GRU_1(W E y_{i-1} + b, s_{i-1}) */
Var *state_query(Tape *tape, const StateWeights *m, Var *WEy, Var *s_prev) {
    return m->depth == 1 ? s_prev : unit_step(tape, &m->unit[0], WEy, s_prev, NULL);
}

/* x_i = W E y_{i-1} + C c_i + b, or C c_i + b_2 */
Var *state_context(Tape *tape, const StateWeights *m, Var *WEy, Var *c) {
    return m->depth == 1 ? linear_accumulate(tape, WEy, c, m->C) : state_project(tape, m, c);
}

Var *state_project(Tape *tape, const StateWeights *m, Var *c) {
    return linear(tape, c, m->C, m->depth == 1 ? NULL : m->unit[1].b);
}

Var *state_add(Tape *tape, const StateWeights *m, Var *WEy, Var *projected) {
    return m->depth == 1 ? add_scaled(tape, WEy, 1, projected) : projected;
}

/* s_i = GRU(x_i, s_{i-1}), or GRU_2(x_i, s') and then s_i = GRU_k(b_k, s_i) for each further unit */
Var *state_step(Tape *tape, const StateWeights *m, Var *x, Var *s, Var *out) {
    const int rows = x->rows;
    for (int k = m->depth > 1; k < m->depth; k++) {
        if (k > 1) x = gather(tape, m->unit[k].b, arena_zalloc(&tape->arena, (size_t)rows * sizeof(int)), rows);
        s = unit_step(tape, &m->unit[k], x, s, k + 1 < m->depth ? NULL : out);
    }
    return s;
}
