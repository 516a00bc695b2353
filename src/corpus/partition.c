#include "corpus/partition.h"

#include "text/unicode.h"

#include <limits.h>
#include <stdlib.h>
#include <utf8proc.h>

/* ---- keys ---- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t finish(uint64_t hash) {
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; *text; text++) hash = mix(hash, (unsigned char)*text);
    return mix(hash, 256); /* separates two texts */
}

/* A hash of the letters and digits in lower case; of all characters if there are none. */
static uint64_t hash_sentence(const char *text) {
    uint64_t hash = 1;
    bool any = false;
    for (const char *at = text; *at;) {
        int32_t c = utf8_next(&at);
        if (!is_han(c) && !is_letter(c) && !is_digit(c) && !is_mark(c)) continue;
        hash = mix(hash, (uint64_t)utf8proc_tolower(c));
        any = true;
    }
    return finish(any ? hash : hash_text(2, text));
}

PairKeys pair_keys(const char *source, const char *target) {
    return (PairKeys){finish(hash_text(hash_text(3, source), target)), {hash_sentence(source), hash_sentence(target)}};
}

/* ---- groups ---- */

/* Pair `index` with one of its keys. After sorting, equal keys are adjacent, in the order of the pairs. */
typedef struct SortKey {
    uint64_t key;
    int index;
} SortKey;

static int by_key(const void *left, const void *right) {
    const SortKey *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The root of i's group, with path halving (union-find). */
static int find(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Sorts the pairs by their keys and marks duplicates. Returns the number of the other pairs. */
static int mark_repeated(SortKey *order, const PairKeys *keys, int n, unsigned char *part) {
    int left = n;
    for (int i = 0; i < n; i++) order[i] = (SortKey){keys[i].pair, i};
    qsort(order, (size_t)n, sizeof *order, by_key);
    for (int i = 1; i < n; i++) {
        if (order[i].key != order[i - 1].key) continue;
        part[order[i].index] = REPEATED;
        left--;
    }
    return left;
}

/* Joins the groups of all pairs that have an equal sentence on this side. */
static void join(SortKey *order, const PairKeys *keys, int n, int side, int *parent) {
    for (int i = 0; i < n; i++) order[i] = (SortKey){keys[i].side[side], i};
    qsort(order, (size_t)n, sizeof *order, by_key);
    for (int i = 1; i < n; i++)
        if (order[i].key == order[i - 1].key) parent[find(parent, order[i].index)] = find(parent, order[i - 1].index);
}

/* Assigns groups to dev, then to test, if they fit. Skips large groups, because a few of them would be the whole set.
   The pairs are in the order of their keys, so that the groups are in a random order that does not depend on the order
   of the pairs. */
static void assign_groups(const SortKey *order, int n, int *parent, long dev, long test, unsigned char *part) {
    int *size = mem_zalloc((size_t)n * sizeof *size); /* [root]; 0: the group has been seen */
    unsigned char *group_part = mem_zalloc((size_t)n);
    long room[PARTS] = {0, dev, test};
    const long most[PARTS] = {0, 1 + dev / 50, 1 + test / 50};
    for (int i = 0; i < n; i++) size[find(parent, i)] += part[i] != REPEATED;
    for (int i = 0; i < n; i++) {
        const int root = find(parent, order[i].index);
        for (Part p = DEV; size[root] && p <= TEST; p++) {
            if (size[root] > room[p] || size[root] > most[p]) continue;
            group_part[root] = (unsigned char)p;
            room[p] -= size[root];
            break;
        }
        size[root] = 0;
    }
    for (int i = 0; i < n; i++)
        if (part[i] != REPEATED) part[i] = group_part[find(parent, i)];
    mem_free(size);
    mem_free(group_part);
}

unsigned char *partition(const PairKeys *keys, long n, long dev, long test) {
    CHECK(n <= INT_MAX, "a corpus of %ld pairs", n);
    const size_t count = (size_t)n;
    unsigned char *part = mem_zalloc(count);
    SortKey *order = mem_alloc(count * sizeof *order);
    int *parent = mem_alloc(count * sizeof *parent);
    for (int i = 0; i < n; i++) parent[i] = i;
    for (int side = 0; side < 2; side++) join(order, keys, (int)n, side, parent);
    const int left = mark_repeated(order, keys, (int)n, part), usual = left / 20 < 1000 ? left / 20 : 1000;
    assign_groups(order, (int)n, parent, dev < 0 ? usual : dev, test < 0 ? usual : test, part);
    mem_free(order);
    mem_free(parent);
    return part;
}
