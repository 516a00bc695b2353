/* rng.h: seeded random numbers, the same on every machine. */
#ifndef TIDE_RNG_H
#define TIDE_RNG_H

#include <stdint.h>

/* The whole state: saved in checkpoints as it is. splitmix64 (Steele, Lea & Flood 2014). */
typedef struct Rng {
    uint64_t state;
} Rng;

/* A generator for one purpose: streams of different numbers are independent of each other. */
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
/* Fisher-Yates. */
void rng_shuffle(Rng *rng, int *items, int n);

#endif
