/* guides.h: word alignments that the attention is guided by in training: a line of links for each sentence pair. */
#ifndef TIDE_GUIDES_H
#define TIDE_GUIDES_H

#include "core/ops.h"
#include "text/batches.h"
#include "train/links.h"

/* Which source pieces the target pieces of each pair are to be read from. */
typedef struct Guides {
    Link **links; /* [n] stb_ds arrays of links between pieces, in order of target, then source */
    int n;
} Guides;

/* Reads links (see links_parse, from 0) for a corpus that was read from one file, or two line by line: as many lines,
   the words counted as alignment_words does, as `tide align --level word` prints them. `pairs` are those of the corpus
   that are trained on. Returns 0, or -1 with *err filled: no link, a word that the pair does not have, or a different
   number of lines. */
int guides_read(Guides *guides, const char *path, const Corpus *corpus, const Pairs *pairs, const Side *source,
                const Side *target, Err *err);
void guides_free(Guides *guides);

/* "ce", "mult" or "mse"; -1 for any other name. */
int guide_cost(const char *name);

/* What a batch of the pairs `which` is guided by: a row for each of the batch's target rows. In the arena. */
Guide guides_fold(Arena *arena, const Guides *guides, const int *which, const Sequences *target);

#endif
