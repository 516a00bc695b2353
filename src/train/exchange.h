/* exchange.h: what the ranks of a training exchange in an update: gradients, squared norms and new weights. Each rank
   owns a slice of the flat arrays; it adds the gradients of all ranks for its slice, and updates its weights. Rows of
   tables (embeddings) that are zero in a gradient, or that an update did not change, are not sent. Without several
   ranks the functions do nothing. A function that returns -1 has filled *err: see ranks.h. */
#ifndef TIDE_EXCHANGE_H
#define TIDE_EXCHANGE_H

#include "core/optimizer.h"
#include "train/ranks.h"

#include <stdint.h>

typedef struct Exchange {
    Ranks *ranks;
    Threads *threads;
    Optimizer *optimizer;  /* describes the flat arrays; it has the slice of this rank */
    RankMessage *out, *in; /* [ranks] messages with space for any slice; owned */
    void *memory;          /* the space of the messages; owned */
    size_t bytes;          /* of the space; 0: there is one rank */
} Exchange;

/* Divides the optimizer's state: afterwards it has only the slice of this rank. Release with exchange_free. */
void exchange_init(Exchange *exchange, Ranks *ranks, Threads *threads, Optimizer *optimizer);
void exchange_free(Exchange *exchange);

/* Replaces the own slice of the gradient by the sum over all ranks, in the tree of shard_sums.h, and sets the rest of
   the gradient to zero. */
int exchange_gradients(Exchange *exchange, real *gradient, Err *err);
/* Completes the optimizer's squared norms of all blocks. */
int exchange_squares(Exchange *exchange, Err *err);
/* Remembers the own slice of the weights; exchange_weights then completes the weights of all ranks after the update. */
void exchange_remember(Exchange *exchange, const real *weights);
int exchange_weights(Exchange *exchange, real *weights, Err *err);
/* Collects an array of which each rank has one slice, *array. With one rank, or if *array is NULL, *array does not
   change. Otherwise *array becomes a new array, owned by the caller, also after an error. On rank 0, and on every rank
   if `everywhere` is set, it has the slices of all ranks; on the other ranks it has zeros, then the own slice as its
   end. Returns 0, or -1 with *err filled. */
int exchange_collect(Exchange *exchange, real **array, bool everywhere, Err *err);

#endif
