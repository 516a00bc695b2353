/* attention_dot.c: attention whose score is a dot product (Luong et al. 2015, §3.1, "dot"). It has no weights. */
#include "model/attention.h"

/* The dot product needs a key k_j of the same length as the state. If h_j = [→h_j ; ←h_j], then k_j = →h_j + ←h_j;
   otherwise k_j = h_j. */
static void prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)m, (void)rates;
    const Annotations *A = &source->annotations;
    source->keys = A->H->cols == A->summary->cols ? A->H : add_halves(tape, A->H);
}

/* e_ij = s_{i-1}·k_j */
static Var *score(Tape *tape, const Attention *m, Var *s_prev, Var *keys, const Query *query) {
    (void)m;
    return dot_scores(tape, s_prev, keys, 1, 1, query->spans);
}

const AttentionKind attention_dot = {.name = "dot", .aligns = true, .prepare = prepare, .score = score};
