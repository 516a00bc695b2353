/* partition.h: training, development and test set of a corpus, without a sentence in common, and without duplicates. */
#ifndef TIDE_PARTITION_H
#define TIDE_PARTITION_H

#include "core/base.h"

#include <stdint.h>

/* What is remembered of a pair. */
typedef struct PairKeys {
    uint64_t pair;    /* a hash of both texts */
    uint64_t side[2]; /* a hash of each sentence's letters and digits, without case */
} PairKeys;

PairKeys pair_keys(const char *source, const char *target);

typedef enum Part { TRAIN, DEV, TEST, PARTS, REPEATED = PARTS } Part;

/* The part of each of n pairs (owned by the caller), REPEATED for all but the first of equal ones. Pairs that have a
   sentence of either side in common, through any number of others, are in one part; so are sentences that differ in
   case, punctuation and spaces only. dev and test get so many pairs (negative: 1000, but no more than a
   twentieth of the different ones), or fewer where the corpus does not come apart into small enough groups. Which pair
   is in which part hangs on the set of pairs alone, not on their order. */
unsigned char *partition(const PairKeys *keys, long n, long dev, long test);

#endif
