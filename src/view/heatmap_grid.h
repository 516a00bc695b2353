/* heatmap_grid.h: one matrix of a picture: its cells, and the labels on two sides of them. */
#ifndef TIDE_HEATMAP_GRID_H
#define TIDE_HEATMAP_GRID_H

#include "view/heatmap.h"

#define HEATMAP_INK      "#1a1a1a"
#define HEATMAP_PALE_INK "#5c5c5c"
#define HEATMAP_EDGE     "#808080"

/* Sizes of a matrix, in pixels. */
typedef struct GridSizes {
    int cell;
    int font;      /* of the labels */
    int gap;       /* between labels and cells */
    double number; /* font size of the numbers in cells; 0: there are none */
} GridSizes;

typedef struct Label {
    char *text;    /* as drawn: `full`, truncated if it is long */
    char *full;    /* in the tooltips of its cells */
    bool attached; /* belongs to the same word as the label before */
    bool dim;      /* draw in HEATMAP_PALE_INK */
    double em;     /* width */
} Label;

typedef struct Axis {
    Label *label; /* stb_ds array */
    double em;    /* width of the widest label */
    bool chinese; /* a label holds Chinese or other wide characters */
} Axis;

typedef struct Grid {
    const Alignment *alignment;
    const HeatmapStyle *style;
    GridSizes sizes;
    Axis rows, columns;
    int n_rows, n_columns;
    double *strongest; /* [n_target] the weight that has the strongest colour: 1, or with row_scale the largest one of
                          this target piece */
    bool row_labels, column_labels; /* they are drawn; at first, both are */
} Grid;

/* alignment and style must live longer. Release with grid_free. */
Grid grid_new(const Alignment *alignment, const HeatmapStyle *style, GridSizes sizes);
void grid_free(Grid *grid);

/* The room of the labels at the left and above the cells, with the gap; 0 if they are not drawn. */
int grid_left(const Grid *grid);
int grid_above(const Grid *grid);

/* Draws labels and cells; the upper left corner of the cells is at x, y. */
void grid_draw(FILE *out, const Grid *grid, int x, int y);

#endif
