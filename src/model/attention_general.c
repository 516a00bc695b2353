/* attention_general.c: attention whose score is a bilinear form (Luong et al. 2015, §3.1, "general"). */
#include "model/attention.h"

enum { Wa = OF_KEYS }; /* [a, n] */

static void declare(Attention *m, Params *params, const ModelConfig *c, int annotation) {
    m->weights[Wa] = params_add(params, "attention.Wa", annotation, c->rnn, INIT_NORMAL, 0.01);
}

/* e_ij = s_{i-1}ᵀ W_a h_j */
static Var *score(Tape *tape, const Attention *m, Var *s_prev, Var *keys, const Query *query) {
    (void)m;
    return dot_scores(tape, s_prev, keys, 1, 1, query->spans);
}

const AttentionKind attention_general = {.name = "general", .aligns = true, .declare = declare, .score = score};
