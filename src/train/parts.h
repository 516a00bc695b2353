/* parts.h: divides a batch into shards, and into parts that go through the network one after the other. */
#ifndef TIDE_PARTS_H
#define TIDE_PARTS_H

#include "train/workspace.h"

/* Some of the shards of a batch: first..first+count-1 of `all`. count and all are powers of two, and first is a
   multiple of count. all = 1: the batch is not divided, and its gradient is one sum. */
typedef struct ShardRange {
    int first, count, all;
} ShardRange;

/* Pairs that go through the network together. */
typedef struct BatchPart {
    int n;
    const int *which; /* [n] the pairs */
    const int *index; /* [n] the index of each pair in the batch as drawn, in ascending order */
    const int *shard; /* [n] the shard of each pair, from 0 in this part; NULL: the batch is not divided */
    int first;        /* the number of shard 0 of this part, within the range */
    int shards;       /* in this part */
    bool last;        /* no later part has these shards */
} BatchPart;

typedef struct BatchParts {
    BatchPart *list;
    int count;
} BatchParts;

/* Returns the parts of a range of the shards of the batch `which` [n], in the arena. The shard of a pair is its
   position in the batch, sorted by decreasing target length, modulo the number of shards. A part needs at most `limit`
   bytes (0: no limit), as far as it has more than one pair. It has one shard or an aligned run of shards, as many as
   fit; only the pairs of a shard that does not fit alone are divided further. So the result of an update does not
   depend on the limit, unless a shard does not fit alone. A part without pairs has n = 0. */
BatchParts parts_plan(Arena *arena, const Workspace *workspace, double limit, const Pairs *pairs, const int *which,
                      int n, ShardRange range);

#endif
