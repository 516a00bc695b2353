/* noise.h: noise in source sentences of a training, so that a model learns to read what no person would write, such as
   sentences that another model translated (Edunov et al. 2018, "Understanding Back-Translation at Scale", §3). */
#ifndef TIDE_NOISE_H
#define TIDE_NOISE_H

#include "core/rng.h"

#include <stdbool.h>

/* All zero: no noise. */
typedef struct Noise {
    double drop, blank; /* the probabilities that a piece is removed, and that it becomes <unk> */
    int swap;           /* a piece moves by fewer places than this; 0 and 1: none moves */
} Noise;

/* The noise of one update. */
typedef struct UpdateNoise {
    Noise noise;
    uint64_t seed;
    long update;
} UpdateNoise;

bool noise_is_none(const Noise *noise);
/* Adds noise to the n ids of a source sentence, in place: removes pieces, then blanks others, then moves them. The last
   id, </s> or a tag, stays, and so does one piece at least. Returns the new number of ids. It depends on the arguments
   only; `index` is the number of the pair in the batch of the update. */
int noise_add(const UpdateNoise *noise, int index, int *ids, int n);

#endif
