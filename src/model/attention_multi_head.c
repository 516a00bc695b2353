/* attention_multi_head.c: multi-head attention (Vaswani et al. 2017, §3.2.2; see multi_head.h). The query is a
   projection of the state; keys and values are projections of the annotations. */
#include "model/attention.h"

static void declare(Attention *m, Params *params, const ModelConfig *c, int annotation) {
    m->multi_head = multi_head_declare(params, "attention", c->rnn, annotation, c->att, c->heads);
    m->heads = c->heads;
}

static void prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)rates; /* dropout is already applied to H */
    const KeysValues projected = multi_head_project(tape, &m->multi_head, source->annotations.H, NULL);
    source->keys = projected.keys;
    source->values = projected.values;
}

/* c_i = W_o [c_i^1; c_i^2; ...] */
static Context attend_multi_head(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query) {
    const KeysValues read = {source->keys, source->values, query->spans};
    const HeadsRead found = multi_head(tape, &m->multi_head, query->s_prev, read, source->options.hard);
    return (Context){.c = found.c,
                     .alpha = attention_alignment(tape, source->options, m->heads, found.alpha, query->spans)};
}

const AttentionKind attention_multi_head = {
    .name = "multi-head", .aligns = true, .declare = declare, .prepare = prepare, .attend = attend_multi_head};
