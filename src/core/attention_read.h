/* attention_read.h: the sums with which the queries of an attention read the rows of a matrix, and the deferred
   gradient of that matrix. For ops_attention.c. */
#ifndef TIDE_ATTENTION_READ_H
#define TIDE_ATTENTION_READ_H

#include "core/ops.h"
#include "core/tape_op.h"

#include <stddef.h>

/* Query b reads the rows j of its sentence in M. Head k reads block k of the columns. Each of these three sums is
   the derivative of the other two:
   weights_bkj += scale x_bk·M_jk,  x_bk += scale Σ_j weights_bkj M_jk,  M_jk += scale Σ_b weights_bkj x_bk */
typedef struct AttentionRead {
    const Spans *spans;
    Var *M; /* [rows, n] */
    int queries, heads;
    real scale;
    real *weights, *x; /* [queries, heads longest], [queries, n] */
    bool overwrite;    /* the sum overwrites weights, or x, instead of adding to it */
} AttentionRead;

enum { ATTENTION_BLOCK = 16 /* most rows in one call of a kernel */ };

/* Deferred gradient, see tape_defer_grad: adds the third sum to the gradient of M, at once for all reads of M, for
   example those of all steps of a decoder. The spans, weights and x must not change until then. */
void attention_read_defer(Tape *tape, AttentionRead read);

/* Checks that no query reads more than spans->longest rows. */
void attention_check_lengths(const char *op, const Spans *spans, int queries);
/* Checks that the spans of the queries lie within the rows of M and, if the tape records, that no two sentences have a
   row in common: the threads add to the gradients of the rows of different sentences at the same time. */
void attention_check_spans(Tape *tape, const char *op, const Spans *spans, int queries, const Var *M);

/* The sentence of query b, and how many of the sentence's rows query b reads. */
static inline int spans_sentence(const Spans *spans, int b) { return spans->owner ? spans->owner[b] : b; }
static inline int spans_length(const Spans *spans, int b) {
    return spans->visible ? spans->visible[b] : spans->length[spans_sentence(spans, b)];
}

/* The first column of head k in a row that has `width` columns for each head. */
static inline ptrdiff_t head_offset(int k, int width) { return (ptrdiff_t)k * width; }

/* The size of a row of the weights: heads longest. */
static inline size_t read_row_size(const AttentionRead *read) {
    return (size_t)read->heads * (size_t)read->spans->longest;
}
/* Row b of the weights, and of x. */
static inline real *read_weights(const AttentionRead *read, int b) {
    return read->weights + (size_t)b * read_row_size(read);
}
static inline real *read_x(const AttentionRead *read, int b) { return read->x + (size_t)b * (size_t)read->M->cols; }

#endif
