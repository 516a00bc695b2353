#include "text/corpus.h"

#include "text/ds.h"
#include "text/unicode.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- bytes ---- */

static char *stream_read(FILE *stream, const char *path, size_t *size, Err *err) {
    size_t capacity = 1 << 16, used = 0;
    char *bytes = mem_alloc(capacity);
    for (size_t got; (got = fread(bytes + used, 1, capacity - used - 1, stream)) > 0;) {
        used += got;
        if (used + 1 == capacity) bytes = mem_realloc(bytes, capacity *= 2);
    }
    if (ferror(stream)) {
        err_set(err, path, 0, "%s", strerror(errno));
        mem_free(bytes);
        return NULL;
    }
    bytes[used] = '\0';
    if (size) *size = used;
    return bytes;
}

char *file_read(const char *path, size_t *size, Err *err) {
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        err_set(err, path, 0, "%s", strerror(errno));
        return NULL;
    }
    char *bytes = stream_read(stream, path, size, err);
    fclose(stream);
    return bytes;
}

/* ---- lines ---- */

/* A walk over the lines of a buffer. */
typedef struct Lines {
    const char *path, *rest, *end;
    const char *line; /* the line at hand, without its newline */
    size_t length;
    long number; /* from 1 */
} Lines;

/* At the start of a file a byte order mark is no text. */
static Lines lines_start(const char *path, const char *bytes, size_t size) {
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return (Lines){.path = path, .rest = bytes + mark, .end = bytes + size};
}

/* False at the end. */
static bool lines_next(Lines *lines) {
    if (lines->rest == lines->end) return false;
    size_t left = (size_t)(lines->end - lines->rest);
    const char *newline = memchr(lines->rest, '\n', left);
    lines->line = lines->rest;
    lines->length = newline ? (size_t)(newline - lines->rest) : left;
    lines->rest += lines->length + (newline != NULL);
    lines->number++;
    return true;
}

/* The bytes [from, to) of the line at hand as text; a carriage return at the end goes as white space does. */
static char *line_text(const Lines *lines, size_t from, size_t to, Err *err) {
    size_t bad;
    char *text = text_normalise(lines->line + from, to - from, &bad);
    if (text) return text;
    const char *what = lines->line[from + bad] ? "is not valid UTF-8" : "holds a NUL";
    err_set(err, lines->path, lines->number, "line %s (byte %zu)", what, from + bad + 1);
    return NULL;
}

/* The line at hand as it stands; not even its white space is touched. */
static char *raw_text(const Lines *lines, Err *err) {
    char *normal = line_text(lines, 0, lines->length, err); /* says what is wrong with it */
    if (!normal) return NULL;
    mem_free(normal);
    size_t length = lines->length;
    if (length > 0 && lines->line[length - 1] == '\r') length--;
    return mem_strndup(lines->line, length);
}

/* All lines of a file's bytes, which are released. */
static char **lines_split(const char *path, char *bytes, size_t size, int allow_empty, bool raw, Err *err) {
    char **texts = NULL;
    arrsetcap(texts, 1); /* no lines are not NULL, which is for errors */
    int failed = 0;
    for (Lines lines = lines_start(path, bytes, size); !failed && lines_next(&lines);) {
        char *text = raw ? raw_text(&lines, err) : line_text(&lines, 0, lines.length, err);
        if (text) arrput(texts, text);
        else failed = -1;
    }
    if (!failed && arrlen(texts) == 0 && !allow_empty) failed = err_set(err, path, 0, "file is empty");
    mem_free(bytes);
    if (!failed) return texts;
    lines_free(texts);
    return NULL;
}

static char **file_lines(const char *path, int allow_empty, bool raw, Err *err) {
    size_t size;
    char *bytes = file_read(path, &size, err);
    return bytes ? lines_split(path, bytes, size, allow_empty, raw, err) : NULL;
}

static char **any_lines(const char *path, int allow_empty, bool raw, Err *err) {
    if (path && strcmp(path, "-") != 0) return file_lines(path, allow_empty, raw, err);
    size_t size;
    const char *name = "standard input";
    char *bytes = stream_read(stdin, name, &size, err);
    return bytes ? lines_split(name, bytes, size, allow_empty, raw, err) : NULL;
}

char **lines_read(const char *path, int allow_empty, Err *err) { return any_lines(path, allow_empty, false, err); }
char **lines_read_raw(const char *path, Err *err) { return any_lines(path, 1, true, err); }

void lines_free(char **lines) {
    for (ptrdiff_t i = 0; i < arrlen(lines); i++) mem_free(lines[i]);
    arrfree(lines);
}

/* ---- pairs ---- */

int corpus_size(const Corpus *corpus) {
    CHECK(arrlen(corpus->source) <= INT_MAX, "a corpus of %td pairs", arrlen(corpus->source));
    return (int)arrlen(corpus->source);
}

void corpus_free(Corpus *corpus) {
    lines_free(corpus->source);
    lines_free(corpus->target);
    *corpus = (Corpus){0};
}

/* Takes both strings over. */
static void add_pair(Corpus *corpus, char *source, char *target) {
    corpus->read++;
    if (*source && *target) {
        arrput(corpus->source, source);
        arrput(corpus->target, target);
        return;
    }
    corpus->dropped_empty++;
    mem_free(source);
    mem_free(target);
}

/* Moves what was read from a file to the corpus; an error if there are no pairs. */
static int corpus_take(Corpus *corpus, Corpus *fresh, const char *path, Err *err) {
    if (arrlen(fresh->source) == 0) return err_set(err, path, 0, "no sentence pairs");
    for (ptrdiff_t i = 0; i < arrlen(fresh->source); i++) {
        arrput(corpus->source, fresh->source[i]);
        arrput(corpus->target, fresh->target[i]);
    }
    corpus->read += fresh->read;
    corpus->dropped_empty += fresh->dropped_empty;
    arrfree(fresh->source);
    arrfree(fresh->target);
    return 0;
}

/* The line at fault is the first that has no partner. */
static int err_unequal(Err *err, const char *source_path, ptrdiff_t n, const char *target_path, ptrdiff_t m) {
    const char *longer = n > m ? source_path : target_path;
    return err_set(err, longer, (long)(n < m ? n : m) + 1, "%s has %td lines but %s has %td", source_path, n,
                   target_path, m);
}

int corpus_read_lines(Corpus *corpus, const char *source_path, const char *target_path, Err *err) {
    Corpus fresh = {0};
    char **sources = file_lines(source_path, 0, false, err);
    char **targets = sources ? file_lines(target_path, 0, false, err) : NULL;
    int failed = targets ? 0 : -1;
    ptrdiff_t n = arrlen(sources), m = arrlen(targets);
    if (!failed && n != m) failed = err_unequal(err, source_path, n, target_path, m);
    if (failed) {
        lines_free(sources);
        lines_free(targets);
        return failed;
    }
    for (ptrdiff_t i = 0; i < n; i++) add_pair(&fresh, sources[i], targets[i]);
    arrfree(sources); /* their strings belong to the pairs now */
    arrfree(targets);
    return corpus_take(corpus, &fresh, source_path, err);
}

/* Adds the pair of the line at hand. */
static int read_row(Corpus *corpus, const Lines *lines, int source_is_english, Err *err) {
    const char *tab = memchr(lines->line, '\t', lines->length);
    size_t first = tab ? (size_t)(tab - lines->line) : lines->length;
    size_t second = tab ? first + 1 : first; /* an empty field if there is no tab */
    const char *next = memchr(lines->line + second, '\t', lines->length - second);
    char *english = line_text(lines, 0, first, err);
    char *chinese = english ? line_text(lines, second, next ? (size_t)(next - lines->line) : lines->length, err) : NULL;
    int failed = chinese ? 0 : -1;
    if (!failed && !tab && *english) failed = err_set(err, lines->path, lines->number, "line has no tab");
    if (failed) {
        mem_free(english);
        mem_free(chinese);
        return failed;
    }
    if (source_is_english) add_pair(corpus, english, chinese);
    else add_pair(corpus, chinese, english);
    return 0;
}

int corpus_read_tsv(Corpus *corpus, const char *path, int source_is_english, Err *err) {
    size_t size;
    char *bytes = file_read(path, &size, err);
    if (!bytes) return -1;
    Corpus fresh = {0};
    int failed = 0;
    for (Lines lines = lines_start(path, bytes, size); !failed && lines_next(&lines);)
        failed = read_row(&fresh, &lines, source_is_english, err);
    mem_free(bytes);
    if (!failed) return corpus_take(corpus, &fresh, path, err);
    corpus_free(&fresh);
    return failed;
}
