#include "model/gru.h"

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

GruReader gru_begin(Tape *tape, const GruWeights *m, Var *x, int sentences) {
    return (GruReader){m, linear(tape, x, m->W, m->b), var_new(tape, x->rows, m->U->rows),
                       zeros(tape, sentences, m->U->rows)};
}

GruStep gru_read(Tape *tape, const GruReader *r, const Sequences *s, int t, Var *h) {
    int first = s->offset[t], live = sequences_live(s, t);
    return (GruStep){slice(tape, r->xW, first, live), h, r->weights->Uzr, r->weights->U,
                     slice(tape, r->states, first, live)};
}
