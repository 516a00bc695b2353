/* lines.h: reads text files, plain or compressed, line by line. A byte order mark at the start of a file is removed. A
   carriage return at the end of a line counts as white space. */
#ifndef TIDE_LINES_H
#define TIDE_LINES_H

#include "io/compressed.h"

#include <stdbool.h>
#include <stdio.h>

/* The limit on the bytes of a line, so that counts within a line fit into an int. */
enum { LONGEST_LINE = 1 << 30 };

/* Reads a file; one line is in memory at a time. */
typedef struct LineReader {
    const char *path;       /* for errors; not owned */
    FILE *file, *stream;    /* stream: what is read: the file, or its plain bytes */
    Compressed *compressed; /* NULL: the file is plain */
    char *line;             /* the current line without its newline, NUL-terminated; may contain NULs */
    size_t length;
    size_t capacity;
    long number;    /* of the current line, from 1 */
    bool keep_mark; /* set by the caller: a byte order mark at the start is kept as text */
} LineReader;

/* Returns what to do about bytes that are not UTF-8, as the end of an error text: "; it is UTF-16: ..." if they begin
   as UTF-16, "; it may be GB18030: ..." if they are pairs of bytes as in GB18030, GBK and Big5; else "". */
const char *encoding_hint(const char *bytes, size_t n);
/* Reads `path` in the place of standard input from now on; must come before anything else reads it. `path` must stay.
   Returns 0, or -1 with *err filled. */
int standard_input_open(const char *path, Err *err);
/* The name of standard input for errors: the path of standard_input_open, else "standard input". */
const char *standard_input_name(void);
/* Opens `path`, or standard input if it is NULL. Returns 0, or -1 with *err filled; then nothing must be closed. */
int line_reader_open(LineReader *reader, const char *path, Err *err);
/* Reads the next line. Returns 1, or 0 at the end of the file, or -1 with *err filled. */
int line_reader_next(LineReader *reader, Err *err);
/* Reads up to n bytes instead of a line, for formats that have no lines. Returns their number, 0 at the end of the
   file, or -1 with *err filled. */
long line_reader_bytes(LineReader *reader, char *bytes, int n, Err *err);
/* Whether the next read would not wait: a whole line is in the buffer, or the system has text, or an end, within some
   milliseconds. */
bool line_reader_ready(const LineReader *reader, int milliseconds);
/* The number of lines that a regular file has, from its current position; 0 if it is compressed or cannot be read. */
long line_reader_count(const LineReader *reader);
/* Checks that n bytes, which begin at byte `offset` of a line, are valid UTF-8 without a NUL. Returns 0, or -1 with
 *err filled (file, line and byte). */
int line_check(const char *bytes, size_t n, const char *path, long line, size_t offset, Err *err);
void line_reader_close(LineReader *reader);

/* All lines of a file, empty lines included, without normalisation (only \r at the end is removed): a stb_ds array of
   owned strings, to be released with strings_free. path NULL or "-" reads standard input. An empty file is an error; if
   allow_empty is set, it gives an array of length 0 that is not NULL. NULL with *err filled on errors. */
char **lines_read_raw(const char *path, bool allow_empty, Err *err);

/* The bytes of a text file, plain or compressed, and a NUL after them; the caller owns them. path NULL reads standard
   input. Sets *size to the length without the NUL. NULL with *err filled if the file cannot be read or has more than
   LONGEST_LINE bytes. */
char *text_read(const char *path, size_t *size, Err *err);

#endif
