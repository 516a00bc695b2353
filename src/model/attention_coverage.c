/* attention_coverage.c: the paper's attention, which also knows how much of each annotation has been read: the
   linguistic coverage of Tu et al. 2016 (§3.1), without fertilities. */
#include "model/attention.h"

enum { Wa = OF_QUERY, Ua = OF_KEYS, va = OWN_WEIGHTS, Vb }; /* [n, n'], [a, n'], [n', 1], [1, n'] */

static void declare(Attention *m, Params *params, const ModelConfig *c, int annotation) {
    m->weights[Wa] = params_add(params, "attention.Wa", c->rnn, c->att, INIT_NORMAL, 0.001);
    m->weights[Ua] = params_add(params, "attention.Ua", annotation, c->att, INIT_NORMAL, 0.001);
    m->weights[va] = params_add(params, "attention.va", c->att, 1, INIT_ZERO, 0);
    m->weights[Vb] = params_add(params, "attention.Vb", 1, c->att, INIT_ZERO, 0);
}

/* e_ij = v_aᵀ tanh(W_a s_{i-1} + U_a h_j + V_b β_{i-1,j}) */
static Var *score(Tape *tape, const Attention *m, Var *q, Var *keys, const Query *query) {
    const CoverageWeights weights = {m->weights[va], m->weights[Vb]};
    tape_note(tape, "attention", "beta", query->memory);
    return coverage_scores(tape, q, keys, query->memory, weights, query->spans);
}

/* β_0j = 0 */
static Var *init_memory(Tape *tape, const Attention *m, const AttentionSource *source, int n) {
    (void)m;
    return zeros(tape, n, source->annotations.spans.longest);
}

/* β_ij = β_{i-1,j} + α_ij: the weight that the words up to i gave to h_j */
static Var *next_memory(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query, Var *alpha) {
    (void)m, (void)source;
    return add_scaled(tape, query->memory, 1, alpha);
}

const AttentionKind attention_coverage = {.name = "coverage",
                                          .aligns = true,
                                          .declare = declare,
                                          .score = score,
                                          .init_memory = init_memory,
                                          .next_memory = next_memory};
