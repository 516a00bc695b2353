/* chrf.h: corpus chrF2 (Popović 2015, 2016) as sacreBLEU computes it: characters alone, without white space. */
#ifndef TIDE_CHRF_H
#define TIDE_CHRF_H

enum { CHRF_ORDERS = 6 };

typedef struct Chrf {
    double score;                                                               /* 0..100 */
    long matches[CHRF_ORDERS], hypothesis[CHRF_ORDERS], reference[CHRF_ORDERS]; /* n-grams of 1 to 6 characters */
} Chrf;

/* chrF2 of n hypotheses against one reference each; lowercase compares without case. */
Chrf chrf_corpus(char *const *hypotheses, char *const *references, int n, int lowercase);

/* "chrF2 = 87.58", as sacreBLEU prints it, into buffer. */
void chrf_format(const Chrf *chrf, char *buffer, int size);

#endif
