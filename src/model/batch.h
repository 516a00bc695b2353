/* batch.h: folds sentences of ids into rows: one row for each word, without padding. The words of one time step are
   contiguous rows. */
#ifndef TIDE_BATCH_H
#define TIDE_BATCH_H

#include "core/arena.h"
#include "core/ops.h"

/* n sentences, sorted by decreasing length. Row offset[t] + b is position t of sentence b. A sentence is alive at t if
   it has a position t: these are the first sequences_live(t) sentences. */
typedef struct Sequences {
    int n, steps, rows;
    const int *offset; /* [steps + 1] */
    const int *length; /* [n], decreasing */
    const int *order;  /* [n] sentence b is the caller's sentence order[b] */
    const int *ids;    /* [rows] */
} Sequences;

/* Folds n sentences ids[i][0..length[i]-1]. Sentences of equal length keep the caller's order. The arrays of the result
   live in the arena. Every length must be positive. */
Sequences sequences_fold(Arena *arena, const int *const *ids, const int *length, int n);
/* The number of sentences that are alive at t. */
int sequences_live(const Sequences *sequences, int t);
/* The row of position t of sentence b. */
int sequences_row(const Sequences *sequences, int t, int b);

/* For each word its sentence and its position in that sentence. The words are stored sentence after sentence. */
typedef struct WordPositions {
    Spans spans;         /* of the sentences; owner[i] is the sentence of word i */
    const int *position; /* [rows] of word i in its sentence, from 0 */
} WordPositions;

/* For n sentences, which together have `rows` words. The result shares the arrays of `sentences`; its new arrays live
   in the arena. */
WordPositions word_positions(Arena *arena, const Spans *sentences, int n, int rows);

/* The source sentences in two orders: x, which the encoder reads; and the order of the annotations H, which the decoder
   reads: sentence after sentence, in the decoder's order of sentences. */
typedef struct Source {
    Sequences x;
    Spans spans;              /* the rows of H that belong to decoder sentence b */
    const int *rows;          /* [x.rows] row i of H is the annotation of row rows[i] of x */
    const int *first;         /* [n] the row of x with the first word of decoder sentence b */
    const int *last;          /* [n] the row of x with its last word */
    const RowId *words;       /* [x.rows] the identities of the rows of x, for dropout; or NULL */
    const RowId *annotations; /* [x.rows] the identities of the rows of H, for dropout; or NULL */
    const RowShards *word_shards, *annotation_shards; /* of the rows of x and of H; NULL: no shards */
} Source;

/* Folds n source sentences, as sequences_fold does. The decoder's sentence b is the caller's sentence decoder_order[b];
   if decoder_order is NULL, it is sentence b of x. `words` and `annotations` of the result are NULL. */
Source source_fold(Arena *arena, const int *const *ids, const int *length, int n, const int *decoder_order);

/* Sentence pairs for training and forced decoding. Source and target are each sorted by their own lengths. */
typedef struct Batch {
    Source source;
    Sequences target;               /* y_i */
    const int *previous;            /* [target.rows] y_{i-1}; <s> at the first position */
    const RowId *words;             /* [target.rows] the identities of the rows of target, for dropout */
    const RowShards *target_shards; /* of the rows of target; NULL: no shards */
} Batch;

/* Folds n sentence pairs, as sequences_fold does. Pair i has the index index[i] in the batch as it was drawn (see
   RowId); `index` is NULL if the n pairs are all of that batch. `bos` is the id of <s>. */
Batch batch_fold(Arena *arena, const int *const *source, const int *source_length, const int *const *target,
                 const int *target_length, int n, const int *index, int bos);
/* The indices of n sentences by decreasing length; ties keep their order. */
int *order_by_length(Arena *arena, const int *length, int n);
/* Divides a batch into `count` shards: the caller's pair i belongs to shard[i]. */
void batch_shard(Arena *arena, Batch *batch, const int *shard, int count);
/* The shards of n rows: row i belongs to shard of[i], an array that the result shares. */
const RowShards *row_shards(Arena *arena, const int *of, int n, int count);

#endif
