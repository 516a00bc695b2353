/* attention_dot.c: the score is a dot product, without weights of its own (Luong et al. 2015, §3.1, "dot"). */
#include "model/attention.h"

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    (void)m, (void)params, (void)sizes; /* nothing to learn */
}

/* The dot product needs a state and an annotation of one length. Where h_j has two directions, both halves are compared
   with the same state: k_j = →h_j + ←h_j; otherwise k_j = h_j. */
static void prepare(Tape *tape, const Attention *m, Annotations *H) {
    (void)m;
    H->keys = H->H->cols == H->begin->cols ? H->H : add_halves(tape, H->H);
}

/* e_ij = s_{i-1}·k_j,  α_i = softmax(e_i) */
static Var *weigh(Tape *tape, const Attention *m, const Annotations *H, Var *s_prev) {
    return attention_weights(tape, m, dot_scores(tape, s_prev, H->keys, 1, 1, &H->spans), &H->spans);
}

const AttentionKind attention_dot = {"dot", true, declare, prepare, weigh, NULL};
