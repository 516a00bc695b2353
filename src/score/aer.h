/* aer.h: alignment error rate: word alignments as sets of links, compared with a gold standard. */
#ifndef TIDE_AER_H
#define TIDE_AER_H

#include <stdbool.h>

/* Word `source` and word `target` of a sentence pair, from 0, belong together: surely, or only possibly. */
typedef struct Link {
    int source, target;
    bool possible;
} Link;

/* Alignment error rate (Och & Ney 2003, §5.1), summed over sentences: A are the links found, S the sure and P the
   sure and possible ones of the gold standard. */
typedef struct Aer {
    long found, sure, possible;      /* |A|, |S|, |P| */
    long found_sure, found_possible; /* |A ∩ S|, |A ∩ P| */
} Aer;

/* Adds a sentence; links given twice count once, and a gold one that is both is sure. */
void aer_add(Aer *aer, const Link *found, int n_found, const Link *gold, int n_gold);
/* |A ∩ P| / |A| and |A ∩ S| / |S|, 0 where the divisor is; and 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|). */
double aer_precision(const Aer *aer);
double aer_recall(const Aer *aer);
double aer_rate(const Aer *aer);

#endif
