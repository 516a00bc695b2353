/* columns.h: which two columns of a table are the texts of a parallel corpus. */
#ifndef TIDE_COLUMNS_H
#define TIDE_COLUMNS_H

#include "corpus/table.h"

typedef struct Columns {
    int column[2];  /* of the source and the target, from 0 */
    bool header;    /* the first row has names, not texts */
    char note[320]; /* for people: says which columns were chosen; "": there was only one choice */
} Columns;

/* Finds the columns as table_open describes it. rows: [n], the first rows of the file `path`. csv: the first row may be
   a header. given: the columns of source and target, from 1; 0, 0: they must be found. Returns 0, or -1 with *err
   filled. */
int columns_find(Columns *columns, const Row *rows, int n, bool csv, const int given[2], const char *const langs[2],
                 const char *path, Err *err);

#endif
