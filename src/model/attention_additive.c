/* attention_additive.c: the paper's attention (Bahdanau et al. 2015, §3.1, eq. 5 and 6; appendix A.1.2). */
#include "model/attention.h"

static void declare(Attention *m, Params *params, int rnn, int att) {
    m->Wa = params_add(params, "attention.Wa", rnn, att, INIT_NORMAL, 0.001);
    m->Ua = params_add(params, "attention.Ua", 2 * rnn, att, INIT_NORMAL, 0.001);
    m->va = params_add(params, "attention.va", att, 1, INIT_ZERO, 0);
}

/* U_a h_j does not depend on i: once for the whole sentence. */
static void prepare(Tape *tape, const Attention *m, Annotations *H) { H->keys = linear(tape, H->H, m->Ua, NULL); }

/* e_ij = v_aᵀ tanh(W_a s_{i-1} + U_a h_j),  α_i = softmax(e_i),  c_i = Σ_j α_ij h_j */
static Context attend_additive(Tape *tape, const Attention *m, const Annotations *H, Var *s_prev, Var *out) {
    Var *e = additive_scores(tape, linear(tape, s_prev, m->Wa, NULL), H->keys, m->va, &H->spans);
    Var *alpha = softmax_spans(tape, e, &H->spans);
    return (Context){.c = weighted_sum(tape, alpha, H->H, &H->spans, out), .alpha = alpha};
}

const AttentionKind attention_additive = {"additive", declare, prepare, attend_additive};
