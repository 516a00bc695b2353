#include "score/ngrams.h"

#include <stdlib.h>

#include "core/base.h"
#include "io/ds.h"

typedef struct Ngram {
    const int *items;
    int length;
} Ngram;

static int compare(const void *left, const void *right) {
    const Ngram *a = left, *b = right;
    int shorter = a->length < b->length ? a->length : b->length;
    for (int k = 0; k < shorter; k++)
        if (a->items[k] != b->items[k]) return a->items[k] < b->items[k] ? -1 : 1;
    return a->length - b->length;
}

/* Returns a sorted stb_ds array with, for each position of a sequence, the longest n-gram of at most `orders` items
   that begins there. Shorter n-grams are prefixes of these, so they are sorted, too. */
static Ngram *sorted_ngrams(const int *sequence, int orders) {
    Ngram *ngrams = NULL;
    long n = arrlen(sequence);
    for (long i = 0; i < n; i++) arrput(ngrams, ((Ngram){sequence + i, n - i < orders ? (int)(n - i) : orders}));
    if (n > 0) qsort(ngrams, (size_t)n, sizeof *ngrams, compare);
    return ngrams;
}

/* Compares the first `order` items of an entry with an n-gram of this order; an entry that is shorter is not equal. */
static int compare_start(const Ngram *entry, const Ngram *ngram, int order) {
    const int length = entry->length < order ? entry->length : order;
    return compare(&(Ngram){entry->items, length}, ngram);
}

/* Returns the number of entries from *at on that begin with an n-gram, and moves *at behind them. */
static long take(const Ngram *entries, long *at, const Ngram *ngram, int order) {
    const long n = arrlen(entries);
    while (*at < n && compare_start(&entries[*at], ngram, order) < 0) ++*at;
    const long begin = *at;
    while (*at < n && compare_start(&entries[*at], ngram, order) == 0) ++*at;
    return *at - begin;
}

/* Counts the matches of one order. at: [count]: for the positions in the references. */
static long count_matches(const Ngram *entries, Ngram *const *references, long *at, int count, int order) {
    long matches = 0;
    for (int r = 0; r < count; r++) at[r] = 0;
    for (long i = 0; i < arrlen(entries);) {
        const Ngram ngram = {entries[i].items, order};
        if (entries[i].length < order) {
            i++;
            continue;
        }
        const long own = take(entries, &i, &ngram, order);
        long most = 0;
        for (int r = 0; r < count; r++) {
            const long found = take(references[r], &at[r], &ngram, order);
            if (found > most) most = found;
        }
        matches += own < most ? own : most;
    }
    return matches;
}

long ngrams_count(long length, int order) { return length < order ? 0 : length - order + 1; }

void ngrams_match(const int *hypothesis, int *const *references, int count, int orders, long *matches) {
    Ngram *entries = sorted_ngrams(hypothesis, orders);
    Ngram **of_references = mem_alloc((size_t)count * sizeof *of_references);
    long *at = mem_alloc((size_t)count * sizeof *at);
    for (int r = 0; r < count; r++) of_references[r] = sorted_ngrams(references[r], orders);
    for (int order = 1; order <= orders; order++)
        matches[order - 1] += count_matches(entries, of_references, at, count, order);
    for (int r = 0; r < count; r++) arrfree(of_references[r]);
    mem_free(of_references);
    mem_free(at);
    arrfree(entries);
}
