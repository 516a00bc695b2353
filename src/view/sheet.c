#include "view/sheet.h"

#include "io/ds.h"
#include "view/heatmap_layout.h"
#include "view/heatmap_legend.h"
#include "view/svg_text.h"

/* Lengths in pixels of 1/96 inch. */
enum {
    WIDTH = 794, /* A4 */
    HEIGHT = 1123,
    MARGIN = 38,
    GAP = 24, /* between pictures */
    TITLE_FONT = 16,
    TITLE_LINE = 22,
    TITLE_GAP = 12,
    PAGE_ROOM = 90, /* of the number of the sheet, right of the title */
    TITLE_ROOM = WIDTH - 2 * MARGIN - PAGE_ROOM,
    CELL = 20, /* a number of two digits fits */
    CELL_OF_DIFFERENCE = 26,
    CELL_MIN = 14, /* a label fits */
    PICTURE_WIDTH_MIN = 220
};

static char **title_lines(const Sheet *s) { return text_lines(s->title, (double)TITLE_ROOM / TITLE_FONT); }

Sheet sheet_new(FILE *out, const HeatmapStyle *style, const char *title, int page, int most) {
    Sheet s = {.out = out, .style = *style, .title = title, .page = page, .most = most, .x = MARGIN};
    char **lines = title_lines(&s);
    s.top = s.y = MARGIN + (int)arrlen(lines) * TITLE_LINE + TITLE_GAP;
    strings_free(lines);
    return s;
}

/* The lower end of the pictures on a sheet of this height. */
static int bottom(int height) { return height - MARGIN - LEGEND_HEIGHT - GAP; }

/* Whether a picture fits on A4, alone. */
static bool fits(const Sheet *s, const HeatmapLayout *l) {
    return MARGIN + l->width <= WIDTH - MARGIN && s->top + l->height <= bottom(HEIGHT);
}

/* The picture with the largest cells with which it fits on A4, or with the smallest. */
static HeatmapLayout lay_out(const Sheet *s, const Heatmap *h, int number) {
    const int with_number = s->style.difference ? CELL_OF_DIFFERENCE : CELL;
    for (int cell = with_number;; cell--) {
        const HeatmapSizes sizes = {
            .grid = {.cell = cell, .font = SHEET_FONT, .gap = 6, .number = cell == with_number ? SHEET_FONT : 0},
            .source = SHEET_FONT,
            .target = SHEET_FONT,
            .caption = SHEET_FONT,
            .title_gap = 8,
            .grid_gap = 14,
            .room = PICTURE_WIDTH_MIN};
        HeatmapLayout layout = heatmap_layout(h, sizes, number);
        if (cell == CELL_MIN || fits(s, &layout)) return layout;
        heatmap_layout_free(&layout);
    }
}

static void begin(Sheet *s, const HeatmapLayout *first) {
    s->own = !fits(s, first);
    s->width = s->own && first->width + 2 * MARGIN > WIDTH ? first->width + 2 * MARGIN : WIDTH;
    s->height = s->own ? s->top + first->height + GAP + LEGEND_HEIGHT + MARGIN : HEIGHT;
    fprintf(s->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"" SVG_FONTS "\" fill=\"" HEATMAP_INK "\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            s->width, s->height, s->width, s->height, s->width, s->height);
    char **lines = title_lines(s);
    for (int i = 0; i < arrlen(lines); i++) {
        fprintf(s->out, "<text class=\"title\" x=\"%d\" y=\"%d\" font-size=\"%d\">", MARGIN,
                MARGIN + i * TITLE_LINE + TITLE_FONT, TITLE_FONT);
        svg_text(s->out, lines[i]);
        fputs("</text>\n", s->out);
    }
    strings_free(lines);
    fprintf(s->out, "<text class=\"sheet\" x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"end\" fill=\"%s\">",
            s->width - MARGIN, MARGIN + TITLE_FONT, SHEET_FONT, HEATMAP_PALE_INK);
    fprintf(s->out, s->style.language == HEATMAP_ZH ? "第 %d 页</text>\n" : "sheet %d</text>\n", s->page);
}

/* Moves to the next shelf if the picture does not fit on this one. Returns whether there is room. */
static bool find_room(Sheet *s, const HeatmapLayout *l) {
    int x = s->x, y = s->y, shelf = s->shelf;
    if (x + l->width > WIDTH - MARGIN) x = MARGIN, y += shelf + GAP, shelf = 0;
    if (x + l->width > WIDTH - MARGIN || y + l->height > bottom(HEIGHT)) return false;
    s->x = x, s->y = y, s->shelf = shelf;
    return true;
}

bool sheet_add(Sheet *s, const Heatmap *h, int number) {
    if (s->count && (s->count == s->most || s->own)) return false;
    HeatmapLayout layout = lay_out(s, h, number);
    if (!s->count) begin(s, &layout);
    const bool room = !s->count || find_room(s, &layout);
    if (room) {
        fputs("<g", s->out);
        heatmap_layout_role(s->out, &layout);
        fputs(">\n", s->out);
        heatmap_layout_draw(s->out, &layout, s->x, s->y);
        fputs("</g>\n", s->out);
        s->count++;
        s->x += layout.width + GAP;
        if (layout.height > s->shelf) s->shelf = layout.height;
    }
    heatmap_layout_free(&layout);
    return room;
}

void sheet_end(const Sheet *s) {
    legend_draw(s->out, &s->style, SHEET_FONT, MARGIN, s->height - MARGIN - LEGEND_HEIGHT);
    fputs("</svg>\n", s->out);
}
