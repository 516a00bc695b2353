#include "aligner/link_counts.h"

#include "core/base.h"

#include <string.h>

LinkCounts link_counts_new(int n_source) {
    return (LinkCounts){.n_source = n_source,
                        .pairs = pair_table_new(),
                        .total = mem_zalloc((size_t)n_source * sizeof(double)),
                        .fertility = mem_zalloc((size_t)n_source * sizeof(float[FERTILITIES]))};
}

LinkCounts link_counts_copy(const LinkCounts *counts) {
    LinkCounts copy = *counts;
    const size_t n = (size_t)counts->n_source;
    copy.pairs = pair_table_copy(&counts->pairs);
    copy.total = memcpy(mem_alloc(n * sizeof *copy.total), counts->total, n * sizeof *copy.total);
    copy.fertility = memcpy(mem_alloc(n * sizeof *copy.fertility), counts->fertility, n * sizeof *copy.fertility);
    return copy;
}

void link_counts_reserve(LinkCounts *counts, int n_source) {
    const int old = counts->n_source;
    if (n_source <= old) return;
    const int room = n_source < 2 * old ? 2 * old : n_source;
    const size_t added = (size_t)(room - old);
    counts->total = mem_realloc(counts->total, (size_t)room * sizeof *counts->total);
    counts->fertility = mem_realloc(counts->fertility, (size_t)room * sizeof *counts->fertility);
    memset(counts->total + old, 0, added * sizeof *counts->total);
    memset(counts->fertility + old, 0, added * sizeof *counts->fertility);
    counts->n_source = room;
}

void link_counts_free(LinkCounts *counts) {
    pair_table_free(&counts->pairs);
    mem_free(counts->total);
    mem_free(counts->fertility);
    *counts = (LinkCounts){0};
}

void link_counts_add(LinkCounts *counts, int source, int target, float count) {
    pair_table_add(&counts->pairs, (uint32_t)source, (uint32_t)target)->count += count;
    counts->total[source] += (double)count;
}

void link_counts_add_all(LinkCounts *counts, const LinkCounts *other, float share) {
    link_counts_reserve(counts, other->n_source);
    for (size_t i = 0; i <= other->pairs.mask; i++) {
        const PairEntry *pair = &other->pairs.slots[i];
        if (pair->count != 0) link_counts_add(counts, (int)pair->left, (int)pair->right, share * pair->count);
    }
    for (int i = 0; i < JUMPS; i++) counts->jump[i] += (double)share * other->jump[i];
    for (int i = 0; i < other->n_source; i++)
        for (int k = 0; k < FERTILITIES; k++) counts->fertility[i][k] += share * other->fertility[i][k];
}
