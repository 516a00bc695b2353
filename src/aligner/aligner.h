/* aligner.h: the word aligner: several samplers in both directions, and the mean of what they find. */
#ifndef TIDE_ALIGNER_H
#define TIDE_ALIGNER_H

#include "core/threads.h"
#include "aligner/priors.h"
#include "aligner/bitext.h"

typedef struct AlignerOptions {
    int samplers; /* of each direction */
    int sweeps;   /* over all pairs, at least 1; the first fifth in STAGE_WORDS, the second in STAGE_JUMPS */
    uint64_t seed;
} AlignerOptions;

/* The link probabilities of a pair, averaged over the samplers. The null unit has the rest of a row. */
typedef struct PairAlignment {
    const Bitext *bitext;
    long pair;
    int n[2];             /* source and target tokens */
    const float *forward; /* [target tokens, source tokens]: for each target token, its source token */
    const float *reverse; /* [source tokens, target tokens] */
} PairAlignment;

/* Returns 0, or -1 with *err filled, which ends the alignment. */
typedef int AlignedFn(void *context, const PairAlignment *alignment, Err *err);

/* Aligns all pairs. In the last sweep, calls `aligned` for each pair in order. prior: counts of other text for both
   directions, or NULL. learned: receives the mean counts of the samplers in both directions, with those of the prior;
   release each with link_counts_free, after an error too; NULL: not needed. Calls `progress` (NULL: none) with the
   pairs of all sweeps, done and all. The result is the same bits for any number of threads: a sampler has its own
   random numbers. Returns 0, or -1 with *err filled: `aligned` fails, or `progress` cancels. */
int aligner_run(const Bitext *bitext, const LinkCounts prior[2], const AlignerOptions *options, Threads *threads,
                ProgressFn *progress, AlignedFn *aligned, void *context, LinkCounts learned[2], Err *err);

#endif
