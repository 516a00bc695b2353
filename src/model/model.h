/* model.h: a translation model: an encoder and a decoder, and what training and search ask of any of them. */
#ifndef TIDE_MODEL_H
#define TIDE_MODEL_H

#include "model/attention.h"
#include "model/readout.h"
#include "model/state.h"

typedef struct Arch Arch;

/* What decides the parameters and the arithmetic. */
typedef struct ModelConfig {
    int source_vocab, target_vocab;
    int source_words; /* that source ids tell of, too: see Encoder; 0: none */
    const Arch *arch;           /* NULL: rnnsearch */
    int emb, rnn, att, maxout;  /* m, n, n', l of the paper */
    const EncoderKind *encoder; /* NULL: bigru */
    const AttentionKind *attention;
    bool readout_prev;    /* g reads s_{i-1} instead of s_i, as appendix A.2.2 prints it */
    bool tied_embeddings; /* the output layer is the target embedding's Eᵀ; maxout must be emb */
    double dropout_embedding, dropout_annotation, dropout_readout;
    int heads;              /* of the attention, where it has several: divides att; of self-attention: divides rnn */
    int depth, ffn, window; /* of the encoders that have them: see EncoderSizes */
    int decoder_depth;      /* layers of a Transformer's decoder */
} ModelConfig;

typedef struct Model {
    ModelConfig config;
    const Arch *arch;
    Params params;
    Encoder encoder;
    Var *E; /* [V, m] target embedding */
    /* RNNsearch's c, f and g */
    Attention attention;
    DecoderState state;
    Readout readout;
    struct TransformerDecoder *transformer; /* NULL in an RNNsearch; owned */
} Model;

/* Declares the parameters; their memory is the caller's choice: params_allocate or param_borrow. */
void model_init(Model *model, const ModelConfig *config);
void model_free(Model *model); /* one that was never begun is all zeros */
/* Other rates than the configuration has. */
void model_dropout(Model *model, double embedding, double annotation, double readout);
/* The alignments that there are to read (see Reading): that of each head of each layer. Without any, no heads. */
typedef struct Alignments {
    int layers, heads;
} Alignments;
Alignments model_alignments(const Model *model);
bool model_aligns(const Model *model);

/* Encodes, and prepares what does not depend on the decoder. */
Annotations model_read(Tape *tape, const Model *model, const Source *source);

/* The decoder led along given targets: the alignment of every step, and what the output layer reads at every position.
 */
typedef struct Forced {
    Var **alpha;     /* [target.steps], each [sentences alive, longest]; entries NULL without attention */
    Var *Ey, *s, *c; /* [target.rows, ..]; of a Transformer, s alone: what its last layer makes */
} Forced;
Forced model_force(Tape *tape, const Model *model, const Batch *batch);
/* For all positions at once: the logits [target.rows, V]. */
Var *model_logits(Tape *tape, const Model *model, const Forced *forced);

/* What a decoder remembers of the hypotheses that are open, a row each. */
typedef struct Past {
    Var *s, *s_next; /* RNNsearch: [most, n] s_{i-1}, and the s_i that the last step made */
    Var *CH, *CoH; /* RNNsearch: what each annotation, not hypothesis, brings into f [.., 3n] and g [.., 2l]; or NULL */
    struct Cache *cache; /* Transformer: keys and values; owned */
} Past;

/* One hypothesis of each of n sentences, which has no word yet; room for `most`. Release it by model_end. */
Past model_begin(Tape *tape, const Model *model, const Annotations *annotations, int n, int most);
/* Goes on from the last words of as many hypotheses, of which annotations->spans.owner says whose they are. */
typedef struct Step {
    Var *logits, *alpha; /* [rows, V], [rows, longest]; alpha is NULL where there is none */
} Step;
Step model_step(Tape *tape, const Model *model, const Annotations *annotations, const int *previous, int rows,
                Past *past);
/* Hypothesis i is the one that was parent[i] in the last step, with one more word. */
void model_follow(const Model *model, Past *past, const int *parent, int rows);
void model_end(const Model *model, Past *past);

/* A decoder: one file a kind. Its functions do what those of the same names above say. */
struct Arch {
    const char *name;                      /* as --arch has it */
    EncoderSizes (*encoder)(Model *model); /* which it needs: chooses its kind in the configuration */
    void (*declare)(Model *model);
    void (*free)(Model *model);
    Alignments (*alignments)(const Model *model);
    void (*prepare)(Tape *tape, const Model *model, Annotations *annotations);
    Forced (*force)(Tape *tape, const Model *model, const Batch *batch, const Annotations *annotations);
    Var *(*logits)(Tape *tape, const Model *model, const Forced *forced);
    Past (*begin)(Tape *tape, const Model *model, const Annotations *annotations, int n, int most);
    Step (*step)(Tape *tape, const Model *model, const Annotations *annotations, const int *previous, int rows,
                 Past *past);
    void (*follow)(Past *past, const int *parent, int rows);
    void (*end)(Past *past);
};

/* All kinds, as choices of an option: separated by '|'. */
extern const char arch_names[];
/* By name, or NULL. */
const Arch *arch_named(const char *name);

#endif
