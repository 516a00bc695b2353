#include "model/readout.h"
#include "core/ops.h"

void readout_declare(Readout *m, Params *params, Var *E, int vocab, int emb, int rnn, int annotation, int maxout) {
    m->Uo = params_add(params, "readout.Uo", rnn, 2 * maxout, INIT_NORMAL, 0.01);
    m->Vo = params_add(params, "readout.Vo", emb, 2 * maxout, INIT_NORMAL, 0.01);
    m->Co = params_add(params, "readout.Co", annotation, 2 * maxout, INIT_NORMAL, 0.01);
    m->bt = params_add(params, "readout.bt", 1, 2 * maxout, INIT_ZERO, 0);
    m->E = E;
    m->Wo = E ? NULL : params_add(params, "readout.Wo", maxout, vocab, INIT_NORMAL, 0.01);
    m->bo = params_add(params, "readout.bo", 1, vocab, INIT_ZERO, 0);
}

Var *readout_context(Tape *tape, const Readout *m, Var *c) { return linear(tape, c, m->Co, m->bt); }

/* t̃_i = U_o s_i + V_o E y_{i-1} + C_o c_i + b,  where the argument t is C_o c_i + b;
   t_ik = max(t̃_i,2k, t̃_i,2k+1);  p(y_i) = softmax(W_o t_i + b) */
static Var *hidden(Tape *tape, const Readout *m, Var *t, Var *Ey, Var *s, Drop drop) {
    t = linear_accumulate(tape, linear_accumulate(tape, t, Ey, m->Vo), s, m->Uo);
    return dropout(tape, maxout(tape, t), drop);
}

Var *readout(Tape *tape, const Readout *m, Var *t, Var *Ey, Var *s, Drop drop) {
    t = hidden(tape, m, t, Ey, s, drop);
    return m->E ? linear_transposed(tape, t, m->E, m->bo) : linear(tape, t, m->Wo, m->bo);
}

Var *readout_words(Tape *tape, const Readout *m, Var *t, Var *Ey, Var *s, ColumnSets *words, const int *owner) {
    if (!words) return readout(tape, m, t, Ey, s, (Drop){0});
    return linear_columns(tape, hidden(tape, m, t, Ey, s, (Drop){0}), m->E ? m->E : m->Wo, m->E, m->bo, words, owner);
}
