/* beam.h: beam search over a batch of sentences, or samples of translations, on a tape that does not record. */
#ifndef TIDE_BEAM_H
#define TIDE_BEAM_H

#include "model/constraints.h"
#include "model/model.h"
#include "model/sampling.h"

typedef struct Hypothesis {
    const int *ids; /* [length] without <s>; ends in </s> unless the length limit ended it */
    int length;
    double log_probability; /* Σ ln p, nats */
    const double *pieces;   /* [length] ln p of each id */
    double score;           /* see BeamOptions */
    const real *alpha;      /* [length, source length] alignment; NULL without attention, or if it is not kept */
    int place;              /* of its last word among the candidates of its last step: see BeamTrace */
} Hypothesis;

/* What a hypothesis may begin with: an automaton. The hypothesis is in state 0 at first. From state q it continues with
   one of arcs[begin[q]..begin[q + 1] - 1], whose ids are different, and is then in the state `next`, which is greater
   than q. In the state `states` the prefix has ended, and any word may follow. A prefix may have ids that are banned
   elsewhere. An arc with </s> ends the hypothesis. */
typedef struct PrefixArc {
    int id, next;
} PrefixArc;
typedef struct Prefix {
    int states;       /* 0: every hypothesis is free */
    const int *begin; /* [states + 1]; each state has an arc */
    const PrefixArc *arcs;
} Prefix;

/* Called before each step of a search. Returns non-zero to cancel the search. */
typedef int BeamStep(void *context);
/* Called after a step when more words of a sentence are settled than before. Settled are the first words that all live
   hypotheses share; live are the open hypotheses and the best finished one. So the best hypothesis at the end of the
   search begins with the settled words. `words` has no score and is valid during the call. */
typedef void BeamSettled(void *context, int number, const Hypothesis *words);

/* A candidate of a step: an open hypothesis and a next word. */
typedef struct BeamCandidate {
    int parent; /* index of the hypothesis among the candidates of the step before; 0 in the first step */
    int id;
    double log_probability; /* Σ ln p of the hypothesis with the word */
} BeamCandidate;
/* Called in each step for each sentence that has open hypotheses, with `count` candidates: the most probable words of
   each hypothesis. The first `kept` of them stay in the beam; the others are the best pruned ones. Each part is sorted,
   the most probable first. `list` is valid during the call. */
typedef void BeamTrace(void *context, int number, const BeamCandidate *list, int kept, int count);

typedef struct BeamOptions {
    int beam;                       /* hypotheses of a sentence, open and finished ones together */
    double normalize, word_penalty; /* score = (ln p - word_penalty length) / length^normalize + coverage term */
    double coverage;     /* coverage term = coverage Σ_j ln min(Σ_i α_ij, 1) (Wu et al. 2016, eq. 14); 0: none */
    double length_limit; /* a hypothesis has at most length_limit × source length + 10 target words, but not less than
                            its prefix, and not before it meets its constraints */
    int bos, eos;        /* ids of <s> and </s> */
    const int *banned;   /* ids that the search never produces, such as <pad> and <s>; in any order */
    int banned_count;
    const int *numbers; /* [n] the number of each sentence, which is its index in the next three arrays; sampling,
                           `settled` and `trace` use it, too. NULL: 0 .. n - 1 */
    const Prefix *const *prefixes;         /* [sentences] items may be NULL: free; NULL: all are free */
    const Constraints *const *constraints; /* [sentences] items may be NULL: none; NULL: none at all. Not for sampling.
                                              A prefix comes first: one that ends in </s> need not meet them. They may
                                              have banned ids */
    const ColumnSet *shortlists; /* [sentences] the words that a hypothesis may contain, besides </s> and the words of
                                    its prefix and constraints; probabilities have the sum 1 over these words. NULL: all
                                    words. Not for sampling */
    AttentionOptions attention;
    int alignments; /* how many hypotheses of each sentence, the best ones, get their alignment. 0: none; settled words
                       get none either, and the search stores no alignments unless coverage > 0 */
    const Sampling *sampling; /* draws each word of each of the `beam` hypotheses; NULL: searches the best ones */
    BeamStep *before_step;    /* NULL: none */
    BeamSettled *settled;     /* NULL: none, and no time is spent on it */
    BeamTrace *trace;         /* not for sampling; NULL: none, and no time is spent on it */
    int traced;               /* most pruned candidates that it is told in a step */
    void *context;            /* for before_step, settled and trace */
} BeamOptions;

/* The finished hypotheses of one sentence, best first. */
typedef struct Nbest {
    Hypothesis *list;
    int count;
    int source_length;
    bool failed; /* a sum of probabilities, or a score, was not finite: numbers overflow; the list is empty */
} Nbest;

/* The score of a hypothesis without the coverage term. The search does not depend on it: it only sorts what was found.
 */
double beam_score(const BeamOptions *options, double log_probability, int length);

/* Seconds of the encoder and of the decoder, including the time to pack weights. */
typedef struct Timing {
    double encode, decode;
} Timing;

/* Models with the same vocabularies. The search uses the mean of their logits, that is the geometric mean of their
   distributions, normalised to a sum of 1. The alignment is the mean over the models with attention. */
typedef struct Ensemble {
    const Model *const *models;
    int count; /* 1 at least */
} Ensemble;

/* The open and finished hypotheses of a sentence with these constraints (NULL: none): options->beam, and one more for
   each word of a constraint, up to a limit, so that there is a place for each number of words that are met. */
int beam_width(const BeamOptions *options, const Constraints *constraints);

/* Translates n sentences ids[i][0..length[i]-1], each of which ends in </s>. Returns n lists of at most `beam`
   hypotheses, in the caller's order of sentences; the lists live in the arena `out`; NULL if before_step cancelled the
   search. Adds the time to *timing, unless it is NULL. Frees all that it computed on the tape. The tape must not
   record. */
Nbest *beam_search(Tape *tape, Ensemble ensemble, const int *const *ids, const int *length, int n,
                   const BeamOptions *options, Arena *out, Timing *timing);

#endif
