/* attention_scaled_dot.c: attention whose score is a scaled dot product (Vaswani et al. 2017, §3.2.1). The query is a
   projection of the state, the keys are projections of the annotations, and the values are the annotations. */
#include "model/attention.h"

#include <math.h>

enum { Wq, Wk }; /* [n, n'], [a, n'] */

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    m->weights[Wq] = params_add(params, "attention.Wq", sizes.rnn, sizes.att, INIT_NORMAL, 0.01);
    m->weights[Wk] = params_add(params, "attention.Wk", sizes.annotation, sizes.att, INIT_NORMAL, 0.01);
}

static void prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)rates; /* dropout is already applied to H */
    source->keys = linear(tape, source->annotations.H, m->weights[Wk], NULL);
}

/* e_ij = (W_q s_{i-1})·(W_k h_j) / √n',  α_i = softmax(e_i)
   The dot product of two vectors of n' numbers with variance 1 has variance n'; the division makes it 1 again. */
static Var *weigh(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query) {
    Var *q = linear(tape, query->s_prev, m->weights[Wq], NULL);
    Var *e = dot_scores(tape, q, source->keys, 1, 1 / sqrt(q->cols), query->spans);
    return attention_softmax(tape, source->options, e, query->spans);
}

const AttentionKind attention_scaled_dot = {
    .name = "scaled-dot", .aligns = true, .declare = declare, .prepare = prepare, .weigh = weigh};
