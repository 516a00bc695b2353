/* ops.h: the ops of the tape. Each computes its value at once and stands, with its equation and its derivative, in one
   of the ops_*.c files; each has its check against central differences in tests/double_gradients.c. A shape that does
   not fit is a bug and ends the program. Results live in the tape's arena. Where an op takes an argument over, its
   value and its gradient are the op's to overwrite: it must be another op's result (of a slice, all rows of the whole
   must be taken over in the end), and nobody else may read it. An argument `out` is where the result is to stand, or
   NULL. */
#ifndef TIDE_OPS_H
#define TIDE_OPS_H

#include "core/tape.h"

/* ops_linear.c */
/* x W + b. x [m, k], W [k, n], b [1, n] or NULL. Returns [m, n]. */
Var *linear(Tape *tape, Var *x, Var *W, Var *b);
/* x Wᵀ + b. x [m, k], W [n, k], b [1, n] or NULL. Returns [m, n]. */
Var *linear_transposed(Tape *tape, Var *x, Var *W, Var *b);
/* y + x W in the place of y, which is returned. */
Var *linear_accumulate(Tape *tape, Var *y, Var *x, Var *W);

/* ops_rows.c: moving rows */
/* Row i is row index[i] of x, zeros where that is -1: the embedding of words, where x is E. The index must live as long
 * as the batch. */
Var *gather(Tape *tape, Var *x, const int *index, int n);
/* Rows first..first+n-1 of x, not copied: values and gradients are x's own. */
Var *slice(Tape *tape, Var *x, int first, int n);
/* All rows of n matrices one below the other; where they are slices that lie like this already, what they are of. */
Var *vcat(Tape *tape, Var *const *x, int n);
/* x with zero rows below it, up to n rows. */
Var *pad_rows(Tape *tape, Var *x, int n);
/* Row i is [a[index_i], b[index_i]]. The index must live as long as the batch. */
Var *gather_hcat(Tape *tape, Var *a, Var *b, const int *index, int n);
/* Row i is [x[index_0[i]], x[index_1[i]], ...] for k indices: with neighbours, what a convolution sees. */
Var *im2col(Tape *tape, Var *x, const int *const *index, int k, int n);
/* [a, b] side by side. */
Var *hcat(Tape *tape, Var *a, Var *b);
/* A matrix of zeros. */
Var *zeros(Tape *tape, int rows, int cols);

/* ops_pointwise.c */
Var *tanh_of(Tape *tape, Var *x);
/* max(x_2k, x_2k+1): [m, 2n] -> [m, n]. Takes x over. */
Var *maxout(Tape *tape, Var *x);
/* The left half of the columns plus the right one: [m, 2n] -> [m, n]. */
Var *add_halves(Tape *tape, Var *x);
/* max(x, 0) in the place of x, another op's result, which is returned. */
Var *relu(Tape *tape, Var *x);
/* a + scale b: matrices of one shape. */
Var *add_scaled(Tape *tape, Var *a, double scale, Var *b);
/* What a row of a matrix stands for: a position in the sentence of a pair, which is named by its index in the batch as
   it was drawn. */
typedef struct RowId {
    int pair, position;
} RowId;
/* The rate of dropout, from 0 to below 1, and the identities of the matrix's rows. They live as long as the batch and
   may be NULL if the rate is 0 or the tape does not record. */
typedef struct Drop {
    double rate;
    const RowId *rows;
} Drop;
/* While the tape records: zero with probability `rate`, else x / (1 - rate). Otherwise x itself. Whether a number
   becomes zero depends on the tape's rng, the number of dropout ops on the tape before this one, the row's identity
   and the column. So a pair has the same mask in the whole batch and in a part of it. */
Var *dropout(Tape *tape, Var *x, Drop drop);

/* ops_norm.c */
/* Each row less its mean, divided by its standard deviation, times a gain, plus a bias: x [m, n], gain and bias [1, n].
   Returns [m, n]. */
Var *layer_norm(Tape *tape, Var *x, Var *gain, Var *bias);

/* ops_gru.c */
/* One step of a gated recurrent unit in the paper's order; x [m, 3n] = what enters the gates z, r and the candidate
   from outside, taken over; h [m, n], Uzr [n, 2n], U [n, n]. Returns the new state [m, n]. */
typedef struct GruStep {
    Var *x, *h, *Uzr, *U, *out;
} GruStep;
Var *gru_step(Tape *tape, GruStep step);
/* One or two steps that do not wait for each other and share neither x nor h, at once; h[k] receives the new state of
   steps[k]. */
void gru_steps(Tape *tape, const GruStep *steps, int count, Var **h);

/* ops_attention.c */
/* Which rows of a matrix belong to which sentence: sentence s has rows start[s]..start[s]+length[s]-1. */
typedef struct Spans {
    const int *start, *length;
    const int *owner;   /* row b of a query belongs to sentence owner[b]; NULL: to sentence b */
    const int *visible; /* row b of a query sees only the first visible[b] rows of its sentence; NULL: all of them */
    const int *const *rows; /* which are rows[b][0], [1], ... and lie anywhere: not on a tape that records; or NULL */
    int longest;
} Spans;
/* One sentence of `rows` rows that all queries belong to. Lives as long as the batch. */
Spans spans_one(Tape *tape, int queries, int rows);
/* e_bj = va · tanh(q_b + K_j) for the rows j of b's sentence. q [m, n], K [rows, n], va [n, 1]. Returns [m, longest];
   positions beyond a sentence's end are zero and take no part. While the tape records, no queries with owners. */
Var *additive_scores(Tape *tape, Var *q, Var *K, Var *va, const Spans *spans);
/* Several heads look at once: those of head k stand at the columns k longest.. of scores and weights, and read the k-th
   of as many equal blocks of columns of a matrix. How many there are, scores and weights say themselves. */
/* e_bkj = scale q_bk·K_jk for each head k. Q [m, n], K [rows, n], and may be one matrix. Returns [m, heads longest],
   zero beyond a sentence's end. The spans' arrays must live as long as the batch. */
Var *dot_scores(Tape *tape, Var *Q, Var *K, int heads, double scale, const Spans *spans);
/* Softmax over each head's row, as long as its sentence; zero beyond. */
Var *softmax_spans(Tape *tape, Var *e, const Spans *spans);
/* All the weight on the first of the largest scores. It has no gradient: only on a tape that does not record. */
Var *hardmax_spans(Tape *tape, const Var *e, const Spans *spans);
/* The mean of some heads' weights: of `count` from the first on, counted from 0. Returns [m, longest]. */
typedef struct Heads {
    int first, count;
} Heads;
Var *mean_heads(Tape *tape, Var *alpha, Heads heads, const Spans *spans);
/* c_bk = Σ_j α_bkj H_jk over the rows j of b's sentence, and the k-th block of columns. */
Var *weighted_sum(Tape *tape, Var *alpha, Var *H, const Spans *spans, Var *out);
/* The three in a row: e = scale Q Kᵀ, α = softmax(e), c = α V, sentence by sentence. With scale 1/√d and Q, K and V
   each a linear() of the words it is the attention of a Transformer; with X three times it is Y = softmax(X Xᵀ) X, to
   which each word, then, is a query whose owner is its own sentence. */
typedef struct DotAttention {
    Var *e, *alpha, *c;
} DotAttention;
DotAttention dot_attention(Tape *tape, Var *Q, Var *K, Var *V, double scale, const Spans *spans);

/* ops_guide.c */
/* Where rows of α should look: row b at column[begin[b]]..column[begin[b + 1] - 1], at all of them alike; where there
   is none, wherever it likes. Must live as long as the batch. */
typedef struct Guide {
    const int *begin, *column;
} Guide;
/* How far a row is from that: cross-entropy, -ln of the weight on what is linked, or half the squared distance. */
typedef enum { GUIDE_CE, GUIDE_MULT, GUIDE_MSE } GuideCost;
/* loss + scale Σ cost over the rows of α. loss [1, 1], α [m, cols]. Returns [1, 1]. */
Var *guided(Tape *tape, Var *loss, Var *alpha, Guide guide, GuideCost cost, double scale);

/* ops_loss.c */
/* Cross-entropy of softmax(logits) [m, V] with target ids, label-smoothed by ε: Σ over rows of (1 - ε)(-ln p_y) +
   ε mean_k(-ln p_k), divided by `rows`: m, or where the batch is in several parts, as many as all of them have. Returns
   [1, 1]; *nats receives the plain Σ -ln p_y. Where the tape records, the logits are overwritten by their gradient. */
Var *cross_entropy(Tape *tape, Var *logits, const int *targets, int rows, double smoothing, double *nats);

#endif
