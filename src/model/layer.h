/* layer.h: the sublayers of a Transformer (Vaswani et al. 2017, §3.1 to 3.3): multi-head attention and feed-forward.
   Both are pre-norm, x + sublayer(norm(x)): such a model learns without a warm-up (Xiong et al. 2020). */
#ifndef TIDE_LAYER_H
#define TIDE_LAYER_H

#include "model/multi_head.h"

typedef struct Norm {
    Var *gain, *bias; /* [1, m] */
} Norm;

typedef struct AttentionLayer {
    Norm norm;
    MultiHead heads; /* q = k = n' = m */
} AttentionLayer;

typedef struct FeedForward {
    Norm norm;
    Var *W1, *b1, *W2, *b2; /* [m, k], [1, k], [k, m], [1, m] */
} FeedForward;

/* Declare the weights with the names `name`.gain, `name`.Wq and so on. m is the width of the layer. */
Norm norm_declare(Params *params, const char *name, int m);
AttentionLayer attention_layer_declare(Params *params, const char *name, int m, int heads);
FeedForward feed_forward_declare(Params *params, const char *name, int m, int hidden);

/* Returns the layer norm of x [rows, m]. */
Var *norm(Tape *tape, const Norm *norm, Var *x);
/* The result x [rows, m] of an attention sublayer, and the weights α of all heads [rows, heads longest]. */
typedef struct Attended {
    Var *x, *alpha;
} Attended;
/* Computes x + dropout(MultiHead(normed, read)). `normed` is norm(x); `read` has the keys and values; `hard` as in
   AttentionOptions. */
Attended attention_layer(Tape *tape, const AttentionLayer *m, Var *x, Var *normed, KeysValues read, bool hard,
                         Drop drop);
/* Returns x + dropout(FeedForward(norm(x))) [rows, m]. */
Var *feed_forward(Tape *tape, const FeedForward *m, Var *x, Drop drop);

#endif
