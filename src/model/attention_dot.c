/* attention_dot.c: the score is a dot product, without weights of its own (Luong et al. 2015, §3.1, "dot"). */
#include "model/attention.h"

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    (void)m, (void)params, (void)sizes; /* there is nothing to learn */
}

/* The dot product needs a state and an annotation of one length. If h_j has two directions, both halves are compared
   with the same state: k_j = →h_j + ←h_j; otherwise k_j = h_j. */
static void prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)m, (void)rates;
    const Annotations *A = &source->annotations;
    source->keys = A->H->cols == A->summary->cols ? A->H : add_halves(tape, A->H);
}

/* e_ij = s_{i-1}·k_j,  α_i = softmax(e_i) */
static Var *weigh(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query) {
    (void)m;
    Var *e = dot_scores(tape, query->s_prev, source->keys, 1, 1, query->spans);
    return attention_softmax(tape, source->options, e, query->spans);
}

const AttentionKind attention_dot = {
    .name = "dot", .aligns = true, .declare = declare, .prepare = prepare, .weigh = weigh};
