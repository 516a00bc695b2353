#include "score/aer.h"
#include "io/pair_table.h"

enum { FOUND = 1, SURE = 2, POSSIBLE = 4 };

static void put(PairTable *sets, const Link *link, int set) {
    pair_table_add(sets, (uint32_t)link->source, (uint32_t)link->target)->number |= set;
}

void aer_add(Aer *aer, const Link *found, int n_found, const Link *gold, int n_gold) {
    PairTable sets = pair_table_new(); /* the sets that have each link: a sum of FOUND, SURE and POSSIBLE */
    for (int i = 0; i < n_found; i++) put(&sets, &found[i], FOUND);
    for (int i = 0; i < n_gold; i++) put(&sets, &gold[i], gold[i].possible ? POSSIBLE : SURE);
    for (size_t i = 0; i <= sets.mask; i++) {
        const int of_link = sets.slots[i].number;
        const bool is_found = of_link & FOUND, sure = of_link & SURE, possible = of_link & (SURE | POSSIBLE);
        aer->found += is_found;
        aer->sure += sure;
        aer->possible += possible;
        aer->found_sure += is_found && sure;
        aer->found_possible += is_found && possible;
    }
    pair_table_free(&sets);
}

static double ratio(long part, long whole) { return whole ? (double)part / (double)whole : 0; }

double aer_precision(const Aer *aer) { return ratio(aer->found_possible, aer->found); }
double aer_recall(const Aer *aer) { return ratio(aer->found_sure, aer->sure); }
double aer_rate(const Aer *aer) { return 1 - ratio(aer->found_sure + aer->found_possible, aer->found + aer->sure); }
