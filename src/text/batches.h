/* batches.h: sentence pairs as ids, and the order in which training takes them. */
#ifndef TIDE_BATCHES_H
#define TIDE_BATCHES_H

#include "model/batch.h"
#include "text/corpus.h"
#include "text/records.h"
#include "text/side.h"

#include <stdint.h>

/* n sentence pairs; every sentence ends in </s>. The ids are in a temporary file: of each pair, memory holds where they
   are and how many. */
typedef struct Pairs {
    int n;
    Records ids;                        /* of each pair: those of the source, then those of the target */
    int *source_length, *target_length; /* stb_ds arrays */
    long *line;                         /* another: where each pair stood in its file, from 1 */
    long dropped_long;                  /* pairs left out because a side has more than max_length pieces */
    uint64_t hash;                      /* of every id of every pair */
} Pairs;

/* The pairs as ids, in a file in `dir`; max_length 0: no limit. -1 with *err filled where the disk is full or broken.
 */
int pairs_encode(Pairs *pairs, const Corpus *corpus, const Side *source, const Side *target, int max_length,
                 const char *dir, Err *err);
/* The same of a disk corpus; a cancel by `progress` (NULL: none) is an error, too. */
int pairs_encode_disk(Pairs *pairs, DiskCorpus *corpus, const Side *source, const Side *target, int max_length,
                      const char *dir, ProgressFn *progress, void *context, Err *err);
void pairs_free(Pairs *pairs);

/* The pairs which[first..first + n - 1] as a batch, in the arena: a part of the batch `which`, or all of it. -1 with
 *err filled where the disk is broken. */
int pairs_fold(Arena *arena, const Pairs *pairs, const int *which, int first, int n, Batch *batch, Err *err);

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
