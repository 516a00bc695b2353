/* pair_counts.h: how often a source unit is linked to a target unit. */
#ifndef TIDE_PAIR_COUNTS_H
#define TIDE_PAIR_COUNTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct PairCount {
    uint32_t source, target; /* source NO_UNIT: the slot is empty */
    float count;
} PairCount;

/* A hash table with linear probing; at most half of its slots are in use. Most pairs that are looked up are not in it:
   the filter, which is small enough for a cache, tells this without a look at the slots. */
typedef struct PairCounts {
    PairCount *slots;
    uint64_t *filter; /* two bits for each slot; bit hash % bits is set if a pair with this hash is in the table */
    size_t mask;      /* number of slots - 1; the number is a power of two */
    size_t used;      /* slots that are not empty; their count may be 0 */
} PairCounts;

#define NO_UNIT UINT32_MAX

/* An empty table. Release with pair_counts_free. */
PairCounts pair_counts_new(void);
PairCounts pair_counts_copy(const PairCounts *counts);
void pair_counts_free(PairCounts *counts);

static inline uint64_t pair_counts_hash(uint32_t source, uint32_t target) {
    const uint64_t hash = ((uint64_t)source << 32 | target) * 0x9e3779b97f4a7c15u;
    return (hash ^ hash >> 32) | (uint64_t)1 << 63; /* never 0 */
}

/* The index of the slot of a pair with this hash: its own, or the empty one that it would get. */
static inline size_t pair_counts_slot(const PairCounts *counts, uint64_t hash, uint32_t source, uint32_t target) {
    size_t at = (size_t)hash & counts->mask;
    while (counts->slots[at].source != NO_UNIT &&
           (counts->slots[at].source != source || counts->slots[at].target != target))
        at = (at + 1) & counts->mask;
    return at;
}

/* Starts to look a pair up: asks the memory for its slot. Returns what pair_counts_get needs; 0: it is not in the
   table. */
static inline uint64_t pair_counts_find(const PairCounts *counts, uint32_t source, uint32_t target) {
    const uint64_t hash = pair_counts_hash(source, target);
    const size_t bit = (size_t)hash & (2 * counts->mask + 1);
    if (!(counts->filter[bit / 64] >> bit % 64 & 1)) return 0;
    __builtin_prefetch(&counts->slots[(size_t)hash & counts->mask]);
    return hash;
}

/* The count of a pair; 0 if it is not in the table. found: from pair_counts_find, with no pair added since. */
static inline float pair_counts_get(const PairCounts *counts, uint64_t found, uint32_t source, uint32_t target) {
    return found ? counts->slots[pair_counts_slot(counts, found, source, target)].count : 0;
}

/* Both together. */
static inline float pair_counts_of(const PairCounts *counts, uint32_t source, uint32_t target) {
    return pair_counts_get(counts, pair_counts_find(counts, source, target), source, target);
}

/* Adds `count`, which may be negative. Requires source < NO_UNIT. May move the slots. */
void pair_counts_add(PairCounts *counts, uint32_t source, uint32_t target, float count);

#endif
