/* batches.h: sentence pairs as ids, and the random batches of an epoch. */
#ifndef TIDE_BATCHES_H
#define TIDE_BATCHES_H

#include "model/batch.h"
#include "corpus/corpus.h"
#include "corpus/noise.h"
#include "corpus/records.h"
#include "text/side.h"

#include <stdint.h>

/* A training set, in a corpus in which several follow each other. A set of weight w is in each epoch w times; of a
   fraction of it, other pairs are drawn in each epoch. */
typedef struct TrainSet {
    long end; /* pairs up to the end of the set */
    double weight;
    int source_end;      /* the id at the end of a source sentence: ID_EOS, or a tag */
    bool quiet;          /* a training adds no noise to its sentences */
    double distillation; /* how much of its targets are a teacher's probabilities, 0 to 1: see train/distillation.h */
} TrainSet;

/* n sentence pairs as ids; every sentence ends in </s>. The ids are in a temporary file. For each pair, memory holds
   the position and number of its ids and its line. */
typedef struct Pairs {
    int n;
    Records ids;                        /* record i: source ids of pair i, then target ids */
    int *source_length, *target_length; /* stb_ds arrays: number of ids, with </s> */
    long *line;                         /* stb_ds array: line of each pair in its input file, from 1 */
    long dropped_long;                  /* pairs dropped because a side has more than max_length pieces */
    uint64_t hash;                      /* of all ids */
    TrainSet *sets;                     /* stb_ds array; empty: one set of weight 1 */
} Pairs;

/* Encodes a corpus into *pairs, with the temporary file in `dir`. Drops a pair if a side has more than max_length
   pieces (0: no limit). sets: a stb_ds array of the training sets in the corpus; NULL: the corpus is one set of weight
   1 without a tag. Calls `progress` (NULL: none) with the number of pairs that are encoded and the number of all pairs.
   Returns 0, or -1 with *err filled if the disk is full, the file fails, or `progress` cancels. Release with
   pairs_free. */
int pairs_encode(Pairs *pairs, DiskCorpus *corpus, const TrainSet *sets, const Side *source, const Side *target,
                 int max_length, const char *dir, ProgressFn *progress, void *context, Err *err);
void pairs_free(Pairs *pairs);
/* The training set of a pair, from 0. */
int pairs_set(const Pairs *pairs, int pair);

/* Makes a batch in the arena of the pairs which[0..n - 1]. index[i] is the index of pair i in the batch as it was
   drawn; NULL: the pairs are all of that batch. noise: is added to the sources, but not in quiet sets; NULL: none.
   Returns 0, or -1 with *err filled if the temporary file cannot be read. */
int pairs_fold(Arena *arena, const Pairs *pairs, const int *which, const int *index, int n, const UpdateNoise *noise,
               Batch *batch, Err *err);

/* One epoch: batch k has the pairs order[begin[k]]..order[begin[k+1]-1]. */
typedef struct Epoch {
    int *order;
    int *begin; /* [batches + 1] */
    int batches;
} Epoch;

/* Plans an epoch: shuffles all pairs, those of each set as often as its weight says, takes windows of `window` batches,
   sorts each window by length so that a batch holds sentences of similar length, and shuffles the batches of the
   window. `batch` is the number of pairs in a batch. The plan depends only on the arguments. Release with epoch_free.
 */
Epoch epoch_plan(const Pairs *pairs, int batch, int window, uint64_t seed, long epoch);
void epoch_free(Epoch *epoch);
/* The number of pairs in an epoch; INT_MAX: too many. */
int epoch_size(const Pairs *pairs);

#endif
