#include "view/table.h"

#include "view/spelling.h"

#include <math.h>
#include <utf8proc.h>

enum { MOST_UNNAMED = 12, SHOWN_UNNAMED = 8, LABEL_MOST = 16, NUMBER = 16 /* bytes of a formatted number */ };

/* Returns how many bytes of a label are printed; *width: how many columns of the terminal they take. */
static int label_fit(const char *text, int *width) {
    const char *end = text;
    *width = 0;
    for (const char *next = text; *next; end = next) {
        int more = utf8proc_charwidth(char_display(&next));
        if (*width + more > LABEL_MOST) break;
        *width += more;
    }
    return (int)(end - text);
}

static void put_spaces(FILE *out, int n) { fprintf(out, "%*s", n, ""); }

static void put_label(FILE *out, const char *text, int room, bool right) {
    int width, bytes = label_fit(text, &width);
    if (right) put_spaces(out, room - width);
    fwrite(text, 1, (size_t)bytes, out);
    if (!right) put_spaces(out, room - width);
}

static int widest_label(char *const *labels, int n) {
    int most = 0, width;
    for (int i = 0; i < n; i++) {
        label_fit(labels[i], &width);
        if (width > most) most = width;
    }
    return most;
}

static int format_number(char text[NUMBER], float number) {
    return snprintf(text, NUMBER, isnan(number) ? "-" : fabsf(number) < 1e5F ? "%.4f" : "%.3e", (double)number);
}

static const float *row_of(const Table *table, int i) { return table->number + (size_t)i * (size_t)table->n_columns; }

/* The width of a column of the table in columns of the terminal; the first `shown` columns are printed. */
static int number_width(const Table *table, int shown) {
    char text[NUMBER];
    int width = table->columns ? widest_label(table->columns, shown) : 0;
    for (int i = 0; i < table->n_rows; i++)
        for (int j = 0; j < shown; j++) {
            int own = format_number(text, row_of(table, i)[j]);
            if (own > width) width = own;
        }
    return width;
}

static void range_of(const Table *table, float *least, float *most) {
    *least = INFINITY, *most = -INFINITY;
    for (const float *x = table->number; x < row_of(table, table->n_rows); x++)
        *least = fminf(*least, *x), *most = fmaxf(*most, *x);
}

/* Prints two characters for each number, so that a cell is about square. */
static void put_shades(FILE *out, const float *number, int n, float least, float most) {
    static const char *const shade[] = {"··", "░░", "▒▒", "▓▓", "██"};
    put_spaces(out, 3);
    for (int j = 0; j < n; j++) {
        int level = most > least ? (int)(5 * (number[j] - least) / (most - least)) : 0;
        fputs(shade[level < 5 ? level : 4], out);
    }
}

void table_print(FILE *out, const Table *table) {
    const int shown = !table->columns && table->n_columns > MOST_UNNAMED ? SHOWN_UNNAMED : table->n_columns;
    const int width = number_width(table, shown) + 2, margin = widest_label(table->rows, table->n_rows);
    float least, most;
    range_of(table, &least, &most);
    if (table->columns) {
        put_spaces(out, 2 + margin);
        for (int j = 0; j < shown; j++) put_label(out, table->columns[j], width, true);
        fputc('\n', out);
    }
    for (int i = 0; i < table->n_rows; i++) {
        char text[NUMBER];
        put_spaces(out, 2);
        put_label(out, table->rows[i], margin, false);
        for (int j = 0; j < shown; j++) {
            format_number(text, row_of(table, i)[j]);
            fprintf(out, "%*s", width, text);
        }
        if (shown < table->n_columns) fputs("  …", out);
        if (table->shaded) put_shades(out, row_of(table, i), shown, least, most);
        fputc('\n', out);
    }
}
