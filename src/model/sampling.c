#include "model/sampling.h"
#include "core/rng.h"

uint64_t sampling_random(const Sampling *sampling, long sentence, int sample, int step) {
    const long number = sampling->numbers ? sampling->numbers[sentence] : sampling->first + sentence;
    Rng of_sentence = rng_seed(sampling->seed, (uint64_t)number);
    const Rng of_sample = rng_seed(rng_next(&of_sentence), (uint64_t)sample);
    return rng_at(&of_sample, (uint64_t)step);
}

/* ---- the largest weights: a heap of ids, the largest at 0 -------------------------------------------------------- */

static bool before(const real *weights, int a, int b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
}

/* Moves the id at position i down to its place. */
static void sink(const real *weights, int *heap, int n, int i) {
    const int id = heap[i];
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(weights, heap[child + 1], heap[child])) child++;
        if (!before(weights, heap[child], id)) break;
        heap[i] = heap[child];
    }
    heap[i] = id;
}

/* Takes the largest of n ids out of the heap, to position n - 1. */
static int take(const real *weights, int *heap, int n) {
    const int id = heap[0];
    heap[0] = heap[n - 1];
    if (n > 1) sink(weights, heap, n - 1, 0);
    return heap[n - 1] = id;
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* A number in [0, 1). */
static double uniform(uint64_t random) { return (double)(random >> 11) * 0x1p-53; }

/* The id at which the sum of the weights of ids[n - 1], ids[n - 2] .. ids[n - count] first exceeds `limit`. */
static int draw_taken(const real *weights, const int *ids, int n, int count, double limit) {
    double sum = 0;
    for (int i = n - 1; i > n - count; i--)
        if ((sum += (double)weights[ids[i]]) > limit) return ids[i];
    return ids[n - count];
}

int sampling_draw(const Sampling *sampling, int n, const real *weights, int *heap, uint64_t random) {
    double all = 0, sum = 0;
    int last = 0, count = 0;
    for (int id = 0; id < n; id++) all += (double)weights[id];
    if (sampling->kind == SAMPLING_FULL) {
        for (int id = 0; id < n; id++) {
            if (weights[id] > 0) last = id;
            if ((sum += (double)weights[id]) > uniform(random) * all) return id;
        }
        return last;
    }
    for (int id = 0; id < n; id++) heap[id] = id;
    for (int i = n / 2 - 1; i >= 0; i--) sink(weights, heap, n, i);
    while (count < n && weights[heap[0]] > 0 &&
           (sampling->kind == SAMPLING_TOPK ? count < sampling->k : sum < sampling->p * all)) {
        sum += (double)weights[take(weights, heap, n - count)];
        count++;
    }
    return draw_taken(weights, heap, n, count, uniform(random) * sum);
}
