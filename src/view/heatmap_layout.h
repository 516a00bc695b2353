/* heatmap_layout.h: where title, captions and matrices of a picture are, and how they are drawn: for pictures
   that stand alone (heatmap.c) and for those on sheets (sheet.c). */
#ifndef TIDE_HEATMAP_LAYOUT_H
#define TIDE_HEATMAP_LAYOUT_H

#include "view/heatmap_grid.h"

/* Sizes in pixels. */
typedef struct HeatmapSizes {
    GridSizes grid;
    int source, target; /* font sizes of the sentences in the title */
    int caption;        /* font size */
    int title_gap;      /* below the title */
    int grid_gap;       /* between matrices */
    int room;           /* the title has at least this width */
} HeatmapSizes;

/* A picture with its places; `heatmap` must live longer. */
typedef struct HeatmapLayout {
    const Heatmap *heatmap;
    HeatmapSizes sizes;
    Grid *grids;             /* [count] */
    int *columns, *rows;     /* [across], [down]: the left and the upper ends of the cells */
    int across, down;        /* columns and rows of matrices */
    char number[16];         /* before the title; "": none */
    int indent;              /* of the title, beside the number */
    char **source, **target; /* lines of the title; target is NULL if the alignments have different ones */
    unsigned id;             /* a hash of number and sentences, with which the ids of the lines of the title begin */
    int width, height;
} HeatmapLayout;

/* number: before the title; 0: none. Release with heatmap_layout_free. */
HeatmapLayout heatmap_layout(const Heatmap *heatmap, HeatmapSizes sizes, int number);
void heatmap_layout_free(HeatmapLayout *layout);

/* Writes attributes that say to screen readers that the element is a picture, with its title as name. */
void heatmap_layout_role(FILE *out, const HeatmapLayout *layout);
/* Draws the picture without a legend: a description for screen readers, title, captions and matrices; its upper left
   corner is at x, y. */
void heatmap_layout_draw(FILE *out, const HeatmapLayout *layout, int x, int y);

#endif
