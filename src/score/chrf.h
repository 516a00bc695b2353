/* chrf.h: corpus chrF2 (Popović 2015, 2016) as sacreBLEU computes it by default: n-grams of characters, not of words;
   white space is ignored. */
#ifndef TIDE_CHRF_H
#define TIDE_CHRF_H

#include "score/segment.h"

enum { CHRF_ORDERS = 6 };

typedef struct Chrf {
    double score;                                                               /* 0..100 */
    long matches[CHRF_ORDERS], hypothesis[CHRF_ORDERS], reference[CHRF_ORDERS]; /* n-grams of 1 to 6 characters */
} Chrf;

/* Returns the chrF2 of n hypotheses; hypothesis i has one reference, references[i]. With lowercase, case is ignored. */
Chrf chrf_corpus(char *const *hypotheses, char *const *references, int n, int lowercase);
/* The same for one or more references of each hypothesis. The reference with the best chrF2 counts. */
Chrf chrf_references(char *const *hypotheses, References references, int n, int lowercase);

/* Writes the result to buffer, which has `size` bytes, in the format of sacreBLEU: "chrF2 = 87.58". */
void chrf_format(const Chrf *chrf, char *buffer, int size);

#endif
