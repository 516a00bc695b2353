#include "view/heatmap.h"

#include <math.h>
#include <string.h>
#include <utf8proc.h>

#include "core/base.h"
#include "io/ds.h"
#include "text/tokenizer.h"
#include "text/vocab.h"
#include "view/drawing.h"
#include "view/spelling.h"

#define FONTS                                                                                                          \
    "'Noto Sans CJK SC','Source Han Sans SC','PingFang SC','Microsoft YaHei','WenQuanYi Micro "                        \
    "Hei',sans-serif"
#define INK      "#1a1a1a"
#define PALE_INK "#5c5c5c"
#define EDGE     "#808080"
#define SPACE    "␣" /* the label of a piece that is only a space */

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
    LABEL_EMS = 20,  /* longer labels are truncated */
    LABEL_GAP = 10,  /* between a label and the grid */
    WIDTH_MIN = 420, /* between the margins: room for the legend and the title */
    SOURCE_FONT = 24,
    TARGET_FONT = 20,
    LEGEND_FONT = 14,
    LEGEND_HEIGHT = 36,
    LEGEND_STEPS = 50,
    LEGEND_STEP = 4,
};

/* ---- text ---- */

/* Estimates the width of a character in common sans-serif fonts, in em; too wide rather than too narrow. */
static double char_em(int32_t c) {
    int columns = utf8proc_charwidth(c);
    if (columns != 1) return columns ? 1 : 0;
    if (c > 0x7f) return c < 0x2000 ? 0.7 : 1; /* Chinese fonts draw symbols such as … 1 em wide */
    if (strchr("mwMW@%", c)) return 0.95;
    if (strchr(" fijlrtI.,:;'|!()[]", c)) return 0.38;
    return c >= 'A' && c <= 'Z' ? 0.7 : 0.62;
}

static double text_em(const char *text) {
    double em = 0;
    while (*text) em += char_em(char_display(&text));
    return em;
}

static void put_char(FILE *out, int32_t c) {
    utf8proc_uint8_t bytes[4];
    size_t n = (size_t)utf8proc_encode_char(c, bytes);
    if (c == '<') fputs("&lt;", out);
    else if (c == '>') fputs("&gt;", out);
    else if (c == '&') fputs("&amp;", out);
    else if (c == '"') fputs("&quot;", out);
    else fwrite(bytes, 1, n, out);
}

static void put_text(FILE *out, const char *text) {
    while (*text) put_char(out, char_display(&text));
}

/* Breaks text into lines of at most `room` em, at spaces or next to Chinese characters. A word that is wider than
   `room` is broken inside. Returns a stb_ds array of strings. */
static char **wrap(const char *text, double room) {
    char **lines = NULL;
    const char *start = text, *stop = NULL; /* start of the line, and its last possible break */
    int32_t before = ' ';
    double em = 0;
    for (const char *next = text; *next;) {
        const char *here = next;
        int32_t c = char_display(&next);
        bool may_break = c == ' ' || ((char_is_wide(c) || char_is_wide(before)) && !char_closes(c));
        if (may_break && here > start) stop = here;
        em += char_em(c);
        before = c;
        if (em <= room || here == start || c == ' ') continue;
        if (!stop) stop = here;
        arrput(lines, mem_strndup(start, (size_t)(stop - start)));
        next = start = stop + (*stop == ' ');
        stop = NULL;
        em = 0;
    }
    arrput(lines, mem_strdup(start));
    return lines;
}

/* ---- the sides of the grid ---- */

typedef struct Label {
    char *text;    /* as drawn: `full`, truncated if it is long */
    char *full;    /* in the tooltips of its cells */
    bool attached; /* belongs to the same word as the label before */
    bool dim;      /* draw in PALE_INK */
    double em;     /* width */
} Label;

typedef struct Axis {
    Label *label; /* stb_ds array */
    double em;    /* width of the widest label */
    bool chinese; /* a label holds Chinese or other wide characters */
} Axis;

/* Returns a copy of text, truncated to LABEL_EMS. */
static char *cut_short(const char *text) {
    if (text_em(text) <= LABEL_EMS) return mem_strdup(text);
    const char *end = text, *next = text;
    double em = 1; /* the ellipsis */
    while ((em += char_em(char_display(&next))) <= LABEL_EMS) end = next;
    size_t kept = (size_t)(end - text);
    char *cut = mem_alloc(kept + sizeof "…");
    memcpy(cut, text, kept);
    strcpy(cut + kept, "…");
    return cut;
}

static Axis axis_new(char *const *pieces, int n) {
    Axis axis = {0};
    bool leads_words = n > 0 && piece_is_spaced(pieces[0]); /* with BPE the first piece of a word has a space mark */
    int32_t first, last = ' ';
    for (int i = 0; i < n; i++) {
        bool space = strcmp(pieces[i], SPACE_MARK) == 0, in_word = char_in_word(last);
        Label label = {.full = space ? mem_strdup(SPACE) : pieces_unmark(pieces[i], false)};
        text_ends(label.full, &first, &last);
        label.text = cut_short(label.full);
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

/* ---- the picture ---- */

/* A colour in Oklab, a space in which equal distances look equal (Ottosson 2020). */
typedef struct Oklab {
    double L, a, b;
} Oklab;

typedef struct Picture {
    FILE *out;
    const Alignment *alignment;
    bool transpose;
    Axis rows, columns;
    char *source_text, *target_text;
    char **source_lines, **target_lines; /* the same texts, broken into lines of the title */
    int cell, font;
    int left, top; /* corner of the grid */
    int width, height;
    Oklab strongest; /* the colour of weight 1 */
} Picture;

/* Layout of a label above its column; STACKED: one character below the other. */
typedef enum { HORIZONTAL, STACKED, ROTATED } LabelLayout;

/* HORIZONTAL if the label fits into a cell; otherwise STACKED for Chinese and ROTATED for other text. If no label holds
   Chinese, all labels have the same layout. */
static LabelLayout label_layout(const Picture *p, const Label *label) {
    double widest = p->columns.chinese ? label->em : p->columns.em;
    if (widest * p->font <= p->cell) return HORIZONTAL;
    return text_has_wide(label->text) ? STACKED : ROTATED;
}

static double column_height(const Picture *p, const Label *label) {
    double lines = 0;
    if (label_layout(p, label) == HORIZONTAL) return p->font;
    if (label_layout(p, label) == ROTATED) return label->em * p->font;
    for (const char *next = label->text; *next;) lines += char_em(char_display(&next)) > 0;
    return lines * p->font;
}

static int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

static int line_height(int font) { return font * 4 / 3; }

static Picture layout(FILE *out, const Alignment *a, bool transpose) {
    Picture p = {.out = out, .alignment = a, .transpose = transpose};
    Axis source = axis_new(a->source, a->n_source), target = axis_new(a->target, a->n_target);
    p.rows = transpose ? source : target;
    p.columns = transpose ? target : source;
    int n_rows = (int)arrlen(p.rows.label), n_columns = (int)arrlen(p.columns.label);
    int n = n_rows > n_columns ? n_rows : n_columns;
    p.cell = clamp(GRID_SIZE / (n ? n : 1), CELL_MIN, CELL_MAX);
    p.font = clamp(p.cell * 7 / 10, LABEL_MIN, LABEL_MAX);

    int labels = (int)ceil(p.rows.em * p.font) + LABEL_GAP;
    int content = labels + n_columns * p.cell;
    int room = content > WIDTH_MIN ? content : WIDTH_MIN;
    p.source_text = pieces_sentence(a->source, a->n_source);
    p.target_text = pieces_sentence(a->target, a->n_target);
    p.source_lines = wrap(p.source_text, (double)room / SOURCE_FONT);
    p.target_lines = wrap(p.target_text, (double)room / TARGET_FONT);

    double above = 0;
    for (int j = 0; j < n_columns; j++) above = fmax(above, column_height(&p, &p.columns.label[j]));
    long title = arrlen(p.source_lines) * line_height(SOURCE_FONT) + arrlen(p.target_lines) * line_height(TARGET_FONT);
    p.left = MARGIN + labels;
    p.top = MARGIN + (int)title + TITLE_GAP + (int)ceil(above) + LABEL_GAP;
    p.width = room + 2 * MARGIN;
    p.height = p.top + n_rows * p.cell + MARGIN + LEGEND_HEIGHT + MARGIN;
    return p;
}

static void picture_free(Picture *p) {
    axis_free(&p->rows);
    axis_free(&p->columns);
    mem_free(p->source_text);
    mem_free(p->target_text);
    strings_free(p->source_lines);
    strings_free(p->target_lines);
}

/* The weight at a row and a column of the picture, which may be transposed. It is rounded as on pages, so that both
   show the same. */
static double weight_at(const Picture *p, int row, int column) {
    const Alignment *a = p->alignment;
    const double weight = p->transpose ? alignment_weight(a, column, row) : alignment_weight(a, row, column);
    return (double)lround(1e4 * weight) / 1e4;
}

/* ---- colour ---- */

static double linear_of(int byte) {
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static int srgb_byte(double linear) {
    double c = fmin(fmax(linear, 0), 1);
    return (int)lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055));
}

static Oklab oklab_of(int rgb) {
    const double r = linear_of(rgb >> 16), g = linear_of(rgb >> 8 & 255), b = linear_of(rgb & 255);
    const double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return (Oklab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                   1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                   0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

/* The colour of a weight, "#rrggbb": on the line from white to the strongest in Oklab, as color-mix in page.css. */
static void colour(const Picture *p, double weight, char hex[8]) {
    const double L = 1 + weight * (p->strongest.L - 1), a = weight * p->strongest.a, b = weight * p->strongest.b;
    const double l = pow(L + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = pow(L - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = pow(L - 0.0894841775 * a - 1.2914855480 * b, 3);
    snprintf(hex, 8, "#%02x%02x%02x", srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
             srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
             srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

/* ---- drawing ---- */

/* Draws lines of the title below y; returns the y below the last line. */
static int draw_lines(const Picture *p, char *const *lines, int y, int size, const char *ink) {
    for (long i = 0; i < arrlen(lines); i++, y += line_height(size)) {
        fprintf(p->out, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\">", MARGIN, y + size, size, ink);
        put_text(p->out, lines[i]);
        fputs("</text>\n", p->out);
    }
    return y;
}

/* Draws a label, after the start of its tag with the attributes for its position and anchor. */
static void draw_label(FILE *out, const Label *label) {
    fputs(label->dim ? " fill=\"" PALE_INK "\">" : ">", out);
    put_text(out, label->text);
    fputs("</text>\n", out);
}

/* Draws a line between the labels and the grid along the pieces of each word. */
static void draw_word_lines(const Picture *p, const Axis *axis) {
    bool down = axis == &p->rows;
    fputs("<path stroke=\"" EDGE "\" stroke-width=\"2\" fill=\"none\" d=\"", p->out);
    for (int i = 0; i < arrlen(axis->label); i++) {
        double from = (i - 0.7) * p->cell, to = (i + 0.7) * p->cell;
        if (!axis->label[i].attached) continue;
        if (down) fprintf(p->out, "M%d %.1fV%.1f", -LABEL_GAP / 2, from, to);
        else fprintf(p->out, "M%.1f %dH%.1f", from, -LABEL_GAP / 2, to);
    }
    fputs("\"/>\n", p->out);
}

static void draw_rows(const Picture *p) {
    fprintf(p->out, "<g font-size=\"%d\" text-anchor=\"end\">\n", p->font);
    for (int i = 0; i < arrlen(p->rows.label); i++) {
        fprintf(p->out, "<text x=\"%d\" y=\"%.1f\"", -LABEL_GAP, (i + 0.5) * p->cell + 0.36 * p->font);
        draw_label(p->out, &p->rows.label[i]);
    }
    fputs("</g>\n", p->out);
}

/* Draws the characters of a label one below the other; the last one is directly above the grid. */
static void draw_stacked(const Picture *p, const Label *label, double x) {
    double y = -LABEL_GAP - 0.12 * p->font - column_height(p, label);
    for (const char *next = label->text; *next;) {
        fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y += p->font);
        do put_char(p->out, char_display(&next));
        while (*next && char_em(char_peek(next)) == 0); /* combining marks */
        fputs("</text>\n", p->out);
    }
}

static void draw_columns(const Picture *p) {
    fprintf(p->out, "<g font-size=\"%d\">\n", p->font);
    for (int j = 0; j < arrlen(p->columns.label); j++) {
        const Label *label = &p->columns.label[j];
        double x = (j + 0.5) * p->cell;
        const LabelLayout layout = label_layout(p, label);
        if (layout == HORIZONTAL)
            fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\"", x, -LABEL_GAP - 0.12 * p->font);
        if (layout == ROTATED)
            fprintf(p->out, "<text transform=\"translate(%.1f %d) rotate(-90)\"", x + 0.36 * p->font, -LABEL_GAP);
        if (layout == STACKED) draw_stacked(p, label, x);
        else draw_label(p->out, label);
    }
    fputs("</g>\n", p->out);
}

static void draw_cell(const Picture *p, int row, int column) {
    double weight = weight_at(p, row, column);
    const Label *source = p->transpose ? &p->rows.label[row] : &p->columns.label[column];
    const Label *target = p->transpose ? &p->columns.label[column] : &p->rows.label[row];
    char fill[8];
    colour(p, weight, fill);
    fprintf(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>", column * p->cell,
            row * p->cell, p->cell, p->cell, fill);
    put_text(p->out, source->full);
    fputs(" → ", p->out);
    put_text(p->out, target->full);
    fprintf(p->out, ": %ld%%</title></rect>\n", lround(100 * weight));
}

/* Writes the weight into its cell, in percent, if it is at least DRAWING_NUMBER. */
static void draw_number(const Picture *p, int row, int column) {
    const double weight = weight_at(p, row, column);
    if (weight < DRAWING_NUMBER) return;
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%ld</text>\n", (column + 0.5) * p->cell,
            (row + 0.5) * p->cell + 0.13 * p->cell, weight < DRAWING_STRONG ? "#000000" : "#ffffff",
            lround(100 * weight));
}

static void draw_grid(const Picture *p) {
    int n_rows = (int)arrlen(p->rows.label), n_columns = (int)arrlen(p->columns.label);
    fputs("<g stroke=\"#d4d4d4\" stroke-width=\"0.6\">\n", p->out);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n_columns; j++) draw_cell(p, i, j);
    fprintf(p->out, "</g>\n<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"" EDGE "\"/>\n", n_columns * p->cell,
            n_rows * p->cell);
    if (p->cell < CELL_WITH_NUMBER) return;
    fprintf(p->out, "<g font-size=\"%.1f\" text-anchor=\"middle\" pointer-events=\"none\">\n", 0.36 * p->cell);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n_columns; j++) draw_number(p, i, j);
    fputs("</g>\n", p->out);
}

static void draw_legend(const Picture *p) {
    int width = LEGEND_STEPS * LEGEND_STEP, ticks = LEGEND_FONT + 16;
    fprintf(p->out, "<g transform=\"translate(%d %d)\" font-size=\"%d\" fill=\"" PALE_INK "\">\n", MARGIN,
            p->height - MARGIN - LEGEND_HEIGHT, LEGEND_FONT);
    for (int i = 0; i < LEGEND_STEPS; i++) {
        char fill[8];
        colour(p, (i + 0.5) / LEGEND_STEPS, fill);
        fprintf(p->out, "<rect x=\"%d\" width=\"%d\" height=\"14\" fill=\"%s\"/>\n", i * LEGEND_STEP, LEGEND_STEP,
                fill);
    }
    fprintf(p->out, "<rect width=\"%d\" height=\"14\" fill=\"none\" stroke=\"" EDGE "\"/>\n", width);
    fprintf(p->out,
            "<g text-anchor=\"middle\"><text x=\"0\" y=\"%d\">0%%</text><text x=\"%d\" y=\"%d\">50%%</text>"
            "<text x=\"%d\" y=\"%d\">100%%</text></g>\n",
            ticks, width / 2, ticks, width, ticks);
    fprintf(p->out, "<text x=\"%d\" y=\"12\">attention weight α</text>\n</g>\n", width + 14);
}

/* Writes the description for screen readers. */
static void describe(const Picture *p) {
    const Alignment *a = p->alignment;
    fputs("<title>", p->out);
    put_text(p->out, p->source_text);
    fputs(" → ", p->out);
    put_text(p->out, p->target_text);
    fprintf(p->out,
            "</title>\n<desc>Attention weights of %d source pieces (%s) and %d target pieces (%s): the darker a "
            "cell, the more of the target piece was read from the source piece.</desc>\n",
            a->n_source, p->transpose ? "down the side" : "across the top", a->n_target,
            p->transpose ? "across the top" : "down the side");
}

int heatmap_svg(FILE *out, const Alignment *alignment, bool transpose, const HeatmapPlace *place) {
    Picture p = layout(out, alignment, transpose);
    p.strongest = oklab_of(DRAWING_CELL);
    const int width = place && place->width < p.width ? place->width : p.width;
    const int height = place && place->height < p.height ? place->height : p.height;
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" ", out);
    if (place) fprintf(out, "x=\"%d\" y=\"%d\" preserveAspectRatio=\"xMinYMin\" ", place->x, place->y);
    fprintf(out,
            "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"" FONTS "\" fill=\"" INK
            "\">\n",
            width, height, p.width, p.height);
    describe(&p);
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", p.width, p.height);
    int y = draw_lines(&p, p.source_lines, MARGIN, SOURCE_FONT, INK);
    draw_lines(&p, p.target_lines, y, TARGET_FONT, PALE_INK);
    fprintf(out, "<g transform=\"translate(%d %d)\">\n", p.left, p.top);
    draw_columns(&p);
    draw_word_lines(&p, &p.columns);
    draw_rows(&p);
    draw_word_lines(&p, &p.rows);
    draw_grid(&p);
    fputs("</g>\n", out);
    draw_legend(&p);
    fputs("</svg>\n", out);
    picture_free(&p);
    return fflush(out) != 0 || ferror(out) ? -1 : 0;
}
