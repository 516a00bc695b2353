/* batch.h: sentences as ids, folded so that a time step is a contiguous run of rows. */
#ifndef TIDE_BATCH_H
#define TIDE_BATCH_H

#include "core/arena.h"
#include "core/ops.h"

/* n sentences sorted by falling length and laid out in time: row offset[t] + b holds position t of sentence b, and the
   sentences that are still alive at t are the first sequences_live(t). */
typedef struct Sequences {
    int n, steps, rows;
    const int *offset; /* [steps + 1] */
    const int *length; /* [n], falling */
    const int *order;  /* [n] which of the caller's sentences this is */
    const int *ids;    /* [rows] */
} Sequences;

/* Folds n sentences, each ids[i][0..length[i]-1] with length > 0; ties keep the caller's order. Lives in the arena. */
Sequences sequences_fold(Arena *arena, const int *const *ids, const int *length, int n);
int sequences_live(const Sequences *sequences, int t);
/* Row of position t of sentence b. */
int sequences_row(const Sequences *sequences, int t, int b);

/* The words of some sentences, which lie sentence after sentence, as queries: whose each is, and where in it. */
typedef struct WordPositions {
    Spans spans;         /* the sentences', with owners */
    const int *position; /* [rows] from 0 */
} WordPositions;

WordPositions word_positions(Arena *arena, const Spans *sentences, int n, int rows);

/* The source as the decoder sees it: sentence after sentence, in the decoder's order. */
typedef struct Source {
    Sequences x;
    Spans spans;                      /* of decoder sentence b among the rows below */
    const int *rows;                  /* [x.rows] row of x that stands there */
    const int *first;                 /* [n] row of x with the first word of decoder sentence b */
    const int *last;                  /* [n] and with its last */
    const RowId *words, *annotations; /* [x.rows] the rows of x, and the rows below, for dropout; or both are NULL */
} Source;

/* decoder_order[b] is which of the caller's sentences the decoder has at b; NULL: as they are folded. */
Source source_fold(Arena *arena, const int *const *ids, const int *length, int n, const int *decoder_order);

/* Sentence pairs for training and forced decoding. Source and target have an order each. */
typedef struct Batch {
    Source source;
    Sequences target;    /* y_i */
    const int *previous; /* [target.rows] y_{i-1}; `bos` at the first position */
    const RowId *words;  /* [target.rows] for dropout */
} Batch;

/* Folds n pairs, of which pair i has the index first + i in the batch as drawn: first is 0 unless this is a part of a
   batch. */
Batch batch_fold(Arena *arena, const int *const *source, const int *source_length, const int *const *target,
                 const int *target_length, int n, int first, int bos);

#endif
