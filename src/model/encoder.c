#include "model/encoder.h"

#include <stdio.h>

GruWeights gru_declare(Params *params, const char *name, int in, int n) {
    char full[64];
    GruWeights gru;
    snprintf(full, sizeof full, "%s.W", name);
    gru.W = params_add(params, full, in, 3 * n, INIT_NORMAL, 0.01);
    snprintf(full, sizeof full, "%s.Uzr", name);
    gru.Uzr = params_add(params, full, n, 2 * n, INIT_ORTHOGONAL, 0);
    snprintf(full, sizeof full, "%s.U", name);
    gru.U = params_add(params, full, n, n, INIT_ORTHOGONAL, 0);
    snprintf(full, sizeof full, "%s.b", name);
    gru.b = params_add(params, full, 1, 3 * n, INIT_ZERO, 0);
    return gru;
}

void encoder_declare(Encoder *encoder, Params *params, int vocab, int emb, int rnn) {
    encoder->E = params_add(params, "encoder.E", vocab, emb, INIT_NORMAL, 0.01);
    encoder->fwd = gru_declare(params, "encoder.fwd", emb, rnn);
    encoder->bwd = gru_declare(params, "encoder.bwd", emb, rnn);
}

/* →h_j = GRU(x_j, →h_{j-1}), left to right. A sentence leaves the batch when it ends. Returns [rows, n] as x is. */
static Var *read_forward(Tape *tape, const GruWeights *m, Var *x, const Sequences *s) {
    Var *xW = linear(tape, x, m->W, m->b), *states = var_new(tape, s->rows, m->U->rows);
    Var *h = zeros(tape, s->n, m->U->rows);
    for (int t = 0; t < s->steps; t++) {
        int first = s->offset[t], live = sequences_live(s, t);
        h = gru_step(tape, slice(tape, xW, first, live), slice(tape, h, 0, live), m->Uzr, m->U,
                     slice(tape, states, first, live));
    }
    return states;
}

/* ←h_j = GRU(x_j, ←h_{j+1}), right to left. A sentence joins the batch, with a state of zero, at its last word. */
static Var *read_backward(Tape *tape, const GruWeights *m, Var *x, const Sequences *s) {
    Var *xW = linear(tape, x, m->W, m->b), *states = var_new(tape, s->rows, m->U->rows);
    Var *h = zeros(tape, sequences_live(s, s->steps - 1), m->U->rows);
    for (int t = s->steps - 1; t >= 0; t--) {
        int first = s->offset[t], live = sequences_live(s, t);
        h = gru_step(tape, slice(tape, xW, first, live), extend(tape, h, live), m->Uzr, m->U,
                     slice(tape, states, first, live));
    }
    return states;
}

Annotations encode(Tape *tape, const Encoder *m, const Source *source) {
    const Sequences *s = &source->x;
    Var *x = dropout(tape, gather(tape, m->E, s->ids, s->rows), m->dropout_embedding);
    Var *fwd = read_forward(tape, &m->fwd, x, s), *bwd = read_backward(tape, &m->bwd, x, s);
    Var *h = gather_beside(tape, fwd, bwd, source->rows, s->rows);
    return (Annotations){
        .H = dropout(tape, h, m->dropout_annotation),
        .forward_last = gather(tape, fwd, source->last, s->n),
        .backward_first = gather(tape, bwd, source->first, s->n),
        .spans = source->spans,
    };
}
