/* sampler.h: a Gibbs sampler of word links in one direction (Östling & Tiedemann 2016, "Efficient word alignment with
   Markov chain Monte Carlo").

   Each token t_j of the target side has a link a_j to a token of the source side or to the null unit. With the source
   unit s = s_{a_j},

     p(t, a | s)  ∝  Π_j p(t_j | s)  Π_j p(a_j − a_{j−1})  Π_i p(φ_i | s_i)

   φ_i is the number of links of source token i (its fertility). Jumps skip null links; the sentence is preceded by
   position −1 and followed by position n. All three distributions have Dirichlet priors. The first is integrated out:
   a link is drawn from the counts of all other links. The other two are fixed during a sweep. */
#ifndef TIDE_SAMPLER_H
#define TIDE_SAMPLER_H

#include "core/rng.h"
#include "aligner/bitext.h"
#include "aligner/link_counts.h"

/* The factors that a sweep uses, in the order of the training: only the first, the first two, all three. */
typedef enum { STAGE_WORDS, STAGE_JUMPS, STAGE_FERTILITY, STAGES } Stage;

typedef struct Sampler Sampler;

/* A sampler whose links are random. `source` is the side, SOURCE or TARGET, that explains the other. prior (NULL: none)
   are counts of other text that are added to those of the bitext; they must stay. Release with sampler_free. */
Sampler *sampler_new(const Bitext *bitext, int source, const LinkCounts *prior, Rng rng);
void sampler_free(Sampler *sampler);

/* Computes the distributions of jumps and fertilities from the last sweep, for the next one. */
void sampler_start_sweep(Sampler *sampler, Stage stage);
/* Draws the links of the pairs first..last - 1 again, `passes` times for each pair. Unless `posterior` is NULL, it
   receives the probabilities from which the links were drawn, averaged over the passes: of each pair a matrix [target
   tokens, source tokens], one matrix after the other. The null unit has the rest of a row. */
void sampler_run(Sampler *sampler, long first, long last, int passes, float *posterior);

/* The counts of the current links and of the prior. Jumps and fertilities are complete after a sweep. */
const LinkCounts *sampler_counts(const Sampler *sampler);

#endif
