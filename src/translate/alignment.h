/* alignment.h: an alignment matrix with the pieces of its two sentences, and its exchange formats. */
#ifndef TIDE_ALIGNMENT_H
#define TIDE_ALIGNMENT_H

#include "aligner/links.h"

#include <stdio.h>

/* The alignment of one sentence pair. weight[i * n_source + j] is the attention weight of source piece j for target
   piece i; each row sums to 1; NULL: the model has no attention. Pieces are those of the tokenizer ("▁" marks a
   space), with </s> last; a translation that was cut at the length limit has no target </s>. */
typedef struct Alignment {
    char *const *source;
    int n_source;
    char *const *target;
    int n_target;
    const float *weight;
} Alignment;

/* A copy that owns its pieces and weights (weight NULL: none). Release with alignment_free. */
Alignment alignment_new(char *const *source, int n_source, char *const *target, int n_target, const float *weight);
void alignment_free(Alignment *alignment);
/* Checks that the weights are finite; they are not if the numbers of a model overflow. number: of the pair in the
   caller's input, from 0. */
int alignment_check(const Alignment *alignment, long number, Err *err);

/* The weight of source piece j for target piece i as pictures show it: limited to 0..1; 0 if it is NaN. */
double alignment_weight(const Alignment *alignment, int i, int j);

/* Moves each row up by one: row i gets the weights of step i + 1, whose input y_{i-1} is piece i. The last row
   stays. The alignment must be from alignment_new. */
void alignment_shift(Alignment *alignment);
/* Turns an alignment of pieces into one of words, in place: the row of a word is the mean of the rows of its pieces,
   its column is their sum. The alignment must be from alignment_new. */
void alignment_merge_words(Alignment *alignment);

/* The links, in order of target: a stb_ds array. With threshold 0, each target piece is linked to the source piece of
   largest weight; with a threshold above 0, to every source piece with at least this weight. If `end` is false, no link
   has </s> on either side: with threshold 0, a target piece whose largest weight is on </s> has no link. */
Link *alignment_links(const Alignment *alignment, double threshold, bool end);
/* Writes Marian's soft alignment: the weights of one target piece are joined by commas, target pieces are separated
   by spaces; </s> is included on both sides. */
void alignment_soft(FILE *out, const Alignment *alignment);
/* Writes the format of Nematus, which SoftAlignments reads: a line "number ||| target ||| 0 ||| source ||| n_source
   n_target", then one line of weights for each target piece. The texts leave out </s>, the sizes count it. The score
   is always 0. The caller adds the empty line that ends the sentence. */
void alignment_matrix(FILE *out, const Alignment *alignment, int number);
/* Writes {"source": [...], "target": [...], "matrix": [[...]]}, with one row for each target piece. */
void alignment_json(FILE *out, const Alignment *alignment);
/* Writes weights [rows, columns] as the matrix of alignment_json. */
void alignment_json_rows(FILE *out, const float *weight, int rows, int columns);

#endif
