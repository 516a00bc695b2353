/* chain.h: the chain of a training: hashes of its learner, each over the one before, so that `tide verify` can compare
   another training with it update by update. A link follows update CHAIN_FIRST and each epoch. It is XXH3 of 128 bits
   of the text "BEFORE\nupdate N\n", where BEFORE is the hash of the link before (empty: the first link), and then, for
   each tensor of a checkpoint, of "NAME\n" and its data. XXH3 finds differences, but does not resist a forger; `tide
   verify` does not rely on it, because it computes the weights again. */
#ifndef TIDE_CHAIN_H
#define TIDE_CHAIN_H

#include "train/training.h"

enum { CHAIN_FIRST = 50 };

/* Computes the link that follows `update`. before: the hash of the link before it; empty: there is none. */
RecipeLink chain_link(const Learner *learner, const char *before, long update);
/* All ranks call this after each update. It counts the update in the recipe. After update CHAIN_FIRST, and at the end
   of an epoch, it also adds a link and calls `traced`. Returns 0, or -1 with *err filled. */
int chain_extend(Training *training, Err *err);

#endif
