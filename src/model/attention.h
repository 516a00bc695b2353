/* attention.h: c(H, s_{i-1}): which annotations the decoder reads to write word i. One file a kind. */
#ifndef TIDE_ATTENTION_H
#define TIDE_ATTENTION_H

#include "model/encoder.h"

typedef struct AttentionKind AttentionKind;

enum { ATTENTION_WEIGHTS = 4 /* at most */ };

/* Of the state, n; of an annotation, a: 2n in the paper; of what they are compared in, n'; and how many heads share n',
   where the kind has several. */
typedef struct AttentionSizes {
    int rnn, annotation, att, heads;
} AttentionSizes;

/* How a trained model's attention is read. Nothing of it is learnt. */
typedef struct Reading {
    bool hard;       /* see attention_weights */
    int layer, head; /* whose weights are the alignment, counted from 1; 0: the last layer's, the mean of all heads' */
} Reading;

typedef struct Attention {
    const AttentionKind *kind;
    Var *weights[ATTENTION_WEIGHTS]; /* the kind's own, which it names */
    int heads;                       /* 0: the kind has no alignment */
    Reading reading;
    double dropout; /* none: of its one annotation; the others take H as it is dropped */
} Attention;

/* c_i, and the alignment weights α_i [m, longest]; alpha is NULL where there are none. */
typedef struct Context {
    Var *c, *alpha;
} Context;

struct AttentionKind {
    const char *name; /* as --attention has it */
    bool aligns;      /* whether there is an alignment */
    void (*declare)(Attention *attention, Params *params, AttentionSizes sizes);
    /* What does not depend on the state, once for a batch: fills annotations->keys, and values. */
    void (*prepare)(Tape *tape, const Attention *attention, Annotations *annotations);
    /* α_i [m, longest], where c_i = Σ_j α_ij h_j; NULL where c_i is something else, which attend says. */
    Var *(*weigh)(Tape *tape, const Attention *attention, const Annotations *annotations, Var *s_prev);
    /* c(H, s_{i-1}) of such a kind, wherever it comes to stand; NULL where weigh says all. */
    Context (*attend)(Tape *tape, const Attention *attention, const Annotations *annotations, Var *s_prev);
};

/* All kinds, as choices of an option: separated by '|'. */
extern const char attention_names[];
/* By name, or NULL. */
const AttentionKind *attention_kind(const char *name);

void attention_declare(Attention *attention, const AttentionKind *kind, Params *params, AttentionSizes sizes);
void attention_prepare(Tape *tape, const Attention *attention, Annotations *annotations);
/* c(H, s_{i-1}). Row b of s_prev [m, n] belongs to sentence b, or to annotations->spans.owner[b]. `out` [m, a] is
   where c_i is best put, or NULL; it may come to stand elsewhere. */
Context attend(Tape *tape, const Attention *attention, const Annotations *annotations, Var *s_prev, Var *out);

/* For kinds: α_i = softmax(e_i); or where the attention is hard, all of the weight on the largest e_ij, so that c_i is
   that one annotation. Hard attention has no gradient (see hardmax_spans), so it is only for a tape that does not
   record: a model learns with soft weights, and may be read with hard ones. */
Var *attention_weights(Tape *tape, const Attention *attention, Var *e, const Spans *spans);
/* Of the weights of so many heads, the alignment [m, longest]: their mean, or the one head's that is to be read. */
Var *attention_alignment(Tape *tape, Reading reading, int heads, Var *alpha, const Spans *spans);

#endif
