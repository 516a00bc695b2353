/* attention_none.c: RNNencdec, the baseline without attention: one c for the whole sentence (Cho et al. 2014). */
#include "model/attention.h"

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    (void)m, (void)params, (void)sizes; /* nothing to learn */
}

static void prepare(Tape *tape, const Attention *m, Annotations *H) {
    Var *c = H->end ? beside(tape, H->end, H->begin) : H->begin;
    H->keys = dropout(tape, c, m->dropout);
}

/* c_i = [→h_T ; ←h_1], or whatever one vector the encoder makes of a sentence, for every i: it stands already where it
 * stands */
static Context attend_none(Tape *tape, const Attention *m, const Annotations *H, Var *s_prev) {
    (void)m;
    const int *owner = H->spans.owner;
    return (Context){owner ? gather(tape, H->keys, owner, s_prev->rows) : slice(tape, H->keys, 0, s_prev->rows), NULL};
}

const AttentionKind attention_none = {"none", false, declare, prepare, NULL, attend_none};
