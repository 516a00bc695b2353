/* rng.h: pseudorandom numbers. A seed gives the same numbers on every machine. */
#ifndef TIDE_RNG_H
#define TIDE_RNG_H

#include <stdint.h>

/* splitmix64 (Steele, Lea & Flood 2014). This is the whole state; checkpoints store it. */
typedef struct Rng {
    uint64_t state;
} Rng;

/* Returns a generator for one purpose. Generators of different streams are independent. */
Rng rng_seed(uint64_t seed, uint64_t stream);
uint64_t rng_next(Rng *rng);
/* The number that rng_next returns after n other numbers; n from 0. */
uint64_t rng_at(const Rng *rng, uint64_t n);
/* Uniform in [0, 1). */
double rng_uniform(Rng *rng);
/* Uniform in 0..n-1, n > 0. */
uint32_t rng_below(Rng *rng, uint32_t n);
/* N(0, 1), Marsaglia's polar method. */
double rng_normal(Rng *rng);
/* Shuffles n items (Fisher-Yates). */
void rng_shuffle(Rng *rng, int *items, int n);

#endif
