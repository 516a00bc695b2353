/* columns.h: which two columns of a table are the texts of a parallel corpus. */
#ifndef TIDE_COLUMNS_H
#define TIDE_COLUMNS_H

#include "corpus/table.h"

typedef struct Columns {
    int column[2];  /* of the source and the target, from 0 */
    bool header;    /* the first row has names, not texts */
    char note[320]; /* for people: which columns were chosen; "": there was no choice */
} Columns;

/* Finds the columns as table_open says, from the first rows [n] of the file `path`. csv: the first row may be a header.
   given: the columns of source and target from 1, or 0, 0. Returns 0, or -1 with *err filled. */
int columns_find(Columns *columns, const Row *rows, int n, bool csv, const int given[2], const char *const langs[2],
                 const char *path, Err *err);

#endif
