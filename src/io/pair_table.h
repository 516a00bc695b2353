/* pair_table.h: a number for pairs of numbers: how often a source unit is linked to a target unit, the rank of the
   merge of two symbols. */
#ifndef TIDE_PAIR_TABLE_H
#define TIDE_PAIR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define NO_PAIR UINT32_MAX

typedef struct PairEntry {
    uint32_t left, right; /* left NO_PAIR: the slot is empty */
    union {               /* its value */
        float count;
        int number;
    };
} PairEntry;

/* A hash table with linear probing; at most half of its slots are in use. Most pairs that are looked up are not in it:
   the filter, which is small enough for a cache, tells this without a look at the slots. */
typedef struct PairTable {
    PairEntry *slots;
    uint64_t *filter; /* two bits for each slot; bit hash % bits is set if a pair with this hash is in the table */
    size_t mask;      /* number of slots - 1; the number is a power of two */
    size_t used;      /* slots that are not empty; their value may be 0 */
} PairTable;

/* An empty table. Release with pair_table_free. Several threads may read one table while none adds to it. */
PairTable pair_table_new(void);
PairTable pair_table_copy(const PairTable *table);
void pair_table_free(PairTable *table);

static inline uint64_t pair_table_hash(uint32_t left, uint32_t right) {
    const uint64_t hash = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
    return (hash ^ hash >> 32) | (uint64_t)1 << 63; /* never 0 */
}

/* The slot of a pair with this hash: its own, or the empty one that it would get, whose value is 0. */
static inline PairEntry *pair_table_slot(const PairTable *table, uint64_t hash, uint32_t left, uint32_t right) {
    size_t at = (size_t)hash & table->mask;
    while (table->slots[at].left != NO_PAIR && (table->slots[at].left != left || table->slots[at].right != right))
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

/* Starts to look a pair up: asks the memory for its slot. Returns what pair_table_slot needs; 0: it is not in the
   table. The result is valid until a pair is added. */
static inline uint64_t pair_table_find(const PairTable *table, uint32_t left, uint32_t right) {
    const uint64_t hash = pair_table_hash(left, right);
    const size_t bit = (size_t)hash & (2 * table->mask + 1);
    if (!(table->filter[bit / 64] >> bit % 64 & 1)) return 0;
    __builtin_prefetch(&table->slots[(size_t)hash & table->mask]);
    return hash;
}

/* The number of a pair; 0 if it is not in the table. */
static inline int pair_table_number(const PairTable *table, uint32_t left, uint32_t right) {
    const uint64_t found = pair_table_find(table, left, right);
    return found ? pair_table_slot(table, found, left, right)->number : 0;
}

/* The count of a pair; 0 if it is not in the table. found: from pair_table_find. */
static inline float pair_table_count(const PairTable *table, uint64_t found, uint32_t left, uint32_t right) {
    return found ? pair_table_slot(table, found, left, right)->count : 0;
}

/* The count of a pair; 0 if it is not in the table. */
static inline float pair_table_value(const PairTable *table, uint32_t left, uint32_t right) {
    return pair_table_count(table, pair_table_find(table, left, right), left, right);
}

/* The entry of a pair, a new one with the value 0 if it has none; valid until the next call, which may move it. Entries
   whose value is 0 may be removed by then. Requires left < NO_PAIR. */
PairEntry *pair_table_add(PairTable *table, uint32_t left, uint32_t right);

#endif
