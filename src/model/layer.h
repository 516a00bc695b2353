/* layer.h: the sublayers of a Transformer (Vaswani et al. 2017, §3.1 to 3.3): attention with several heads, and two
   linear layers. Each reads its input normalised and adds its result to the input (Xiong et al. 2020, "pre-norm"): a
   model with this order learns without a warm-up. */
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

/* Each declares its weights as `name`.gain, `name`.Wq and so on. */
Norm norm_declare(Params *params, const char *name, int m);
AttentionLayer attention_layer_declare(Params *params, const char *name, int m, int heads);
FeedForward feed_forward_declare(Params *params, const char *name, int m, int hidden);

Var *norm(Tape *tape, const Norm *norm, Var *x);
/* x + MultiHead(normed, read), and the heads' weights α [n, heads longest]. `normed` is norm(x). `drop` is the dropout
   of what is added; `hard` as in AttentionOptions. */
typedef struct Attended {
    Var *x, *alpha;
} Attended;
Attended attention_layer(Tape *tape, const AttentionLayer *m, Var *x, Var *normed, KeysValues read, bool hard,
                         Drop drop);
/* x + FeedForward(norm(x)) */
Var *feed_forward(Tape *tape, const FeedForward *m, Var *x, Drop drop);

#endif
