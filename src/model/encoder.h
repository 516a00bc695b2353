/* encoder.h: the bidirectional encoder: from words to annotations (Bahdanau et al. 2015, §3.2). */
#ifndef TIDE_ENCODER_H
#define TIDE_ENCODER_H

#include "model/batch.h"
#include "model/params.h"

/* A GRU's weights: W = [Wz Wr W] [in, 3n], Uzr = [Uz Ur] [n, 2n], U [n, n], b = [bz br b] [1, 3n]. */
typedef struct GruWeights {
    Var *W, *Uzr, *U, *b;
} GruWeights;

/* Declares them as `name`.W, .Uzr, .U and .b, as appendix B.1 initialises them. */
GruWeights gru_declare(Params *params, const char *name, int in, int n);

typedef struct Encoder {
    Var *E; /* [V, m], shared by both directions */
    GruWeights fwd, bwd;
    double dropout_embedding, dropout_annotation;
} Encoder;

/* The annotations of a batch, in the decoder's order of sentences. */
typedef struct Annotations {
    Var *H;              /* [rows, 2n] h_j = [→h_j ; ←h_j], sentence after sentence */
    Var *forward_last;   /* [sentences, n] →h_T */
    Var *backward_first; /* [sentences, n] ←h_1 */
    Spans spans;         /* the rows of each sentence */
    Var *keys;           /* what the attention prepared: U_a h_j, for example, or the fixed c */
    Var *values;         /* and what its weights sum up, where that is not H itself */
} Annotations;

void encoder_declare(Encoder *encoder, Params *params, int vocab, int emb, int rnn);
Annotations encode(Tape *tape, const Encoder *encoder, const Source *source);

#endif
