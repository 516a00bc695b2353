#include "score/ngrams.h"

#include <stdbool.h>
#include <stdlib.h>

#include "text/ds.h"

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

/* Counts the n-grams of one order that both sorted arrays contain. Entries shorter than `order` are skipped. */
static long count_matches(const Ngram *a, const Ngram *b, int order) {
    long matches = 0;
    for (long i = 0, j = 0; i < arrlen(a) && j < arrlen(b);) {
        bool short_a = a[i].length < order, short_b = b[j].length < order;
        if (short_a || short_b) {
            i += short_a;
            j += short_b;
            continue;
        }
        int which = compare(&(Ngram){a[i].items, order}, &(Ngram){b[j].items, order});
        matches += which == 0;
        i += which <= 0;
        j += which >= 0;
    }
    return matches;
}

long ngrams_count(long length, int order) { return length < order ? 0 : length - order + 1; }

void ngrams_match(const int *hypothesis, const int *reference, int orders, long *matches) {
    Ngram *a = sorted_ngrams(hypothesis, orders), *b = sorted_ngrams(reference, orders);
    for (int order = 1; order <= orders; order++) matches[order - 1] += count_matches(a, b, order);
    arrfree(a);
    arrfree(b);
}
