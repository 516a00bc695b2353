#include "core/rng.h"
#include "core/exact.h"

#include <math.h>

static const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 / φ, odd */

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

Rng rng_seed(uint64_t seed, uint64_t stream) {
    return (Rng){mix(seed + golden) ^ mix(stream * 0xd1342543de82ef95u + 1)};
}

uint64_t rng_next(Rng *rng) { return mix(rng->state += golden); }

uint64_t rng_at(const Rng *rng, uint64_t n) { return mix(rng->state + (n + 1) * golden); }

double rng_uniform(Rng *rng) { return (double)(rng_next(rng) >> 11) * 0x1p-53; }

uint32_t rng_below(Rng *rng, uint32_t n) { return (uint32_t)(((rng_next(rng) >> 32) * n) >> 32); }

double rng_normal(Rng *rng) {
    double u, v, s;
    do {
        u = 2 * rng_uniform(rng) - 1;
        v = 2 * rng_uniform(rng) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * exact_log(s) / s);
}

void rng_shuffle(Rng *rng, int *items, int n) {
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(rng, (uint32_t)i + 1), item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}
