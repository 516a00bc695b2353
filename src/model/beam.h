/* beam.h: beam search over a batch of sentences, on a tape that does not record. */
#ifndef TIDE_BEAM_H
#define TIDE_BEAM_H

#include "model/model.h"

typedef struct BeamOptions {
    int beam;         /* hypotheses kept for a sentence */
    double normalize; /* score = log p / length^normalize; 0: log p alone */
    double coverage; /* + coverage Σ_j ln min(Σ_i α_ij, 1) over the source words (Wu et al. 2016, eq. 14); 0: nothing */
    double length_limit; /* at most this many target words for a source word (and a few more) */
    int bos, eos;        /* ids of <s> and </s> */
    const int *banned;   /* ids never produced, <pad> and <s> among them; in any order */
    int banned_count;
    AttentionOptions attention;
} BeamOptions;

typedef struct Hypothesis {
    const int *ids; /* [length] without <s>; ends in </s> unless cut off by the length limit */
    int length;
    double log_probability; /* Σ ln p, nats */
    double score;           /* normalised, with the coverage penalty */
    const real *alpha;      /* [length, source length] alignment; NULL without attention */
} Hypothesis;

/* The finished hypotheses of one sentence, best first. */
typedef struct Nbest {
    Hypothesis *list;
    int count;
    int source_length;
} Nbest;

/* Seconds spent, including the packing of weights that are not packed yet. */
typedef struct Timing {
    double encode, decode;
} Timing;

/* Models of the same two vocabularies that decide on every word together: by the mean of their logits, which is the
   geometric mean of their distributions. An alignment is the mean of theirs. */
typedef struct Ensemble {
    const Model *const *models;
    int count; /* 1 at least */
} Ensemble;

/* Translates n sentences ids[i][0..length[i]-1], each with its </s>. Returns n lists of at most `beam` hypotheses in
   the caller's order, in the arena `out`. Adds to *timing, unless it is NULL. The tape is taken
   back to where it was. */
Nbest *beam_search(Tape *tape, Ensemble ensemble, const int *const *ids, const int *length, int n,
                   const BeamOptions *options, Arena *out, Timing *timing);

#endif
