#include "corpus/reader.h"

#include "io/ds.h"
#include "io/lines.h"
#include "corpus/jsonl.h"
#include "corpus/mo.h"
#include "corpus/po.h"
#include "corpus/table.h"
#include "corpus/tmx.h"
#include "text/codes.h"
#include "text/unicode.h"

#include <string.h>
#include <sys/stat.h>

const char corpus_form_names[] = "train-sets|tsv|csv|jsonl|tmx|mo|po";

struct Reader {
    int (*next)(Reader *reader, RawPair *pair, Err *err);
    LineReader lines[2];
    const char *langs[2];
    Table *table;
    char short_of[64]; /* RawPair.short_of of the current pair points here */
    Jsonl jsonl;
    int english;     /* catalogues: the side of the English */
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
    table_close(reader->table);
    jsonl_free(&reader->jsonl);
    for (int i = 0; i < 2; i++) line_reader_close(&reader->lines[i]);
    mem_free(reader->catalogue);
    mem_free(reader);
}

void reader_progress(const Reader *reader, long *done, long *all) {
    enum { UNIT = sizeof(long) > 4 ? 1 : 1024 }; /* bytes; a long of 32 bits is too small for those of a large file */
    *done = *all = 0;
    for (int i = 0; i < 2 && !reader->catalogue; i++) {
        struct stat info;
        FILE *file = reader->lines[i].file; /* of a compressed file, its own bytes */
        if (!file || fstat(fileno(file), &info) || !S_ISREG(info.st_mode)) continue;
        *done += (long)(ftello(file) / UNIT);
        *all += (long)(info.st_size / UNIT);
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

/* ---- tables ---- */

/* Sets the text of one side to the whole row, and that of the other side to "". The first of the two sides in the row
   gets the text. */
static void set_whole(Reader *reader, RawPair *pair, const Row *row) {
    const int *columns = table_columns(reader->table), whole = columns[SOURCE] > columns[TARGET];
    const char *path = reader->lines[0].path;
    char *bytes = row->quoted ? row->quoted : row->text;
    set_text(pair, whole, path, bytes, arrlenu(bytes));
    set_text(pair, !whole, path, "", 0);
    pair->byte[whole] = 0;
}

/* Fills the pair of a row that ends before column `missing`, from 0. */
static void set_short(Reader *reader, RawPair *pair, const Row *row, int missing) {
    const int n = (int)arrlen(row->cells);
    set_whole(reader, pair, row);
    pair->short_of = reader->short_of;
    if (n == 1 && !row->quoted)
        snprintf(reader->short_of, sizeof reader->short_of, "line has no tab between the two texts");
    else
        snprintf(reader->short_of, sizeof reader->short_of, "row has %d column%s, and no column %d", n,
                 n > 1 ? "s" : "", missing + 1);
}

/* A cell of a CSV that is not valid text gives the whole row, so that the place in an error is that in the row. */
static int next_row(Reader *reader, RawPair *pair, Err *err) {
    const Row *row;
    const int *columns = table_columns(reader->table);
    const int status = table_next(reader->table, &row, err);
    if (status <= 0) return status;
    bool valid = true;
    pair->line = row->line;
    for (int side = 0; side < 2; side++) {
        if (columns[side] >= arrlen(row->cells)) {
            set_short(reader, pair, row, columns[side]);
            return 1;
        }
        const Cell *cell = &row->cells[columns[side]];
        set_text(pair, side, reader->lines[0].path, row->text + cell->at, cell->size);
        pair->byte[side] = cell->at;
        valid &= !row->quoted || (utf8_valid(pair->text[side], cell->size) && !memchr(pair->text[side], 0, cell->size));
    }
    if (!valid) set_whole(reader, pair, row);
    return 1;
}

static int open_table(Reader *reader, const CorpusFiles *files, Err *err) {
    reader->next = next_row;
    reader->table = table_open(&reader->lines[0], files->form == FORM_CSV, files->columns, reader->langs, err);
    return reader->table ? 0 : -1;
}

const char *reader_note(const Reader *reader) { return reader->table ? table_note(reader->table) : NULL; }

/* ---- lines of JSON ---- */

/* A line that is not valid UTF-8 is the text of the source, so that the place in an error is that in the line. */
static int next_object(Reader *reader, RawPair *pair, Err *err) {
    LineReader *lines = &reader->lines[0];
    const int status = line_reader_next(lines, err);
    if (status < 0) return -1;
    if (!status) return jsonl_end(&reader->jsonl, lines, reader->langs, err);
    const bool valid = utf8_valid(lines->line, lines->length);
    if (valid && jsonl_parse(&reader->jsonl, lines, reader->langs, err)) return -1;
    for (int side = 0; side < 2; side++) {
        const char *text = valid ? reader->jsonl.text[side] : "";
        set_text(pair, side, lines->path, text, strlen(text));
    }
    if (!valid) set_text(pair, SOURCE, lines->path, lines->line, lines->length);
    pair->line = lines->number;
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

/* Finds the side of the English. */
static int find_english(Reader *reader, const char *path, Err *err) {
    reader->english = english_side(reader->langs);
    if (reader->english >= 0) return 0;
    return err_set(err, path, 0,
                   "holds English and another language, but --langs %s %s does not name English exactly once",
                   reader->langs[SOURCE], reader->langs[TARGET]);
}

/* ---- opening ---- */

static int open_lines(LineReader *lines, const char *path, Err *err) {
    return line_reader_open(lines, strcmp(path, "-") != 0 ? path : NULL, err);
}

/* Takes ownership of the bytes; NULL if they could not be read, and *err says why. */
static int open_catalogue(Reader *reader, char *bytes, size_t size, Err *err) {
    reader->catalogue = bytes;
    return !bytes || mo_open(&reader->mo, bytes, size, reader->lines[0].path, err);
}

static int open_catalogue_file(Reader *reader, const CorpusFiles *files, Err *err) {
    LineReader *lines = reader->lines;
    const char *path = files->path[0];
    char *bytes;
    size_t size;
    reader->next = next_message;
    if (find_english(reader, path, err)) return -1;
    if (files->form == FORM_MO) {
        lines->path = path;
        bytes = text_read(path, &size, err);
    } else {
        if (open_lines(lines, path, err)) return -1;
        bytes = po_compile(lines, &size, &reader->fuzzy, err);
    }
    return open_catalogue(reader, bytes, size, err);
}

static int open_files(Reader *reader, const CorpusFiles *files, Err *err) {
    LineReader *lines = reader->lines;
    const char *path = files->path[0];
    switch (files->form) {
    case FORM_LINES:
        reader->next = next_line_pair;
        return line_reader_open(&lines[SOURCE], path, err) || line_reader_open(&lines[TARGET], files->path[1], err);
    case FORM_TSV:
    case FORM_CSV: return open_lines(lines, path, err) || open_table(reader, files, err);
    case FORM_JSONL: reader->next = next_object; return open_lines(lines, path, err);
    case FORM_TMX:
        reader->next = next_segments;
        return open_lines(lines, path, err) || !(reader->tmx = tmx_open(lines, reader->langs, err));
    case FORM_MO:
    case FORM_PO: return open_catalogue_file(reader, files, err);
    case FORMS: break;
    }
    return -1;
}

Reader *reader_open(const CorpusFiles *files, const char *const langs[2], Err *err) {
    Reader *reader = mem_zalloc(sizeof *reader);
    for (int side = 0; side < 2 && langs; side++) reader->langs[side] = langs[side];
    if (!open_files(reader, files, err)) return reader;
    reader_close(reader);
    return NULL;
}
