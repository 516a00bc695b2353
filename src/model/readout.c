#include "model/readout.h"
#include "core/ops.h"

void readout_declare(Readout *m, Params *params, Var *E, const ModelConfig *c, int annotation) {
    m->Uo = params_add(params, "readout.Uo", c->rnn, 2 * c->maxout, INIT_NORMAL, 0.01);
    m->Vo = params_add(params, "readout.Vo", c->emb, 2 * c->maxout, INIT_NORMAL, 0.01);
    m->Co = params_add(params, "readout.Co", annotation, 2 * c->maxout, INIT_NORMAL, 0.01);
    m->bt = params_add(params, "readout.bt", 1, 2 * c->maxout, INIT_ZERO, 0);
    m->E = E;
    m->Wo = E ? NULL : params_add(params, "readout.Wo", c->maxout, c->target_vocab, INIT_NORMAL, 0.01);
    m->bo = params_add(params, "readout.bo", 1, c->target_vocab, INIT_ZERO, 0);
}

Var *readout_context(Tape *tape, const Readout *m, Var *c) { return linear(tape, c, m->Co, m->bt); }

/* t̃_i = U_o s_i + V_o E y_{i-1} + C_o c_i + b,  where the argument t is C_o c_i + b;
   t_ik = max(t̃_i,2k, t̃_i,2k+1);  p(y_i) = softmax(W_o t_i + b) */
OutputLayer readout(Tape *tape, const Readout *m, Var *t, Var *Ey, Var *s, Drop drop) {
    t = linear_accumulate(tape, linear_accumulate(tape, t, Ey, m->Vo), s, m->Uo);
    t = dropout(tape, maxout(tape, t), drop);
    return (OutputLayer){.x = t, .W = m->E ? m->E : m->Wo, .b = m->bo, .transposed = m->E};
}
