/* bootstrap.h: whether two sets of translations differ: the paired bootstrap test (Koehn 2004, section 4.2), as
   sacreBLEU computes it, with the same samples. */
#ifndef TIDE_BOOTSTRAP_H
#define TIDE_BOOTSTRAP_H

#include "score/bleu.h"

#include <stdint.h>

/* A score, and the mean and half the width of the 95 % interval of its samples. */
typedef struct Sampled {
    Bleu bleu;
    double mean, half;
} Sampled;

typedef struct Comparison {
    Sampled own, other;
    double p; /* of a difference as large as this one, if the translations were equally good */
} Comparison;

/* Compares the BLEU of n hypotheses with that of n others for the same references. A sample draws n sentences with
   replacement, the same ones for both. */
Comparison bleu_compare(char *const *hypotheses, char *const *others, References references, int n, BleuOptions options,
                        int samples);

/* The generator of NumPy's default_rng: PCG64 (O'Neill 2014), seeded by SeedSequence; and `choice` of one of n. */
typedef struct NumpyRng {
    unsigned __int128 state, increment;
    uint32_t half; /* the upper half of the last number, if it is not used yet */
    int has_half;
} NumpyRng;
NumpyRng numpy_seed(uint32_t seed);
uint32_t numpy_below(NumpyRng *rng, uint32_t n);

#endif
