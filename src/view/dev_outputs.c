#include "view/dev_outputs.h"
#include "io/ds.h"
#include "io/lines.h"
#include "io/numbered.h"
#include "score/chrf.h"
#include "view/web.h"

#include <string.h>

enum { MOST_OUTPUTS = 40, MOST_PAIRS = 500, MOST_BYTES = 2 << 20 };

/* Reads the first lines of a file, at most `most`: a stb_ds array. *total (unless NULL) receives the number of all
   lines. NULL with *err filled on errors; an empty file is one. Release with strings_free. */
static char **first_lines(const char *path, long most, long *total, Err *err) {
    LineReader reader;
    char **lines = NULL;
    int status = 0;
    if (line_reader_open(&reader, path, err)) return NULL;
    while ((total || arrlen(lines) < most) && (status = line_reader_next(&reader, err)) > 0)
        if (arrlen(lines) < most) arrput(lines, mem_strdup(reader.line));
    if (total) *total = reader.number;
    line_reader_close(&reader);
    if (!status && !lines) err_set(err, path, 0, "is empty");
    if (status >= 0) return lines;
    strings_free(lines);
    return NULL;
}

/* Lists the updates whose translations the page holds (a stb_ds array): all, or evenly spaced ones and the best.
   Stores the number of all in *recorded. */
static int choose_updates(const char *valid, const DevOutputs *which, long **chosen, long *recorded, Err *err) {
    long *updates;
    *chosen = NULL;
    if (numbered_list(valid, ".out", &updates, err)) return -1;
    for (ptrdiff_t i = 0; i < arrlen(updates); i++) {
        const double update = (double)updates[i];
        if (update > which->after && update <= which->last) arrput(*chosen, updates[i]);
    }
    *recorded = arrlen(*chosen);
    numbers_thin(*chosen, MOST_OUTPUTS, (long)which->best);
    arrfree(updates);
    return 0;
}

/* The number of first lines of all columns whose bytes fit on the page; at least one. */
static long fitting_lines(char ***columns, long n) {
    size_t bytes = 0;
    for (long i = 0; i < n; i++) {
        for (ptrdiff_t c = 0; c < arrlen(columns); c++) bytes += strlen(columns[c][i]);
        if (bytes > MOST_BYTES && i > 0) return i;
    }
    return n;
}

/* Writes the translations of one update and the chrF of each. */
static void write_validation(FILE *out, long update, char *const *texts, char *const *references, long n) {
    fprintf(out, "{\"update\":%ld,\"texts\":[", update);
    for (long i = 0; i < n; i++) {
        if (i) fputc(',', out);
        web_text(out, texts[i]);
    }
    fputs("],\"scores\":[", out);
    for (long i = 0; i < n; i++)
        fprintf(out, "%s%.1f", i ? "," : "", chrf_corpus(texts + i, references + i, 1, false).score);
    fputs("]}", out);
}

/* columns: source, reference, then the translations of each update. */
static void write_columns(FILE *out, char ***columns, const long *updates, long total, long recorded) {
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there are columns */
    const long n = fitting_lines(columns, arrlen(columns[0]));
    fprintf(out, "{\"total\":%ld,\"pairs\":[", total);
    for (long i = 0; i < n; i++) {
        fputs(i ? ",[" : "[", out);
        web_text(out, columns[0][i]);
        fputc(',', out);
        web_text(out, columns[1][i]);
        fputc(']', out);
    }
    fprintf(out, "],\"recorded\":%ld,\"validations\":[", recorded);
    for (ptrdiff_t k = 0; k < arrlen(updates); k++) {
        if (k) fputc(',', out);
        write_validation(out, updates[k], columns[k + 2], columns[1], n);
    }
    fputs("]}", out);
}

/* Reads source, reference and the translations of the updates into *columns (a stb_ds array), which the caller owns,
   after an error too. */
static int read_columns(const char *valid, const long *updates, char ****columns, long *total, Err *err) {
    char path[PATH_SIZE];
    long n = MOST_PAIRS;
    for (ptrdiff_t k = -2; k < arrlen(updates); k++) {
        const bool is_source = k == -2;
        if (k < 0) path_in(path, valid, is_source ? "source.txt" : "reference.txt");
        else numbered_path(path, valid, updates[k], ".out");
        char **lines = first_lines(path, n, is_source ? total : NULL, err);
        if (!lines) return -1;
        arrput(*columns, lines);
        if (is_source) n = arrlen(lines);
        if (arrlen(lines) < n) return err_set(err, path, 0, "has %td lines, but the dev set has more", arrlen(lines));
    }
    return 0;
}

int dev_outputs_write(FILE *out, const char *dir, const DevOutputs *which, Err *err) {
    char valid[PATH_SIZE], ***columns = NULL;
    long *updates, total = 0, recorded;
    path_in(valid, dir, "valid");
    if (choose_updates(valid, which, &updates, &recorded, err)) return -1;
    const int status = updates ? read_columns(valid, updates, &columns, &total, err) : 0;
    if (!updates) fputs("null", out);
    else if (!status) write_columns(out, columns, updates, total, recorded);
    for (ptrdiff_t c = 0; c < arrlen(columns); c++) strings_free(columns[c]);
    arrfree(columns);
    arrfree(updates);
    return status;
}
