#include "text/vectors.h"

#include "io/ds.h"
#include "text/normal_lines.h"
#include "text/unicode.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int number_parse(const char *text, float *number) {
    char *end;
    *number = strtof(text, &end);
    if (end == text || *end) return 0;
    return isfinite(*number) ? 1 : -1;
}

void vectors_add(Vectors *vectors, const char *word, const float *numbers, int cols) {
    CHECK(cols > 0 && (vectors->rows == 0 || cols == vectors->cols), "a vector of %d columns, but the others have %d",
          cols, vectors->cols);
    vectors->cols = cols;
    vectors->rows++;
    memcpy(arraddnptr(vectors->numbers, (size_t)cols), numbers, (size_t)cols * sizeof *numbers);
    arrput(vectors->words, mem_strdup(word));
}

int vectors_find(const Vectors *vectors, const char *word) {
    for (int i = 0; i < vectors->rows; i++)
        if (!strcmp(vectors->words[i], word)) return i;
    return -1;
}

void vectors_free(Vectors *vectors) {
    strings_free(vectors->words);
    arrfree(vectors->numbers);
    *vectors = (Vectors){0};
}

/* The format of the file, as far as the lines up to now determine it. */
typedef struct Format {
    const char *path;
    long first;      /* line of the first vector; 0: none yet */
    bool named;      /* every line starts with a word */
    long rows, cols; /* the numbers of a first line that may be a word2vec header "rows cols"; else 0 */
    long header;     /* the number of that line if the second line fits it; 0: the file has no header */
} Format;

/* The fields of a normalised line, separated by single spaces: a stb_ds array of pointers into the line. */
static char **split(char *line) {
    char **fields = NULL;
    while (line) arrput(fields, strsep(&line, " "));
    return fields;
}

/* Whether a field is not a number, finite or not. */
static bool is_word(const char *text) {
    float number;
    return number_parse(text, &number) == 0;
}

/* The number of rows or columns in a header; 0: a field is no such number. */
static long count_of(const char *text) {
    char *end;
    const long count = strtol(text, &end, 10);
    return end != text && !*end && count > 0 && count < INT_MAX ? count : 0;
}

/* Whether the line follows the first one, which may be a header. */
static bool follows_header(const Vectors *vectors, const Format *format) {
    return vectors->rows == 1 && vectors->cols == 2 && !format->named;
}

/* Determines the format from the first line, and from a second one if it has the columns that the first one promises as
   a header. The vector that the first line gave is then dropped. */
static void see_line(Vectors *vectors, Format *format, char **fields, long line) {
    if (!format->first) {
        format->first = line;
        format->named = is_word(fields[0]);
        format->rows = arrlen(fields) == 2 ? count_of(fields[0]) : 0;
        format->cols = format->rows ? count_of(fields[1]) : 0;
    } else if (follows_header(vectors, format) && format->cols && arrlen(fields) == format->cols + 1 &&
               (format->cols > 1 || is_word(fields[0]))) {
        vectors_free(vectors);
        vectors->cols = (int)format->cols;
        format->header = format->first;
        format->first = line;
        format->named = true;
    }
}

/* The number of fields of the word at the start of a line; 0 if lines have no words. If the number of columns is known,
   a word may have several fields, such as GloVe's ". . ."; only its first field may be a number. */
static int word_fields(const Vectors *vectors, const Format *format, char **fields) {
    if (!format->named) return 0;
    int count = 1;
    while (vectors->cols && arrlen(fields) - count > vectors->cols && is_word(fields[count])) count++;
    return count;
}

/* Joins the first `words` fields with spaces; they are adjacent in memory. */
static const char *join(char **fields, int words) {
    for (int i = 1; i < words; i++) fields[i][-1] = ' ';
    return fields[0];
}

static int parse_numbers(const Format *format, char **fields, int words, int cols, long line, float **numbers,
                         Err *err) {
    for (ptrdiff_t i = words; i < arrlen(fields); i++) {
        float number;
        const int known = number_parse(fields[i], &number);
        if (known == 1) arrput(*numbers, number);
        else if (known == 0 && i == 0)
            return err_set(err, format->path, line, "'%.100s' is not a number, and line %ld does not start with a word",
                           fields[i], format->first);
        else return err_set(err, format->path, line, "'%.100s' is not a %snumber", fields[i], known ? "finite " : "");
    }
    if (!arrlen(*numbers)) return err_set(err, format->path, line, "a word without numbers");
    if (!cols || arrlen(*numbers) == cols) return 0;
    return err_set(err, format->path, line, "%td numbers, but line %ld has %d", arrlen(*numbers), format->first, cols);
}

/* Adds the vector of a line that is not blank. Takes ownership of text. */
static int add_line(Vectors *vectors, Format *format, char *text, long line, Err *err) {
    char own[24], **fields = split(text);
    float *numbers = NULL;
    see_line(vectors, format, fields, line);
    const int words = word_fields(vectors, format, fields);
    int status = parse_numbers(format, fields, words, vectors->cols, line, &numbers, err);
    if (!status && vectors->rows == INT_MAX - 1)
        status = err_set(err, format->path, line, "more vectors than can be counted");
    if (!words) snprintf(own, sizeof own, "%d", vectors->rows + 1);
    if (!status) vectors_add(vectors, words ? join(fields, words) : own, numbers, (int)arrlen(numbers));
    arrfree(numbers);
    arrfree(fields);
    mem_free(text);
    return status;
}

/* The current line, normalised, which the caller owns. Normalising removes a word that is white space (fastText and
   GloVe have such words); such a word becomes "␣". */
static char *normal_line(LineReader *reader, bool named, Err *err) {
    char *line = line_reader_text(reader, 0, reader->length, err);
    const size_t word = strcspn(reader->line, " \t");
    if (!line || !*line || !named || !word) return line;
    char *normal = text_normalise(reader->line, word, NULL);
    const bool gone = normal && !*normal;
    mem_free(normal);
    if (!gone) return line;
    char *longer = mem_alloc(strlen("␣ ") + strlen(line) + 1);
    strcpy(stpcpy(longer, "␣ "), line);
    mem_free(line);
    return longer;
}

static int check_count(const Vectors *vectors, const Format *format, Err *err) {
    if (!vectors->rows) return err_set(err, format->path, 0, "holds no vectors");
    if (!format->header || vectors->rows == format->rows) return 0;
    return err_set(err, format->path, format->header, "the header says %ld vectors, but there are %d", format->rows,
                   vectors->rows);
}

static int read_lines(Vectors *vectors, LineReader *reader, Err *err) {
    Format format = {.path = reader->path};
    int status;
    while ((status = line_reader_next(reader, err)) > 0) {
        char *line = normal_line(reader, format.named || follows_header(vectors, &format), err);
        if (!line) return -1;
        if (!*line) mem_free(line);
        else if (add_line(vectors, &format, line, reader->number, err)) return -1;
    }
    return status ? -1 : check_count(vectors, &format, err);
}

int vectors_read(Vectors *vectors, const char *path, Err *err) {
    LineReader reader;
    *vectors = (Vectors){0};
    if (line_reader_open(&reader, path && strcmp(path, "-") != 0 ? path : NULL, err)) return -1;
    int status = read_lines(vectors, &reader, err);
    line_reader_close(&reader);
    if (status) vectors_free(vectors);
    return status;
}
