/* lines.h: text files, line by line. A byte order mark at the start is no text; a carriage return at the end
   of a line is white space. */
#ifndef TIDE_LINES_H
#define TIDE_LINES_H

#include "core/base.h"

#include <stdbool.h>
#include <stdio.h>

/* Bytes of a line: more is an error, so that whatever is counted in one fits into an int. */
enum { LONGEST_LINE = 1 << 30 };

/* A walk over the lines of a file, of which one is in memory at a time. */
typedef struct LineReader {
    const char *path; /* as errors name it; not owned */
    FILE *stream;
    char *line; /* the line at hand, without its newline and with a NUL behind it; it may hold others */
    size_t length;
    size_t capacity;
    long number;    /* from 1 */
    bool keep_mark; /* for the caller to set: a byte order mark at the start is text */
} LineReader;

/* path NULL reads standard input. Returns -1 with *err filled, and then nothing needs closing. */
int line_reader_open(LineReader *reader, const char *path, Err *err);
/* Goes to the next line: 1, or 0 at the end, or -1 with *err filled. */
int line_reader_next(LineReader *reader, Err *err);
/* n bytes that stand `offset` bytes into a line of a file, as normalised text, owned by the caller; NULL with *err
   filled, which names file, line and byte, where they are not UTF-8 or hold a NUL. */
char *line_text(const char *bytes, size_t n, const char *path, long line, size_t offset, Err *err);
/* The bytes [from, to) of the line at hand as normalised text, owned by the caller; NULL with *err filled, which names
   file, line and byte, where they are not UTF-8 or hold a NUL. */
char *line_reader_text(const LineReader *reader, size_t from, size_t to, Err *err);
void line_reader_close(LineReader *reader);

/* One text file as normalised lines (stb_ds array of owned strings, empty lines kept); NULL with *err filled.
   path NULL or "-" reads standard input. An empty file gives an error, or if allow_empty an array of none,
   which is not NULL. */
char **lines_read(const char *path, int allow_empty, Err *err);
/* The same, but lines as they stand (without \r), and a file may be empty. */
char **lines_read_raw(const char *path, Err *err);
void lines_free(char **lines);

#endif
