/* layer.h: what the layers of a Transformer are made of (Vaswani et al. 2017, §3.1 to 3.3): attention of several heads
   and two linear layers, each added to its own input, which it reads normalised (Xiong et al. 2020, "pre-norm"): that
   learns without a warm-up, and in few updates. */
#ifndef TIDE_LAYER_H
#define TIDE_LAYER_H

#include "core/ops.h"
#include "model/params.h"

typedef struct Norm {
    Var *gain, *bias; /* [1, m] */
} Norm;

typedef struct MultiHead {
    Norm norm;
    Var *Wq, *Wk, *Wv, *Wo; /* [m, m]; head k has the k-th block of the columns, of Wo the rows */
    int heads;
    bool hard; /* see attention_weights */
} MultiHead;

typedef struct FeedForward {
    Norm norm;
    Var *W1, *b1, *W2, *b2; /* [m, k], [1, k], [k, m], [1, m] */
} FeedForward;

/* What queries look at: the keys and values of some words, [rows, m], and which of them belong to which query. */
typedef struct Memory {
    Var *keys, *values;
    const Spans *spans;
} Memory;

/* Each declares its weights as `name`.Wq and so on. */
Norm norm_declare(Params *params, const char *name, int m);
MultiHead multi_head_declare(Params *params, const char *name, int m, int heads);
FeedForward feed_forward_declare(Params *params, const char *name, int m, int hidden);

Var *norm(Tape *tape, const Norm *norm, Var *x);
/* The keys and values of words y [rows, m]. */
Memory multi_head_memory(Tape *tape, const MultiHead *m, Var *y, const Spans *spans);
/* x + MultiHead(norm(x), memory), and the heads' weights α [n, heads longest]. `normed` is norm(x). */
typedef struct Attended {
    Var *x, *alpha;
} Attended;
Attended multi_head(Tape *tape, const MultiHead *m, Var *x, Var *normed, Memory memory, double drop);
/* x + FeedForward(norm(x)) */
Var *feed_forward(Tape *tape, const FeedForward *m, Var *x, double drop);

#endif
