/* attention_additive.c: the paper's attention (Bahdanau et al. 2015, §3.1, eq. 5 and 6; appendix A.1.2). */
#include "model/attention.h"

enum { Wa, Ua, va }; /* [n, n'], [a, n'], [n', 1] */

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    m->weights[Wa] = params_add(params, "attention.Wa", sizes.rnn, sizes.att, INIT_NORMAL, 0.001);
    m->weights[Ua] = params_add(params, "attention.Ua", sizes.annotation, sizes.att, INIT_NORMAL, 0.001);
    m->weights[va] = params_add(params, "attention.va", sizes.att, 1, INIT_ZERO, 0);
}

/* U_a h_j does not depend on i, so it is computed once for each source word. */
static void prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)rates; /* dropout is already applied to H */
    source->keys = linear(tape, source->annotations.H, m->weights[Ua], NULL);
}

/* e_ij = v_aᵀ tanh(W_a s_{i-1} + U_a h_j),  α_i = softmax(e_i) */
static Var *weigh(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query) {
    Var *q = linear(tape, query->s_prev, m->weights[Wa], NULL);
    Var *e = additive_scores(tape, q, source->keys, m->weights[va], query->spans);
    return attention_softmax(tape, source->options, e, query->spans);
}

const AttentionKind attention_additive = {
    .name = "additive", .aligns = true, .declare = declare, .prepare = prepare, .weigh = weigh};
