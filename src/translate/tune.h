/* tune.h: chooses the options of a search by BLEU on a development set. */
#ifndef TIDE_TUNE_H
#define TIDE_TUNE_H

#include "score/bleu.h"
#include "translate/session.h"

/* Options of a search, and the BLEU that they give. */
typedef struct SearchChoice {
    int beam;
    double normalize, word_penalty;
    Bleu bleu;
} SearchChoice;

/* Searches with options->beam, and sorts what it found by each pair of the values normalize [normalize_count] and
   penalty [penalty_count]. Returns the pair with the highest BLEU; of equals, the first one in the order of the values.
   *before, if it is not NULL, receives the BLEU of the options themselves. The result is that of a search with these
   options, because the search does not depend on them: see beam_score. source: n normalised sentences; references: n.
 */
SearchChoice session_tune(Session *session, char *const *source, char *const *references, int n,
                          const BeamOptions *options, BleuOptions bleu, const double *normalize, int normalize_count,
                          const double *penalty, int penalty_count, SearchChoice *before, SessionProgress *progress,
                          void *context);

#endif
