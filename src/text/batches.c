#include "text/batches.h"
#include "core/rng.h"
#include "text/ds.h"

#include <stdlib.h>
#include <string.h>

Pairs pairs_encode(const Corpus *corpus, const Side *source, const Side *target, int max_length) {
    Pairs pairs = {0};
    const size_t most = (size_t)corpus_size(corpus);
    pairs.source = mem_alloc(most * sizeof *pairs.source);
    pairs.target = mem_alloc(most * sizeof *pairs.target);
    pairs.source_length = mem_alloc(most * sizeof(int));
    pairs.target_length = mem_alloc(most * sizeof(int));
    pairs.index = mem_alloc(most * sizeof(int));
    int **sources = side_encode_all(source, corpus->source, corpus_size(corpus));
    int **targets = side_encode_all(target, corpus->target, corpus_size(corpus));
    for (size_t i = 0; i < most; i++) {
        int *x = sources[i], *y = targets[i];
        if (max_length > 0 && (arrlen(x) - 1 > max_length || arrlen(y) - 1 > max_length)) {
            arrfree(x);
            arrfree(y);
            pairs.dropped_long++;
            continue;
        }
        pairs.source_length[pairs.n] = (int)arrlen(x);
        pairs.target_length[pairs.n] = (int)arrlen(y);
        pairs.index[pairs.n] = (int)i;
        pairs.source[pairs.n] = x;
        pairs.target[pairs.n++] = y;
    }
    mem_free(sources);
    mem_free(targets);
    return pairs;
}

void pairs_free(Pairs *pairs) {
    for (int i = 0; i < pairs->n; i++) {
        arrfree(pairs->source[i]);
        arrfree(pairs->target[i]);
    }
    mem_free(pairs->source);
    mem_free(pairs->target);
    mem_free(pairs->source_length);
    mem_free(pairs->target_length);
    mem_free(pairs->index);
    *pairs = (Pairs){0};
}

Batch pairs_fold(Arena *arena, const Pairs *pairs, const int *which, int n) {
    const size_t size = (size_t)n;
    const int **x = arena_alloc(arena, size * sizeof *x), **y = arena_alloc(arena, size * sizeof *y);
    int *x_length = arena_alloc(arena, size * sizeof(int)), *y_length = arena_alloc(arena, size * sizeof(int));
    for (int i = 0; i < n; i++) {
        x[i] = pairs->source[which[i]];
        y[i] = pairs->target[which[i]];
        x_length[i] = pairs->source_length[which[i]];
        y_length[i] = pairs->target_length[which[i]];
    }
    return batch_fold(arena, x, x_length, y, y_length, n, ID_BOS);
}

typedef struct Keyed {
    int target, source, place, pair;
} Keyed;

static int by_length(const void *left, const void *right) {
    const Keyed *a = left, *b = right;
    if (a->target != b->target) return a->target < b->target ? -1 : 1;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place; /* qsort alone would not keep ties in order */
}

static void sort_window(const Pairs *pairs, int *order, int n) {
    Keyed *keyed = mem_alloc((size_t)n * sizeof *keyed);
    for (int i = 0; i < n; i++)
        keyed[i] = (Keyed){pairs->target_length[order[i]], pairs->source_length[order[i]], i, order[i]};
    qsort(keyed, (size_t)n, sizeof *keyed, by_length);
    for (int i = 0; i < n; i++) order[i] = keyed[i].pair;
    mem_free(keyed);
}

/* Appends the window's pairs to the epoch, batch by batch in random order. */
static void deal_window(Epoch *epoch, Rng *rng, const int *sorted, int n, int batch) {
    int batches = (n + batch - 1) / batch, *turn = mem_alloc((size_t)batches * sizeof *turn);
    for (int k = 0; k < batches; k++) turn[k] = k;
    rng_shuffle(rng, turn, batches);
    for (int k = 0; k < batches; k++) {
        int first = turn[k] * batch, size = n - first < batch ? n - first : batch, at = epoch->begin[epoch->batches];
        memcpy(epoch->order + at, sorted + first, (size_t)size * sizeof(int));
        epoch->begin[++epoch->batches] = at + size;
    }
    mem_free(turn);
}

Epoch epoch_plan(const Pairs *pairs, int batch, int window, uint64_t seed, long number) {
    const int n = pairs->n, span = batch * (window > 0 ? window : 1);
    Rng rng = rng_seed(seed, 0x65706f6368u + (uint64_t)number); /* a stream of each epoch's own */
    int *shuffled = mem_alloc((size_t)n * sizeof(int));
    for (int i = 0; i < n; i++) shuffled[i] = i;
    rng_shuffle(&rng, shuffled, n);
    size_t most = (size_t)n / (size_t)batch + (size_t)n / (size_t)span + 3;
    Epoch epoch = {.order = mem_alloc((size_t)n * sizeof(int)), .begin = mem_zalloc(most * sizeof(int))};
    for (int first = 0; first < n; first += span) {
        int size = n - first < span ? n - first : span;
        sort_window(pairs, shuffled + first, size);
        deal_window(&epoch, &rng, shuffled + first, size, batch);
    }
    mem_free(shuffled);
    return epoch;
}

void epoch_free(Epoch *epoch) {
    mem_free(epoch->order);
    mem_free(epoch->begin);
    *epoch = (Epoch){0};
}
