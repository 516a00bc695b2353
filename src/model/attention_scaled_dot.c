/* attention_scaled_dot.c: query and key are projections of one length, n', by whose root the score is divided (Vaswani
   et al. 2017, §3.2.1). The query is the state; keys and values are the annotations. */
#include "model/attention.h"

#include <math.h>

enum { Wq, Wk }; /* [n, n'], [a, n'] */

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    m->weights[Wq] = params_add(params, "attention.Wq", sizes.rnn, sizes.att, INIT_NORMAL, 0.01);
    m->weights[Wk] = params_add(params, "attention.Wk", sizes.annotation, sizes.att, INIT_NORMAL, 0.01);
}

static void prepare(Tape *tape, const Attention *m, Annotations *H) {
    H->keys = linear(tape, H->H, m->weights[Wk], NULL);
}

/* e_ij = (W_q s_{i-1})·(W_k h_j) / √n',  α_i = softmax(e_i)
   Of numbers with variance 1 a dot product over n' of them has variance n': divided by √n' it has 1 again. */
static Var *weigh(Tape *tape, const Attention *m, const Annotations *H, Var *s_prev) {
    Var *q = linear(tape, s_prev, m->weights[Wq], NULL);
    Var *e = dot_scores(tape, q, H->keys, 1, 1 / sqrt(q->cols), &H->spans);
    return attention_weights(tape, m, e, &H->spans);
}

const AttentionKind attention_scaled_dot = {"scaled-dot", true, declare, prepare, weigh, NULL};
