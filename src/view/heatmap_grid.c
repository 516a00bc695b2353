#include "view/heatmap_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "io/ds.h"
#include "text/tokenizer.h"
#include "text/vocab.h"
#include "view/drawing.h"
#include "view/ramp.h"
#include "view/spelling.h"
#include "view/svg_text.h"

#define SPACE "␣" /* the label of a piece that is only a space */

enum { LABEL_EMS = 20 /* longer labels are truncated */ };

/* ---- labels ----------------------------------------------------------------------------------------------------- */

static Axis axis_new(char *const *pieces, int n) {
    Axis axis = {0};
    bool leads_words = n > 0 && piece_is_spaced(pieces[0]); /* with BPE the first piece of a word has a space mark */
    int32_t first, last = ' ';
    for (int i = 0; i < n; i++) {
        bool space = strcmp(pieces[i], SPACE_MARK) == 0, in_word = char_in_word(last);
        Label label = {.full = space ? mem_strdup(SPACE) : pieces_unmark(pieces[i], false)};
        text_ends(label.full, &first, &last);
        label.text = text_cut(label.full, LABEL_EMS);
        label.attached = leads_words && in_word && char_in_word(first) && !piece_is_spaced(pieces[i]);
        label.dim = space || piece_is_end(pieces[i]);
        label.em = text_em(label.text);
        arrput(axis.label, label);
        axis.em = fmax(axis.em, label.em);
        axis.chinese = axis.chinese || text_has_wide(label.text);
    }
    return axis;
}

static void axis_free(Axis *axis) {
    for (long i = 0; i < arrlen(axis->label); i++) {
        mem_free(axis->label[i].text);
        mem_free(axis->label[i].full);
    }
    arrfree(axis->label);
}

/* The weight of source piece j for target piece i. It is rounded as on pages, so that both show the same. */
static double weight_of(const Grid *g, int i, int j) {
    const Alignment *a = g->alignment;
    const double difference = (double)a->weight[(ptrdiff_t)i * a->n_source + j],
                 weight = g->style->difference ? fmin(fmax(difference, -1), 1) : alignment_weight(a, i, j);
    return (double)lround(1e4 * weight) / 1e4;
}

Grid grid_new(const Alignment *a, const HeatmapStyle *style, GridSizes sizes) {
    Grid g = {.alignment = a, .style = style, .sizes = sizes, .row_labels = true, .column_labels = true};
    const Axis source = axis_new(a->source, a->n_source), target = axis_new(a->target, a->n_target);
    g.rows = style->transpose ? source : target;
    g.columns = style->transpose ? target : source;
    g.n_rows = (int)arrlen(g.rows.label);
    g.n_columns = (int)arrlen(g.columns.label);
    g.strongest = mem_alloc((size_t)a->n_target * sizeof *g.strongest);
    for (int i = 0; i < a->n_target; i++) {
        double largest = 0;
        for (int j = 0; j < a->n_source && style->row_scale; j++) largest = fmax(largest, weight_of(&g, i, j));
        g.strongest[i] = largest > 0 ? largest : 1;
    }
    return g;
}

void grid_free(Grid *g) {
    axis_free(&g->rows);
    axis_free(&g->columns);
    mem_free(g->strongest);
}

/* Layout of a label above its column; STACKED: one character below the other. */
typedef enum { HORIZONTAL, STACKED, ROTATED } LabelLayout;

/* HORIZONTAL if the label fits into a cell; otherwise STACKED for Chinese and ROTATED for other text. If no label holds
   Chinese, all labels have the same layout. */
static LabelLayout label_layout(const Grid *g, const Label *label) {
    double widest = g->columns.chinese ? label->em : g->columns.em;
    if (widest * g->sizes.font <= g->sizes.cell) return HORIZONTAL;
    return text_has_wide(label->text) ? STACKED : ROTATED;
}

static double column_height(const Grid *g, const Label *label) {
    const int font = g->sizes.font;
    double lines = 0;
    if (label_layout(g, label) == HORIZONTAL) return font;
    if (label_layout(g, label) == ROTATED) return label->em * font;
    for (const char *next = label->text; *next;) lines += char_em(char_display(&next)) > 0;
    return lines * font;
}

int grid_left(const Grid *g) { return g->row_labels ? (int)ceil(g->rows.em * g->sizes.font) + g->sizes.gap : 0; }

int grid_above(const Grid *g) {
    double above = 0;
    for (int j = 0; j < g->n_columns; j++) above = fmax(above, column_height(g, &g->columns.label[j]));
    return g->column_labels ? (int)ceil(above) + g->sizes.gap : 0;
}

/* Draws a label, after the start of its tag with the attributes for its position and anchor. */
static void draw_label(FILE *out, const Label *label) {
    fputs(label->dim ? " fill=\"" HEATMAP_PALE_INK "\">" : ">", out);
    svg_text(out, label->text);
    fputs("</text>\n", out);
}

/* Draws a line between the labels and the cells along the pieces of each word. */
static void draw_word_lines(FILE *out, const Grid *g, const Axis *axis) {
    const int cell = g->sizes.cell, middle = -g->sizes.gap / 2;
    fputs("<path stroke=\"" HEATMAP_EDGE "\" stroke-width=\"2\" fill=\"none\" d=\"", out);
    for (int i = 0; i < arrlen(axis->label); i++) {
        double from = (i - 0.7) * cell, to = (i + 0.7) * cell;
        if (!axis->label[i].attached) continue;
        if (axis == &g->rows) fprintf(out, "M%d %.1fV%.1f", middle, from, to);
        else fprintf(out, "M%.1f %dH%.1f", from, middle, to);
    }
    fputs("\"/>\n", out);
}

static void draw_rows(FILE *out, const Grid *g) {
    fprintf(out, "<g font-size=\"%d\" text-anchor=\"end\">\n", g->sizes.font);
    for (int i = 0; i < g->n_rows; i++) {
        const double y = (i + 0.5) * g->sizes.cell + 0.36 * g->sizes.font;
        fprintf(out, "<text x=\"%d\" y=\"%.1f\"", -g->sizes.gap, y);
        draw_label(out, &g->rows.label[i]);
    }
    fputs("</g>\n", out);
    draw_word_lines(out, g, &g->rows);
}

/* Draws the characters of a label one below the other; the last one is directly above the cells. */
static void draw_stacked(FILE *out, const Grid *g, const Label *label, double x) {
    const int font = g->sizes.font;
    double y = -g->sizes.gap - 0.12 * font - column_height(g, label);
    for (const char *next = label->text; *next;) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y += font);
        do svg_char(out, char_display(&next));
        while (*next && char_em(char_peek(next)) == 0); /* combining marks */
        fputs("</text>\n", out);
    }
}

static void draw_columns(FILE *out, const Grid *g) {
    const int font = g->sizes.font, gap = g->sizes.gap;
    fprintf(out, "<g font-size=\"%d\">\n", font);
    for (int j = 0; j < g->n_columns; j++) {
        const Label *label = &g->columns.label[j];
        double x = (j + 0.5) * g->sizes.cell;
        const LabelLayout layout = label_layout(g, label);
        if (layout == HORIZONTAL)
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\"", x, -gap - 0.12 * font);
        if (layout == ROTATED)
            fprintf(out, "<text transform=\"translate(%.1f %d) rotate(-90)\"", x + 0.36 * font, -gap);
        if (layout == STACKED) draw_stacked(out, g, label, x);
        else draw_label(out, label);
    }
    fputs("</g>\n", out);
    draw_word_lines(out, g, &g->columns);
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* The cell at a row and a column of the picture, which may be transposed. */
typedef struct Cell {
    const Label *source, *target;
    double weight, shade; /* shade: the place on the ramp, -1..1 */
} Cell;

static Cell cell_at(const Grid *g, int row, int column) {
    const bool turned = g->style->transpose;
    const int i = turned ? column : row, j = turned ? row : column;
    const double weight = weight_of(g, i, j);
    return (Cell){turned ? &g->rows.label[j] : &g->columns.label[j], turned ? &g->columns.label[i] : &g->rows.label[i],
                  weight, weight / g->strongest[i]};
}

/* Writes a weight in percent; a difference has a sign. */
static void put_percent(FILE *out, const Grid *g, double weight) {
    const long percent = lround(100 * weight);
    const bool difference = g->style->difference;
    fprintf(out, "%s%ld", percent < 0 ? "−" : difference && percent > 0 ? "+" : "", labs(percent));
}

static void draw_cell(FILE *out, const Grid *g, int row, int column) {
    const int size = g->sizes.cell;
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" ", column * size, row * size, size, size);
    if (g->style->blank) {
        fputs("fill=\"none\"/>\n", out);
        return;
    }
    const Cell cell = cell_at(g, row, column);
    char fill[8];
    ramp_colour(cell.shade, fill);
    fprintf(out, "fill=\"%s\"><title>", fill);
    svg_text(out, cell.source->full);
    fputs(" → ", out);
    svg_text(out, cell.target->full);
    fputs(": ", out);
    put_percent(out, g, cell.weight);
    fputs("%</title></rect>\n", out);
}

/* Writes the weight into its cell, in percent, if it is at least DRAWING_NUMBER. */
static void draw_number(FILE *out, const Grid *g, int row, int column) {
    const Cell cell = cell_at(g, row, column);
    const double size = g->sizes.cell;
    if (fabs(cell.weight) < DRAWING_NUMBER) return;
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">", (column + 0.5) * size,
            (row + 0.5) * size + 0.36 * g->sizes.number, ramp_ink(cell.shade));
    put_percent(out, g, cell.weight);
    fputs("</text>\n", out);
}

static void draw_cells(FILE *out, const Grid *g) {
    fputs("<g stroke=\"#d4d4d4\" stroke-width=\"0.6\">\n", out);
    for (int i = 0; i < g->n_rows; i++)
        for (int j = 0; j < g->n_columns; j++) draw_cell(out, g, i, j);
    fprintf(out, "</g>\n<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"" HEATMAP_EDGE "\"/>\n",
            g->n_columns * g->sizes.cell, g->n_rows * g->sizes.cell);
    if (g->sizes.number <= 0 || g->style->blank) return;
    fprintf(out, "<g font-size=\"%.1f\" text-anchor=\"middle\" pointer-events=\"none\">\n", g->sizes.number);
    for (int i = 0; i < g->n_rows; i++)
        for (int j = 0; j < g->n_columns; j++) draw_number(out, g, i, j);
    fputs("</g>\n", out);
}

void grid_draw(FILE *out, const Grid *g, int x, int y) {
    fprintf(out, "<g transform=\"translate(%d %d)\">\n", x, y);
    if (g->column_labels) draw_columns(out, g);
    if (g->row_labels) draw_rows(out, g);
    draw_cells(out, g);
    fputs("</g>\n", out);
}
