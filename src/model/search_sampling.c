/* search_sampling.c: draws words instead of searching the best ones. */
#include "model/search.h"
#include "core/kernels.h"

#include <string.h>

/* weights [target vocabulary] = exp((x - max) / temperature) for the words that may follow in a row, 0 for others. */
static void weigh_words(const Search *s, int row, const real *x, real *weights) {
    const BeamOptions *o = s->options;
    const int V = s->members->logits->cols;
    const real temperature = (real)o->sampling->temperature, lowest = -1e30f;
    real sum;
    int count;
    const PrefixArc *arcs = search_arcs(s, row, &count);
    memcpy(weights, x, (size_t)V * sizeof *weights);
    kernels->divide(V, weights, temperature);
    for (int i = 0; i < o->banned_count; i++) weights[o->banned[i]] = lowest;
    for (int id = 0; arcs && id < V; id++) weights[id] = lowest;
    for (int k = 0; arcs && k < count; k++) weights[arcs[k].id] = x[arcs[k].id] / temperature;
    kernels->exp_sum(V, weights, &sum, weights); /* e^lowest is small, but not 0 */
    if (!arcs) {
        for (int i = 0; i < o->banned_count; i++) weights[o->banned[i]] = 0;
        return;
    }
    for (int k = 0; k < count; k++) weights[arcs[k].id] *= -1; /* a mark */
    for (int id = 0; id < V; id++) weights[id] = weights[id] < 0 ? -weights[id] : 0;
}

int search_draw(const Search *s, int row, const NextWords *next, Candidate *drawn) {
    const Node *node = s->node[row];
    const Sampling *sampling = s->options->sampling;
    const int V = s->members->logits->cols, count = node->length ? 1 : s->options->beam;
    real *weights = s->weights + (size_t)row * (size_t)V;
    weigh_words(s, row, next->x, weights);
    for (int k = 0; k < count; k++) {
        const int sample = node->length ? node->sample : k, number = s->sentences[s->owner[row]].number;
        const uint64_t random = sampling_random(sampling, number, sample, node->length);
        const int id = sampling_draw(sampling, V, weights, s->heaps + (size_t)row * (size_t)V, random);
        drawn[k] = search_candidate(s, next, row, id);
        drawn[k].sample = sample;
    }
    return count;
}
