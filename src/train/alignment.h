/* alignment.h: an alignment matrix with its words, and the text formats that it is exchanged in. */
#ifndef TIDE_ALIGNMENT_H
#define TIDE_ALIGNMENT_H

#include <stdio.h>

/* One sentence pair's alignment: weight[i * n_source + j] is how much target piece i was read from source piece j; each
   row sums to 1. Pieces are as the vocabulary has them ("▁" for a space), "</s>" last on both sides. */
typedef struct Alignment {
    char *const *source;
    int n_source;
    char *const *target;
    int n_target;
    const float *weight;
} Alignment;

/* Pharaoh: "0-0 1-2", source-target from 0: for each target piece but </s> the source piece of the largest weight,
   unless that is </s>. Without a newline. */
void alignment_pharaoh(FILE *out, const Alignment *alignment);
/* Marian's soft alignment: the weights of a target piece joined by commas, pieces separated by spaces, </s>
   included. */
void alignment_soft(FILE *out, const Alignment *alignment);
/* {"source": [...], "target": [...], "matrix": [[...]]}, a row for each target piece. */
void alignment_json(FILE *out, const Alignment *alignment);

#endif
