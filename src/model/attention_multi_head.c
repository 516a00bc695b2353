/* attention_multi_head.c: several scaled dot products side by side, each with projections of its own (Vaswani et al.
   2017, §3.2.2). The query is the state; keys and values are the annotations. */
#include "model/attention.h"

#include <math.h>

enum { Wq, Wk, Wv, Wo }; /* [n, n'], [a, n'], [a, n'], [n', a]; head k has the k-th block of the columns of n' */

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    m->heads = sizes.heads;
    const int annotation = sizes.annotation, att = sizes.att;
    m->weights[Wq] = params_add(params, "attention.Wq", sizes.rnn, att, INIT_NORMAL, 0.01);
    m->weights[Wk] = params_add(params, "attention.Wk", annotation, att, INIT_NORMAL, 0.01);
    m->weights[Wv] = params_add(params, "attention.Wv", annotation, att, INIT_NORMAL, 0.01);
    m->weights[Wo] = params_add(params, "attention.Wo", att, annotation, INIT_NORMAL, 0.01);
}

static void prepare(Tape *tape, const Attention *m, Annotations *H) {
    H->keys = linear(tape, H->H, m->weights[Wk], NULL);
    H->values = linear(tape, H->H, m->weights[Wv], NULL);
}

/* e_ij^k = (W_q^k s_{i-1})·(W_k^k h_j) / √d,  α_i^k = softmax(e_i^k),  c_i^k = Σ_j α_ij^k W_v^k h_j  for each head k,
   of d = n'/heads numbers;  c_i = W_o [c_i^1; c_i^2; ...]. The alignment is the mean of the heads' α, or one head's. */
static Context attend_multi_head(Tape *tape, const Attention *m, const Annotations *H, Var *s_prev) {
    Var *q = linear(tape, s_prev, m->weights[Wq], NULL);
    const int d = q->cols / m->heads;
    Var *e = dot_scores(tape, q, H->keys, m->heads, 1 / sqrt(d), &H->spans);
    Var *alpha = attention_weights(tape, m, e, &H->spans);
    Var *c = weighted_sum(tape, alpha, H->values, &H->spans, NULL);
    return (Context){.c = linear(tape, c, m->weights[Wo], NULL),
                     .alpha = attention_alignment(tape, m->reading, m->heads, alpha, &H->spans)};
}

const AttentionKind attention_multi_head = {"multi-head", true, declare, prepare, NULL, attend_multi_head};
