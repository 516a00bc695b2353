/* aer.h: alignment error rate of word alignments, which are sets of links, against a gold standard. */
#ifndef TIDE_AER_H
#define TIDE_AER_H

#include <stdbool.h>

/* A link between source word `source` and target word `target` of a sentence pair, both counted from 0. `possible` has
   a meaning in a gold standard only: the link there is possible, not sure. */
typedef struct Link {
    int source, target;
    bool possible;
} Link;

/* Counts of links, summed over sentences (Och & Ney 2003, §5.1). A: the links found; S: the sure links of the gold
   standard; P: its sure and possible links. */
typedef struct Aer {
    long found, sure, possible;      /* |A|, |S|, |P| */
    long found_sure, found_possible; /* |A ∩ S|, |A ∩ P| */
} Aer;

/* Adds the counts of one sentence pair. A repeated link counts once. A gold link that is given both as sure and as
   possible is sure. */
void aer_add(Aer *aer, const Link *found, int n_found, const Link *gold, int n_gold);
/* |A ∩ P| / |A|, or 0 if A is empty. */
double aer_precision(const Aer *aer);
/* |A ∩ S| / |S|, or 0 if S is empty. */
double aer_recall(const Aer *aer);
/* 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), or 1 if A and S are empty. */
double aer_rate(const Aer *aer);

#endif
