/* attention.h: c(H, s_{i-1}): the context of target word i, computed from the annotations. One file for each kind. */
#ifndef TIDE_ATTENTION_H
#define TIDE_ATTENTION_H

#include "model/encoder.h"
#include "model/multi_head.h"

enum { ATTENTION_WEIGHTS = 4 /* at most */ };
/* Indices in Attention.weights: the weight that projects s_{i-1}, for a kind with score; the weight that projects h_j,
   for a kind without prepare (each may be NULL); then the kind's own weights. */
enum { OF_QUERY, OF_KEYS, OWN_WEIGHTS };

/* The weights of an attention. */
typedef struct Attention {
    const AttentionKind *kind;
    Var *weights[ATTENTION_WEIGHTS]; /* in an order that the kind defines */
    MultiHead multi_head;            /* of the kind multi-head, which has no other weights */
    int heads;                       /* 0: the kind has no alignment */
} Attention;

/* The source sentences, and all values that depend on the source only: they are computed once for each batch. */
typedef struct AttentionSource {
    Annotations annotations;
    Var *keys;   /* for example U_a h_j; kind "none": c */
    Var *values; /* the terms of the weighted sum; NULL: the annotations H */
    AttentionOptions options;
} AttentionSource;

/* The input of one step. */
typedef struct Query {
    Var *s_prev;        /* [m, n] s_{i-1} of m hypotheses, or the state of the first of two units: see state_query */
    Var *memory;        /* [m, ..] memory of the attention, a row for each hypothesis; NULL: the kind has no memory */
    const Spans *spans; /* the annotations that belong to each row of s_prev */
} Query;

/* c_i [m, a]; the alignment weights α_i [m, longest], NULL if the kind has no alignment; and the memory of the next
   step, NULL if the kind has no memory. */
typedef struct Context {
    Var *c, *alpha, *memory;
} Context;

/* A kind of attention. It defines either score or attend; a row of its α sums to 1 over the positions of the sentence,
   </s> among them. A kind with memory also defines init_memory and next_memory; beam search reorders the memory together
   with the hypotheses. */
struct AttentionKind {
    const char *name; /* the value of --attention that selects this kind */
    bool aligns;      /* whether the kind has an alignment */
    /* Declares the weights; NULL: there are none. annotation: the width of an annotation, a (2n in the paper). */
    void (*declare)(Attention *attention, Params *params, const ModelConfig *config, int annotation);
    /* Computes source->keys and, if the values are not H, source->values. NULL: the keys are H projected by the weight
       OF_KEYS: they do not depend on i, so they are computed once for each source word. */
    void (*prepare)(Tape *tape, const Attention *attention, AttentionSource *source, const Dropout *dropout);
    /* Returns e_i [m, longest] of a kind with α_i = softmax(e_i) and c_i = Σ_j α_ij h_j. q: s_prev of the query,
       projected by the weight OF_QUERY if the kind has it. */
    Var *(*score)(Tape *tape, const Attention *attention, Var *q, Var *keys, const Query *query);
    /* Returns c(H, s_{i-1}) of a kind with another equation for α_i or c_i. It projects s_prev itself, and obeys
       source->options: hard attention, and the head of the alignment. */
    Context (*attend)(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query);
    /* Returns the memory of the first step, for n sentences [n, ..]. */
    Var *(*init_memory)(Tape *tape, const Attention *attention, const AttentionSource *source, int n);
    /* Returns the memory of the next step [m, ..] for the memory and α_i of this step. It may be α_i, but not the
       memory of this step: a search copies rows from one to the other. */
    Var *(*next_memory)(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query,
                        Var *alpha);
};

/* The names of all kinds, separated by '|'. */
extern const char attention_names[];
/* Returns the kind with this name, or NULL. */
const AttentionKind *attention_kind(const char *name);
/* Returns the kind whose name has this index in attention_names; NULL for -1. */
const AttentionKind *attention_kind_at(int index);

/* Declares the weights. */
void attention_declare(Attention *attention, Params *params, const ModelConfig *config, int annotation);
/* Computes the keys and values of the attention from the annotations. Call it once for each batch. */
AttentionSource attention_prepare(Tape *tape, const Attention *attention, const Annotations *annotations,
                                  const PassOptions *options);
/* Returns the memory of the first step, for n sentences; NULL if the kind has no memory. */
Var *attention_init_memory(Tape *tape, const Attention *attention, const AttentionSource *source, int n);
/* Returns the memory of the next step; NULL if the kind has no memory. */
Var *attention_next_memory(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query,
                           Var *alpha);
/* Returns α_i [m, longest] of a kind that defines score. With hard attention the largest e_ij has weight 1, so c_i is
   one annotation. Hard attention has no gradient (see hardmax_spans), so training uses soft attention. */
Var *attention_weigh(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query);
/* Returns c(H, s_{i-1}). A kind that defines score writes c_i to `out` [m, a], unless `out` is NULL; any other kind
   ignores `out`. */
Context attend(Tape *tape, const Attention *attention, const AttentionSource *source, const Query *query, Var *out);

/* For implementations of kinds: returns the alignment [m, longest], which is the mean of the weights α of all heads
   [m, heads longest], or the weights of the head that the options select. */
Var *attention_alignment(Tape *tape, AttentionOptions options, int heads, Var *alpha, const Spans *spans);

#endif
