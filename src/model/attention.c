#include "model/attention.h"
#include "core/choice.h"

/* A new kind needs one new file, and its name in these three lists, in the same order. */
extern const AttentionKind attention_additive, attention_coverage, attention_dot, attention_general,
    attention_scaled_dot, attention_multi_head, attention_none;
static const AttentionKind *const kinds[] = {&attention_additive, &attention_coverage,   &attention_dot,
                                             &attention_general,  &attention_scaled_dot, &attention_multi_head,
                                             &attention_none};
const char attention_names[] = "additive|coverage|dot|general|scaled-dot|multi-head|none";

const AttentionKind *attention_kind_at(int index) { return index < 0 ? NULL : kinds[index]; }
const AttentionKind *attention_kind(const char *name) { return attention_kind_at(choice_find(attention_names, name)); }

void attention_declare(Attention *attention, Params *params, const ModelConfig *c, int annotation) {
    *attention = (Attention){.kind = c->attention, .heads = c->attention->aligns ? 1 : 0};
    if (c->attention->declare) c->attention->declare(attention, params, c, annotation);
}

AttentionSource attention_prepare(Tape *tape, const Attention *attention, const Annotations *annotations,
                                  const PassOptions *options) {
    AttentionSource source = {.annotations = *annotations, .options = options->attention};
    if (attention->kind->prepare) attention->kind->prepare(tape, attention, &source, &options->dropout);
    else source.keys = linear(tape, source.annotations.H, attention->weights[OF_KEYS], NULL);
    return source;
}

Var *attention_init_memory(Tape *tape, const Attention *attention, const AttentionSource *source, int n) {
    return attention->kind->init_memory ? attention->kind->init_memory(tape, attention, source, n) : NULL;
}

Var *attention_next_memory(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query,
                           Var *alpha) {
    const AttentionKind *kind = attention->kind;
    return kind->next_memory ? kind->next_memory(tape, attention, source, query, alpha) : NULL;
}

/* α_i = softmax(e_i). Hard attention: the largest e_ij has weight 1. */
Var *attention_weigh(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query) {
    Var *W = attention->weights[OF_QUERY], *q = W ? linear(tape, query->s_prev, W, NULL) : query->s_prev;
    Var *e = attention->kind->score(tape, attention, q, source->keys, query);
    tape_note(tape, "attention", "e", e);
    Var *alpha = source->options.hard ? hardmax_spans(tape, e, query->spans) : softmax_spans(tape, e, query->spans);
    tape_note(tape, "attention", "alpha", alpha);
    return alpha;
}

/* c_i = Σ_j α_ij h_j, if the kind defines score */
Context attend(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query, Var *out) {
    if (!attention->kind->score) return attention->kind->attend(tape, attention, source, query);
    Var *alpha = attention_weigh(tape, attention, source, query);
    Var *c = weighted_sum(tape, alpha, source->annotations.H, query->spans, out);
    tape_note(tape, "attention", "c", c);
    return (Context){c, alpha, attention_next_memory(tape, attention, source, query, alpha)};
}

Var *attention_alignment(Tape *tape, AttentionOptions options, int heads, Var *alpha, const Spans *spans) {
    return mean_heads(tape, alpha, options.head ? (Heads){options.head - 1, 1} : (Heads){0, heads}, spans);
}
