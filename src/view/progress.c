#include "view/progress.h"
#include "io/system.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_SECONDS       0.1
#define FIRST_LINE_SECONDS   10.0
#define LONGEST_LINE_SECONDS 300.0
#define LINE_INTERVAL_GROWTH 1.05 /* gives about 60 lines in the first hour, later 12 lines an hour */
#define NOT_DRAWN            (-1.0)

enum { BAR_MIN = 8, BAR_MAX = 40, LINE_BYTES = 512 };

/* The contents of a line. If the line is too long, the last parts of `tail` are left out first. */
typedef struct Parts {
    char head[64];    /* "1240/3000" */
    double fraction;  /* share of the work that is done, 0..1; negative: unknown, and no bar is drawn */
    char tail[6][40]; /* "loss 2.314" … */
    int tails;
} Parts;

__attribute__((format(printf, 2, 3))) static void add_part(Parts *parts, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(parts->tail[parts->tails++], sizeof parts->tail[0], format, args);
    va_end(args);
}

/* ---- times of drawing ---- */

void progress_start(ProgressView *view) {
    const char *term = getenv("TERM");
    *view = (ProgressView){
        .screen = {.file = stderr,
                   .terminal = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0),
                   .last_drawn = NOT_DRAWN,
                   .line_interval = FIRST_LINE_SECONDS},
        .log = {.last_drawn = NOT_DRAWN, .line_interval = FIRST_LINE_SECONDS},
    };
}

void progress_stamp(FILE *log) {
    char text[32];
    struct tm local;
    const time_t now = time(NULL);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S ", localtime_r(&now, &local));
    fputs(text, log);
}

/* Returns whether to draw now. The first bar is drawn at once, the first plain line only after line_interval, so that
   short work prints no line. */
static bool is_due(ProgressOutput *output, double now, bool force) {
    if (!output->file) return false;
    bool first = output->last_drawn == NOT_DRAWN;
    if (first && !output->terminal) output->last_drawn = now;
    double interval = output->terminal ? REDRAW_SECONDS : output->line_interval;
    if (!force && !(first && output->terminal) && now - output->last_drawn < interval) return false;
    output->last_drawn = now;
    return true;
}

/* ---- drawing ---- */

/* Returns whether the locale is UTF-8. The first of the three variables that is set decides, as in setlocale. */
static bool is_utf8_locale(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return false;
}

/* Appends a bar of `columns` columns: "━━━╸──", or "###---" if the locale is not UTF-8. */
static void append_bar(char *line, int columns, double fraction) {
    bool utf8 = is_utf8_locale();
    int halves = (int)(2 * columns * fraction), full = halves / 2;
    for (int i = 0; i < columns; i++) {
        bool half = i == full && halves % 2;
        if (utf8) strcat(line, i < full ? "━" : half ? "╸" : "─");
        else strcat(line, i < full ? "#" : "-");
    }
}

/* Writes the parts into a line of at most `columns` columns; the bar fills the columns that the parts leave. */
static void compose(char line[LINE_BYTES], const Parts *parts, int columns, bool with_bar) {
    char percent[16] = "", tail[sizeof parts->tail] = "";
    if (parts->fraction >= 0) snprintf(percent, sizeof percent, " %3.0f%%", floor(100 * parts->fraction));
    int bar = with_bar && parts->fraction >= 0 ? 1 + BAR_MIN : 0;
    int room = columns - (int)strlen(parts->head) - (int)strlen(percent) - bar;
    for (int i = 0; i < parts->tails; i++) {
        int width = 2 + (int)strlen(parts->tail[i]);
        if (width > room) break;
        strcat(strcat(tail, "  "), parts->tail[i]);
        room -= width;
    }
    snprintf(line, LINE_BYTES, "%.*s", columns, parts->head);
    if (room < 0) return;
    if (bar) append_bar(strcat(line, " "), BAR_MIN + room < BAR_MAX ? BAR_MIN + room : BAR_MAX, parts->fraction);
    strcat(strcat(line, percent), tail);
}

static void draw(ProgressOutput *output, const Parts *parts, bool stamped) {
    char line[LINE_BYTES];
    if (output->terminal) {
        const int columns = terminal_columns(STDERR_FILENO); /* the window may have changed */
        compose(line, parts, (columns ? columns : 80) - 1, true);
        fprintf(output->file, "\r%s\033[K", line);
        snprintf(output->bar, sizeof output->bar, "%s", line);
    } else {
        compose(line, parts, LINE_BYTES, false);
        if (stamped) progress_stamp(output->file);
        fprintf(output->file, "%s\n", line);
        output->line_interval = fmin(output->line_interval * LINE_INTERVAL_GROWTH, LONGEST_LINE_SECONDS);
    }
}

/* Sets the head, for example "update    7/3000", and the fraction. what: "": no word. `done` is padded to the width of
   `all`, so that the bar does not move. */
static void set_head(Parts *parts, const char *what, long done, long all) {
    const char *space = *what ? " " : "";
    int digits = snprintf(NULL, 0, "%ld", all);
    if (all > 0) snprintf(parts->head, sizeof parts->head, "%s%s%*ld/%ld", what, space, digits, done, all);
    else snprintf(parts->head, sizeof parts->head, "%s%s%ld", what, space, done);
    parts->fraction = all > 0 ? fmin(1, (double)done / (double)all) : -1;
}

static void show_training(ProgressOutput *output, const Progress *progress, bool stamped) {
    Parts parts = {0};
    set_head(&parts, output->terminal ? "" : "update", progress->update, progress->updates);
    double perplexity = printable(exp(progress->loss));
    add_part(&parts, "loss %.3f", printable(progress->loss));
    add_part(&parts, "%5.0f tok/s", progress->tokens_per_second);
    if (progress->seconds_left >= 0) {
        char left[16];
        format_duration(progress->seconds_left, left);
        add_part(&parts, "%5s left", left);
    }
    add_part(&parts, "epoch %4.1f", progress->epoch);
    add_part(&parts, perplexity < 1e6 ? "ppl %5.1f" : "ppl %.1e", perplexity);
    draw(output, &parts, stamped);
}

void progress_show(ProgressView *view, const Progress *progress, double now, bool force) {
    if (is_due(&view->screen, now, force)) show_training(&view->screen, progress, false);
    if (is_due(&view->log, now, force)) show_training(&view->log, progress, true);
}

void progress_count(ProgressView *view, const char *what, long done, long all, double now, bool force) {
    Parts parts = {0};
    set_head(&parts, what, done, all);
    if (is_due(&view->screen, now, force)) draw(&view->screen, &parts, false);
    if (is_due(&view->log, now, force)) draw(&view->log, &parts, true);
}

void progress_clear(ProgressView *view) {
    ProgressOutput *screen = &view->screen;
    if (!screen->terminal || screen->last_drawn == NOT_DRAWN) return; /* plain lines have nothing to clear */
    fputs("\r\033[K", screen->file);
    screen->last_drawn = NOT_DRAWN;
}

void progress_status(ProgressView *view, const char *text) {
    const ProgressOutput *screen = &view->screen;
    if (!text) text = screen->last_drawn == NOT_DRAWN ? "" : screen->bar;
    if (screen->file && screen->terminal) fprintf(screen->file, "\r%s\033[K", text);
}

void format_duration(double seconds, char buffer[16]) {
    if (!(seconds >= 0 && seconds < 1e9)) {
        snprintf(buffer, 16, "?");
        return;
    }
    unsigned s = (unsigned)lround(seconds);
    if (s < 3600) snprintf(buffer, 16, "%u:%02u", s / 60, s % 60);
    else snprintf(buffer, 16, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
}
