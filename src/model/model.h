/* model.h: a translation model: an encoder and a decoder, and what training and search ask of any of them. */
#ifndef TIDE_MODEL_H
#define TIDE_MODEL_H

#include "model/attention.h"

typedef struct Arch Arch;

/* What decides the parameters and the arithmetic. */
typedef struct ModelConfig {
    int source_vocab, target_vocab;
    int source_words;           /* words that source ids carry besides pieces: see Encoder; 0: none */
    const Arch *arch;           /* NULL: rnnsearch */
    int emb, rnn, att, maxout;  /* m, n, n', l of the paper */
    const EncoderKind *encoder; /* NULL: bigru */
    const AttentionKind *attention;
    bool readout_prev;      /* g reads s_{i-1} instead of s_i, as appendix A.2.2 prints it */
    bool tied_embeddings;   /* the output layer is the target embedding's Eᵀ; maxout must be emb */
    int heads;              /* of an attention with several heads: divides att; of self-attention: divides rnn */
    int depth, ffn, window; /* of the encoders that have them: see EncoderSizes */
    int decoder_depth;      /* layers of a Transformer's decoder */
} ModelConfig;

/* Only training changes a model, and only the values of its parameters. Every other use takes a const Model, which any
   number of threads may share. */
typedef struct Model {
    ModelConfig config;
    const Arch *arch;
    Params params;
    Encoder encoder;
    void *decoder; /* the decoder's weights, in a form of its own; owned */
} Model;

/* Declares the parameters. The caller gives them memory afterwards: see params.h. */
void model_init(Model *model, const ModelConfig *config);
/* Releases a model; one that is all zeros is allowed. */
void model_free(Model *model);
/* The alignments that the model has: one for each head of each layer. Without attention there are no heads. */
typedef struct Alignments {
    int layers, heads;
} Alignments;
Alignments model_alignments(const Model *model);
bool model_aligns(const Model *model);
/* The embedding of the target's words [target_vocab, m]. */
const Var *model_target_embedding(const Model *model);

/* The result of teacher forcing: the alignment of every step, and the input of the output layer at every position. */
enum { FORCED_OUTPUTS = 3 };
typedef struct Forced {
    Var **alpha;                  /* [target.steps], each [sentences alive, longest]; entries NULL without attention */
    Var *outputs[FORCED_OUTPUTS]; /* [target.rows, ..] each; the decoder's own */
    Drop drop;                    /* before the output layer */
} Forced;
Forced model_force(Tape *tape, const Model *model, const Batch *batch, const PassOptions *options);
/* For all positions at once: the logits [target.rows, V]. */
Var *model_logits(Tape *tape, const Model *model, const Forced *forced);

/* ---- word by word, on a tape that does not record ---- */

/* The state of a decoder: what changes while it decodes. Each decoder has its own type of state. */
typedef void DecoderState;

/* Encodes the sources. The state has one hypothesis without a word for each sentence, and room for `most`. Release it
   with model_end. */
DecoderState *model_begin(Tape *tape, const Model *model, const Source *source, int most, const PassOptions *options);

/* The open hypotheses, one row for each: the sentence of the hypothesis, and its last word. */
typedef struct Hypotheses {
    const int *owner, *previous;
    int rows;
} Hypotheses;
/* The logits of the next word of each hypothesis [rows, V], and the alignment [rows, longest], which is NULL for a
   model without attention. */
typedef struct Step {
    Var *logits, *alpha;
} Step;
Step model_step(Tape *tape, const Model *model, DecoderState *state, Hypotheses hypotheses);
/* Hypothesis i continues the one in row parent[i] of the last step. */
void model_reorder(const Model *model, DecoderState *state, const int *parent, int rows);
void model_end(const Model *model, DecoderState *state);

/* The table of functions of a decoder. Each decoder has one file. The comments of the functions model_* above also
   describe the functions of the same name here. */
struct Arch {
    const char *name; /* the value of --arch that selects this decoder */
    /* The sizes of the encoder; a decoder that needs an encoder of its own chooses it in the configuration. */
    EncoderSizes (*encoder)(ModelConfig *config);
    /* Declares the decoder's weights for annotations of this width. Returns them; model_free releases the block. */
    void *(*declare)(const ModelConfig *config, Params *params, int annotation);
    Alignments (*alignments)(const Model *model);
    const Var *(*target_embedding)(const Model *model);
    Forced (*force)(Tape *tape, const Model *model, const Batch *batch, Annotations annotations,
                    const PassOptions *options);
    Var *(*logits)(Tape *tape, const Model *model, const Forced *forced);
    DecoderState *(*begin)(Tape *tape, const Model *model, Annotations annotations, int sentences, int most,
                           const PassOptions *options);
    Step (*step)(Tape *tape, const Model *model, DecoderState *state, Hypotheses hypotheses);
    void (*reorder)(DecoderState *state, const int *parent, int rows);
    void (*end)(DecoderState *state);
};

/* All kinds, as choices of an option: separated by '|'. */
extern const char arch_names[];
/* By name, or NULL. */
const Arch *arch_named(const char *name);
/* Returns the decoder whose name has this index in arch_names; NULL for -1. */
const Arch *arch_at(int index);

#endif
