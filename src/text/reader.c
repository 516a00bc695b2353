#include "text/reader.h"

#include "text/files.h"
#include "text/lines.h"
#include "text/mo.h"

#include <string.h>
#include <sys/stat.h>

struct Reader {
    int (*next)(Reader *reader, RawPair *pair, Err *err);
    LineReader lines[2];
    int english;      /* TSV and catalogues: the side of the English */
    char *catalogue;  /* its bytes, owned */
    const char *path; /* of the catalogue */
    Mo mo;
    uint32_t message;   /* number of the next message */
    bool plural_is_due; /* the next pair is the plural of the message before */
};

static Reader *reader_new(int (*next)(Reader *, RawPair *, Err *), int english) {
    Reader *reader = mem_zalloc(sizeof *reader);
    reader->next = next;
    reader->english = english;
    return reader;
}

int reader_next(Reader *reader, RawPair *pair, Err *err) {
    *pair = (RawPair){0};
    return reader->next(reader, pair, err);
}

void reader_close(Reader *reader) {
    if (!reader) return;
    for (int i = 0; i < 2; i++) line_reader_close(&reader->lines[i]);
    mem_free(reader->catalogue);
    mem_free(reader);
}

/* Returns the reader, or closes it and returns NULL if it could not be opened. */
static Reader *opened(Reader *reader, int failed) {
    if (!failed) return reader;
    reader_close(reader);
    return NULL;
}

void reader_progress(const Reader *reader, long *done, long *all) {
    *done = *all = 0;
    for (int i = 0; i < 2; i++) {
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

Reader *reader_lines(const char *source, const char *target, Err *err) {
    Reader *reader = reader_new(next_line_pair, SOURCE);
    return opened(reader, line_reader_open(&reader->lines[SOURCE], source, err) ||
                              line_reader_open(&reader->lines[TARGET], target, err));
}

/* ---- TSV ---- */

static int next_row(Reader *reader, RawPair *pair, Err *err) {
    LineReader *lines = &reader->lines[0];
    int status = line_reader_next(lines, err);
    if (status <= 0) return status;
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

Reader *reader_tsv(const char *path, int english, Err *err) {
    Reader *reader = reader_new(next_row, english);
    return opened(reader, line_reader_open(&reader->lines[0], strcmp(path, "-") != 0 ? path : NULL, err));
}

/* ---- catalogues ---- */

static int next_message(Reader *reader, RawPair *pair, Err *err) {
    MoMessage message;
    bool plural = reader->plural_is_due;
    uint32_t i = plural ? reader->message - 1 : reader->message;
    if (i == reader->mo.count) return 0;
    if (mo_message(&reader->mo, i, reader->path, &message, err)) return -1;
    const char *original = plural ? message.plural : message.singular;
    const char *translation = plural ? message.last : message.first;
    set_text(pair, reader->english, reader->path, original, strlen(original));
    set_text(pair, !reader->english, reader->path, translation, strlen(translation));
    pair->line = (long)i + 1;
    pair->same_message = plural;
    reader->message = i + 1;
    reader->plural_is_due = !plural && message.plural;
    return 1;
}

Reader *reader_mo(const char *path, int english, Err *err) {
    Reader *reader = reader_new(next_message, english);
    size_t size;
    reader->path = path;
    reader->catalogue = file_read(path, &size, err);
    return opened(reader, !reader->catalogue || mo_open(&reader->mo, reader->catalogue, size, path, err));
}
