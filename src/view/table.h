/* table.h: rows of numbers under headings, as a terminal shows them. */
#ifndef TIDE_TABLE_H
#define TIDE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Table {
    int n_rows, n_columns;
    char *const *rows;    /* [n_rows] labels; long ones are cut short */
    char *const *columns; /* [n_columns] the same, or NULL: none, and of many columns only the first are shown */
    const float *number;  /* [n_rows, n_columns]; a NaN is shown as a dash */
    bool shaded;          /* behind each row its numbers, none of them NaN, as shades from the smallest of all to the
                             largest */
} Table;

/* Prints it, Chinese labels taking two columns a character. */
void table_print(FILE *out, const Table *table);

#endif
