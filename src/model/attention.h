/* attention.h: c(H, s_{i-1}): which annotations the decoder reads to write word i. One file for each kind. */
#ifndef TIDE_ATTENTION_H
#define TIDE_ATTENTION_H

#include "model/encoder.h"

typedef struct AttentionKind AttentionKind;

enum { ATTENTION_WEIGHTS = 4 /* at most */ };

/* The size of a state, n; of an annotation, a (2n in the paper); of the layer in which both are compared, n'; and the
   number of heads that share n', for a kind with several. */
typedef struct AttentionSizes {
    int rnn, annotation, att, heads;
} AttentionSizes;

/* The weights of c. */
typedef struct Attention {
    const AttentionKind *kind;
    Var *weights[ATTENTION_WEIGHTS]; /* the kind's own, which it names */
    int heads;                       /* 0: the kind has no alignment */
} Attention;

/* A batch of sources as an attention reads it: what does not depend on the decoder's state, computed once. */
typedef struct AttentionSource {
    Annotations annotations;
    Var *keys;   /* U_a h_j, for example, or the fixed c */
    Var *values; /* what the weights sum up, where that is not H; else NULL */
    AttentionOptions options;
} AttentionSource;

/* The input of one step. */
typedef struct Query {
    Var *s_prev;        /* [m, n] s_{i-1} of m hypotheses */
    Var *memory;        /* [m, ..] what the kind keeps for each hypothesis; NULL where it keeps nothing */
    const Spans *spans; /* the annotations that belong to each row of s_prev */
} Query;

/* c_i [m, a]; the alignment weights α_i [m, longest], NULL if the kind has none; and the memory of the next step, NULL
   if the kind keeps none. */
typedef struct Context {
    Var *c, *alpha, *memory;
} Context;

/* A kind defines weigh or attend. One that keeps a memory for each hypothesis defines init_memory and next_memory; in
   a search the memory follows its hypothesis. */
struct AttentionKind {
    const char *name; /* as --attention has it */
    bool aligns;      /* whether there is an alignment */
    void (*declare)(Attention *attention, Params *params, AttentionSizes sizes);
    /* Fills source->keys, and source->values where they are not H. */
    void (*prepare)(Tape *tape, const Attention *attention, AttentionSource *source, const Dropout *dropout);
    /* α_i [m, longest], where c_i = Σ_j α_ij h_j. */
    Var *(*weigh)(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query);
    /* c(H, s_{i-1}) of a kind whose c_i is something else. */
    Context (*attend)(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query);
    /* The memory before the first word of each of n sentences [n, ..]. */
    Var *(*init_memory)(Tape *tape, const Attention *attention, const AttentionSource *source, int n);
    /* The memory of the next step [m, ..], a new matrix, from that of this step and its α_i. */
    Var *(*next_memory)(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query,
                        Var *alpha);
};

/* All kinds, as choices of an option: separated by '|'. */
extern const char attention_names[];
/* By name, or NULL. */
const AttentionKind *attention_kind(const char *name);
/* Returns the kind whose name has this index in attention_names; NULL for -1. */
const AttentionKind *attention_kind_at(int index);

void attention_declare(Attention *attention, const AttentionKind *kind, Params *params, AttentionSizes sizes);
AttentionSource attention_prepare(Tape *tape, const Attention *attention, const Annotations *annotations,
                                  const PassOptions *options);
/* The memory for the first step; NULL if the kind keeps no memory. */
Var *attention_init_memory(Tape *tape, const Attention *attention, const AttentionSource *source, int n);
/* Only α_i, of a kind that defines weigh; and the memory of the next step, NULL where the kind keeps none. */
Var *attention_weigh(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query);
Var *attention_next_memory(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query,
                           Var *alpha);
/* c(H, s_{i-1}). `out` [m, a] is the preferred place of c_i, or NULL; a kind may put c_i elsewhere. */
Context attend(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query, Var *out);

/* For kinds: α_i = softmax(e_i); or with hard attention, all of the weight on the largest e_ij, so that c_i is that one
   annotation. Hard attention has no gradient (see hardmax_spans): a model learns with soft weights. */
Var *attention_softmax(Tape *tape, AttentionOptions options, Var *e, const Spans *spans);
/* The alignment [m, longest] from the weights of all heads: their mean, or those of the chosen head. */
Var *attention_alignment(Tape *tape, AttentionOptions options, int heads, Var *alpha, const Spans *spans);

#endif
