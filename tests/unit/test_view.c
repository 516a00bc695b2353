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

#include "view/heatmap.h"
#include "view/progress.h"
#include "view/table.h"
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

/* Returns the picture as a string; release with free. */
static char *draw(Sample *s, bool transpose) {
    char *svg = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&svg, &size);
    if (!s->alignment.source) sample_fill(s); /* otherwise a test has set its own weights */
    assert_int_equal(heatmap_svg(out, &s->alignment, transpose, NULL), 0);
    fclose(out);
    assert_int_equal(strlen(svg), size);
    return svg;
}

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
            assert_int_equal(count(svg, "<title>"), 1 + cells); /* one for the picture and one for each cell */
            free(svg);
        }
    }
}

static void test_heatmap_escapes(void **state) {
    (void)state;
    Sample s = hostile();
    char *svg = draw(&s, false), found[1024];
    assert_null(strstr(svg, "<script>"));
    assert_non_null(strstr(svg, "]]&gt; → &lt;script&gt;alert(1)&lt;/script&gt;: 0.01"));
    between(svg, "<title>", 1, "</title>", found);
    assert_string_equal(found, "&lt; → &lt;script&gt;alert(1)&lt;/script&gt;: 0.87");
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
    static const char *const cells[] = {"潮 → When: 0.87", "退 → t: 0.87", "水 → When: 0.01", "潮 → &lt;/s&gt;: 0.01"};
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

static void assert_title(Sample s, const char *expected) {
    char *svg = draw(&s, false), found[1024];
    between(svg, "<title>", 0, "</title>", found);
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
    assert_non_null(strstr(svg, "a → x: 0.00"));
    assert_non_null(strstr(svg, "b → x: 0.00"));
    assert_non_null(strstr(svg, "c → x: 1.00"));
    /* NaN, -1 and 0 are drawn as weight 0: white. */
    assert_int_equal(count(svg, "width=\"44\" height=\"44\" fill=\"#ffffff\""), 3);
    assert_non_null(strstr(svg, "fill=\"#17274c\"")); /* weight 1, by Ottosson's equations */
    free(svg);
    s.weight[2] = 0.5f;
    svg = draw(&s, false);
    assert_non_null(strstr(svg, "fill=\"#3f93d3\""));
    free(svg);
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
    assert_int_equal(heatmap_svg(full, &s.alignment, false, NULL), -1);
    fclose(full);
}

/* ---- pictures that were looked at ---- */

/* Compares a picture with tests/fixtures/heatmaps/NAME.svg. If the pictures shall be others, look at the new ones, and
   copy them there. */
static void assert_picture(const char *name, const Alignment *alignment, bool transpose, const HeatmapPlace *place) {
    char path[128], now[SCRATCH_SIZE + 64], *svg = NULL;
    size_t size = 0;
    Err err;
    FILE *out = open_memstream(&svg, &size);
    assert_int_equal(heatmap_svg(out, alignment, transpose, place), 0);
    fclose(out);
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
    assert_picture("characters", &short_one, false, NULL);
    assert_picture("transposed", &short_one, true, NULL);
    assert_picture("words", &wide, false, &(HeatmapPlace){38, 50, 400, 3000});
    assert_picture("long", &long_one, false, &(HeatmapPlace){10, 20, 5000, 300});
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
    static const float four[] = {0.25f, NAN, -123456, 99999}, shades[] = {0, 0.3f, 0.5f, 0.7f, 0.9f, 1},
                       equal[] = {2, 2};
    static float many[2 * 13];
    for (int i = 0; i < 2 * 13; i++) many[i] = (float)i;
    assert_table(&(Table){2, 2, rows, columns, four, false},
                 "                                   x  a column too lon\n"
                 "  潮水                        0.2500                 -\n"
                 "  a label of 19 by        -1.235e+05        99999.0000\n");
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
    } cases[] = {{0, "0:00"},           {59.6, "1:00"}, {125, "2:05"}, {3599.4, "59:59"}, {3725, "1:02:05"},
                 {360000, "100:00:00"}, {-1, "?"},      {NAN, "?"},    {INFINITY, "?"}};
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
    progress_count(&view, "scoring", 0, 9, 120, true);
    capture_stop(&capture);
    assert_false(view.screen.terminal);
    assert_string_equal(capture.text,
                        "update 1240/3000  41%  loss 2.314  14210 tok/s   0:52 left  epoch 12.4  ppl  10.1\n"
                        "update 7  loss 20.000      0 tok/s  epoch  0.1  ppl 4.9e+08\n"
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

static void test_plain_lines_become_rarer(void **state) {
    (void)state;
    Capture capture = capture_lines();
    ProgressView view;
    progress_start(&view);
    for (int second = 0; second <= 3600; second++) progress_count(&view, "translating", second, 3600, second, false);
    capture_stop(&capture);
    int lines = count(capture.text, "\n");
    assert_in_range(lines, 30, 80);
    assert_ptr_equal(strstr(capture.text, "translating   10/3600   0%\n"), capture.text);
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
    Capture capture;
    for (int columns = 1; columns < 140; columns++) {
        draw_on_terminal(columns, &capture);
        assert_in_range(drawn_columns(capture.text), 0, columns - 1);
    }
    draw_on_terminal(80, &capture);
    assert_string_equal(capture.text, "\r1240/3000 ━━━━━━─────────  41%"
                                      "  loss 2.314  14210 tok/s   0:52 left  epoch 12.4\033[K");
    draw_on_terminal(60, &capture);
    assert_string_equal(capture.text, "\r1240/3000 ━━━━━━━╸───────────  41%  loss 2.314  14210 tok/s\033[K");
    draw_on_terminal(10, &capture);
    assert_string_equal(capture.text, "\r1240/3000\033[K");
}

static void test_bar_in_ascii(void **state) {
    (void)state;
    Capture capture;
    setenv("LC_ALL", "C", 1);
    draw_on_terminal(80, &capture);
    setenv("LC_ALL", "C.UTF-8", 1);
    assert_non_null(strstr(capture.text, "\r1240/3000 ######---------"));
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
        cmocka_unit_test(test_heatmap_is_deterministic),
        cmocka_unit_test(test_heatmap_reports_a_full_disk),
        cmocka_unit_test(test_heatmap_looks_as_before),
        cmocka_unit_test(test_tables_are_aligned),
        cmocka_unit_test(test_format_duration),
        cmocka_unit_test(test_plain_lines),
        cmocka_unit_test(test_a_dumb_terminal_gets_lines),
        cmocka_unit_test(test_a_log_has_lines_with_times),
        cmocka_unit_test(test_plain_lines_become_rarer),
        cmocka_unit_test(test_bar_fits_the_terminal),
        cmocka_unit_test(test_says_what_it_waits_for),
        cmocka_unit_test(test_bar_in_ascii),
        cmocka_unit_test(test_bar_is_redrawn_ten_times_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
