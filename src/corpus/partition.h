/* partition.h: splits a corpus into training, development and test set. No sentence is in two of them, and duplicates
   are found. */
#ifndef TIDE_PARTITION_H
#define TIDE_PARTITION_H

#include "core/base.h"

#include <stdint.h>

/* What `partition` needs of a pair; the texts need not stay in memory. */
typedef struct PairKeys {
    uint64_t pair;    /* a hash of both texts */
    uint64_t side[2]; /* a hash of each sentence's letters and digits in lower case */
} PairKeys;

PairKeys pair_keys(const char *source, const char *target);

typedef enum Part { TRAIN, DEV, TEST, PARTS, REPEATED = PARTS } Part;

/* The part of each of n pairs; the caller owns the array. Of several equal pairs, all but the first are REPEATED. Two
   pairs are in one group if they share a source or a target sentence, directly or through other pairs; sentences that
   differ only in case, punctuation and spaces count as equal. All pairs of a group are in one part. dev and test are
   numbers of pairs (negative: 1000, but at most a twentieth of the pairs without duplicates); a set is smaller if the
   small groups do not suffice. The part of a pair depends on the set of pairs, not on their order. */
unsigned char *partition(const PairKeys *keys, long n, long dev, long test);

#endif
