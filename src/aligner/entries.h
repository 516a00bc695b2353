/* entries.h: a bilingual lexicon from the links of a corpus, in the format that lexicon_read reads. */
#ifndef TIDE_ENTRIES_H
#define TIDE_ENTRIES_H

#include "aligner/aligner.h"
#include "io/string_table.h"
#include "score/aer.h"

#include <stdio.h>

/* No entries if all zeros. Release with entries_free. */
typedef struct Entries {
    StringTable pairs; /* source text, tab, target text */
    long *counts;      /* stb_ds array: of each pair */
} Entries;

void entries_free(Entries *entries);

/* Counts the entries of a pair. Tokens that are linked, directly or through other tokens, form a group. A group is an
   entry if its tokens follow each other on both sides, at most four on each. links: those of tokens. */
void entries_count(Entries *entries, const PairAlignment *alignment, const Link *links, int n);

/* Writes lines of source text, tab, target text, tab, probability: the share of this target text in all entries with
   the source text. Texts have the most frequent spelling of their units. Sorted by source text, then by decreasing
   probability, then by target text. Entries with a probability below 0.05 are left out. */
void entries_write(const Entries *entries, FILE *out);

#endif
