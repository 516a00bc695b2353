/* shard_sums.h: sums over the shards of a batch. The rows of each shard have a sum of their own; these sums are added
   in a binary tree over the shard numbers: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)). So the result has the same bits
   if one process computes all shards, or if several processes compute a subtree each and add their results in the same
   tree. It also has the same bits for any number of threads and any instruction set. */
#ifndef TIDE_SHARD_SUMS_H
#define TIDE_SHARD_SUMS_H

#include "core/real.h"
#include "core/threads.h"

enum { MOST_SHARDS = 64, SHARD_LEVELS = 7 /* of the tree of MOST_SHARDS shards */ };

/* The shards of the rows of a matrix. `count` is a power of two, at most MOST_SHARDS; a shard may have no rows. */
typedef struct RowShards {
    int count;
    const int *of;    /* [n] the shard of each row */
    const int *start; /* [count + 1] shard s has the rows rows[start[s]]..rows[start[s + 1] - 1] */
    const int *rows;  /* [n] in ascending order within a shard */
} RowShards;

/* Rows that are added to some rows of a matrix: row i receives row[start[i]]..row[start[i + 1] - 1], which belong to
   the shards `shard`, in ascending order. */
typedef struct RowAdditions {
    const int *start; /* [rows of the matrix + 1] */
    const int *shard;
    const real *const *row;
} RowAdditions;

/* c [m, n] += Σ_shards the additions. The rows without additions are not read. With products too: gradient_product.h.
 */
void shard_additions(Threads *threads, int m, int n, int shards, const RowAdditions *additions, real *c);

/* c [n] += x [n]. n is at most INT_MAX. */
void shard_add(Threads *threads, size_t n, real *c, const real *x);

/* c [n] += the sum of the rows of x [shards, n], which are overwritten. */
void shard_vectors(int n, int shards, real *x, real *c);

/* Returns the sum of `shards` numbers, which are overwritten. */
double shard_total(double *x, int shards);

/* The number of trees that are waiting to be merged after the first `done` of some equal subtrees. */
int shard_waiting(int done);

#endif
