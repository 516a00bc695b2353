/* heatmap_legend.h: legends, and descriptions for screen readers. */
#ifndef TIDE_HEATMAP_LEGEND_H
#define TIDE_HEATMAP_LEGEND_H

#include "view/heatmap.h"

enum { LEGEND_FONT = 14, LEGEND_HEIGHT = 36 /* pixels, at this font size or a smaller one */ };

/* The width of a legend in pixels. */
int legend_width(const HeatmapStyle *style, int font);
/* Draws the colours with their values, and what they mean; the upper left corner is at x, y. */
void legend_draw(FILE *out, const HeatmapStyle *style, int font, int x, int y);
/* Writes the <desc> of a picture. */
void heatmap_describe(FILE *out, const Heatmap *heatmap);

#endif
