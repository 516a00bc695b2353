#include "corpus/table.h"

#include "corpus/columns.h"
#include "io/ds.h"
#include "io/utf8.h"

#include <string.h>

enum { MOST_KEPT = 1000 /* rows */, MOST_KEPT_BYTES = 1 << 22, MOST_RECORD = 1 << 24 /* bytes of a row of CSV */ };

struct Table {
    LineReader *lines;
    bool csv;
    Row *first;     /* stb_ds array: the rows that were read to find the columns */
    ptrdiff_t next; /* the index in `first` of the next row; after all of them, rows are read from the file */
    Row row;        /* the current row, if it is not in `first` */
    Columns columns;
};

/* ---- rows ---- */

static void row_free(Row *row) {
    arrfree(row->text);
    arrfree(row->cells);
    arrfree(row->quoted);
}

static void append(char **text, const char *bytes, size_t n) {
    if (n) memcpy(arraddnptr(*text, n), bytes, n);
}

static int read_tsv(Table *table, Row *row, Err *err) {
    const LineReader *lines = table->lines;
    if (lines->number == 1 && (starts_with(lines->line, "<?xml") || starts_with(lines->line, "<tmx")))
        return err_set(err, lines->path, 1, "is XML, not lines with tabs; --tmx reads translation memories");
    const char *at = lines->line, *end = at + lines->length;
    append(&row->text, at, lines->length);
    for (const char *tab; at; at = tab ? tab + 1 : NULL) {
        tab = memchr(at, '\t', (size_t)(end - at));
        const size_t from = (size_t)(at - lines->line);
        arrput(row->cells, ((Cell){from, (size_t)((tab ? tab : end) - at)}));
    }
    return 1;
}

/* Adds the next line of the file to a row that goes on in it. */
static int next_line(Table *table, Row *row, Err *err) {
    LineReader *lines = table->lines;
    const int status = line_reader_next(lines, err);
    if (status < 0) return -1;
    if (!status) return err_set(err, lines->path, row->line, "a quote of this row is not closed");
    if (arrlenu(row->quoted) + lines->length > MOST_RECORD)
        return err_set(err, lines->path, row->line, "a row of more than 16 MiB: is one of its quotes not closed?");
    arrput(row->quoted, '\n');
    append(&row->quoted, lines->line, lines->length);
    return 0;
}

/* Reads the rest of a cell after the quote before byte *at of row->quoted. Then *at is after the closing quote. */
static int read_quoted(Table *table, Row *row, size_t *at, Err *err) {
    for (;;) {
        const char *from = row->quoted + *at, *quote = memchr(from, '"', arrlenu(row->quoted) - *at);
        append(&row->text, from, quote ? (size_t)(quote - from) : arrlenu(row->quoted) - *at);
        *at = quote ? (size_t)(quote + 1 - row->quoted) : arrlenu(row->quoted);
        if (quote && (*at == arrlenu(row->quoted) || row->quoted[*at] != '"')) return 0;
        if (quote) arrput(row->text, row->quoted[(*at)++]);
        else if (next_line(table, row, err)) return -1;
    }
}

/* Reads the rest of a cell from byte *at of row->quoted, without quotes. Then *at is at the comma or at the end. */
static void read_plain(Row *row, size_t *at) {
    const char *from = row->quoted + *at, *end = row->quoted + arrlenu(row->quoted);
    const char *comma = memchr(from, ',', (size_t)(end - from));
    if (comma) end = comma;
    *at = (size_t)(end - row->quoted);
    if (!comma && end > from && end[-1] == '\r') end--;
    append(&row->text, from, (size_t)(end - from));
}

static int read_csv(Table *table, Row *row, Err *err) {
    const LineReader *lines = table->lines;
    arrsetcap(row->quoted, 1);
    arrsetlen(row->quoted, 0);
    append(&row->quoted, lines->line, lines->length);
    for (size_t at = 0;; at++) {
        const size_t begin = arrlenu(row->text);
        const bool quoted = at < arrlenu(row->quoted) && row->quoted[at] == '"';
        at += quoted;
        if (quoted && read_quoted(table, row, &at, err)) return -1;
        const size_t after = arrlenu(row->text);
        read_plain(row, &at);
        if (quoted && arrlenu(row->text) > after)
            return err_set(err, lines->path, lines->number,
                           "text after the quote that closes a cell; a quote inside a cell is doubled");
        arrput(row->cells, ((Cell){begin, arrlenu(row->text) - begin}));
        if (at == arrlenu(row->quoted)) return 1;
    }
}

static int read_row(Table *table, Row *row, Err *err) {
    const int status = line_reader_next(table->lines, err);
    if (status <= 0) return status;
    row->line = table->lines->number;
    arrsetcap(row->text, 1); /* so that the text of an empty row is not NULL */
    arrsetlen(row->text, 0);
    arrsetlen(row->cells, 0);
    return table->csv ? read_csv(table, row, err) : read_tsv(table, row, err);
}

/* ---- the table ---- */

static int read_first(Table *table, Err *err) {
    size_t bytes = 0;
    int status = 1;
    while (status > 0 && arrlen(table->first) < MOST_KEPT && bytes < MOST_KEPT_BYTES) {
        Row row = {0};
        status = read_row(table, &row, err);
        bytes += arrlenu(row.text);
        if (status > 0) arrput(table->first, row);
        else row_free(&row);
    }
    return status < 0 ? -1 : 0;
}

Table *table_open(LineReader *lines, bool csv, const int columns[2], const char *const langs[2], Err *err) {
    Table *table = mem_zalloc(sizeof *table);
    *table = (Table){.lines = lines, .csv = csv};
    if (read_first(table, err) ||
        columns_find(&table->columns, table->first, (int)arrlen(table->first), csv, columns, langs, lines->path, err)) {
        table_close(table);
        return NULL;
    }
    table->next = table->columns.header;
    return table;
}

int table_next(Table *table, const Row **row, Err *err) {
    if (table->next < arrlen(table->first)) {
        *row = &table->first[table->next++];
        return 1;
    }
    *row = &table->row;
    return read_row(table, &table->row, err);
}

const int *table_columns(const Table *table) { return table->columns.column; }

const char *table_note(const Table *table) { return *table->columns.note ? table->columns.note : NULL; }

void table_close(Table *table) {
    if (!table) return;
    for (ptrdiff_t i = 0; i < arrlen(table->first); i++) row_free(&table->first[i]);
    arrfree(table->first);
    row_free(&table->row);
    mem_free(table);
}
