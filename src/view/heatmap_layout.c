#include "view/heatmap_layout.h"

#include <math.h>
#include <string.h>

#include "core/base.h"
#include "io/ds.h"
#include "view/heatmap_legend.h"
#include "view/spelling.h"
#include "view/svg_text.h"

static int line_height(int font) { return font * 4 / 3; }

/* ---- the title -------------------------------------------------------------------------------------------------- */

/* Whether two alignments have the same pieces on a side. */
static bool same_side(const Heatmap *h, int k, int other, bool target) {
    const Alignment *a = &h->alignments[k], *b = &h->alignments[other];
    return target ? strings_same(a->target, a->n_target, b->target, b->n_target)
                  : strings_same(a->source, a->n_source, b->source, b->n_source);
}

bool heatmap_one_target(const Heatmap *h) {
    for (int k = 1; k < h->count; k++)
        if (!same_side(h, k, 0, true)) return false;
    return true;
}

/* FNV-1a. */
static unsigned hash(const char *text, unsigned start) {
    uint32_t h = start ^ 2166136261U;
    while (*text) h = (h ^ (unsigned char)*text++) * 16777619U;
    return h;
}

/* Breaks the sentences into lines of `room` pixels. Returns the height of the title. */
static int break_title(HeatmapLayout *l, int room, int number) {
    const Alignment *a = l->heatmap->alignments;
    const HeatmapSizes *s = &l->sizes;
    char *source = pieces_sentence(a->source, a->n_source), *target = pieces_sentence(a->target, a->n_target);
    l->source = text_lines(source, (double)(room - l->indent) / s->source);
    if (heatmap_one_target(l->heatmap)) l->target = text_lines(target, (double)(room - l->indent) / s->target);
    l->id = hash(target, hash(source, (unsigned)number));
    mem_free(source);
    mem_free(target);
    return (int)(arrlen(l->source) * line_height(s->source) + arrlen(l->target) * line_height(s->target));
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

/* A matrix leaves out the labels that its neighbour has already. */
static void share_labels(HeatmapLayout *l) {
    const Heatmap *h = l->heatmap;
    const bool transpose = h->style.transpose;
    for (int k = 0; k < h->count; k++) {
        if (k % l->across) l->grids[k].row_labels = !same_side(h, k, k - 1, !transpose);
        if (k >= l->across) l->grids[k].column_labels = !same_side(h, k, k - l->across, transpose);
    }
}

/* Finds the left ends of the columns of matrices. Returns the width of all. */
static int place_columns(HeatmapLayout *l) {
    const Heatmap *h = l->heatmap;
    int x = 0;
    for (int c = 0; c < l->across; c++) {
        int left = 0, width = 0;
        for (int k = c; k < h->count; k += l->across) {
            const Grid *g = &l->grids[k];
            const double caption = h->captions ? text_em(h->captions[k]) * l->sizes.caption : 0;
            left = larger(left, grid_left(g));
            width = larger(width, larger(g->n_columns * g->sizes.cell, (int)ceil(caption)));
        }
        l->columns[c] = x + left;
        x += left + width + l->sizes.grid_gap;
    }
    return x - l->sizes.grid_gap;
}

/* The room of the labels above row r of the matrices. */
static int row_above(const HeatmapLayout *l, int r) {
    int above = 0;
    for (int k = r * l->across; k < l->heatmap->count && k < (r + 1) * l->across; k++)
        above = larger(above, grid_above(&l->grids[k]));
    return above;
}

/* Finds the upper ends of the rows of matrices below y. Returns the lower end of the last. */
static int place_rows(HeatmapLayout *l, int y) {
    const Heatmap *h = l->heatmap;
    const int caption = h->captions ? line_height(l->sizes.caption) + l->sizes.grid.gap / 2 : 0;
    for (int r = 0; r < l->down; r++) {
        int height = 0;
        for (int k = r * l->across; k < h->count && k < (r + 1) * l->across; k++) {
            const Grid *g = &l->grids[k];
            height = larger(height, g->n_rows * g->sizes.cell);
        }
        l->rows[r] = y + caption + row_above(l, r);
        y = l->rows[r] + height + l->sizes.grid_gap;
    }
    return y - l->sizes.grid_gap;
}

HeatmapLayout heatmap_layout(const Heatmap *h, HeatmapSizes sizes, int number) {
    HeatmapLayout l = {.heatmap = h, .sizes = sizes, .across = heatmap_across(h), .down = heatmap_down(h)};
    l.grids = mem_alloc((size_t)h->count * sizeof *l.grids);
    l.columns = mem_alloc((size_t)l.across * sizeof *l.columns);
    l.rows = mem_alloc((size_t)l.down * sizeof *l.rows);
    for (int k = 0; k < h->count; k++) l.grids[k] = grid_new(&h->alignments[k], &h->style, sizes.grid);
    share_labels(&l);
    if (number) {
        snprintf(l.number, sizeof l.number, "%d", number);
        l.indent = (int)ceil((text_em(l.number) + 0.7) * sizes.source);
    }
    l.width = larger(place_columns(&l), sizes.room);
    l.height = place_rows(&l, break_title(&l, l.width, number) + sizes.title_gap);
    return l;
}

void heatmap_layout_free(HeatmapLayout *l) {
    for (int k = 0; k < l->heatmap->count; k++) grid_free(&l->grids[k]);
    mem_free(l->grids);
    mem_free(l->columns);
    mem_free(l->rows);
    strings_free(l->source);
    strings_free(l->target);
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

/* Labelled by the lines of the title, whose ids end in 1, 2 ... */
void heatmap_layout_role(FILE *out, const HeatmapLayout *l) {
    fputs(" role=\"img\" aria-labelledby=\"", out);
    for (int i = 1; i <= arrlen(l->source) + arrlen(l->target); i++)
        fprintf(out, "%st%08x-%d", i > 1 ? " " : "", l->id, i);
    fputc('"', out);
}

/* Draws lines of the title below y; *line counts them. Returns the y below the last line. */
static int draw_lines(FILE *out, const HeatmapLayout *l, char *const *lines, int *line, int x, int y, int size,
                      const char *ink) {
    for (long i = 0; i < arrlen(lines); i++, y += line_height(size)) {
        fprintf(out, "<text id=\"t%08x-%d\" x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\">", l->id, ++*line, x,
                y + size, size, ink);
        svg_text(out, lines[i]);
        fputs("</text>\n", out);
    }
    return y;
}

static void draw_title(FILE *out, const HeatmapLayout *l, int x, int y) {
    const int source = l->sizes.source, target = l->sizes.target;
    int line = 0;
    if (*l->number)
        fprintf(out, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" font-weight=\"bold\">%s</text>\n", x, y + source, source,
                l->number);
    y = draw_lines(out, l, l->source, &line, x + l->indent, y, source, HEATMAP_INK);
    draw_lines(out, l, l->target, &line, x + l->indent, y, target, HEATMAP_PALE_INK);
}

void heatmap_layout_draw(FILE *out, const HeatmapLayout *l, int x, int y) {
    const Heatmap *h = l->heatmap;
    const int font = l->sizes.caption;
    heatmap_describe(out, h);
    draw_title(out, l, x, y);
    for (int k = 0; k < h->count; k++) {
        const Grid *g = &l->grids[k];
        const int left = x + l->columns[k % l->across], top = y + l->rows[k / l->across];
        if (h->captions) {
            const int above = larger(row_above(l, k / l->across), l->sizes.grid.gap / 2);
            fprintf(out, "<text class=\"caption\" x=\"%d\" y=\"%d\" font-size=\"%d\">", left,
                    top - above - line_height(font) + font, font);
            svg_text(out, h->captions[k]);
            fputs("</text>\n", out);
        }
        grid_draw(out, g, left, top);
    }
}
