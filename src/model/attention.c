#include "model/attention.h"

#include <string.h>

/* The table: whoever writes one more kind names it in these three. */
extern const AttentionKind attention_additive, attention_none;
static const AttentionKind *const kinds[] = {&attention_additive, &attention_none};
const char attention_names[] = "additive|none";

const AttentionKind *attention_kind(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}

void attention_declare(Attention *attention, const AttentionKind *kind, Params *params, int rnn, int att) {
    *attention = (Attention){.kind = kind};
    kind->declare(attention, params, rnn, att);
}

void attention_prepare(Tape *tape, const Attention *attention, Annotations *annotations) {
    attention->kind->prepare(tape, attention, annotations);
}

Context attend(Tape *tape, const Attention *attention, const Annotations *annotations, Var *s_prev, Var *out) {
    return attention->kind->attend(tape, attention, annotations, s_prev, out);
}
