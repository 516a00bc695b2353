/* Tests the heatmap's XML and geometry, the progress bar on a pseudo-terminal, and its plain lines. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "view/drawing.h"
#include "view/heatmap.h"
#include "view/progress.h"
#include "view/ramp.h"
#include "view/spelling.h"
#include "view/table.h"
#include "core/base.h"
#include "io/files.h"
#include "scratch.h"

/* ---- heatmap ---- */

enum { MOST = 64 };

/* An alignment; the lists of pieces end at NULL. One weight of each row is large. */
typedef struct Sample {
    char *source[MOST], *target[MOST];
    float weight[MOST * MOST];
    Alignment alignment;
} Sample;

static void sample_fill(Sample *s) {
    Alignment *a = &s->alignment;
    *a = (Alignment){.source = s->source, .target = s->target, .weight = s->weight};
    while (s->source[a->n_source]) a->n_source++;
    while (s->target[a->n_target]) a->n_target++;
    for (int i = 0; i < a->n_target; i++)
        for (int j = 0; j < a->n_source; j++)
            s->weight[i * a->n_source + j] = j == i % a->n_source ? 0.87f : 0.13f / (float)a->n_source;
}

static Sample tide(void) {
    return (Sample){
        .source = {"潮", "水", "退", "了", ",", "才", "知", "道", "谁", "没", "穿", "裤", "子", "。", "</s>"},
        .target = {"▁When", "▁the", "▁t", "ide", "▁goes", "▁out", ",", "▁we", "▁know", "▁who", "▁is", "▁not", "▁wear",
                   "ing", "▁pants", ".", "</s>"},
    };
}

static Sample hostile(void) {
    return (Sample){
        .source = {"<", "b", ">", "&", "\"", "'", "]]>", "\x01\x1f\x7f", "\xff\xe6\xbd", "\xef\xbf\xbe", "\\_", "词语",
                   "", "▁", "</s>"},
        .target = {"▁<script>alert(1)</script>", "▁--", "><", "▁a\tb\nc", "▁&amp;", "</s>"},
    };
}

/* Returns a picture as a string; release with free. */
static char *draw_heatmap(const Heatmap *heatmap) {
    char *svg = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&svg, &size);
    assert_int_equal(heatmap_svg(out, heatmap), 0);
    fclose(out);
    assert_int_equal(strlen(svg), size);
    return svg;
}

static char *draw_style(Sample *s, HeatmapStyle style) {
    if (!s->alignment.source) sample_fill(s); /* otherwise a test has set its own weights */
    return draw_heatmap(&(Heatmap){.style = style, .alignments = &s->alignment, .count = 1});
}

static char *draw(Sample *s, bool transpose) { return draw_style(s, (HeatmapStyle){.transpose = transpose}); }

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) n++;
    return n;
}

/* Copies the text between the n-th `before` (n counts from 0) and the next `after` to found. */
static void between(const char *text, const char *before, int n, const char *after, char found[1024]) {
    const char *at = strstr(text, before);
    while (at && n-- > 0) at = strstr(at + 1, before);
    if (!at) {
        fail_msg("not so many \"%s\"", before);
        return;
    }
    at += strlen(before);
    const char *end = strstr(at, after);
    assert_non_null(end);
    snprintf(found, 1024, "%.*s", (int)(end - at), at);
}

static void assert_entity(const char *text) {
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (int i = 0; i < 4; i++)
        if (strncmp(text, known[i], strlen(known[i])) == 0) return;
    fail_msg("a bare & before \"%.20s\"", text);
}

/* Checks that every tag is closed by its own name, attributes are quoted, and text contains no < and no control
   characters. */
static void assert_well_formed(const char *xml) {
    char open[32][16];
    int depth = 0;
    for (const char *c = xml; *c; c++) {
        if (*c == '&') assert_entity(c);
        if (iscntrl((unsigned char)*c) && *c != '\n') fail_msg("control character %d", *c);
        if (*c != '<') continue;
        const char *end = strchr(c, '>');
        assert_non_null(end);
        char name[16] = "";
        assert_int_equal(sscanf(c + 1 + (c[1] == '/'), "%15[a-z]", name), 1);
        if (c[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(name, open[--depth]);
        } else if (end[-1] != '/') {
            assert_true(depth < 32);
            strcpy(open[depth++], name);
        }
        int quotes = 0;
        for (; c < end; c++) quotes += *c == '"';
        assert_int_equal(quotes % 2, 0);
    }
    assert_int_equal(depth, 0);
}

static void test_heatmap_is_well_formed(void **state) {
    (void)state;
    for (int transpose = 0; transpose < 2; transpose++) {
        Sample samples[] = {tide(), hostile(), {.source = {"</s>"}, .target = {"</s>"}}, {.source = {NULL}}};
        for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
            char *svg = draw(&samples[i], transpose);
            assert_ptr_equal(strstr(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\""), svg);
            assert_well_formed(svg);
            int cells = samples[i].alignment.n_source * samples[i].alignment.n_target;
            assert_int_equal(count(svg, "<title>"), cells);
            free(svg);
        }
    }
}

static void test_heatmap_escapes(void **state) {
    (void)state;
    Sample s = hostile();
    char *svg = draw(&s, false), found[1024];
    assert_null(strstr(svg, "<script>"));
    assert_non_null(strstr(svg, "]]&gt; → &lt;script&gt;alert(1)&lt;/script&gt;: 1%"));
    between(svg, "<title>", 0, "</title>", found);
    assert_string_equal(found, "&lt; → &lt;script&gt;alert(1)&lt;/script&gt;: 87%");
    assert_non_null(strstr(svg, "���")); /* characters that XML forbids */
    assert_null(strstr(svg, "\\_"));
    assert_non_null(strstr(svg, "a b c"));
    free(svg);
}

/* Reads the position of the cell with this title. */
static void cell_at(const char *svg, const char *title, int *x, int *y) {
    const char *at = strstr(svg, title);
    assert_non_null(at);
    while (strncmp(at, "<rect", 5) != 0) at--;
    char number[1024];
    between(at, "x=\"", 0, "\"", number);
    *x = (int)strtol(number, NULL, 10);
    between(at, "y=\"", 0, "\"", number);
    *y = (int)strtol(number, NULL, 10);
}

static void test_heatmap_transposes(void **state) {
    (void)state;
    static const char *const cells[] = {"潮 → When: 87%", "退 → t: 87%", "水 → When: 1%", "潮 → &lt;/s&gt;: 1%"};
    Sample s = tide();
    char *upright = draw(&s, false), *transposed = draw(&s, true);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        int x, y, x_transposed, y_transposed;
        cell_at(upright, cells[i], &x, &y);
        cell_at(transposed, cells[i], &x_transposed, &y_transposed);
        assert_int_equal(x_transposed, y);
        assert_int_equal(y_transposed, x);
    }
    free(upright);
    free(transposed);
}

/* Joins the lines of the title: the elements that aria-labelledby names. " → " comes before the first line of the
   target, which is smaller. */
static void title_of(const char *svg, char title[1024]) {
    char ids[1024], id[64], line[1024], *rest = ids;
    bool target = false;
    between(svg, "aria-labelledby=\"", 0, "\"", ids);
    *title = 0;
    for (const char *name; (name = strsep(&rest, " "));) {
        snprintf(id, sizeof id, "<text id=\"%s\" ", name);
        between(svg, id, 0, "</text>", line);
        if (!target && strstr(line, "font-size=\"20\"")) strcat(title, " → "), target = true;
        strcat(title, strchr(line, '>') + 1);
    }
}

static void assert_title(Sample s, const char *expected) {
    char *svg = draw(&s, false), found[1024];
    title_of(svg, found);
    assert_string_equal(found, expected);
    free(svg);
}

static void test_heatmap_joins_sentences(void **state) {
    (void)state;
    assert_title(tide(), "潮水退了,才知道谁没穿裤子。 → When the tide goes out, we know who is not wearing pants.");
    /* pieces without space marks: the spaces are guessed */
    assert_title((Sample){.source = {"3", ".", "5", "元", "</s>"}, .target = {"3.5", "yuan", ",", "or", "so", "."}},
                 "3.5元 → 3.5 yuan, or so.");
    assert_title((Sample){.source = {"从", "USA", "Today", "来"}, .target = {"▁"}}, "从USA Today来 → ");
    /* spaces as pieces, and a literal ▁ */
    assert_title((Sample){.source = {"Tom", "▁", "S", ".", "你", "\\_", "\\\\"}, .target = {"▁x", "▁\\_y"}},
                 "Tom S.你▁\\ → x ▁y");
}

/* t|ide and wear|ing are joined; a comma is not joined to a word. */
static void test_heatmap_joins_pieces(void **state) {
    (void)state;
    Sample s = tide();
    char *svg = draw(&s, false), columns[1024], rows[1024];
    between(svg, " d=\"", 0, "\"", columns);
    between(svg, " d=\"", 1, "\"", rows);
    assert_string_equal(columns, "");
    assert_int_equal(count(rows, "M"), 2);
    free(svg);
}

static void test_heatmap_takes_any_weight(void **state) {
    (void)state;
    Sample s = {.source = {"a", "b", "c", "d"}, .target = {"x"}};
    sample_fill(&s);
    const float odd[] = {NAN, -1, INFINITY, 0};
    memcpy(s.weight, odd, sizeof odd);
    char *svg = draw(&s, false);
    assert_non_null(strstr(svg, "a → x: 0%"));
    assert_non_null(strstr(svg, "b → x: 0%"));
    assert_non_null(strstr(svg, "c → x: 100%"));
    /* NaN, -1 and 0 are drawn as weight 0: white. */
    assert_int_equal(count(svg, "width=\"44\" height=\"44\" fill=\"#ffffff\""), 3);
    assert_non_null(strstr(svg, "fill=\"#1b4690\"")); /* DRAWING_CELL */
    free(svg);
    s.weight[2] = 0.5f;
    svg = draw(&s, false);
    assert_non_null(strstr(svg, "fill=\"#88a1c9\""));
    free(svg);
}

/* The relative luminance of "#rrggbb" (WCAG 2). */
static double luminance(const char *hex) {
    static const double share[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const char byte[] = {hex[1 + 2 * i], hex[2 + 2 * i], 0};
        const double c = (double)strtol(byte, NULL, 16) / 255;
        sum += share[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* Black or white numbers, as on pages, have a contrast of 4.5 on every colour of both ramps. */
static void test_numbers_have_contrast(void **state) {
    (void)state;
    for (int i = -10000; i <= 10000; i++) {
        char hex[8];
        const char *ink = ramp_ink(i / 1e4);
        ramp_colour(i / 1e4, hex);
        const double a = luminance(hex) + 0.05, b = luminance(ink) + 0.05, contrast = a > b ? a / b : b / a;
        if (contrast < 4.5) fail_msg("%s on %s, the colour of %g: a contrast of %.3f", ink, hex, i / 1e4, contrast);
        if (i >= 0) assert_string_equal(ink, i / 1e4 < DRAWING_STRONG ? "#000000" : "#ffffff");
    }
    char hex[8];
    ramp_colour(-1, hex);
    assert_string_equal(hex, "#822d08"); /* --less in page.css */
    ramp_colour(-0.0, hex);
    assert_string_equal(hex, "#ffffff");
}

/* Half of the largest weight of a row has the colour of 0.5; the row of a target piece is a column if it is at the top.
 */
static void test_colours_of_rows(void **state) {
    (void)state;
    for (int transpose = 0; transpose < 2; transpose++) {
        Sample s = {.source = {"a", "b", "c"}, .target = {"x", "y"}};
        sample_fill(&s);
        const float weights[] = {0.1f, 0.2f, 0, 0, 0, 0};
        memcpy(s.weight, weights, sizeof weights);
        char *svg = draw_style(&s, (HeatmapStyle){.transpose = transpose, .row_scale = true});
        assert_non_null(strstr(svg, "fill=\"#88a1c9\"><title>a → x: 10%"));
        assert_non_null(strstr(svg, "fill=\"#1b4690\"><title>b → x: 20%"));
        assert_non_null(strstr(svg, "fill=\"#ffffff\"><title>c → y: 0%"));
        assert_non_null(strstr(svg, "fill=\"#ffffff\">20</text>"));
        assert_non_null(strstr(svg, transpose ? ">share of the column's largest" : ">share of the row's largest"));
        free(svg);
    }
}

/* A picture of differences: signs, limits, both ends of the legend; a long name in it is cut. */
static void test_differences(void **state) {
    (void)state;
    Sample s = {.source = {"a", "b", "c", "d"}, .target = {"x"}};
    sample_fill(&s);
    const float weights[] = {-0.25f, 0.5f, -3, 0};
    memcpy(s.weight, weights, sizeof weights);
    char *svg = draw_style(&s, (HeatmapStyle){.difference = "one − two"});
    assert_non_null(strstr(svg, "a → x: −25%</title>"));
    assert_non_null(strstr(svg, "b → x: +50%</title>"));
    assert_non_null(strstr(svg, "fill=\"#822d08\"><title>c → x: −100%</title>"));
    assert_non_null(strstr(svg, "d → x: 0%</title>"));
    assert_int_equal(count(svg, ">−25</text>"), 1);
    assert_int_equal(count(svg, ">+50</text>"), 1);
    assert_int_equal(count(svg, ">−100</text>"), 1);
    assert_non_null(strstr(svg, ">difference of attention weights: one − two</text>"));
    assert_non_null(strstr(svg, ">−100%</text>"));
    free(svg);
    char name[400];
    memset(name, 'm', sizeof name - 1);
    name[sizeof name - 1] = 0;
    svg = draw_style(&s, (HeatmapStyle){.difference = name, .language = HEATMAP_ZH});
    assert_non_null(strstr(svg, ">注意力权重之差：mmm"));
    assert_non_null(strstr(svg, "m…</text>"));
    free(svg);
}

/* Two hypotheses below each other: their target labels differ, so the title is the source alone, and each has its own
   rows. */
static void test_several_matrices(void **state) {
    (void)state;
    Sample samples[] = {{.source = {"a", "b"}, .target = {"x", "y"}}, {.source = {"a", "b"}, .target = {"z"}}};
    char *captions[] = {heatmap_hypothesis_caption(HEATMAP_EN, 1, -0.25), heatmap_hypothesis_caption(HEATMAP_ZH, 2, 1)},
         title[1024];
    for (int i = 0; i < 2; i++) sample_fill(&samples[i]);
    const Alignment both[] = {samples[0].alignment, samples[1].alignment};
    char *svg = draw_heatmap(&(Heatmap){.alignments = both, .count = 2, .captions = captions});
    assert_well_formed(svg);
    title_of(svg, title);
    assert_string_equal(title, "a b");
    assert_non_null(strstr(svg, ">1: score −0.250</text>"));
    assert_non_null(strstr(svg, ">2：得分 1.000</text>"));
    assert_int_equal(count(svg, ">a</text>"), 1); /* a label of both */
    assert_int_equal(count(svg, "<title>"), 2 * 2 + 2);
    free(svg);
    for (int i = 0; i < 2; i++) mem_free(captions[i]);
}

static void test_heatmap_is_deterministic(void **state) {
    (void)state;
    Sample s = tide();
    char *once = draw(&s, false), *again = draw(&s, false);
    assert_string_equal(once, again);
    free(once);
    free(again);
}

static void test_heatmap_reports_a_full_disk(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        print_message("skipped: a picture on a full disk: needs /dev/full\n");
        skip();
    }
    Sample s = tide();
    sample_fill(&s);
    assert_int_equal(heatmap_svg(full, &(Heatmap){.alignments = &s.alignment, .count = 1}), -1);
    fclose(full);
}

/* ---- pictures that were looked at ---- */

/* Compares a picture with tests/fixtures/heatmaps/NAME.svg. If the pictures shall be others, look at the new ones, and
   copy them there. */
static void assert_picture(const char *name, const Alignment *alignment, HeatmapStyle style) {
    char path[128], now[SCRATCH_SIZE + 64], *svg;
    Err err;
    svg = draw_heatmap(&(Heatmap){.style = style, .alignments = alignment, .count = 1});
    snprintf(path, sizeof path, "tests/fixtures/heatmaps/%s.svg", name);
    snprintf(now, sizeof now, "%s/%s.svg", scratch_folder(), name);
    char *known = file_read(path, NULL, &err);
    if (!known || strcmp(known, svg) != 0) {
        FILE *file = fopen(now, "w");
        fputs(svg, file);
        fclose(file);
        fail_msg("%s is another picture now: see %s", path, now);
    }
    mem_free(known);
    free(svg);
}

/* Labels of Chinese characters, of words in pieces, and longer ones than there is room for; weights with and without a
   number; a title of several lines. */
static void test_heatmap_looks_as_before(void **state) {
    (void)state;
    char *const characters[] = {"潮", "水", "，", "▁", "</s>"},
                *const pieces[] = {"▁The", "▁t", "ide", "▁Llanfairpwllgwyngyllgogerychwyrndrobwll", "</s>"},
                *const words[] = {"很长很长很长很长很长很长很长很长很长很长很长很长", "沙滩", "潮水退了", "。", "</s>"};
    static const float weights[] = {.8f, .1f, .05f, .03f, .02f, .2f,   .5f,   .095f, .094f, .111f, 0,   0, 1,
                                    .0f, 0,   .3f,  .4f,  .15f, .125f, .025f, .63f,  .17f,  .1f,   .1f, 0};
    static char *many[70];
    static float equal[2 * 70];
    for (int i = 0; i < 70; i++)
        many[i] = i == 69 ? "</s>" : i % 2 ? "潮" : "▁tide", equal[i] = equal[70 + i] = 1 / 70.0f;
    const Alignment short_one = {.source = characters,
                                 .target = pieces,
                                 .n_source = 5,
                                 .n_target = 5,
                                 .weight = weights},
                    wide = {.source = words, .target = pieces, .n_source = 5, .n_target = 5, .weight = weights},
                    long_one = {.source = many, .target = pieces, .n_source = 70, .n_target = 2, .weight = equal};
    assert_picture("characters", &short_one, (HeatmapStyle){0});
    assert_picture("transposed", &short_one, (HeatmapStyle){.transpose = true});
    assert_picture("words", &wide, (HeatmapStyle){0});
    assert_picture("long", &long_one, (HeatmapStyle){0});
}

/* Seven characters of each width in em, as the place of the grid shows: 28 + 10 + 7 · 22 em, rounded up. */
static void test_labels_have_their_room(void **state) {
    (void)state;
    static const struct {
        char *label;
        int left;
    } cases[] = {{"mwMW@%m", 185},
                 {"fijlrtI", 97},
                 {".,:;'|!", 97},
                 {"()[]()[", 97},
                 {"ABYZCDE", 146},
                 {"abcdz09", 134},
                 {"\u00e9\u00e9\u00e9\u00e9\u00e9\u1ffe\u1ffe", 146},
                 {"……‐‐‐‐‐", 192},
                 {"潮水退了潮水退", 192},
                 {"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 134}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Sample s = {.source = {"a"}, .target = {cases[i].label}};
        char *svg = draw(&s, false), found[1024];
        between(svg, "<g transform=\"translate(", 0, " ", found);
        assert_int_equal(strtol(found, NULL, 10), cases[i].left);
        free(svg);
    }
}

/* 960 pixels for 36 pieces: cells of 26 pixels, the smallest with numbers. */
static void test_small_cells_have_no_number(void **state) {
    (void)state;
    for (int n = 36; n < 38; n++) {
        Sample s = {.target = {"x"}};
        for (int i = 0; i < n; i++) s.source[i] = "a";
        char *svg = draw(&s, false);
        assert_int_equal(count(svg, "pointer-events=\"none\""), n == 36);
        free(svg);
    }
}

/* The title has 432 pixels: 36 beside the grid of nine cells. That is room for 18 characters of 24 pixels. */
static void test_titles_are_broken(void **state) {
    (void)state;
    for (int more = 0; more < 2; more++) {
        Sample s = {.target = {"iii"}};
        for (int i = 0; i < 9; i++) s.source[i] = i || !more ? "潮水" : "潮水退";
        char *svg = draw(&s, false);
        assert_int_equal(count(svg, "font-size=\"24\""), 1 + more);
        free(svg);
    }
}

/* ---- characters ---- */

static void assert_display(const char *text, const char *expected) {
    char *shown = text_display(text);
    assert_string_equal(shown, expected);
    mem_free(shown);
}

/* What a terminal or XML forbids is U+FFFD. */
static void test_characters_that_are_shown(void **state) {
    (void)state;
    assert_display("a\tb\nc\rd e", "a b c d e");
    assert_display("\x01\x1f \x7e\x7f", "�� ~�");
    assert_display("\xc2\x80\xc2\x9f\u00a0\u00a1", "��\u00a0\u00a1");
    assert_display("\ufffd\ufffe\uffff\U00010000", "���\U00010000");
    assert_display("\xff\xe6\xbd", "���");
    assert_display("", "");
}

static void test_characters_have_kinds(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool wide, word, closes;
    } cases[] = {{"a", false, true, false},      {"Z", false, true, false},  {"é", false, true, false},
                 {"\u0301", false, true, false}, /* a combining mark */
                 {"7", false, true, false},      {"Ⅷ", false, true, false},  {"½", false, true, false},
                 {"潮", true, false, false},     {"Ａ", true, false, false}, {"。", true, false, true},
                 {")", false, false, true},      {"(", false, false, false}, {"»", false, false, true},
                 {"«", false, false, false},     {"”", false, false, true},  {".", false, false, true},
                 {"?", false, false, true},      {"-", false, false, false}, {"_", false, false, false},
                 {"+", false, false, false},     {" ", false, false, false}, {"$", false, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int32_t c = char_peek(cases[i].text);
        if (char_is_wide(c) != cases[i].wide || char_in_word(c) != cases[i].word || char_closes(c) != cases[i].closes)
            fail_msg("'%s': %d %d %d", cases[i].text, char_is_wide(c), char_in_word(c), char_closes(c));
        assert_int_equal(text_has_wide(cases[i].text), cases[i].wide);
    }
    int32_t first, last;
    text_ends("", &first, &last);
    assert_true(first == ' ' && last == ' ');
    text_ends("潮b.", &first, &last);
    assert_true(first == char_peek("潮") && last == '.');
}

/* Without space marks, the characters tell where spaces are. */
static void test_spaces_are_guessed(void **state) {
    (void)state;
    static const struct {
        char *pieces[6];
        const char *sentence;
    } cases[] = {{{"go", "(", "now", ")", "!"}, "go ( now)!"},
                 {{"潮", "New", "York", "3", "年", "4"}, "潮New York3年4"},
                 {{"潮", "e\u0301", "e", "7", "8"}, "潮e\u0301 e78"},
                 {{"a", "▁b", "c"}, "a bc"},
                 {{"a", "b", "</s>"}, "a b"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = 0;
        while (n < 6 && cases[i].pieces[n]) n++;
        char *sentence = pieces_sentence(cases[i].pieces, n);
        assert_string_equal(sentence, cases[i].sentence);
        mem_free(sentence);
    }
}

static void assert_table(const Table *table, const char *wanted) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    table_print(out, table);
    fclose(out);
    assert_string_equal(text, wanted);
    free(text);
}

static void test_tables_are_aligned(void **state) {
    (void)state;
    char *const rows[] = {"潮水", "a label of 19 bytes"}, *const columns[] = {"x", "a column too long for it"};
    static const float four[] = {0.25f, NAN, -100000, 99999}, shades[] = {0, 0.3f, 0.5f, 0.7f, 0.9f, 1},
                       equal[] = {2, 2};
    static float many[2 * 13];
    for (int i = 0; i < 2 * 13; i++) many[i] = (float)i;
    assert_table(&(Table){2, 2, rows, columns, four, false},
                 "                                   x  a column too lon\n"
                 "  潮水                        0.2500                 -\n"
                 "  a label of 19 by        -1.000e+05        99999.0000\n");
    assert_table(&(Table){2, 3, rows, NULL, shades, true}, "  潮水              0.0000  0.3000  0.5000   ··░░▒▒\n"
                                                           "  a label of 19 by  0.7000  0.9000  1.0000   ▓▓████\n");
    assert_table(&(Table){1, 2, rows, NULL, equal, true}, "  潮水  2.0000  2.0000   ····\n");
    assert_table(&(Table){1, 12, rows, NULL, many, false},
                 "  潮水   0.0000   1.0000   2.0000   3.0000   4.0000   5.0000   6.0000   7.0000   8.0000   9.0000  "
                 "10.0000  11.0000\n");
    assert_table(&(Table){2, 13, rows, NULL, many, false},
                 "  潮水               0.0000   1.0000   2.0000   3.0000   4.0000   5.0000   6.0000   7.0000  …\n"
                 "  a label of 19 by  13.0000  14.0000  15.0000  16.0000  17.0000  18.0000  19.0000  20.0000  …\n");
}

/* ---- progress ---- */

/* Captures standard error: redirects it to a pipe or terminal until capture_stop. */
typedef struct Capture {
    int read, saved;
    char text[8192];
} Capture;

static Capture capture_start(int read, int write) {
    Capture capture = {.read = read, .saved = dup(STDERR_FILENO)};
    dup2(write, STDERR_FILENO);
    close(write);
    return capture;
}

static Capture capture_lines(void) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    return capture_start(ends[0], ends[1]);
}

/* Redirects standard error to a pseudo-terminal with this number of columns, in raw mode. */
static Capture capture_terminal(int columns) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        print_message("skipped: the bar on a terminal: needs a pseudo-terminal\n");
        skip();
    }
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    struct termios raw;
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    ioctl(slave, TIOCSWINSZ, &size);
    return capture_start(master, slave);
}

/* Restores standard error, which closes the last writer, and reads the captured text to its end. */
static void capture_stop(Capture *capture) {
    dup2(capture->saved, STDERR_FILENO);
    close(capture->saved);
    size_t n = 0;
    ssize_t got;
    while ((got = read(capture->read, capture->text + n, sizeof capture->text - 1 - n)) > 0) n += (size_t)got;
    close(capture->read);
}

static const Progress half_way = {
    .update = 1240, .updates = 3000, .epoch = 12.4, .loss = 2.314, .tokens_per_second = 14210, .seconds_left = 52};

static void test_format_duration(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0:00"},       {59.6, "1:00"},    {125, "2:05"},
                 {3599.4, "59:59"}, {3725, "1:02:05"}, {3600, "1:00:00"},
                 {59, "0:59"},      {60, "1:00"},      {999999999, "277777:46:39"},
                 {1e9, "?"},        {0.4, "0:00"},     {360000, "100:00:00"},
                 {-1, "?"},         {NAN, "?"},        {INFINITY, "?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buffer[16];
        format_duration(cases[i].seconds, buffer);
        assert_string_equal(buffer, cases[i].text);
    }
}

static void test_plain_lines(void **state) {
    (void)state;
    Capture capture = capture_lines();
    ProgressView view;
    progress_start(&view);
    progress_show(&view, &half_way, 100, false); /* the first call starts the clock and prints nothing */
    progress_show(&view, &half_way, 109, false);
    progress_show(&view, &half_way, 110, false); /* a line */
    progress_clear(&view);
    progress_show(&view, &half_way, 119, false);
    Progress unknown = {.update = 7, .loss = 20, .epoch = 0.1, .seconds_left = -1};
    progress_show(&view, &unknown, 119, true); /* a line */
    Progress small = {.update = 8, .loss = 13.81, .seconds_left = 0}, large = {.update = 9, .loss = 13.82};
    large.seconds_left = -1;
    progress_show(&view, &small, 119, true);
    progress_show(&view, &large, 119, true);
    progress_count(&view, "scoring", 0, 9, 120, true);
    capture_stop(&capture);
    assert_false(view.screen.terminal);
    assert_string_equal(capture.text,
                        "update 1240/3000  41%  loss 2.314  14210 tok/s   0:52 left  epoch 12.4  ppl  10.1\n"
                        "update 7  loss 20.000      0 tok/s  epoch  0.1  ppl 4.9e+08\n"
                        "update 8  loss 13.810      0 tok/s   0:00 left  epoch  0.0  ppl 994504.6\n"
                        "update 9  loss 13.820      0 tok/s  epoch  0.0  ppl 1.0e+06\n"
                        "scoring 0/9   0%\n");
}

static void test_a_dumb_terminal_gets_lines(void **state) {
    (void)state;
    const char *term = getenv("TERM");
    char *before = term ? strdup(term) : NULL;
    setenv("TERM", "dumb", 1);
    Capture capture = capture_terminal(80);
    ProgressView view;
    progress_start(&view);
    progress_count(&view, "scoring", 7, 0, 0, true);
    capture_stop(&capture);
    assert_string_equal(capture.text, "scoring 7\n");
    if (before) setenv("TERM", before, 1);
    else unsetenv("TERM");
    free(before);
}

static void test_a_log_has_lines_with_times(void **state) {
    (void)state;
    char *text;
    size_t size;
    Capture capture = capture_lines();
    ProgressView view;
    progress_start(&view);
    view.screen.file = NULL;
    view.log.file = open_memstream(&text, &size);
    progress_show(&view, &half_way, 100, false); /* the first call starts the clock */
    progress_show(&view, &half_way, 110, false); /* a line */
    progress_clear(&view);
    progress_count(&view, "scoring", 7, 0, 111, true); /* a line */
    fclose(view.log.file);
    capture_stop(&capture);
    assert_string_equal(capture.text, "");
    assert_int_equal(count(text, "\n"), 2);
    enum { STAMP = sizeof "2026-11-24 04:50:07 " - 1 };
    assert_ptr_equal(strstr(text, "update 1240/3000  41%  loss 2.314"), text + STAMP);
    assert_ptr_equal(strstr(text, "scoring 7\n"), strchr(text, '\n') + 1 + STAMP);
    free(text);
}

/* Checks the lines of a count that grows by `step` in so many seconds. The first line comes after 10 seconds. Each
   interval is longer by a twentieth than the one before, up to five minutes. */
static void check_line_times(int step, int seconds) {
    Capture capture = capture_lines();
    ProgressView view;
    progress_start(&view);
    for (int second = 0; second <= seconds; second += step)
        progress_count(&view, "translating", second, seconds, second, false);
    capture_stop(&capture);
    double interval = 10;
    const char *line = capture.text;
    for (int last = 0, second = 0; second <= seconds; second += step) {
        char expected[64];
        if (second - last < interval) continue;
        snprintf(expected, sizeof expected, "translating %*d/%d %3d%%\n", snprintf(NULL, 0, "%d", seconds), second,
                 seconds, (int)(100L * second / seconds));
        assert_int_equal(strncmp(line, expected, strlen(expected)), 0);
        line += strlen(expected);
        last = second;
        interval = fmin(1.05 * interval, 300);
    }
    assert_string_equal(line, "");
}

static void test_plain_lines_become_rarer(void **state) {
    (void)state;
    check_line_times(1, 3600);
    check_line_times(30, 36000);
}

/* Returns the number of columns of one redraw. A redraw must begin at the start of the line and erase the rest of
   it. */
static int drawn_columns(const char *text) {
    size_t n = strlen(text);
    assert_true(n >= 4 && text[0] == '\r' && strcmp(text + n - 3, "\033[K") == 0);
    int columns = 0;
    for (size_t i = 1; i < n - 3; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

static void draw_on_terminal(int columns, Capture *capture) {
    ProgressView view;
    *capture = capture_terminal(columns);
    progress_start(&view);
    progress_show(&view, &half_way, 0, false);
    capture_stop(capture);
}

static void test_bar_fits_the_terminal(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int width; /* of the line up to this part, with the shortest bar; one column stays free */
    } parts[] = {{"1240/3000", 9},     {" 41%", 9 + 9 + 5},  {"  loss 2.314", 35}, {"  14210 tok/s", 48},
                 {"   0:52 left", 60}, {"  epoch 12.4", 72}, {"  ppl  10.1", 83}};
    Capture capture;
    for (int columns = 1; columns < 140; columns++) {
        draw_on_terminal(columns, &capture);
        assert_in_range(drawn_columns(capture.text), 0, columns - 1);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            assert_int_equal(strstr(capture.text, parts[i].text) != NULL, columns > parts[i].width);
    }
    draw_on_terminal(80, &capture);
    assert_string_equal(capture.text, "\r1240/3000 ━━━━━━─────────  41%"
                                      "  loss 2.314  14210 tok/s   0:52 left  epoch 12.4\033[K");
    draw_on_terminal(60, &capture);
    assert_string_equal(capture.text, "\r1240/3000 ━━━━━━━╸───────────  41%  loss 2.314  14210 tok/s\033[K");
    draw_on_terminal(10, &capture);
    assert_string_equal(capture.text, "\r1240/3000\033[K");
    for (int columns = 200; columns < 600; columns += 399) { /* the widest bar */
        draw_on_terminal(columns, &capture);
        assert_string_equal(capture.text,
                            "\r1240/3000 ━━━━━━━━━━━━━━━━╸───────────────────────  41%  loss 2.314  14210 tok/s   0:52 "
                            "left  epoch 12.4  ppl  10.1\033[K");
    }
    Capture usual;
    draw_on_terminal(80, &usual);
    draw_on_terminal(0, &capture); /* a terminal that does not tell its width */
    assert_string_equal(capture.text, usual.text);
}

static void draw_count(long done, long all, Capture *capture) {
    ProgressView view;
    *capture = capture_terminal(30);
    progress_start(&view);
    progress_count(&view, "x", done, all, 0, false);
    capture_stop(capture);
}

static void test_bar_is_as_long_as_the_work(void **state) {
    (void)state;
    static const struct {
        long done, all;
        const char *text;
    } cases[] = {{0, 8, "x 0/8 ──────────────────   0%"},  {1, 8, "x 1/8 ━━────────────────  12%"},
                 {4, 8, "x 4/8 ━━━━━━━━━─────────  50%"},  {7, 8, "x 7/8 ━━━━━━━━━━━━━━━╸──  87%"},
                 {8, 8, "x 8/8 ━━━━━━━━━━━━━━━━━━ 100%"},  {9, 8, "x 9/8 ━━━━━━━━━━━━━━━━━━ 100%"},
                 {5, 10, "x  5/10 ━━━━━━━━────────  50%"}, {5, 0, "x 5"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Capture capture;
        char expected[128];
        draw_count(cases[i].done, cases[i].all, &capture);
        snprintf(expected, sizeof expected, "\r%s\033[K", cases[i].text);
        assert_string_equal(capture.text, expected);
    }
}

static void test_bar_in_ascii(void **state) {
    (void)state;
    Capture capture;
    setenv("LC_ALL", "C", 1);
    draw_on_terminal(80, &capture);
    assert_non_null(strstr(capture.text, "\r1240/3000 ######---------"));
    /* The first variable that is set and not empty decides; both spellings of UTF-8 are known. */
    static const struct {
        const char *all, *ctype, *lang;
        bool utf8;
    } cases[] = {{"", "", "", false},
                 {"", "", "de_DE.utf8", true},
                 {"", "C.UTF-8", "C", true},
                 {"", "C", "de_DE.utf8", false},
                 {"C", "C.UTF-8", "C.UTF-8", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("LC_ALL", cases[i].all, 1);
        setenv("LC_CTYPE", cases[i].ctype, 1);
        setenv("LANG", cases[i].lang, 1);
        draw_on_terminal(80, &capture);
        assert_int_equal(strstr(capture.text, "━") != NULL, cases[i].utf8);
    }
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    unsetenv("LANG");
    draw_on_terminal(80, &capture);
    assert_null(strstr(capture.text, "━"));
    setenv("LC_ALL", "C.UTF-8", 1);
}

static void test_bar_is_redrawn_ten_times_a_second(void **state) {
    (void)state;
    Capture capture = capture_terminal(80);
    ProgressView view;
    progress_start(&view);
    for (int ms = 0; ms < 1000; ms++) progress_count(&view, "scoring", ms, 0, ms / 1000.0, false);
    progress_clear(&view);
    progress_clear(&view); /* there is no bar any more */
    progress_count(&view, "scoring", 1000, 0, 0.999, false);
    capture_stop(&capture);
    assert_true(view.screen.terminal);
    assert_in_range(count(capture.text, "\r"), 11, 12);
    assert_int_equal(count(capture.text, "\n"), 0);
    assert_int_equal(count(capture.text, "\r\033[K"), 1);
    assert_ptr_equal(strstr(capture.text, "\rscoring 0\033[K\rscoring 100\033[K"), capture.text);
    assert_non_null(strstr(capture.text, "\033[K\r\033[K\rscoring 1000\033[K"));
}

static void test_says_what_it_waits_for(void **state) {
    (void)state;
    Capture capture = capture_terminal(80);
    ProgressView view;
    progress_start(&view);
    progress_status(&view, "saving");
    progress_status(&view, NULL); /* there is no bar yet */
    progress_count(&view, "scoring", 7, 0, 0, true);
    progress_status(&view, "saving");
    progress_status(&view, NULL);
    progress_clear(&view);
    capture_stop(&capture);
    assert_string_equal(capture.text, "\rsaving\033[K\r\033[K\rscoring 7\033[K\rsaving\033[K\rscoring 7\033[K\r\033[K");
}

int main(void) {
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "xterm", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heatmap_is_well_formed),
        cmocka_unit_test(test_heatmap_escapes),
        cmocka_unit_test(test_heatmap_transposes),
        cmocka_unit_test(test_heatmap_joins_sentences),
        cmocka_unit_test(test_heatmap_joins_pieces),
        cmocka_unit_test(test_heatmap_takes_any_weight),
        cmocka_unit_test(test_numbers_have_contrast),
        cmocka_unit_test(test_colours_of_rows),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_several_matrices),
        cmocka_unit_test(test_heatmap_is_deterministic),
        cmocka_unit_test(test_heatmap_reports_a_full_disk),
        cmocka_unit_test(test_heatmap_looks_as_before),
        cmocka_unit_test(test_labels_have_their_room),
        cmocka_unit_test(test_small_cells_have_no_number),
        cmocka_unit_test(test_titles_are_broken),
        cmocka_unit_test(test_characters_that_are_shown),
        cmocka_unit_test(test_characters_have_kinds),
        cmocka_unit_test(test_spaces_are_guessed),
        cmocka_unit_test(test_tables_are_aligned),
        cmocka_unit_test(test_format_duration),
        cmocka_unit_test(test_plain_lines),
        cmocka_unit_test(test_a_dumb_terminal_gets_lines),
        cmocka_unit_test(test_a_log_has_lines_with_times),
        cmocka_unit_test(test_plain_lines_become_rarer),
        cmocka_unit_test(test_bar_fits_the_terminal),
        cmocka_unit_test(test_bar_is_as_long_as_the_work),
        cmocka_unit_test(test_says_what_it_waits_for),
        cmocka_unit_test(test_bar_in_ascii),
        cmocka_unit_test(test_bar_is_redrawn_ten_times_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
