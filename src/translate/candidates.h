/* candidates.h: the words that a search could have chosen at each position of a hypothesis. */
#ifndef TIDE_CANDIDATES_H
#define TIDE_CANDIDATES_H

#include "translate/session.h"

typedef struct WordCandidate {
    int id; /* -1: fewer words are allowed */
    double probability;
} WordCandidate;

/* The probability of a word from its logit and logits_log_sum. */
double word_probability(double logit, double log_sum);
/* Sets best [count] to the most probable words of a position with the logits x [V], by decreasing probability; banned
   words are left out. log_sum: logits_log_sum of x. count is 1 at least. */
void words_best(const real *x, int V, double log_sum, const int *banned, int banned_count, int count,
                WordCandidate *best);
/* Computes the `count` most probable words at each position of hypothesis h of sentence i, given the words before it:
   candidates [h->length, count], by decreasing probability. The probability is that of the search: for an ensemble that
   of the mean of the logits. `options` are those of the search; banned words are left out. Afterwards the tape is as
   after session_translate. */
void session_candidates(Session *session, const Translations *translations, int i, const Hypothesis *h,
                        const BeamOptions *options, int count, WordCandidate *candidates);

#endif
