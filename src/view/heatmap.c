#include "view/heatmap.h"

#include "view/heatmap_layout.h"
#include "view/heatmap_legend.h"
#include "view/svg_text.h"

/* Lengths in pixels, without zoom. */
enum {
    MARGIN = 28,
    GRID_SIZE = 960, /* largest grid; cells of long sentences shrink to fit, but not below CELL_MIN */
    CELL_MIN = 14,
    CELL_MAX = 44,
    CELL_WITH_NUMBER = 26, /* smaller cells show no number */
    TITLE_GAP = 20,
    LABEL_MIN = 11,
    LABEL_MAX = 22,
    LABEL_GAP = 10,  /* between a label and the grid */
    GRID_GAP = 28,   /* between two matrices */
    WIDTH_MIN = 420, /* between the margins: room for the title */
    SOURCE_FONT = 24,
    TARGET_FONT = 20,
};

static int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

/* The size of a cell. Several matrices have smaller cells than one has alone, but numbers where one has numbers. */
static int cell_size(const Heatmap *h) {
    const int across = heatmap_across(h), down = heatmap_down(h);
    int source = 1, target = 1; /* pieces of the largest matrix */
    for (int k = 0; k < h->count; k++) {
        const Alignment *a = &h->alignments[k];
        source = larger(source, a->n_source);
        target = larger(target, a->n_target);
    }
    const int columns = h->style.transpose ? target : source, rows = h->style.transpose ? source : target,
              one = larger(rows, columns), all = larger(down * rows, across * columns);
    return clamp(GRID_SIZE / all, clamp(GRID_SIZE / one, CELL_MIN, CELL_WITH_NUMBER), CELL_MAX);
}

int heatmap_svg(FILE *out, const Heatmap *h) {
    const int cell = cell_size(h), legend = legend_width(&h->style, LEGEND_FONT);
    const HeatmapSizes sizes = {.grid = {.cell = cell,
                                         .font = clamp(cell * 7 / 10, LABEL_MIN, LABEL_MAX),
                                         .gap = LABEL_GAP,
                                         .number = cell < CELL_WITH_NUMBER ? 0 : 0.36 * cell},
                                .source = SOURCE_FONT,
                                .target = TARGET_FONT,
                                .caption = LEGEND_FONT,
                                .title_gap = TITLE_GAP,
                                .grid_gap = GRID_GAP,
                                .room = larger(legend, WIDTH_MIN)};
    HeatmapLayout layout = heatmap_layout(h, sizes, 0);
    const int width = layout.width + 2 * MARGIN, bottom = MARGIN + layout.height + MARGIN,
              height = bottom + LEGEND_HEIGHT + MARGIN;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"", width,
            height, width, height);
    heatmap_layout_role(out, &layout);
    fputs(" font-family=\"" SVG_FONTS "\" fill=\"" HEATMAP_INK "\">\n", out);
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
    heatmap_layout_draw(out, &layout, MARGIN, MARGIN);
    legend_draw(out, &h->style, LEGEND_FONT, MARGIN, bottom);
    fputs("</svg>\n", out);
    heatmap_layout_free(&layout);
    return fflush(out) != 0 || ferror(out) ? -1 : 0;
}
