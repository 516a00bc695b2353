/* guides.h: word alignments that guide the attention during training: one line of links for each sentence pair. */
#ifndef TIDE_GUIDES_H
#define TIDE_GUIDES_H

#include "core/ops.h"
#include "corpus/batches.h"

/* The piece links that guide the attention, in a temporary file. */
typedef struct Guides {
    Records links; /* of each pair: source and target piece of each link, in order of target, then source */
    uint64_t hash; /* of all links */
    bool null;     /* see guides_read */
} Guides;

/* Reads the links of a corpus: one line for each line of the corpus, in the format of links_parse, from 0. Words are
   counted as pieces_words does; `tide align --level word` writes such lines. Keeps the links of `pairs`, the
   pairs of the corpus that are used for training, in a temporary file in `dir`. The corpus must come from one file,
   or from two line-aligned files. null: in a pair with links, each target piece without a link, such as a piece of a
   function word or </s>, is linked to the source's </s>. This takes the place of the NULL word of statistical aligners
   (Brown et al. 1993, section 4.1). Returns 0, or -1 with *err filled: not a link, a word number that is too large,
   another number of lines, or a disk that is full or fails. */
int guides_read(Guides *guides, const char *path, DiskCorpus *corpus, const Pairs *pairs, const Side *source,
                const Side *target, const char *dir, bool null, Err *err);
void guides_free(Guides *guides);

/* The names of the costs in the order of GuideCost, separated by '|'. */
extern const char guide_cost_names[];

/* The links of a batch of the pairs `which`, in the arena: row r of *guide belongs to target row r of the batch.
   Returns 0, or -1 with *err filled if the disk fails. */
int guides_fold(Arena *arena, const Guides *guides, const int *which, const Sequences *target, Guide *guide, Err *err);

#endif
