#include "model/multi_head.h"

#include <math.h>
#include <stdio.h>

MultiHead multi_head_declare(Params *params, const char *name, int q, int k, int n, int heads) {
    MultiHead m = {.heads = heads};
    snprintf(m.name, sizeof m.name, "%s", name);
    m.Wq = params_add_part(params, name, "Wq", q, n, INIT_NORMAL, 0.01);
    m.Wk = params_add_part(params, name, "Wk", k, n, INIT_NORMAL, 0.01);
    m.Wv = params_add_part(params, name, "Wv", k, n, INIT_NORMAL, 0.01);
    m.Wo = params_add_part(params, name, "Wo", n, k, INIT_NORMAL, 0.01);
    return m;
}

KeysValues multi_head_project(Tape *tape, const MultiHead *m, Var *x, const Spans *spans) {
    Var *keys = linear(tape, x, m->Wk, NULL);
    return (KeysValues){keys, linear(tape, x, m->Wv, NULL), spans};
}

/* For each head k, of width d = n'/heads:
   e_ij^k = (W_q^k q_i)·(W_k^k x_j) / √d,  α_i^k = softmax(e_i^k),  c_i^k = Σ_j α_ij^k W_v^k x_j;
   c_i = W_o [c_i^1; c_i^2; ...] */
HeadsRead multi_head(Tape *tape, const MultiHead *m, Var *queries, KeysValues read, bool hard) {
    Var *Q = linear(tape, queries, m->Wq, NULL);
    const int d = Q->cols / m->heads;
    Var *e = dot_scores(tape, Q, read.keys, m->heads, 1 / sqrt(d), read.spans);
    tape_note(tape, m->name, "e", e);
    Var *alpha = hard ? hardmax_spans(tape, e, read.spans) : softmax_spans(tape, e, read.spans);
    Var *heads = weighted_sum(tape, alpha, read.values, read.spans, NULL), *c = linear(tape, heads, m->Wo, NULL);
    tape_note(tape, m->name, "alpha", alpha);
    tape_note_rows(tape, m->name, "v", read.values);
    tape_note(tape, m->name, "c_heads", heads);
    tape_note(tape, m->name, "c", c);
    return (HeadsRead){c, alpha};
}
