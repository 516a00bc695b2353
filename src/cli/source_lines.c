#include "cli/source_lines.h"

#include "cli/cli.h"
#include "io/ds.h"
#include "text/normal_lines.h"

#include <sys/stat.h>
#include <unistd.h>

enum { READ_AHEAD = 4096 /* lines */ };
static const double MOST_WAIT = 0.1; /* seconds until the first lines are translated */

int source_open(SourceLines *source, const Side *side, int max_length, bool one_by_one, Err *err) {
    struct stat in;
    const bool regular = !fstat(STDIN_FILENO, &in) && S_ISREG(in.st_mode);
    *source = (SourceLines){.side = side,
                            .max_length = max_length,
                            .eager = isatty(STDIN_FILENO) || (one_by_one && !regular),
                            .regular = regular};
    if (line_reader_open(&source->reader, NULL, err)) return -1;
    if (regular) source->total = line_reader_count(&source->reader);
    return 0;
}

void source_given(SourceLines *source, char **lines) {
    *source = (SourceLines){.lines = lines, .ended = true, .total = arrlen(lines)};
}

/* Prints why a line is not translated. Returns the line that takes its place: an empty one, owned by the caller. */
static char *refuse(SourceLines *source, const Err *why) {
    fail(why);
    source->refused++;
    return mem_strdup("");
}

/* Returns the line, or an empty one if it is too long. number: of the line, from 1. */
static char *check_length(SourceLines *source, char *line, long number) {
    Err why, named;
    if (!side_check_lengths(source->side, &line, 1, source->max_length, NULL, &why)) return line;
    mem_free(line);
    err_set(&named, standard_input_name(), number,
            "%.400s; --split-sentences translates each sentence of a line for itself", why.reason);
    return refuse(source, &named);
}

void source_check(SourceLines *source, const Side *side, int max_length, char *const *prefixes) {
    source->side = side;
    source->max_length = max_length;
    for (int i = 0; i < arrlen(source->lines); i++) {
        const long before = source->refused;
        source->lines[i] = check_length(source, source->lines[i], i + 1L);
        if (source->refused > before) prefixes[i][0] = '\0';
    }
}

/* Returns the current line as a sentence, owned by the caller; NULL with source->wrong filled if it ends the input. */
static char *sentence_of(SourceLines *source) {
    const LineReader *in = &source->reader;
    Err why;
    char *line = line_reader_text(in, 0, in->length, &why);
    if (line) return check_length(source, line, in->number);
    if (source->eager) return refuse(source, &why);
    source->wrong = why;
    return NULL;
}

/* Reads a line, or the end. */
static void read_line(SourceLines *source) {
    const int status = line_reader_next(&source->reader, &source->wrong);
    char *line = status > 0 ? sentence_of(source) : NULL;
    source->ended = !line;
    if (line) arrput(source->lines, line);
}

/* Whether to read another line before the waiting ones are translated. */
static bool wants_more(const SourceLines *source, double began) {
    enum { PAUSE = 20 /* milliseconds without new text */ };
    const ptrdiff_t waiting = arrlen(source->lines);
    if (source->ended || waiting == READ_AHEAD) return false;
    if (!waiting || source->regular) return true;
    return !source->eager && seconds_now() - began < MOST_WAIT && line_reader_ready(&source->reader, PAUSE);
}

int source_fill(SourceLines *source, Err *err) {
    for (double began = 0; wants_more(source, began);) {
        read_line(source);
        if (arrlen(source->lines) == 1) began = seconds_now();
    }
    if (arrlen(source->lines) > 0) return (int)arrlen(source->lines);
    if (!source->wrong.reason[0]) return 0;
    *err = source->wrong;
    return -1;
}

int source_status(const SourceLines *source, const char *unit, Err *err) {
    if (source->refused < 2) return source->refused ? EXIT_FAILED : 0; /* the only refused line has a message already */
    return err_set(err, standard_input_name(), 0, "%ld %ss could not be translated", source->refused, unit);
}

void source_take(SourceLines *source, int n) {
    for (int i = 0; i < n; i++) mem_free(source->lines[i]);
    arrdeln(source->lines, 0, (size_t)n);
}

void source_close(SourceLines *source) {
    strings_free(source->lines);
    line_reader_close(&source->reader);
    *source = (SourceLines){0};
}
