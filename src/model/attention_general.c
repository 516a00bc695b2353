/* attention_general.c: attention whose score is a bilinear form (Luong et al. 2015, §3.1, "general"). */
#include "model/attention.h"

enum { Wa }; /* [a, n] */

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    m->weights[Wa] = params_add(params, "attention.Wa", sizes.annotation, sizes.rnn, INIT_NORMAL, 0.01);
}

/* W_a h_j does not depend on i, so it is computed once for each source word. */
static void prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)rates; /* dropout is already applied to H */
    source->keys = linear(tape, source->annotations.H, m->weights[Wa], NULL);
}

/* e_ij = s_{i-1}ᵀ W_a h_j,  α_i = softmax(e_i) */
static Var *weigh(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query) {
    (void)m;
    Var *e = dot_scores(tape, query->s_prev, source->keys, 1, 1, query->spans);
    return attention_softmax(tape, source->options, e, query->spans);
}

const AttentionKind attention_general = {
    .name = "general", .aligns = true, .declare = declare, .prepare = prepare, .weigh = weigh};
