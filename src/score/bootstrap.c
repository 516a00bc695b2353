#include "score/bootstrap.h"
#include "core/base.h"

#include <math.h>
#include <stdlib.h>

/* ---- NumPy's generator ------------------------------------------------------------------------------------------ */

/* The hash of SeedSequence; *constant changes with every number. */
static uint32_t hash(uint32_t x, uint32_t *constant, uint32_t factor) {
    x ^= *constant;
    *constant *= factor;
    x *= *constant;
    return x ^ x >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y) {
    const uint32_t mixed = 0xca01f9ddu * x - 0x4973f715u * y;
    return mixed ^ mixed >> 16;
}

static uint64_t next_64(NumpyRng *rng) {
    const unsigned __int128 factor = (unsigned __int128)0x2360ed051fc65da4u << 64 | 0x4385df649fccf645u;
    rng->state = rng->state * factor + rng->increment;
    const uint64_t folded = (uint64_t)(rng->state >> 64) ^ (uint64_t)rng->state;
    const unsigned turn = (unsigned)(rng->state >> 122);
    return folded >> turn | folded << (-turn & 63);
}

NumpyRng numpy_seed(uint32_t seed) {
    enum { POOL = 4 };
    uint32_t pool[POOL], constant = 0x43b0d7e5u;
    uint64_t words[4] = {0};
    for (int i = 0; i < POOL; i++) pool[i] = hash(i ? 0 : seed, &constant, 0x931e8875u);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to) pool[to] = mix(pool[to], hash(pool[from], &constant, 0x931e8875u));
    constant = 0x8b51f9ddu;
    for (int i = 0; i < 8; i++) words[i / 2] |= (uint64_t)hash(pool[i % POOL], &constant, 0x58f38dedu) << 32 * (i % 2);
    NumpyRng rng = {.increment = ((unsigned __int128)words[2] << 64 | words[3]) << 1 | 1};
    next_64(&rng);
    rng.state += (unsigned __int128)words[0] << 64 | words[1];
    next_64(&rng);
    return rng;
}

static uint32_t next_32(NumpyRng *rng) {
    rng->has_half = !rng->has_half;
    if (!rng->has_half) return rng->half;
    const uint64_t number = next_64(rng);
    rng->half = (uint32_t)(number >> 32);
    return (uint32_t)number;
}

/* Lemire 2019, "Fast Random Integer Generation in an Interval". */
uint32_t numpy_below(NumpyRng *rng, uint32_t n) {
    if (n == 1) return 0;
    uint64_t product = (uint64_t)next_32(rng) * n;
    if ((uint32_t)product < n)
        for (const uint32_t least = (0u - n) % n; (uint32_t)product < least;) product = (uint64_t)next_32(rng) * n;
    return (uint32_t)(product >> 32);
}

/* ---- the test --------------------------------------------------------------------------------------------------- */

static int ascending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Sets mean and half from the scores of n samples; sorts them. */
static void summarize(Sampled *sampled, double *scores, int n) {
    const int tail = n / 40;
    for (int i = 0; i < n; i++) sampled->mean += scores[i] / n;
    qsort(scores, (size_t)n, sizeof *scores, ascending);
    sampled->half = (scores[n - tail - 1] - scores[tail]) / 2;
}

/* (1 + the number of samples whose difference, less the mean difference, is larger than the real one) / (1 + samples)
 */
static double probability(const double *own, const double *other, int samples, double real) {
    double mean = 0;
    int larger = 0;
    for (int i = 0; i < samples; i++) mean += fabs(own[i] - other[i]) / samples;
    for (int i = 0; i < samples; i++) larger += fabs(own[i] - other[i]) - mean > real;
    return (larger + 1.0) / (samples + 1.0);
}

Comparison bleu_compare(char *const *hypotheses, char *const *others, References references, int n, BleuOptions options,
                        int samples) {
    Comparison c = {0};
    Bleu *own = bleu_sentences(hypotheses, references, n, options, &c.own.bleu);
    Bleu *other = bleu_sentences(others, references, n, options, &c.other.bleu);
    double *own_scores = mem_alloc((size_t)samples * sizeof *own_scores);
    double *other_scores = mem_alloc((size_t)samples * sizeof *other_scores);
    NumpyRng rng = numpy_seed(12345); /* the seed of sacreBLEU */
    for (int s = 0; s < samples; s++) {
        Bleu own_sum = {0}, other_sum = {0};
        for (int i = 0; i < n; i++) {
            const uint32_t drawn = numpy_below(&rng, (uint32_t)n);
            bleu_add(&own_sum, &own[drawn]);
            bleu_add(&other_sum, &other[drawn]);
        }
        own_scores[s] = bleu_compute(&own_sum);
        other_scores[s] = bleu_compute(&other_sum);
    }
    c.p = probability(own_scores, other_scores, samples, fabs(c.own.bleu.score - c.other.bleu.score));
    summarize(&c.own, own_scores, samples);
    summarize(&c.other, other_scores, samples);
    mem_free(own);
    mem_free(other);
    mem_free(own_scores);
    mem_free(other_scores);
    return c;
}
