/* links.h: word alignments as sets of links: reading, symmetrising, and their error rate. */
#ifndef TIDE_LINKS_H
#define TIDE_LINKS_H

#include "core/base.h"

#include <stdbool.h>

/* Word `source` and word `target` of a sentence pair, from 0, belong together: surely, or only possibly. */
typedef struct Link {
    int source, target;
    bool possible;
} Link;

/* Appends the links of a line, separated by spaces, to a stb_ds array: `i-j` is a sure link of source word i and target
   word j, `ipj` and `i-j-P` are possible ones, `i-j-S` is sure. `first` is what the file counts from, 0 or 1. Returns
   -1 with *err filled (path and line as given) where there is anything else. */
int links_parse(const char *line, int first, const char *path, long number, Link **links, Err *err);

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

typedef enum Symmetrization { INTERSECTION, UNION, GROW_DIAG_FINAL_AND } Symmetrization;

/* "intersection", "union" or "grow-diag-final-and"; -1 for any other name. */
int symmetrization_kind(const char *name);

/* One alignment from those of the two directions, both as links from source to target: a stb_ds array in order of
   target, then source. grow-diag-final-and (Koehn, Och & Marcu 2003, §4.5) begins with the intersection, adds links of
   the union beside links it has, diagonals included, as long as one of the two words has none, and at last links of
   either direction between two words that have none. */
Link *links_symmetrize(Symmetrization kind, const Link *forward, int n_forward, const Link *reverse, int n_reverse);

#endif
