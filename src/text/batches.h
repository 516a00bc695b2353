/* batches.h: sentence pairs as ids, and the order in which training takes them. */
#ifndef TIDE_BATCHES_H
#define TIDE_BATCHES_H

#include "core/base.h"
#include "model/batch.h"
#include "text/corpus.h"
#include "text/side.h"

#include <stdint.h>

/* n sentence pairs; every sentence ends in </s>. */
typedef struct Pairs {
    int n;
    int **source, **target; /* [n] stb_ds arrays of ids */
    int *source_length, *target_length;
    int *index;        /* [n] which pair of the corpus each one is */
    long dropped_long; /* pairs left out because a side has more than max_length pieces */
} Pairs;

/* The corpus as ids; max_length 0: no limit. */
Pairs pairs_encode(const Corpus *corpus, const Side *source, const Side *target, int max_length);
void pairs_free(Pairs *pairs);

/* n of the pairs as a batch, in the arena. */
Batch pairs_fold(Arena *arena, const Pairs *pairs, const int *which, int n);

/* One pass over the data: order[begin[k]]..order[begin[k+1]-1] are the pairs of batch k. */
typedef struct Epoch {
    int *order;
    int *begin; /* [batches + 1] */
    int batches;
} Epoch;

/* Shuffles all pairs, sorts each window of `window` batches by length so that a batch holds sentences of similar
   length, and shuffles the batches of the window. The same for the same pairs, sizes, seed and epoch number. */
Epoch epoch_plan(const Pairs *pairs, int batch, int window, uint64_t seed, long epoch);
void epoch_free(Epoch *epoch);

#endif
