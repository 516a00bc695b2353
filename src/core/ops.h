/* ops.h: the ops of the tape. An op computes its result at once, in the tape's arena. Its equation and its
   derivative are in the file ops_*.c that is named below; tests/unit/double_gradients.c checks its gradient by central
   differences. A shape that does not fit is a bug: CHECK ends the program, or the scope (scope.h). An op checks all
   arguments before threads compute.

   An op that consumes x writes over the values and the gradient of x. x must be the result of another op, and no other
   op may read x. If x is a slice, every row of its whole matrix must be consumed.
   An op that overwrites x writes its result over the values of x. x must be the result of another op, and no earlier op
   may read x in its backward function. Both rules are checked on a tape that records.
   The argument `out` is the matrix for the result, or NULL: then the op allocates one. On a tape that records, no
   earlier op may have written or read the rows of `out`.
   A matrix that an op overwrites, and `out`, must have no number in common with the other arguments. */
#ifndef TIDE_OPS_H
#define TIDE_OPS_H

#include "core/gemm.h"
#include "core/tape.h"

/* ops_linear.c */
/* x W + b. x [m, k], W [k, n], b [1, n] or NULL. Returns [m, n]. */
Var *linear(Tape *tape, Var *x, Var *W, Var *b);
/* x Wᵀ + b. x [m, k], W [n, k], b [1, n] or NULL. Returns [m, n]. */
Var *linear_transposed(Tape *tape, Var *x, Var *W, Var *b);
/* y + x W. y [m, n], x [m, k], W [k, n]. Overwrites y and returns it. */
Var *linear_accumulate(Tape *tape, Var *y, Var *x, Var *W);

/* ops_columns.c, for decoding, without a gradient */
/* Columns of a matrix, ascending. */
typedef struct ColumnSet {
    const int *ids; /* [count] */
    int count;      /* 1 at least */
} ColumnSet;
/* The set of the columns that are marked. ids: room for them. */
static inline ColumnSet columns_marked(const bool *marked, int n, int *ids) {
    ColumnSet set = {ids, 0};
    for (int id = 0; id < n; id++)
        if (marked[id]) ids[set.count++] = id;
    return set;
}
typedef struct GatheredColumns GatheredColumns;
typedef struct ColumnSets {
    const ColumnSet *list;     /* [count], not owned */
    int count, widest;         /* widest: the most columns of a set */
    GatheredColumns *gathered; /* the columns of the weight, copied by the first product; NULL before it */
    Arena arena;               /* of these copies */
} ColumnSets;
/* x W + b, or with `transposed` x Wᵀ + b; b [1, n] or NULL. Row i has only the columns of the set owner[i], in their
   order, and their number is its length. Rows of one set are neighbours. W is a parameter, and the same in each call
   with these sets. Returns [m, widest]; the bits of a column are those of linear and linear_transposed. */
Var *linear_columns(Tape *tape, Var *x, Var *W, bool transposed, Var *b, ColumnSets *sets, const int *owner);
void column_sets_free(ColumnSets *sets);

/* ops_rows.c: ops that copy rows */
/* Row i of the result is row index[i] of x [m, k], or zeros if index[i] is -1. Returns [n, k]. If x is E, this is
   the embedding of n words. index [n] must stay valid until the tape is reset. */
Var *gather(Tape *tape, Var *x, const int *index, int n);
/* Rows first..first+n-1 of x, without a copy: the slice shares the values and the gradient of x. */
Var *slice(Tape *tape, Var *x, int first, int n);
/* The rows of n matrices, one matrix below the other. If the matrices are slices that are together all of one
   matrix, in its order, returns that matrix and copies nothing. */
Var *vcat(Tape *tape, Var *const *x, int n);
/* x, with rows of zeros below it: n rows in all. */
Var *pad_rows(Tape *tape, Var *x, int n);
/* Row i of the result is [a[index[i]], b[index[i]]], see gather. index [n] must stay valid until the tape is reset. */
Var *gather_hcat(Tape *tape, Var *a, Var *b, const int *index, int n);
/* Row i of the result is [x[index[0][i]], x[index[1][i]], ...] for k lists of n, see gather. If the lists are the
   neighbours of each word, linear() of the result is a convolution. The lists must stay valid until the tape is
   reset. */
Var *im2col(Tape *tape, Var *x, const int *const *index, int k, int n);
/* [a, b]: the columns of a, then the columns of b. a and b have the same number of rows. */
Var *hcat(Tape *tape, Var *a, Var *b);
Var *zeros(Tape *tape, int rows, int cols);

/* ops_pointwise.c */
Var *tanh_of(Tape *tape, Var *x);
/* max(x_2k, x_2k+1): [m, 2n] -> [m, n]. Consumes x. */
Var *maxout(Tape *tape, Var *x);
/* The left half of the columns plus the right one: [m, 2n] -> [m, n]. */
Var *add_halves(Tape *tape, Var *x);
/* max(x, 0). Overwrites x and returns it. */
Var *relu(Tape *tape, Var *x);
/* a + scale b. a and b have the same shape. On a tape that records, they are one matrix, or have no row in common. */
Var *add_scaled(Tape *tape, Var *a, double scale, Var *b);
/* The identity of a row of a matrix: the pair of sentences, by its index in the batch before the batch is divided
   into parts, and the position in the sentence. */
typedef struct RowId {
    int pair, position;
} RowId;
/* rate: the probability of zero, at least 0 and less than 1. rows: the identities of the rows of the matrix, valid
   until the tape is reset; may be NULL if the rate is 0 or the tape does not record. */
typedef struct Drop {
    double rate;
    const RowId *rows;
} Drop;
/* On a tape that records, each number becomes 0 with probability `rate`; otherwise it is divided by 1 - rate. If the
   tape does not record, returns x. Whether a number becomes 0 depends on the tape's rng, the number of calls of
   dropout since the last reset, the identity of the row, and the column. So a pair has the same mask in the whole
   batch and in a part of it. */
Var *dropout(Tape *tape, Var *x, Drop drop);

/* ops_norm.c */
/* gain (x - μ) / σ + bias, with the mean μ and the standard deviation σ of each row. x [m, n], gain and bias [1, n].
   Returns [m, n]. */
Var *layer_norm(Tape *tape, Var *x, Var *gain, Var *bias);

/* ops_gru.c */
/* One step of a gated recurrent unit, see ops_gru.c. x [m, 3n]: the inputs of the gates z and r and of the candidate
   h̃, without the terms of h. h [m, n]: the previous state. Uzr [n, 2n], U [n, n]. out: the matrix for the new state
   [m, n], or NULL. Returns the new state. Consumes x. */
typedef struct GruStep {
    Var *x, *h, *Uzr, *U, *out;
} GruStep;
Var *gru_step(Tape *tape, GruStep step);
/* Computes one or two independent steps together. The steps share neither x nor h. h[k] receives the new state of
   steps[k]. */
void gru_steps(Tape *tape, const GruStep *steps, int count, Var **h);

/* ops_attention.c */
/* The rows of a matrix that the queries of an attention read: sentence s has rows start[s]..start[s]+length[s]-1.
   All arrays must stay valid until the tape is reset. On a tape that records, no two sentences have a row in common. */
typedef struct Spans {
    const int *start, *length;
    const int *owner;       /* query b reads sentence owner[b]; NULL: sentence b */
    const int *visible;     /* query b reads only the first visible[b] rows of its sentence; NULL: all rows */
    const int *const *rows; /* if not NULL, query b reads rows[b][0], rows[b][1], ..: only for dot_scores and
                               weighted_sum, with `visible`, on a tape that does not record */
    int longest;
} Spans;
/* One sentence of `rows` rows that all queries read. Valid until the tape is reset. */
Spans spans_one(Tape *tape, int queries, int rows);
/* Scores and weights of several heads are [m, heads longest]: head k has the columns k longest..(k+1) longest - 1.
   The columns of Q, K and H are divided into `heads` equal blocks; head k reads block k. dot_scores receives the
   number of heads; the other ops compute it from the number of columns of e or alpha. */
/* e_bkj = scale q_bk·K_jk for each head k. Q [m, n], K [rows, n]; Q and K may be one matrix.
   Returns [m, heads longest], zero beyond a sentence's end. */
Var *dot_scores(Tape *tape, Var *Q, Var *K, int heads, double scale, const Spans *spans);
/* Softmax over the positions of the sentence, for each query and head; zero beyond the sentence's end. */
Var *softmax_spans(Tape *tape, Var *e, const Spans *spans);
/* 1 at the largest score of each query and head (the first of equal ones), else 0. It has no gradient: the tape must
   not record. */
Var *hardmax_spans(Tape *tape, const Var *e, const Spans *spans);
/* The mean of the weights of `count` heads from head `first` on, counted from 0. Returns [m, longest]. */
typedef struct Heads {
    int first, count;
} Heads;
Var *mean_heads(Tape *tape, Var *alpha, Heads heads, const Spans *spans);
/* c_bk = Σ_j α_bkj H_jk over the rows j that query b reads, for each head k. alpha [m, heads longest], H [rows, n].
   Returns [m, n]. */
Var *weighted_sum(Tape *tape, Var *alpha, Var *H, const Spans *spans, Var *out);
/* Dot-product attention with one head, within each sentence: e = scale Q Kᵀ, α = softmax(e), c = α V. If Q, K and V
   are linear() of the words and scale is 1/√d, it is the attention of a Transformer. If all three are X and scale is
   1, it is Y = softmax(X Xᵀ) X; each word is then a query, and spans->owner gives its sentence. */
typedef struct DotAttention {
    Var *e, *alpha, *c;
} DotAttention;
DotAttention dot_attention(Tape *tape, Var *Q, Var *K, Var *V, double scale, const Spans *spans);

/* ops_additive.c */
/* e_bj = va · tanh(q_b + K_j) for the rows j that query b reads. q [m, n], K [rows, n], va [n, 1].
   Returns [m, longest], zero beyond a sentence's end. On a tape that records, spans->owner must be NULL, and q and K
   must have no row in common. */
Var *additive_scores(Tape *tape, Var *q, Var *K, Var *va, const Spans *spans);
/* The weights of coverage_scores: va [n, 1], Vb [1, n]. */
typedef struct CoverageWeights {
    Var *va, *Vb;
} CoverageWeights;
/* e_bj = va · tanh(q_b + K_j + β_bj Vb) for the rows j that query b reads; β_bj is the sum of the weights that earlier
   steps gave to row j. q [m, n], K [rows, n], beta [m, longest]. Returns [m, longest], zero beyond a sentence's end. On
   a tape that records, spans->owner must be NULL. */
Var *coverage_scores(Tape *tape, Var *q, Var *K, Var *beta, CoverageWeights weights, const Spans *spans);

/* ops_guide.c */
/* The columns that should share the weight of row b of α equally: column[begin[b]]..column[begin[b + 1] - 1]. If
   there are none, row b has no cost. The arrays must stay valid until the tape is reset. */
typedef struct Guide {
    const int *begin, *column;
} Guide;
/* The cost of a row. GUIDE_CE and GUIDE_MULT: cross-entropy, as a mean of logarithms and as the logarithm of a mean.
   GUIDE_MSE: half the squared distance. See ops_guide.c. */
typedef enum { GUIDE_CE, GUIDE_MULT, GUIDE_MSE } GuideCost;
/* loss + scale Σ cost over the rows of alpha. loss [1, 1], alpha [m, cols]. Returns [1, 1]. */
Var *guided(Tape *tape, Var *loss, Var *alpha, Guide guide, GuideCost cost, double scale);

/* ops_loss.c */
/* The output layer: logits = x W + b, or with `transposed` x Wᵀ + b. x [m, k], W [k, V] or [V, k], b [1, V] or NULL. */
typedef struct OutputLayer {
    Var *x, *W, *b;
    bool transposed;
} OutputLayer;
/* The logits [m, V]; or, if `sets` is not NULL, those of the columns of the set of each row, see linear_columns. */
Var *output_logits(Tape *tape, OutputLayer layer, ColumnSets *sets, const int *owner);
/* The logits, part after part: `use` receives each, and the matrix [m, V] is never complete. The tape must not record.
 */
void output_parts(Tape *tape, OutputLayer layer, UsePart *use, void *context);
/* Cross-entropy of p = softmax(logits) and the target ids [m], with label smoothing ε:
   1/rows Σ_i ((1 - ε) (-ln p_iy) + ε mean_k(-ln p_ik)),  y = targets[i].
   `rows` is m, or the number of rows of all parts if the batch is divided into parts. nats [m] receives -ln p_iy.
   Returns [1, 1]. On a tape that records, the op may add the gradient of W at once. So its result must enter the loss
   of tape_backward with the factor 1, and with shards no later op may read W. */
Var *linear_cross_entropy(Tape *tape, OutputLayer layer, const int *targets, int rows, double smoothing, double *nats);
/* Another model, whose probabilities q are targets, too. */
typedef struct Teacher {
    Tape *tape;         /* on which layer.x was computed; it must not record */
    OutputLayer layer;  /* with as many columns as the layer that learns */
    const int *row;     /* [m] the teacher of row i is row row[i] of layer.x; -1: row i has none */
    const real *weight; /* [m] λ_i, 0 to 1: how much of the target of row i is the teacher's; 0 without one */
} Teacher;
/* The same with word-level knowledge distillation (Kim & Rush 2016, section 3.1):
   1/rows Σ_i ((1 - λ_i) (the term of row i above) + λ_i Σ_k q_ik (-ln p_ik)).  teacher NULL: all λ are 0.
   nats [m] is still -ln p_iy. */
Var *distilled_cross_entropy(Tape *tape, OutputLayer layer, const int *targets, int rows, double smoothing,
                             const Teacher *teacher, double *nats);

#endif
