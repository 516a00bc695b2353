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
/* Adds noise to a source sentence of n ids, in place: removes some pieces, replaces others by <unk>, then moves pieces.
   At least one piece stays, and so does the last id, which is </s> or a tag. Returns the new number of ids. The result
   depends on the arguments only. index: the place of the pair in its batch. */
int noise_add(const UpdateNoise *noise, int index, int *ids, int n);

#endif
