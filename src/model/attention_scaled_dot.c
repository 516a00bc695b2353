/* attention_scaled_dot.c: attention whose score is a scaled dot product (Vaswani et al. 2017, §3.2.1). The query is a
   projection of the state, the keys are projections of the annotations, and the values are the annotations. */
#include "model/attention.h"

#include <math.h>

enum { Wq = OF_QUERY, Wk = OF_KEYS }; /* [n, n'], [a, n'] */

static void declare(Attention *m, Params *params, const ModelConfig *c, int annotation) {
    m->weights[Wq] = params_add(params, "attention.Wq", c->rnn, c->att, INIT_NORMAL, 0.01);
    m->weights[Wk] = params_add(params, "attention.Wk", annotation, c->att, INIT_NORMAL, 0.01);
}

/* e_ij = (W_q s_{i-1})·(W_k h_j) / √n'
   The dot product of two vectors of n' numbers with variance 1 has variance n'; the division makes it 1 again. */
static Var *score(Tape *tape, const Attention *m, Var *q, Var *keys, const Query *query) {
    (void)m;
    return dot_scores(tape, q, keys, 1, 1 / sqrt(q->cols), query->spans);
}

const AttentionKind attention_scaled_dot = {.name = "scaled-dot", .aligns = true, .declare = declare, .score = score};
