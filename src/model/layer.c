#include "model/layer.h"

Norm norm_declare(Params *params, const char *name, int m) {
    Var *gain = params_add_part(params, name, "gain", 1, m, INIT_ONE, 0.01);
    return (Norm){gain, params_add_part(params, name, "bias", 1, m, INIT_ZERO, 0.01)};
}

AttentionLayer attention_layer_declare(Params *params, const char *name, int m, int heads) {
    const Norm norm = norm_declare(params, name, m);
    return (AttentionLayer){norm, multi_head_declare(params, name, m, m, m, heads)};
}

FeedForward feed_forward_declare(Params *params, const char *name, int m, int hidden) {
    FeedForward layer = {.norm = norm_declare(params, name, m)};
    layer.W1 = params_add_part(params, name, "W1", m, hidden, INIT_NORMAL, 0.01);
    layer.b1 = params_add_part(params, name, "b1", 1, hidden, INIT_ZERO, 0.01);
    layer.W2 = params_add_part(params, name, "W2", hidden, m, INIT_NORMAL, 0.01);
    layer.b2 = params_add_part(params, name, "b2", 1, m, INIT_ZERO, 0.01);
    return layer;
}

Var *norm(Tape *tape, const Norm *m, Var *x) { return layer_norm(tape, x, m->gain, m->bias); }

static Var *add_dropped(Tape *tape, Var *x, Var *change, Drop drop) {
    return add_scaled(tape, x, 1, dropout(tape, change, drop));
}

Attended attention_layer(Tape *tape, const AttentionLayer *m, Var *x, Var *normed, KeysValues read, bool hard,
                         Drop drop) {
    const HeadsRead found = multi_head(tape, &m->heads, normed, read, hard);
    return (Attended){add_dropped(tape, x, found.c, drop), found.alpha};
}

/* FeedForward(x) = max(0, x W_1 + b_1) W_2 + b_2     (§3.3) */
Var *feed_forward(Tape *tape, const FeedForward *m, Var *x, Drop drop) {
    Var *hidden = relu(tape, linear(tape, norm(tape, &m->norm, x), m->W1, m->b1));
    return add_dropped(tape, x, linear(tape, hidden, m->W2, m->b2), drop);
}
