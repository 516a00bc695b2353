#include "corpus/batches.h"
#include "core/base.h"
#include "core/rng.h"
#include "io/ds.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(uint64_t hash, const int *source, int n_source, const int *target, int n_target) {
    for (int k = 0; k < n_source; k++) hash = (hash ^ (uint64_t)source[k]) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < n_target; k++) hash = (hash ^ (uint64_t)target[k]) * 0xd1342543de82ef95u;
    return hash ^ hash >> 29;
}

/* Encodes a pair and appends it unless a side is too long. */
static int add_pair(Pairs *pairs, SideCache *const cache[2], const DiskPair *pair, int max_length, Err *err) {
    int *x = side_cache_encode(cache[SOURCE], pair->text[SOURCE]), failed = 0;
    int *y = side_cache_encode(cache[TARGET], pair->text[TARGET]);
    const int n_source = (int)arrlen(x), n_target = (int)arrlen(y);
    if (max_length > 0 && (n_source - 1 > max_length || n_target - 1 > max_length)) {
        pairs->dropped_long++;
    } else {
        pairs->hash = hash_of(pairs->hash, x, n_source, y, n_target);
        arrput(pairs->source_length, n_source);
        arrput(pairs->target_length, n_target);
        arrput(pairs->line, pair->line);
        pairs->n++;
        memcpy(arraddnptr(x, (size_t)n_target), y, (size_t)n_target * sizeof *y);
        failed = records_add(&pairs->ids, x, arrlenu(x), err);
    }
    arrfree(x);
    arrfree(y);
    return failed;
}

/* Ends the sets whose last pair is pair i of the corpus, and begins the next one. */
static void end_sets(Pairs *pairs, SideCache *source, const TrainSet *sets, long i) {
    for (ptrdiff_t k; (k = arrlen(pairs->sets)) < arrlen(sets) && sets[k].end <= i;) {
        arrput(pairs->sets, sets[k]);
        pairs->sets[k].end = pairs->n;
        if (k + 1 < arrlen(sets)) side_cache_end(source, sets[k + 1].source_end);
    }
}

int pairs_encode(Pairs *pairs, DiskCorpus *corpus, const TrainSet *sets, const Side *source, const Side *target,
                 int max_length, const char *dir, ProgressFn *progress, void *context, Err *err) {
    enum { OFTEN = 1000 };
    SideCache *cache[2] = {side_cache(source), side_cache(target)};
    DiskPair pair;
    *pairs = (Pairs){0};
    int failed = records_open(&pairs->ids, dir, err) || disk_corpus_rewind(corpus, err) ? -1 : 0;
    if (sets) side_cache_end(cache[SOURCE], sets[0].source_end);
    for (long i = 1; !failed && (failed = disk_corpus_next(corpus, &pair, err)) > 0; i++) {
        failed = add_pair(pairs, cache, &pair, max_length, err);
        if (sets) end_sets(pairs, cache[SOURCE], sets, i);
        if (!failed && i % OFTEN == 0 && progress && progress(context, i, corpus->n))
            failed = err_set(err, NULL, 0, "stopped while the corpus was encoded");
    }
    for (int i = 0; i < 2; i++) side_cache_free(cache[i]);
    if (!failed) failed = records_flush(&pairs->ids, err);
    if (failed) pairs_free(pairs);
    return failed;
}

void pairs_free(Pairs *pairs) {
    records_close(&pairs->ids);
    arrfree(pairs->source_length);
    arrfree(pairs->target_length);
    arrfree(pairs->line);
    arrfree(pairs->sets);
    *pairs = (Pairs){0};
}

int pairs_set(const Pairs *pairs, int pair) {
    int k = 0;
    while (k < arrlen(pairs->sets) && pair >= pairs->sets[k].end) k++;
    return k;
}

int pairs_fold(Arena *arena, const Pairs *pairs, const int *which, const int *index, int n, const UpdateNoise *noise,
               Batch *batch, Err *err) {
    const size_t size = (size_t)n;
    const int **x = arena_alloc(arena, size * sizeof *x), **y = arena_alloc(arena, size * sizeof *y);
    int *x_length = arena_alloc(arena, size * sizeof(int)), *y_length = arena_alloc(arena, size * sizeof(int));
    for (int i = 0; i < n; i++) {
        const int pair = which[i];
        int *ids = arena_alloc(arena, records_length(&pairs->ids, pair) * sizeof *ids);
        if (records_read(&pairs->ids, pair, ids, err)) return -1;
        x_length[i] = pairs->source_length[pair];
        y_length[i] = pairs->target_length[pair];
        x[i] = ids;
        y[i] = ids + x_length[i];
        if (noise && !(arrlen(pairs->sets) && pairs->sets[pairs_set(pairs, pair)].quiet))
            x_length[i] = noise_add(noise, index ? index[i] : i, ids, x_length[i]);
    }
    *batch = batch_fold(arena, x, x_length, y, y_length, n, index, ID_BOS);
    return 0;
}

typedef struct SortKey {
    int target, source, place, pair;
} SortKey;

static int by_length(const void *left, const void *right) {
    const SortKey *a = left, *b = right;
    if (a->target != b->target) return a->target < b->target ? -1 : 1;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place; /* qsort is not stable */
}

/* Sorts a window of n pairs by length, and shuffles its batches. */
static void plan_window(Epoch *epoch, const Pairs *pairs, int *window, int n, int batch, Rng *rng) {
    const int batches = (n + batch - 1) / batch;
    SortKey *keyed = mem_alloc((size_t)n * sizeof *keyed);
    int *order = mem_alloc((size_t)batches * sizeof *order), at = 0;
    for (int i = 0; i < n; i++)
        keyed[i] = (SortKey){pairs->target_length[window[i]], pairs->source_length[window[i]], i, window[i]};
    qsort(keyed, (size_t)n, sizeof *keyed, by_length);
    for (int k = 0; k < batches; k++) order[k] = k;
    rng_shuffle(rng, order, batches);
    for (int k = 0; k < batches; k++) {
        const int first = order[k] * batch, end = n - first < batch ? n : first + batch;
        for (int i = first; i < end; i++) window[at++] = keyed[i].pair;
        epoch->begin[epoch->batches + 1] = epoch->begin[epoch->batches] + end - first;
        epoch->batches++;
    }
    mem_free(keyed);
    mem_free(order);
}

/* The number of pairs that an epoch has of a set of n. */
static int times_weight(int n, double weight) { return (int)(n * weight + 0.5); }

int epoch_size(const Pairs *pairs) {
    const TrainSet *sets = pairs->sets;
    double size = arrlen(sets) ? 0 : pairs->n;
    long begin = 0;
    for (ptrdiff_t k = 0; k < arrlen(sets); begin = sets[k++].end)
        size += times_weight((int)(sets[k].end - begin), sets[k].weight);
    return size < INT_MAX ? (int)size : INT_MAX;
}

/* Writes the pairs begin..end-1 to order, as often as the weight says. Returns the end of the list. */
static int *list_set(int *order, int begin, int end, double weight, Rng *rng) {
    const int n = end - begin;
    if (n == 0) return order;
    const int all = times_weight(n, weight), rest = all % n;
    int *to = order;
    for (int i = 0; i < all - rest; i++) *to++ = begin + i % n;
    if (!rest) return to;
    int *drawn = mem_alloc((size_t)n * sizeof *drawn);
    for (int i = 0; i < n; i++) drawn[i] = begin + i;
    rng_shuffle(rng, drawn, n);
    memcpy(to, drawn, (size_t)rest * sizeof *to);
    mem_free(drawn);
    return to + rest;
}

Epoch epoch_plan(const Pairs *pairs, int batch, int window, uint64_t seed, long number) {
    const int n = epoch_size(pairs), span = batch * (window > 0 ? window : 1);
    Rng rng = rng_seed(seed, 0x65706f6368u + (uint64_t)number); /* each epoch has its own random stream */
    size_t most = (size_t)n / (size_t)batch + (size_t)n / (size_t)span + 3;
    Epoch epoch = {.order = mem_alloc((size_t)n * sizeof(int)), .begin = mem_zalloc(most * sizeof(int))};
    int *to = epoch.order, begin = 0;
    if (!arrlen(pairs->sets)) list_set(to, 0, n, 1, &rng);
    for (ptrdiff_t k = 0; k < arrlen(pairs->sets); begin = (int)pairs->sets[k++].end)
        to = list_set(to, begin, (int)pairs->sets[k].end, pairs->sets[k].weight, &rng);
    rng_shuffle(&rng, epoch.order, n);
    for (int first = 0; first < n; first += span)
        plan_window(&epoch, pairs, epoch.order + first, n - first < span ? n - first : span, batch, &rng);
    return epoch;
}

void epoch_free(Epoch *epoch) {
    mem_free(epoch->order);
    mem_free(epoch->begin);
    *epoch = (Epoch){0};
}
