#include "model/layer.h"

#include <math.h>
#include <stdio.h>

static Var *declare(Params *params, const char *of, const char *name, int rows, int cols, Init init) {
    char full[64];
    snprintf(full, sizeof full, "%s.%s", of, name);
    return params_add(params, full, rows, cols, init, 0.01);
}

Norm norm_declare(Params *params, const char *name, int m) {
    return (Norm){declare(params, name, "gain", 1, m, INIT_ONE), declare(params, name, "bias", 1, m, INIT_ZERO)};
}

MultiHead multi_head_declare(Params *params, const char *name, int m, int heads) {
    MultiHead head = {.norm = norm_declare(params, name, m), .heads = heads};
    head.Wq = declare(params, name, "Wq", m, m, INIT_NORMAL);
    head.Wk = declare(params, name, "Wk", m, m, INIT_NORMAL);
    head.Wv = declare(params, name, "Wv", m, m, INIT_NORMAL);
    head.Wo = declare(params, name, "Wo", m, m, INIT_NORMAL);
    return head;
}

FeedForward feed_forward_declare(Params *params, const char *name, int m, int hidden) {
    FeedForward layer = {.norm = norm_declare(params, name, m)};
    layer.W1 = declare(params, name, "W1", m, hidden, INIT_NORMAL);
    layer.b1 = declare(params, name, "b1", 1, hidden, INIT_ZERO);
    layer.W2 = declare(params, name, "W2", hidden, m, INIT_NORMAL);
    layer.b2 = declare(params, name, "b2", 1, m, INIT_ZERO);
    return layer;
}

Var *norm(Tape *tape, const Norm *m, Var *x) { return layer_norm(tape, x, m->gain, m->bias); }

Memory multi_head_memory(Tape *tape, const MultiHead *m, Var *y, const Spans *spans) {
    return (Memory){linear(tape, y, m->Wk, NULL), linear(tape, y, m->Wv, NULL), spans};
}

static Var *add_dropped(Tape *tape, Var *x, Var *change, double drop) {
    return add_scaled(tape, x, 1, dropout(tape, change, drop));
}

/* α^k = softmax(Q^k K^kᵀ / √d),  head^k = α^k V^k,  MultiHead = [head^1; head^2; ...] W_o     (§3.2.2) */
Attended multi_head(Tape *tape, const MultiHead *m, Var *x, Var *normed, Memory memory, double drop) {
    const Spans *spans = memory.spans;
    Var *Q = linear(tape, normed, m->Wq, NULL);
    Var *e = dot_scores(tape, Q, memory.keys, m->heads, 1 / sqrt((double)Q->cols / m->heads), spans);
    Var *alpha = m->hard ? hardmax_spans(tape, e, spans) : softmax_spans(tape, e, spans);
    Var *heads = weighted_sum(tape, alpha, memory.values, spans, NULL);
    return (Attended){add_dropped(tape, x, linear(tape, heads, m->Wo, NULL), drop), alpha};
}

/* FeedForward(x) = max(0, x W_1 + b_1) W_2 + b_2     (§3.3) */
Var *feed_forward(Tape *tape, const FeedForward *m, Var *x, double drop) {
    Var *hidden = relu(tape, linear(tape, norm(tape, &m->norm, x), m->W1, m->b1));
    return add_dropped(tape, x, linear(tape, hidden, m->W2, m->b2), drop);
}
