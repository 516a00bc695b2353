/* table.h: reads tables of texts, TSV and CSV, row by row, and finds the two columns of a parallel corpus by the
   scripts of the first rows. */
#ifndef TIDE_TABLE_H
#define TIDE_TABLE_H

#include "io/lines.h"

/* A cell of a row: `size` arbitrary bytes of the row's text. */
typedef struct Cell {
    size_t at, size;
} Cell;

typedef struct Row {
    char *text;   /* stb_ds array: the text of the cells; of a CSV, without quotes */
    Cell *cells;  /* stb_ds array: at least one */
    long line;    /* where the row begins in the file, from 1 */
    char *quoted; /* stb_ds array, CSV only: the bytes of the row as in the file, without the end of its last line. NULL
                     for a TSV, where `text` has these bytes */
} Row;

typedef struct Table Table;

/* Makes a reader of the rows of `lines`, which must outlive it, and reads the first rows: at most 1000, and no more
   than 4 MiB. csv: commas separate the cells, as in RFC 4180, and a cell between quotes may contain commas, doubled
   quotes and line ends; not csv: tabs separate them. columns: the columns of source and target, from 1; 0, 0: they must
   be found. langs: the codes of the source and the target.
   Columns are found in the first of these ways that is possible: by the names in the first row of a CSV, such as `zh`,
   `English`, `source`; by the scripts of the first rows, if one of the languages is Chinese and the other one is not
   written with Han characters; else column 1 is English, and column 2 is the other language. The first row of a CSV is
   skipped if it has the names of the languages, or if it lacks the scripts that most of the rows have.
   Returns NULL with *err filled: a line cannot be read, a quote is not closed, most of the rows lack a script, or
   nothing tells the columns. Release with table_close. */
Table *table_open(LineReader *lines, bool csv, const int columns[2], const char *const langs[2], Err *err);
/* Reads the next row, which is valid until the next call; the header is not one. Returns 1, or 0 at the end, or -1 with
 *err filled. */
int table_next(Table *table, const Row **row, Err *err);
/* The columns of the source and the target, from 0. */
const int *table_columns(const Table *table);
/* Which columns were chosen, for people; NULL: there was no choice. */
const char *table_note(const Table *table);
/* Does nothing for NULL. */
void table_close(Table *table);

#endif
