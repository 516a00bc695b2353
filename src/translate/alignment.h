/* alignment.h: an alignment matrix with its words, and the text formats that it is exchanged in. */
#ifndef TIDE_ALIGNMENT_H
#define TIDE_ALIGNMENT_H

#include "translate/links.h"

#include <stdio.h>

/* One sentence pair's alignment: weight[i * n_source + j] is how much target piece i was read from source piece j; each
   row sums to 1. Pieces are as the tokeniser makes them ("▁" for a space), "</s>" last on both sides, but for a
   translation that was cut at the length limit. alignment_new makes one that owns all of this. */
typedef struct Alignment {
    char *const *source;
    int n_source;
    char *const *target;
    int n_target;
    const float *weight;
} Alignment;

/* A copy of pieces and weights (NULL: there are none); release with alignment_free. */
Alignment alignment_new(char *const *source, int n_source, char *const *target, int n_target, const float *weight);
void alignment_free(Alignment *alignment);

/* The weight of source piece j for target piece i as people are shown it: within 0..1, 0 for a NaN. */
double alignment_weight(const Alignment *alignment, int i, int j);

/* Moves each row up by one, for one that alignment_new made: a piece gets the weights of the step that it was given to
   as y_{i-1}, not of the one that wrote it. </s> keeps its own. */
void alignment_shift(Alignment *alignment);
/* The word, counted from 0, that each of n pieces belongs to; owned by the caller. Words are what stands between
   spaces; on a side without a space mark each piece is one, and </s> always is. *count becomes the number of words and
   *words, unless it is NULL, their texts: [count] strings in one block, each of them and the block owned by the caller.
 */
int *alignment_words(char *const *pieces, int n, int *count, char ***words);
/* Makes these words of the pieces, for one that alignment_new made: a word's row is the mean of its pieces' rows, its
   column their sum. */
void alignment_merge_words(Alignment *alignment);

/* The links in order of target: of each target piece with the source piece of the largest weight, or with a threshold
   above 0 with all that have at least so much. Without `end` </s> has none, on neither side: a piece whose largest
   weight is there is linked to nothing. A stb_ds array. */
Link *alignment_links(const Alignment *alignment, double threshold, bool end);
/* Pharaoh: "0-0 1-2", source-target from 0. Without a newline. */
void links_print(FILE *out, const Link *links, int n);
/* Marian's soft alignment: the weights of a target piece joined by commas, pieces separated by spaces, </s>
   included. */
void alignment_soft(FILE *out, const Alignment *alignment);
/* What SoftAlignments reads, and Nematus writes: a line "number ||| target ||| score ||| source ||| sizes", in which
   </s> is not written but counted, then a line of weights for each target piece. The score is always 0. The caller adds
   the empty line that ends the sentence. */
void alignment_matrix(FILE *out, const Alignment *alignment, int number);
/* {"source": [...], "target": [...], "matrix": [[...]]}, a row for each target piece. */
void alignment_json(FILE *out, const Alignment *alignment);

#endif
