/* table.h: prints a matrix as a table with labels, for a terminal. */
#ifndef TIDE_TABLE_H
#define TIDE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Table {
    int n_rows, n_columns;
    char *const *rows;    /* [n_rows] labels; long labels are truncated */
    char *const *columns; /* [n_columns] labels; NULL: no labels, and only the first columns if there are many */
    const float *number;  /* [n_rows, n_columns]; NaN is printed as a dash */
    bool shaded;          /* print each row again as shades of grey, scaled from the smallest number of the table to the
                             largest; then no number may be NaN */
} Table;

/* Prints the table. A Chinese character in a label counts as two columns. */
void table_print(FILE *out, const Table *table);

#endif
