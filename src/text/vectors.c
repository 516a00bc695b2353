#include "text/vectors.h"

#include "text/ds.h"
#include "text/lines.h"

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
    CHECK(cols > 0 && (vectors->rows == 0 || cols == vectors->cols), "a vector of %d among some of %d", cols,
          vectors->cols);
    vectors->cols = cols;
    vectors->rows++;
    float *row = arraddnptr(vectors->numbers, (size_t)cols);
    memcpy(row, numbers, (size_t)cols * sizeof *numbers);
    arrput(vectors->words, mem_strdup(word));
}

int vectors_find(const Vectors *vectors, const char *word) {
    for (int i = 0; i < vectors->rows; i++)
        if (!strcmp(vectors->words[i], word)) return i;
    return -1;
}

void vectors_free(Vectors *vectors) {
    for (int i = 0; i < vectors->rows; i++) mem_free(vectors->words[i]);
    arrfree(vectors->words);
    arrfree(vectors->numbers);
    *vectors = (Vectors){0};
}

/* Takes the normalised line at hand apart, in which white space is single spaces: *word becomes what stands before the
   numbers, NULL where nothing does. */
static int parse_line(char *line, const LineReader *at, const char **word, float **numbers, Err *err) {
    *word = NULL;
    for (char *rest = line; rest;) {
        const bool first = rest == line;
        const char *text = strsep(&rest, " ");
        float number;
        const int known = number_parse(text, &number);
        if (known == 1) arrput(*numbers, number);
        else if (known == 0 && first) *word = text;
        else return err_set(err, at->path, at->number, "'%.100s' is not a %snumber", text, known ? "finite " : "");
    }
    return arrlen(*numbers) ? 0 : err_set(err, at->path, at->number, "a word without numbers");
}

/* Adds a line that is not blank. `first` is the first of those. */
static int add_line(Vectors *vectors, char *line, const LineReader *at, long first, Err *err) {
    char own[24];
    const char *word;
    float *numbers = NULL;
    int status = parse_line(line, at, &word, &numbers, err);
    if (!status && vectors->rows && arrlen(numbers) != vectors->cols)
        status = err_set(err, at->path, at->number, "%td numbers, but line %ld has %d", arrlen(numbers), first,
                         vectors->cols);
    if (!status && vectors->rows == INT_MAX - 1)
        status = err_set(err, at->path, at->number, "more vectors than can be counted");
    snprintf(own, sizeof own, "%d", vectors->rows + 1);
    if (!status) vectors_add(vectors, word ? word : own, numbers, (int)arrlen(numbers));
    arrfree(numbers);
    return status;
}

static int read_lines(Vectors *vectors, LineReader *reader, Err *err) {
    long first = 0;
    int status;
    while ((status = line_reader_next(reader, err)) > 0) {
        char *line = line_reader_text(reader, 0, reader->length, err);
        if (!line) return -1;
        if (*line && !first) first = reader->number;
        int failed = *line ? add_line(vectors, line, reader, first, err) : 0;
        mem_free(line);
        if (failed) return -1;
    }
    if (!status && !vectors->rows) return err_set(err, reader->path, 0, "holds no vectors");
    return status;
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
