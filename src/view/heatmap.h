/* heatmap.h: draws alignments as SVG pictures, like Figure 3 of Bahdanau, Cho & Bengio (2015). */
#ifndef TIDE_HEATMAP_H
#define TIDE_HEATMAP_H

#include "translate/alignment.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum HeatmapLanguage { HEATMAP_EN, HEATMAP_ZH } HeatmapLanguage;
#define HEATMAP_LANGUAGES "en|zh" /* their names */

/* How matrices look. All zero: the source at the top, colours by weight, English. */
typedef struct HeatmapStyle {
    bool transpose;           /* the target at the top */
    bool blank;               /* cells without colours and numbers, to be filled in */
    bool row_scale;           /* colours show the share of the largest weight of the same target piece */
    HeatmapLanguage language; /* of the legend */
    const char *difference;   /* NULL: weights are 0..1. Otherwise they are differences, -1..1, and this says in the
                                 legend of what: "run1 − run2" */
} HeatmapStyle;

/* One picture: a matrix, or several that show their labels once as far as they are the same. */
typedef struct Heatmap {
    HeatmapStyle style;
    const Alignment *alignments; /* [count] */
    int count;                   /* at least 1 */
    char *const *captions;       /* [count]; NULL: none */
    int across;                  /* matrices beside each other; 0: 1 */
} Heatmap;

/* Columns and rows of matrices. */
static inline int heatmap_across(const Heatmap *h) { return h->across ? h->across : 1; }
static inline int heatmap_down(const Heatmap *h) { return (h->count - 1) / heatmap_across(h) + 1; }
/* Whether all alignments have the same target sentence. */
bool heatmap_one_target(const Heatmap *heatmap);

/* Writes a picture with one cell for each weight, a title and a legend with the colours. The title is the source
   sentence and, if all alignments have the same, the target sentence. Returns 0, or -1 with errno set if writing
   failed. */
int heatmap_svg(FILE *out, const Heatmap *heatmap);

/* Captions, owned by the caller. layer 0: the model has only one. */
char *heatmap_head_caption(HeatmapLanguage language, int layer, int head);
char *heatmap_hypothesis_caption(HeatmapLanguage language, int rank, double score);

#endif
