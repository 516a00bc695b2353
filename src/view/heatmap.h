/* heatmap.h: an alignment drawn as a stand-alone SVG, after Figure 3 of Bahdanau, Cho & Bengio (2015). */
#ifndef TIDE_HEATMAP_H
#define TIDE_HEATMAP_H

#include "translate/alignment.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes the picture: source across the top, target down the side, a cell a weight (the other way round with
   transpose), the two sentences as a title, a legend of the scale. Returns -1 if writing failed (errno). */
int heatmap_svg(FILE *out, const Alignment *alignment, bool transpose);

#endif
