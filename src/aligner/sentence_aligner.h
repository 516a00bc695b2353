/* sentence_aligner.h: finds which sentences of a document and of its translation belong together, from their lengths
   and from words that it learns from the document itself (Gale & Church 1993; Moore 2002; Varga et al. 2005).

   Each pass computes the posteriors of all beads in a band, and from them the lengths, the kinds of beads, the words,
   and a narrower band for the next pass (beads.h, bead_scores.h). The first passes know only the lengths. The last one
   chooses the beads whose posteriors have the largest sum. */
#ifndef TIDE_SENTENCE_ALIGNER_H
#define TIDE_SENTENCE_ALIGNER_H

#include "aligner/beads.h"
#include "aligner/priors.h"
#include "core/threads.h"
#include "corpus/corpus.h"

/* The cells of a band while only the lengths are known (8 bytes each), and later (40 bytes). So the first band of
   20,000 sentences on both sides reaches 400 sentences away from where the lengths let expect their partners. */
enum { MOST_LENGTH_CELLS = 1 << 24, MOST_WORD_CELLS = 1 << 22 };

typedef struct SentenceAligner {
    Units *units[2];         /* of both languages; sentences add new ones */
    const LinkCounts *prior; /* [2] counts of these units from other text; NULL: none */
    double threshold;        /* pairs of a smaller probability are left out */
    Threads *threads;
    ProgressFn *progress; /* NULL: none; receives the passes done and all */
    void *context;
} SentenceAligner;

/* Aligns n[side] normalised sentences of each side, at least one on each and none empty. Returns a stb_ds array of
   beads that cover them in order; the bits are the same for any number of threads. NULL with *err filled if `progress`
   cancels. */
Bead *sentences_align(const SentenceAligner *aligner, char *const *const text[2], const int n[2], Err *err);

#endif
