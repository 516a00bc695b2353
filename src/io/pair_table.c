#include "io/pair_table.h"

#include "core/base.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

static PairTable table_of(size_t slots) {
    PairTable table = {mem_alloc(slots * sizeof *table.slots), mem_zalloc(slots / 4), slots - 1, 0};
    for (size_t i = 0; i < slots; i++) table.slots[i] = (PairEntry){.left = NO_PAIR};
    return table;
}

PairTable pair_table_new(void) { return table_of(FIRST_SLOTS); }

PairTable pair_table_copy(const PairTable *table) {
    const size_t slots = table->mask + 1;
    PairTable copy = *table;
    copy.slots = memcpy(mem_alloc(slots * sizeof *copy.slots), table->slots, slots * sizeof *copy.slots);
    copy.filter = memcpy(mem_alloc(slots / 4), table->filter, slots / 4);
    return copy;
}

void pair_table_free(PairTable *table) {
    mem_free(table->slots);
    mem_free(table->filter);
    *table = (PairTable){0};
}

/* Makes room for one more pair; pairs whose value is 0 are removed. */
static void grow(PairTable *table) {
    PairTable old = *table;
    size_t live = 1, slots = FIRST_SLOTS;
    for (size_t i = 0; i <= old.mask; i++) live += old.slots[i].number != 0;
    while (slots < 4 * live) slots *= 2;
    *table = table_of(slots);
    for (size_t i = 0; i <= old.mask; i++)
        if (old.slots[i].number != 0) *pair_table_add(table, old.slots[i].left, old.slots[i].right) = old.slots[i];
    pair_table_free(&old);
}

PairEntry *pair_table_add(PairTable *table, uint32_t left, uint32_t right) {
    const uint64_t hash = pair_table_hash(left, right);
    PairEntry *entry = pair_table_slot(table, hash, left, right);
    if (entry->left != NO_PAIR) return entry;
    if (2 * table->used > table->mask) {
        grow(table);
        entry = pair_table_slot(table, hash, left, right);
    }
    const size_t bit = (size_t)hash & (2 * table->mask + 1);
    table->filter[bit / 64] |= (uint64_t)1 << bit % 64;
    table->used++;
    entry->left = left;
    entry->right = right;
    return entry;
}
