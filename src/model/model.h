/* model.h: RNNsearch: the encoder, c, f and g put together. */
#ifndef TIDE_MODEL_H
#define TIDE_MODEL_H

#include "model/attention.h"
#include "model/readout.h"
#include "model/state.h"

/* What decides the parameters and the arithmetic. */
typedef struct ModelConfig {
    int source_vocab, target_vocab;
    int emb, rnn, att, maxout;  /* m, n, n', l of the paper */
    const EncoderKind *encoder; /* NULL: bigru */
    const AttentionKind *attention;
    bool readout_prev;    /* g reads s_{i-1} instead of s_i, as appendix A.2.2 prints it */
    bool tied_embeddings; /* g's W_o is the target embedding's Eᵀ; maxout must be emb */
    double dropout_embedding, dropout_annotation, dropout_readout;
    int heads;              /* of the attention, where it has several: divides att; of self-attention: divides rnn */
    int depth, ffn, window; /* of the encoders cnn and self-attention: see EncoderSizes */
} ModelConfig;

typedef struct Model {
    ModelConfig config;
    Params params;
    Encoder encoder;
    Attention attention;
    DecoderState state;
    Readout readout;
} Model;

/* Declares the parameters; their memory is the caller's choice: params_allocate or param_borrow. */
void model_init(Model *model, const ModelConfig *config);
void model_free(Model *model);
/* Other rates than the configuration has. */
void model_dropout(Model *model, double embedding, double annotation, double readout);

/* The decoder led along given targets: the alignment of every step, and what g reads at every position. */
typedef struct Forced {
    Var **alpha;     /* [target.steps], each [sentences alive, longest]; entries NULL without attention */
    Var *Ey, *s, *c; /* [target.rows, ..] */
} Forced;
Forced model_force(Tape *tape, const Model *model, const Batch *batch);
/* g for all positions at once: the logits [target.rows, V]. */
Var *model_logits(Tape *tape, const Model *model, const Forced *forced);

/* One step of decoding without a target, for m hypotheses; annotations->spans.owner says whose they are. */
typedef struct Step {
    Var *s, *logits, *alpha;
} Step;
Step model_step(Tape *tape, const Model *model, const Annotations *annotations, const int *previous, Var *s_prev);

/* Encodes and prepares the attention. */
Annotations model_read(Tape *tape, const Model *model, const Source *source);

#endif
