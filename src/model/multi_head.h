/* multi_head.h: multi-head attention (Vaswani et al. 2017, §3.2.2): every head is a scaled dot product with its own
   projections. The attention kind "multi-head" of RNNsearch and the layers of a Transformer use it. */
#ifndef TIDE_MULTI_HEAD_H
#define TIDE_MULTI_HEAD_H

#include "core/notes.h"
#include "core/ops.h"
#include "model/params.h"

/* q: width of a query. k: width of the rows that keys and values are projections of, and width of the result. n': width
   of all heads together. Head i has the i-th block of the columns of Wq, Wk and Wv, and of the rows of Wo. */
typedef struct MultiHead {
    Var *Wq, *Wk, *Wv, *Wo; /* [q, n'], [k, n'], [k, n'], [n', k] */
    int heads;              /* divides n' */
    char name[24];          /* of its weights, without Wq */
} MultiHead;

/* Declares the weights `name`.Wq, .Wk, .Wv and .Wo. n is n'. */
MultiHead multi_head_declare(Params *params, const char *name, int q, int k, int n, int heads);

/* Keys and values [rows, n'], and the rows that each query reads. */
typedef struct KeysValues {
    Var *keys, *values;
    const Spans *spans;
} KeysValues;

/* Returns the keys and values of x [rows, k]. */
KeysValues multi_head_project(Tape *tape, const MultiHead *m, Var *x, const Spans *spans);

/* The result c [m, k], and the weights α of all heads [m, heads longest]. */
typedef struct HeadsRead {
    Var *c, *alpha;
} HeadsRead;

/* Returns c and α for queries [m, q]; `hard` as in AttentionOptions. Notes e, α and c under the name of the weights,
   and v_j = W_v x_j and [c_i^1; c_i^2; ...] as "v" and "c_heads". */
HeadsRead multi_head(Tape *tape, const MultiHead *m, Var *queries, KeysValues read, bool hard);

#endif
