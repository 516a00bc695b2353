/* heatmap.h: an alignment drawn as a stand-alone SVG, after Figure 3 of Bahdanau, Cho & Bengio (2015). */
#ifndef TIDE_HEATMAP_H
#define TIDE_HEATMAP_H

#include <stdbool.h>
#include <stdio.h>

/* One sentence pair's alignment: weight[i * n_source + j] is how much target piece i was read from source piece
   j; each row sums to 1. Pieces are as the vocabulary has them ("▁" for a space), "</s>" last on both sides. */
typedef struct Alignment {
    char *const *source;
    int n_source;
    char *const *target;
    int n_target;
    const float *weight;
} Alignment;

/* Writes the picture: source across the top, target down the side, a cell a weight (the other way round with
   transpose), the two sentences as a title, a legend of the scale. Returns -1 if writing failed (errno). */
int heatmap_svg(FILE *out, const Alignment *alignment, bool transpose);

#endif
