/* coverage_attention.h: an attention with a memory for each hypothesis. The memory is the coverage Σ_k<i α_kj of each
   annotation, and lowers its score. Tests that model, beam search and gradients handle such a memory. */
#ifndef TIDE_TESTS_COVERAGE_ATTENTION_H
#define TIDE_TESTS_COVERAGE_ATTENTION_H

#include "model/attention.h"

static void coverage_declare(Attention *m, Params *params, AttentionSizes sizes) {
    m->weights[0] = params_add(params, "attention.Wa", sizes.annotation, sizes.rnn, INIT_NORMAL, 0.01);
}

static void coverage_prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)rates;
    source->keys = linear(tape, source->annotations.H, m->weights[0], NULL);
}

/* e_ij = s_{i-1}ᵀ W_a h_j - 2 Σ_k<i α_kj,  α_i = softmax(e_i) */
static Var *coverage_weigh(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query) {
    (void)m;
    Var *e = dot_scores(tape, query->s_prev, source->keys, 1, 1, query->spans);
    return attention_softmax(tape, source->options, add_scaled(tape, e, -2, query->memory), query->spans);
}

static Var *coverage_init_memory(Tape *tape, const Attention *m, const AttentionSource *source, int n) {
    (void)m;
    return zeros(tape, n, source->annotations.spans.longest);
}

static Var *coverage_next_memory(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query,
                                 Var *alpha) {
    (void)m, (void)source;
    return add_scaled(tape, query->memory, 1, alpha);
}

static const AttentionKind coverage_attention = {.name = "coverage",
                                                 .aligns = true,
                                                 .declare = coverage_declare,
                                                 .prepare = coverage_prepare,
                                                 .weigh = coverage_weigh,
                                                 .init_memory = coverage_init_memory,
                                                 .next_memory = coverage_next_memory};

#endif
