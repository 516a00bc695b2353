/* guides.h: word alignments that the attention is guided by in training: a line of links for each sentence pair. */
#ifndef TIDE_GUIDES_H
#define TIDE_GUIDES_H

#include "core/ops.h"
#include "text/batches.h"

/* Which source pieces the target pieces of each pair are to be read from, in a temporary file. */
typedef struct Guides {
    Records links; /* of each pair: source and target of each link between pieces, in order of target, then source */
    uint64_t hash; /* of every link */
} Guides;

/* Reads links (see links_parse, from 0) for a corpus that was read from one file, or two line by line: as many lines,
   the words counted as alignment_words does, as `tide align --level word` prints them. `pairs` are those of the corpus
   that are trained on; `dir` is where the temporary file is made. Returns 0, or -1 with *err filled: no link, a word
   that the pair does not have, a different number of lines, or a disk that is full or broken. */
int guides_read(Guides *guides, const char *path, DiskCorpus *corpus, const Pairs *pairs, const Side *source,
                const Side *target, const char *dir, Err *err);
void guides_free(Guides *guides);

/* The names of the costs, separated by '|', in the order of GuideCost. */
extern const char guide_cost_names[];

/* What a batch of the pairs `which` is guided by: a row for each of the batch's target rows. In the arena. -1 with *err
   filled where the disk is broken. */
int guides_fold(Arena *arena, const Guides *guides, const int *which, const Sequences *target, Guide *guide, Err *err);

#endif
