/* bead_scores.h: how well the sentences of a bead belong together: the logarithm of

     P(kind) · p(source, target) / (p(source) p(target))

   so that a sentence without a partner needs only the probability of its kind. Two models give the second factor, and
   both are estimated from the document itself, from the posteriors of its beads.

   Lengths (Gale & Church 1993, §3.1): with x characters of the source, scaled to the length of the target, and y
   characters of the target, (y − x)² / x is normal; how long sentences are without the other side is log-normal.

   Words (Moore 2002, §3): IBM Model 1 in both directions, and the mean of both logarithms. For a target of units t_j
   and a source of l units s_i

     p(t | s) / p(t) = Π_j (1 + Σ_i ρ(s_i, t_j)) / (l + 1)        ρ(s, t) = p(t | s) / p(t)

   A document is small, so a wrong bead would soon be sure of itself: its own words are the only ones of their kind.
   Against this, each source sentence belongs to one of some folds, and its beads are scored with the links outside of
   its fold. Links are discounted: p(t | s) is (count − discount) / all, and the rest goes to units of each class, which
   tells how frequent they are: a rare unit translates rare ones. */
#ifndef TIDE_BEAD_SCORES_H
#define TIDE_BEAD_SCORES_H

#include "aligner/beads.h"
#include "aligner/priors.h"
#include "core/threads.h"

typedef struct BeadScores BeadScores;

/* No links are learned yet; those of `prior`, and of units with the same text, count from the start. text[side]:
   [n[side]] normalised sentences, at least one on each side and none empty; they must stay.
   units: encode the sentences, which adds units. prior (NULL: none): link counts of these units in both directions,
   from other text. Release with bead_scores_free. */
BeadScores *bead_scores_new(char *const *const text[2], const int n[2], Units *const units[2], const LinkCounts *prior);
void bead_scores_free(BeadScores *scores);

/* The sums of the lengths of a side: [n[side] + 1], for band_new; owned by the scores. */
const double *bead_scores_length(const BeadScores *scores, int side);

/* The score of a bead from its kind and its lengths: a BeadScoreFn, whose context is the BeadScores. */
double bead_score_lengths(const void *scores, int bead, int i, int j);
/* Writes the scores of all beads in the band from kind, lengths and words to score [cells, BEADS]; those of beads that
   begin outside of the band are not written. The bits do not depend on the number of threads. */
void bead_scores_words(const BeadScores *scores, const Band *band, Threads *threads, float *score);

/* Adds the expected counts of a bead for the next estimate: a BeadFn, whose context is the BeadScores. The first counts
   kinds and lengths; the others also links, count_first_words after a pass that knew only lengths. */
void bead_scores_count(void *scores, int bead, int i, int j, double posterior);
void bead_scores_count_first_words(void *scores, int bead, int i, int j, double posterior);
void bead_scores_count_words(void *scores, int bead, int i, int j, double posterior);
/* Estimates kinds and lengths, and with `words` also the links, from the counts since the last estimate. */
void bead_scores_estimate(BeadScores *scores, bool words);

#endif
