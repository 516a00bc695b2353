/* attention_general.c: the score is a bilinear form (Luong et al. 2015, §3.1, "general"). */
#include "model/attention.h"

enum { Wa }; /* [a, n] */

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    m->weights[Wa] = params_add(params, "attention.Wa", sizes.annotation, sizes.rnn, INIT_NORMAL, 0.01);
}

/* W_a h_j does not depend on i: once for the whole sentence. */
static void prepare(Tape *tape, const Attention *m, Annotations *H) {
    H->keys = linear(tape, H->H, m->weights[Wa], NULL);
}

/* e_ij = s_{i-1}ᵀ W_a h_j,  α_i = softmax(e_i) */
static Var *weigh(Tape *tape, const Attention *m, const Annotations *H, Var *s_prev) {
    return attention_weights(tape, m, dot_scores(tape, s_prev, H->keys, 1, 1, &H->spans), &H->spans);
}

const AttentionKind attention_general = {"general", true, declare, prepare, weigh, NULL};
