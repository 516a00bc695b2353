#include "aligner/pair_counts.h"

#include "core/base.h"

#include <string.h>

static PairCounts table_of(size_t slots) {
    PairCounts counts = {mem_alloc(slots * sizeof *counts.slots), mem_zalloc(slots / 4), slots - 1, 0};
    for (size_t i = 0; i < slots; i++) counts.slots[i] = (PairCount){NO_UNIT, 0, 0};
    return counts;
}

PairCounts pair_counts_new(void) {
    enum { FIRST_SLOTS = 1024 };
    return table_of(FIRST_SLOTS);
}

PairCounts pair_counts_copy(const PairCounts *counts) {
    PairCounts copy = *counts;
    copy.slots = mem_alloc((counts->mask + 1) * sizeof *copy.slots);
    memcpy(copy.slots, counts->slots, (counts->mask + 1) * sizeof *copy.slots);
    copy.filter = memcpy(mem_alloc((counts->mask + 1) / 4), counts->filter, (counts->mask + 1) / 4);
    return copy;
}

void pair_counts_free(PairCounts *counts) {
    mem_free(counts->slots);
    mem_free(counts->filter);
    *counts = (PairCounts){0};
}

/* Makes room for one more pair; pairs whose count is 0 are removed. */
static void grow(PairCounts *counts) {
    const PairCounts old = *counts;
    size_t live = 1, slots = 1024;
    for (size_t i = 0; i <= old.mask; i++) live += old.slots[i].count != 0;
    while (slots < 4 * live) slots *= 2;
    *counts = table_of(slots);
    for (size_t i = 0; i <= old.mask; i++)
        if (old.slots[i].count != 0)
            pair_counts_add(counts, old.slots[i].source, old.slots[i].target, old.slots[i].count);
    mem_free(old.slots);
    mem_free(old.filter);
}

void pair_counts_add(PairCounts *counts, uint32_t source, uint32_t target, float count) {
    const uint64_t hash = pair_counts_hash(source, target);
    size_t at = pair_counts_slot(counts, hash, source, target);
    if (counts->slots[at].source == NO_UNIT) {
        if (2 * counts->used > counts->mask) {
            grow(counts);
            at = pair_counts_slot(counts, hash, source, target);
        }
        const size_t bit = (size_t)hash & (2 * counts->mask + 1);
        counts->filter[bit / 64] |= (uint64_t)1 << bit % 64;
        counts->slots[at] = (PairCount){source, target, 0};
        counts->used++;
    }
    counts->slots[at].count += count;
}
