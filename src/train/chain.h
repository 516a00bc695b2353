/* chain.h: the chain of a training: hashes of its learner, each over the one before, so that `tide verify` can compare
   another training with it update by update. A link follows update CHAIN_FIRST and each epoch. It is XXH3 of 128 bits
   of the text "BEFORE\nupdate N\n", where BEFORE is the hash of the link before (empty: the first link), and then, for
   each tensor of a checkpoint, of "NAME\n" and its data. XXH3 finds differences, but does not resist a forger; `tide
   verify` does not rely on it, because it computes the weights again. */
#ifndef TIDE_CHAIN_H
#define TIDE_CHAIN_H

#include "train/training.h"

enum { CHAIN_FIRST = 50 };

/* The hash of the link after `update`. */
RecipeLink chain_link(const Learner *learner, const char *before, long update);
/* If a link follows the last update, adds it to the recipe, and tells it to the callback `traced`. All ranks call this.
   Returns 0, or -1 with *err filled. */
int chain_extend(Training *training, Err *err);

#endif
