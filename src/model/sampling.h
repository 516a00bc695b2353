/* sampling.h: draws the next word of a hypothesis from the distribution of a model. */
#ifndef TIDE_SAMPLING_H
#define TIDE_SAMPLING_H

#include "core/real.h"

#include <stdbool.h>
#include <stdint.h>

/* The words from which one is drawn. */
typedef enum SamplingKind {
    SAMPLING_FULL,   /* all */
    SAMPLING_TOPK,   /* the k words with the largest probability (Fan et al. 2018, section 5.2) */
    SAMPLING_NUCLEUS /* the fewest words whose probabilities sum to p or more (Holtzman et al. 2020, section 3.1) */
} SamplingKind;

/* Word w has the probability exp(logit_w / temperature) / Σ exp(logit / temperature), over the words above. */
typedef struct Sampling {
    SamplingKind kind;
    int k;              /* of SAMPLING_TOPK, 1 at least */
    double p;           /* of SAMPLING_NUCLEUS, 0 < p <= 1 */
    double temperature; /* > 0 */
    uint64_t seed;
    long first; /* the number of the first sentence that a search gets; numbers make the draws of sentences different */
    const int *numbers; /* [sentences of the search] their numbers; NULL: first, first + 1, .. */
} Sampling;

/* The random number for word `step` of sample `sample` of a sentence. It depends on nothing else, so the samples of a
   sentence are the same in any batch, with any number of threads. */
uint64_t sampling_random(const Sampling *sampling, long sentence, int sample, int step);

/* Returns the id of a word that is drawn with a random number from sampling_random. weights [n]: exp(logit /
   temperature) up to a common factor, 0 for a word that must not occur; at least one is positive. Changes heap [n],
   which is space, and not needed for SAMPLING_FULL. Of words with equal weights, those with smaller ids come first. */
int sampling_draw(const Sampling *sampling, int n, const real *weights, int *heap, uint64_t random);

#endif
