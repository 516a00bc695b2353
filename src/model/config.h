/* config.h: the configuration of a model. */
#ifndef TIDE_CONFIG_H
#define TIDE_CONFIG_H

#include <stdbool.h>

typedef struct Arch Arch;
typedef struct EncoderKind EncoderKind;
typedef struct AttentionKind AttentionKind;

/* It determines the parameters and the computation. */
typedef struct ModelConfig {
    int source_vocab, target_vocab;
    int source_words;           /* size of the subword vocabulary, if source ids have a subword (see Encoder); else 0 */
    const Arch *arch;           /* NULL: rnnsearch */
    int emb, rnn, att, maxout;  /* m, n, n', l of the paper; the width n of a Transformer is m */
    const EncoderKind *encoder; /* NULL: bigru */
    const AttentionKind *attention;
    bool readout_prev;      /* g reads s_{i-1} instead of s_i, as appendix A.2.2 prints it */
    bool tied_embeddings;   /* W_o = Eᵀ of the target embedding; rnnsearch requires maxout = emb */
    int heads;              /* of attention "multi-head": must divide att; of self-attention: must divide its width */
    int depth, ffn, window; /* for the encoders that have them: the number of layers, the hidden units of a feed-forward
                               layer, and the width of a convolution, in words */
    bool conditional;       /* rnnsearch: f is a conditional GRU, see state.h */
    int decoder_depth;      /* number of layers of the decoder of a Transformer */
} ModelConfig;

#endif
