#include "corpus/reader.h"

#include "io/ds.h"
#include "io/lines.h"
#include "corpus/mo.h"
#include "corpus/po.h"
#include "corpus/tmx.h"
#include "text/unicode.h"

#include <string.h>
#include <sys/stat.h>

struct Reader {
    int (*next)(Reader *reader, RawPair *pair, Err *err);
    LineReader lines[2];
    int english;     /* TSV and catalogues: the side of the English */
    char *catalogue; /* its bytes, owned */
    Mo mo;
    uint32_t message;   /* number of the next message */
    bool plural_is_due; /* the next pair is the plural of the message before */
    long fuzzy;
    Tmx *tmx;
    const TmxUnit *unit;
    ptrdiff_t pair, pairs; /* of the unit: that of the next call; all of them */
};

int reader_next(Reader *reader, RawPair *pair, Err *err) {
    *pair = (RawPair){0};
    return reader->next(reader, pair, err);
}

void reader_close(Reader *reader) {
    if (!reader) return;
    tmx_close(reader->tmx);
    for (int i = 0; i < 2; i++) line_reader_close(&reader->lines[i]);
    mem_free(reader->catalogue);
    mem_free(reader);
}

void reader_progress(const Reader *reader, long *done, long *all) {
    *done = *all = 0;
    for (int i = 0; i < 2 && !reader->catalogue; i++) {
        struct stat info;
        FILE *file = reader->lines[i].file; /* of a compressed file, its own bytes */
        if (!file || fstat(fileno(file), &info) || !S_ISREG(info.st_mode)) continue;
        *done += ftell(file);
        *all += (long)info.st_size;
    }
    if (reader->catalogue) {
        *done = (long)reader->message;
        *all = (long)reader->mo.count;
    }
}

static void set_text(RawPair *pair, int side, const char *path, const char *text, size_t size) {
    pair->path[side] = path;
    pair->text[side] = text;
    pair->size[side] = size;
}

/* ---- two files ---- */

/* Sets the error for files of different length, at the first line without a partner. Reads the longer file to its end
   to count its lines. */
static int err_unequal(Reader *reader, int longer, Err *err) {
    LineReader *lines = reader->lines;
    long partner = lines[longer].number;
    int status;
    while ((status = line_reader_next(&lines[longer], err)) > 0) continue;
    if (status) return status;
    return err_set(err, lines[longer].path, partner, "%s has %ld lines but %s has %ld", lines[SOURCE].path,
                   lines[SOURCE].number, lines[TARGET].path, lines[TARGET].number);
}

static int next_line_pair(Reader *reader, RawPair *pair, Err *err) {
    int got[2];
    for (int i = 0; i < 2; i++) {
        if ((got[i] = line_reader_next(&reader->lines[i], err)) < 0) return -1;
        set_text(pair, i, reader->lines[i].path, reader->lines[i].line, reader->lines[i].length);
    }
    pair->line = reader->lines[SOURCE].number;
    if (got[SOURCE] != got[TARGET]) return err_unequal(reader, got[SOURCE] ? SOURCE : TARGET, err);
    return got[SOURCE];
}

/* ---- TSV ---- */

static int next_row(Reader *reader, RawPair *pair, Err *err) {
    LineReader *lines = &reader->lines[0];
    int status = line_reader_next(lines, err);
    if (status <= 0) return status;
    if (lines->number == 1 && (starts_with(lines->line, "<?xml") || starts_with(lines->line, "<tmx")))
        return err_set(err, lines->path, 1, "is XML, not lines with tabs; --tmx reads translation memories");
    const char *end = lines->line + lines->length, *tab = memchr(lines->line, '\t', lines->length);
    const char *second = tab ? tab + 1 : end, *next = memchr(second, '\t', (size_t)(end - second));
    int english = reader->english, chinese = !english;
    set_text(pair, english, lines->path, lines->line, (size_t)((tab ? tab : end) - lines->line));
    set_text(pair, chinese, lines->path, second, (size_t)((next ? next : end) - second));
    pair->byte[chinese] = (size_t)(second - lines->line);
    pair->line = lines->number;
    pair->no_tab = !tab;
    return 1;
}

/* ---- translation memories ---- */

static ptrdiff_t pairs_of(const TmxUnit *unit) {
    const ptrdiff_t source = arrlen(unit->segments[SOURCE]), target = arrlen(unit->segments[TARGET]);
    const ptrdiff_t most = source > target ? source : target;
    return most ? most : 1;
}

static int next_segments(Reader *reader, RawPair *pair, Err *err) {
    if (reader->pair == reader->pairs) {
        const int status = tmx_next(reader->tmx, &reader->unit, err);
        if (status <= 0) return status;
        reader->pair = 0;
        reader->pairs = pairs_of(reader->unit);
    }
    const ptrdiff_t i = reader->pair++;
    for (int side = 0; side < 2; side++) {
        char *const *segments = reader->unit->segments[side];
        const ptrdiff_t n = arrlen(segments);
        const char *text = n ? segments[i < n ? i : n - 1] : "";
        set_text(pair, side, reader->lines[0].path, text, strlen(text));
    }
    pair->line = reader->unit->line;
    pair->same_message = i > 0;
    return 1;
}

/* ---- catalogues ---- */

static int next_message(Reader *reader, RawPair *pair, Err *err) {
    MoMessage message;
    const char *path = reader->lines[0].path;
    bool plural = reader->plural_is_due;
    uint32_t i = plural ? reader->message - 1 : reader->message;
    if (i == reader->mo.count) return 0;
    if (mo_message(&reader->mo, i, path, &message, err)) return -1;
    const char *original = plural ? message.plural : message.singular;
    const char *translation = plural ? message.last : message.first;
    set_text(pair, reader->english, path, original, strlen(original));
    set_text(pair, !reader->english, path, translation, strlen(translation));
    pair->line = (long)i + 1;
    pair->same_message = plural;
    reader->message = i + 1;
    reader->plural_is_due = !plural && message.plural;
    return 1;
}

long reader_fuzzy(const Reader *reader) { return reader->fuzzy; }

/* ---- opening ---- */

static int open_lines(LineReader *lines, const char *path, Err *err) {
    return line_reader_open(lines, strcmp(path, "-") != 0 ? path : NULL, err);
}

/* Takes ownership of the bytes; NULL if they could not be read, and *err says why. */
static int open_catalogue(Reader *reader, char *bytes, size_t size, Err *err) {
    reader->catalogue = bytes;
    return !bytes || mo_open(&reader->mo, bytes, size, reader->lines[0].path, err);
}

static int open_files(Reader *reader, const CorpusFiles *files, const char *const langs[2], Err *err) {
    LineReader *lines = reader->lines;
    const char *path = files->path[0];
    char *bytes;
    size_t size;
    switch (files->form) {
    case FORM_LINES:
        reader->next = next_line_pair;
        return line_reader_open(&lines[SOURCE], path, err) || line_reader_open(&lines[TARGET], files->path[1], err);
    case FORM_TSV: reader->next = next_row; return open_lines(lines, path, err);
    case FORM_TMX:
        reader->next = next_segments;
        return open_lines(lines, path, err) || !(reader->tmx = tmx_open(lines, langs, err));
    case FORM_MO:
        reader->next = next_message;
        lines->path = path;
        bytes = text_read(path, &size, err);
        return open_catalogue(reader, bytes, size, err);
    case FORM_PO:
        reader->next = next_message;
        if (open_lines(lines, path, err)) return -1;
        bytes = po_compile(lines, &size, &reader->fuzzy, err);
        return open_catalogue(reader, bytes, size, err);
    }
    return -1;
}

Reader *reader_open(const CorpusFiles *files, const char *const langs[2], int english, Err *err) {
    Reader *reader = mem_zalloc(sizeof *reader);
    reader->english = english;
    if (!open_files(reader, files, langs, err)) return reader;
    reader_close(reader);
    return NULL;
}
