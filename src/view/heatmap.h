/* heatmap.h: draws an alignment as a stand-alone SVG picture, like Figure 3 of Bahdanau, Cho & Bengio (2015). */
#ifndef TIDE_HEATMAP_H
#define TIDE_HEATMAP_H

#include "translate/alignment.h"

#include <stdbool.h>
#include <stdio.h>

/* A place in another picture, in pixels. */
typedef struct HeatmapPlace {
    int x, y, width, height;
} HeatmapPlace;

/* Writes a picture with one cell for each weight. The source is at the top and the target on the left; transpose
   exchanges them. The two sentences are the title; a legend shows the colour scale. place: the picture is an element of
   another SVG picture, at the upper left corner of `place`, and scaled down if it is larger; NULL: it stands alone.
   Returns 0, or -1 with errno set if writing failed. */
int heatmap_svg(FILE *out, const Alignment *alignment, bool transpose, const HeatmapPlace *place);

#endif
