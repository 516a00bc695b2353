/* attention.h: c(H, s_{i-1}): which annotations the decoder reads to write word i. One file a kind. */
#ifndef TIDE_ATTENTION_H
#define TIDE_ATTENTION_H

#include "model/encoder.h"

typedef struct AttentionKind AttentionKind;

enum { ATTENTION_WEIGHTS = 4 /* at most */ };

typedef struct Attention {
    const AttentionKind *kind;
    Var *weights[ATTENTION_WEIGHTS]; /* the kind's own, which it names */
    double dropout; /* none: of its one annotation [→h_T ; ←h_1]; the others take H as it is dropped */
} Attention;

/* c_i, and the alignment weights α_i [m, longest]; alpha is NULL where there are none. */
typedef struct Context {
    Var *c, *alpha;
} Context;

struct AttentionKind {
    const char *name; /* as --attention has it */
    bool aligns;      /* whether there is an alignment */
    void (*declare)(Attention *attention, Params *params, int rnn, int att);
    /* What does not depend on the state, once for a batch: fills annotations->keys. */
    void (*prepare)(Tape *tape, const Attention *attention, Annotations *annotations);
    Context (*attend)(Tape *tape, const Attention *attention, const Annotations *annotations, Var *s_prev, Var *out);
};

/* All kinds, as choices of an option: separated by '|'. */
extern const char attention_names[];
/* By name, or NULL. */
const AttentionKind *attention_kind(const char *name);

void attention_declare(Attention *attention, const AttentionKind *kind, Params *params, int rnn, int att);
void attention_prepare(Tape *tape, const Attention *attention, Annotations *annotations);
/* c(H, s_{i-1}). Row b of s_prev [m, n] belongs to sentence b, or to annotations->spans.owner[b]. `out` [m, 2n] is
   where c_i is best put, or NULL. */
Context attend(Tape *tape, const Attention *attention, const Annotations *annotations, Var *s_prev, Var *out);

#endif
