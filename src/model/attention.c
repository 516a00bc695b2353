#include "model/attention.h"

#include <string.h>

/* The table: whoever writes one more kind names it in these three. */
extern const AttentionKind attention_additive, attention_dot, attention_general, attention_scaled_dot,
    attention_multi_head, attention_none;
static const AttentionKind *const kinds[] = {&attention_additive,   &attention_dot,        &attention_general,
                                             &attention_scaled_dot, &attention_multi_head, &attention_none};
const char attention_names[] = "additive|dot|general|scaled-dot|multi-head|none";

const AttentionKind *attention_kind(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}

void attention_declare(Attention *attention, const AttentionKind *kind, Params *params, AttentionSizes sizes) {
    *attention = (Attention){.kind = kind, .heads = kind->aligns ? 1 : 0};
    kind->declare(attention, params, sizes);
}

void attention_prepare(Tape *tape, const Attention *attention, Annotations *annotations) {
    attention->kind->prepare(tape, attention, annotations);
}

/* c_i = Σ_j α_ij h_j, unless the kind has it otherwise */
Context attend(Tape *tape, const Attention *attention, const Annotations *annotations, Var *s_prev, Var *out) {
    const AttentionKind *kind = attention->kind;
    if (!kind->weigh) return kind->attend(tape, attention, annotations, s_prev);
    Var *alpha = kind->weigh(tape, attention, annotations, s_prev);
    return (Context){weighted_sum(tape, alpha, annotations->H, &annotations->spans, out), alpha};
}

Var *attention_weights(Tape *tape, const Attention *attention, Var *e, const Spans *spans) {
    return attention->reading.hard ? hardmax_spans(tape, e, spans) : softmax_spans(tape, e, spans);
}

Var *attention_alignment(Tape *tape, Reading reading, int heads, Var *alpha, const Spans *spans) {
    return mean_heads(tape, alpha, reading.head ? (Heads){reading.head - 1, 1} : (Heads){0, heads}, spans);
}
