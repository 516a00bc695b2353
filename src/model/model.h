/* model.h: a translation model, that is an encoder and a decoder, and its interface for training and search. */
#ifndef TIDE_MODEL_H
#define TIDE_MODEL_H

#include "core/ops.h"
#include "model/attention.h"

/* After loading, only training changes a model, and only the values of its parameters. All other functions take a const
   Model, which any number of threads may share. */
typedef struct Model {
    ModelConfig config;
    const Arch *arch;
    Params params;
    Encoder encoder;
    void *decoder; /* the weights of the decoder, in a type that the decoder defines; owned */
} Model;

/* Declares the parameters. Afterwards the caller calls params_allocate or params_share. Release with model_free. */
void model_init(Model *model, const ModelConfig *config);
/* Releases a model. A model that is all zeros is allowed. */
void model_free(Model *model);
/* A model has one alignment for each head of each layer of the decoder; without attention `heads` is 0. */
typedef struct Alignments {
    int layers, heads;
} Alignments;
Alignments model_alignments(const Model *model);
/* Whether the model has an alignment. */
bool model_aligns(const Model *model);
/* The target embedding [target_vocab, m]. */
const Var *model_target_embedding(const Model *model);

/* The result of teacher forcing: the alignment of every step, and all that model_output needs. */
enum { FORCED_OUTPUTS = 3 };
typedef struct Forced {
    Var **alpha; /* [target.steps] alignments [sentences alive, longest]; each NULL without attention */
    Var *outputs[FORCED_OUTPUTS]; /* [target.rows, ..] inputs of the output layer; the decoder defines their meaning */
    Drop drop;                    /* the dropout before the output layer */
} Forced;
/* Runs encoder and decoder with the target words as the decoder's input. The result lives on the tape. */
Forced model_force(Tape *tape, const Model *model, const Batch *batch, const PassOptions *options);
/* Returns the output layer of all positions, whose logits are [target.rows, V]. */
OutputLayer model_output(Tape *tape, const Model *model, const Forced *forced);
/* What a loss is measured against. rows: the number of target rows of the whole batch, of which `target` may be a part.
   smoothing: ε of label smoothing. teacher: NULL if there is no distillation. */
typedef struct Objective {
    const Sequences *target;
    int rows;
    double smoothing;
    const Teacher *teacher;
} Objective;
/* Returns the mean cross-entropy [1, 1], see distilled_cross_entropy. nats[s] receives the cross-entropy of shard s in
   nats, without smoothing, summed over the target rows; without shards, nats[0] receives that of all rows. */
Var *model_loss(Tape *tape, const Model *model, const Forced *forced, Objective objective, double *nats);

/* ---- word by word, on a tape that does not record ---- */

/* The state of a decoder: what changes while it decodes. Each decoder has its own type of state. */
typedef void DecoderState;

/* Encodes the sources and returns a new state of the decoder, with one empty hypothesis for each sentence and room for
   `most` hypotheses. Release it with model_end before the tape is rewound or reset. The tape must not record. */
DecoderState *model_begin(Tape *tape, const Model *model, const Source *source, int most, const PassOptions *options);

/* The open hypotheses. Row i: the sentence owner[i], and previous[i], the last word of the hypothesis or <s>. */
typedef struct Hypotheses {
    const int *owner, *previous;
    int rows;
} Hypotheses;
/* The output layer, whose logits [rows, V] are those of the next word of each hypothesis, and the alignment [rows,
   longest], which is NULL for a model without attention. */
typedef struct Step {
    OutputLayer output;
    Var *alpha;
} Step;
/* Computes one step of the open hypotheses. */
Step model_step(Tape *tape, const Model *model, DecoderState *state, Hypotheses hypotheses);
/* Reorders the state after a step: the new hypothesis in row i extends the hypothesis in row parent[i] of that step. */
void model_reorder(const Model *model, DecoderState *state, const int *parent, int rows);
void model_end(const Model *model, DecoderState *state);

/* A decoder: a table of its functions. Each decoder has one file. The comments of the functions model_* above also
   describe the functions of the same name here. */
struct Arch {
    const char *name; /* the value of --arch that selects this decoder */
    /* Adapts the configuration to a decoder that needs a certain encoder; NULL: any encoder fits. */
    void (*configure)(ModelConfig *config);
    /* Declares and returns the weights of the decoder, in one block, which model_free releases. `annotation`: the width
       of an annotation. */
    void *(*declare)(const ModelConfig *config, Params *params, int annotation);
    Alignments (*alignments)(const Model *model);
    const Var *(*target_embedding)(const Model *model);
    Forced (*force)(Tape *tape, const Model *model, const Batch *batch, Annotations annotations,
                    const PassOptions *options);
    OutputLayer (*output)(Tape *tape, const Model *model, const Forced *forced);
    DecoderState *(*begin)(Tape *tape, const Model *model, Annotations annotations, int sentences, int most,
                           const PassOptions *options);
    Step (*step)(Tape *tape, const Model *model, DecoderState *state, Hypotheses hypotheses);
    void (*reorder)(DecoderState *state, const int *parent, int rows);
    void (*end)(DecoderState *state);
};

/* The names of all decoders, separated by '|'. */
extern const char arch_names[];
/* Returns the decoder with this name, or NULL. */
const Arch *arch_named(const char *name);
/* Returns the decoder whose name has this index in arch_names; NULL for -1. */
const Arch *arch_at(int index);

#endif
