/* bitext.h: sentence pairs as the units that the word aligner links. */
#ifndef TIDE_BITEXT_H
#define TIDE_BITEXT_H

#include "aligner/units.h"
#include "corpus/corpus.h"

#include <stdint.h>

enum { MOST_UNITS = 1000 }; /* the limit of --max-length */

/* One side of all pairs. Pair i has the tokens end[i - 1]..end[i] - 1. */
typedef struct BitextSide {
    Units *units; /* owned */
    int *unit;    /* stb_ds arrays: unit, word and space of each token, as in Token */
    uint16_t *word;
    bool *spaced;
    size_t *end; /* stb_ds array */
} BitextSide;

typedef struct Bitext {
    BitextSide side[2];                     /* SOURCE and TARGET */
    long *number;                           /* stb_ds array: DiskPair.number of each pair */
    long read, dropped_empty, dropped_long; /* pairs read, and those without tokens or with too many */
} Bitext;

/* Starts an empty bitext and takes ownership of the units. Release with bitext_free. */
Bitext bitext_new(Units *source, Units *target);
void bitext_free(Bitext *bitext);

/* Reads the pairs of a corpus. A pair with more than `longest` tokens on a side, at most MOST_UNITS, is dropped, and
   also a pair with none. Units of kind UNIT_PIECE that have no merges first learn at most merges[side]. Calls
   `progress` (NULL: none) with pairs done and all pairs. Returns 0, or -1 with *err filled: the disk fails, `progress`
   cancels, or no pair is left. */
int bitext_read(Bitext *bitext, DiskCorpus *corpus, const int merges[2], int longest, ProgressFn *progress,
                void *context, Err *err);

long bitext_pairs(const Bitext *bitext);
static inline size_t bitext_begin(const BitextSide *side, long pair) { return pair ? side->end[pair - 1] : 0; }
static inline int bitext_length(const BitextSide *side, long pair) {
    return (int)(side->end[pair] - bitext_begin(side, pair));
}
/* The number of pairs of one source and one target token of a pair. */
size_t bitext_cells(const Bitext *bitext, long pair);

#endif
