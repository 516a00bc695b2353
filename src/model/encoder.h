/* encoder.h: computes the annotations of the source words (Bahdanau et al. 2015, §3.2). One file for each kind; one
   file has bigru and deep-bigru. */
#ifndef TIDE_ENCODER_H
#define TIDE_ENCODER_H

#include "model/batch.h"
#include "model/config.h"
#include "model/params.h"
#include "model/pass.h"

typedef struct Encoder {
    const EncoderKind *kind;
    Var *E;             /* [V, m] */
    Var *E_word;        /* [W, m] embedding of subwords, a second source factor: id = piece + V × subword; or NULL */
    ModelConfig config; /* of the model */
    int width;          /* of an annotation, a */
    void *weights;      /* in a type that the kind defines; owned */
} Encoder;

/* The annotations of a batch, in the decoder's order of sentences. */
typedef struct Annotations {
    Var *H;        /* [rows, a], sentence after sentence */
    Var *summary;  /* [sentences, n] the input of s_0: ←h_1 of a bidirectional GRU, h_T of gru, else the mean of H */
    Var *fwd_last; /* [sentences, n] →h_T of a bidirectional GRU; other kinds: NULL */
    Spans spans;   /* the rows of H that belong to each sentence */
    const RowId *ids; /* [rows] the identities of the rows of H, for dropout; or NULL */
} Annotations;

struct EncoderKind {
    const char *name; /* the value of --encoder that selects this kind */
    /* Declares the weights; sets encoder->weights and encoder->width. */
    void (*declare)(Encoder *encoder, Params *params);
    /* Computes H, summary and fwd_last; encode sets spans and ids. x [rows, m]: the embeddings of the rows of
     * source->x. */
    Annotations (*annotate)(Tape *tape, const Encoder *encoder, const Source *source, Var *x, const Dropout *dropout);
};

/* The names of all kinds, separated by '|'. */
extern const char encoder_names[];
/* Returns the kind with this name, or NULL. */
const EncoderKind *encoder_kind(const char *name);
/* Returns the kind whose name has this index in encoder_names; NULL for -1. */
const EncoderKind *encoder_kind_at(int index);

/* Declares the weights. Release with encoder_free. */
void encoder_declare(Encoder *encoder, Params *params, const ModelConfig *config);
void encoder_free(Encoder *encoder);
/* For implementations of kinds: returns the mean annotation of each of n sentences [n, a]. */
Var *encoder_mean(Tape *tape, Var *H, const Spans *spans, int n);
/* Returns the annotations of the source; H with dropout. */
Annotations encode(Tape *tape, const Encoder *encoder, const Source *source, const Dropout *dropout);

#endif
