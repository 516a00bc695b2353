#include "model/gru.h"

GruWeights gru_declare(Params *params, const char *name, int in, int n) {
    Var *W = params_add_part(params, name, "W", in, 3 * n, INIT_NORMAL, 0.01);
    GruWeights gru = gru_declare_recurrent(params, name, n);
    gru.W = W;
    return gru;
}

GruWeights gru_declare_recurrent(Params *params, const char *name, int n) {
    GruWeights gru = {0};
    gru.Uzr = params_add_part(params, name, "Uzr", n, 2 * n, INIT_ORTHOGONAL, 0);
    gru.U = params_add_part(params, name, "U", n, n, INIT_ORTHOGONAL, 0);
    gru.b = params_add_part(params, name, "b", 1, 3 * n, INIT_ZERO, 0);
    return gru;
}

GruDirection gru_direction(Tape *tape, const GruWeights *m, Var *x, int sentences) {
    return (GruDirection){m, linear(tape, x, m->W, m->b), var_new(tape, x->rows, m->U->rows),
                          zeros(tape, sentences, m->U->rows)};
}

GruStep gru_step_at(Tape *tape, const GruDirection *r, const Sequences *s, int t, Var *h) {
    int first = s->offset[t], live = sequences_live(s, t);
    return (GruStep){slice(tape, r->xW, first, live), h, r->weights->Uzr, r->weights->U,
                     slice(tape, r->states, first, live)};
}
