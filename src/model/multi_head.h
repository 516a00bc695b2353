/* multi_head.h: attention of several heads (Vaswani et al. 2017, §3.2.2): scaled dot products side by side, each with
   projections of its own. RNNsearch's attention "multi-head" and the layers of a Transformer use it. */
#ifndef TIDE_MULTI_HEAD_H
#define TIDE_MULTI_HEAD_H

#include "core/ops.h"
#include "model/params.h"

/* Queries have q numbers, keys and values are projections of rows of k numbers, the heads together have n', and the
   result has k. Head i has the i-th block of the columns of Wq, Wk and Wv, and of the rows of Wo. */
typedef struct MultiHead {
    Var *Wq, *Wk, *Wv, *Wo; /* [q, n'], [k, n'], [k, n'], [n', k] */
    int heads;              /* divides n' */
} MultiHead;

/* Declares the weights as `name`.Wq, .Wk, .Wv and .Wo. */
MultiHead multi_head_declare(Params *params, const char *name, int q, int k, int n, int heads);

/* What queries read: keys and values [rows, n'], and the rows that belong to each query. */
typedef struct KeysValues {
    Var *keys, *values;
    const Spans *spans;
} KeysValues;

/* The keys and values of x [rows, k]. */
KeysValues multi_head_project(Tape *tape, const MultiHead *m, Var *x, const Spans *spans);

/* The result c [m, k], and the weights α of all heads [m, heads longest]. */
typedef struct HeadsRead {
    Var *c, *alpha;
} HeadsRead;

/* Queries [m, q]; `hard` as in AttentionOptions. */
HeadsRead multi_head(Tape *tape, const MultiHead *m, Var *queries, KeysValues read, bool hard);

#endif
