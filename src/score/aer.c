#include "score/aer.h"
#include "io/ds.h"

enum { FOUND = 1, SURE = 2, POSSIBLE = 4 };

/* A link, and the sets that have it: a sum of FOUND, SURE and POSSIBLE. */
typedef struct Entry {
    struct {
        int source, target;
    } key;
    int sets;
} Entry;

static void put(Entry **entries, const Link *link, int set) {
    Entry entry = {.key = {link->source, link->target}};
    ptrdiff_t at = hmgeti(*entries, entry.key);
    if (at < 0) {
        at = hmlen(*entries);
        hmputs(*entries, entry);
    }
    (*entries)[at].sets |= set;
}

void aer_add(Aer *aer, const Link *found, int n_found, const Link *gold, int n_gold) {
    Entry *entries = NULL;
    for (int i = 0; i < n_found; i++) put(&entries, &found[i], FOUND);
    for (int i = 0; i < n_gold; i++) put(&entries, &gold[i], gold[i].possible ? POSSIBLE : SURE);
    for (ptrdiff_t i = 0; i < hmlen(entries); i++) {
        const bool is_found = entries[i].sets & FOUND, sure = entries[i].sets & SURE;
        const bool possible = entries[i].sets & (SURE | POSSIBLE);
        aer->found += is_found;
        aer->sure += sure;
        aer->possible += possible;
        aer->found_sure += is_found && sure;
        aer->found_possible += is_found && possible;
    }
    hmfree(entries);
}

static double ratio(long part, long whole) { return whole ? (double)part / (double)whole : 0; }

double aer_precision(const Aer *aer) { return ratio(aer->found_possible, aer->found); }
double aer_recall(const Aer *aer) { return ratio(aer->found_sure, aer->sure); }
double aer_rate(const Aer *aer) { return 1 - ratio(aer->found_sure + aer->found_possible, aer->found + aer->sure); }
