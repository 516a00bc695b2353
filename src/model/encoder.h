/* encoder.h: from words to annotations (Bahdanau et al. 2015, §3.2). One file a kind, and a deep one with the other. */
#ifndef TIDE_ENCODER_H
#define TIDE_ENCODER_H

#include "model/batch.h"
#include "model/params.h"
#include "model/pass.h"

typedef struct EncoderKind EncoderKind;

/* m and n of the paper; layers, heads, hidden units and words that are looked at together, for the kinds that have
   them. */
typedef struct EncoderSizes {
    int emb, rnn, depth, heads, ffn, window;
} EncoderSizes;

typedef struct Encoder {
    const EncoderKind *kind;
    Var *E;      /* [V, m] */
    Var *E_word; /* [W, m], of the words that pieces are in, where ids tell of them: piece + V word; NULL: not */
    EncoderSizes sizes;
    int width;     /* of an annotation, a */
    void *weights; /* the kind's own; owned */
} Encoder;

/* The annotations of a batch, in the decoder's order of sentences. */
typedef struct Annotations {
    Var *H;       /* [rows, a], sentence after sentence */
    Var *summary; /* [sentences, n] of each sentence, what the decoder's first state is made from: ←h_1 */
    Var *fwd_last; /* [sentences, n] →h_T, which with summary stands for a whole sentence; NULL if summary does alone */
    Spans spans;   /* the rows of each sentence */
    const RowId *ids; /* [rows] of H, for dropout; NULL on a tape that does not record */
} Annotations;

struct EncoderKind {
    const char *name; /* as --encoder has it */
    /* Declares the kind's weights and says how wide an annotation is. */
    void (*declare)(Encoder *encoder, Params *params);
    /* Fills H, summary and fwd_last. x [rows, m] are the words' embeddings as source->x has them. */
    Annotations (*annotate)(Tape *tape, const Encoder *encoder, const Source *source, Var *x, const Dropout *dropout);
};

/* All kinds, as choices of an option: separated by '|'. */
extern const char encoder_names[];
/* By name, or NULL. */
const EncoderKind *encoder_kind(const char *name);
/* Returns the kind whose name has this index in encoder_names; NULL for -1. */
const EncoderKind *encoder_kind_at(int index);

/* words is W, or 0. */
void encoder_declare(Encoder *encoder, const EncoderKind *kind, Params *params, int vocab, int words,
                     EncoderSizes sizes);
/* For kinds: the mean annotation of each of n sentences. */
Var *encoder_mean(Tape *tape, Var *H, const Spans *spans, int n);
void encoder_free(Encoder *encoder);
Annotations encode(Tape *tape, const Encoder *encoder, const Source *source, const Dropout *dropout);

#endif
