/* attention_additive.c: the paper's attention (Bahdanau et al. 2015, §3.1, eq. 5 and 6; appendix A.1.2). */
#include "model/attention.h"

enum { Wa = OF_QUERY, Ua = OF_KEYS, va = OWN_WEIGHTS }; /* [n, n'], [a, n'], [n', 1] */

static void declare(Attention *m, Params *params, const ModelConfig *c, int annotation) {
    m->weights[Wa] = params_add(params, "attention.Wa", c->rnn, c->att, INIT_NORMAL, 0.001);
    m->weights[Ua] = params_add(params, "attention.Ua", annotation, c->att, INIT_NORMAL, 0.001);
    m->weights[va] = params_add(params, "attention.va", c->att, 1, INIT_ZERO, 0);
}

/* e_ij = v_aᵀ tanh(W_a s_{i-1} + U_a h_j) */
static Var *score(Tape *tape, const Attention *m, Var *q, Var *keys, const Query *query) {
    return additive_scores(tape, q, keys, m->weights[va], query->spans);
}

const AttentionKind attention_additive = {.name = "additive", .aligns = true, .declare = declare, .score = score};
