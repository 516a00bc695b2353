/* normal_lines.h: lines of files as normalised text (text_normalise in unicode.h). */
#ifndef TIDE_NORMAL_LINES_H
#define TIDE_NORMAL_LINES_H

#include "io/lines.h"

/* Normalises n bytes that begin at byte `offset` of a line. The caller owns the text. NULL with *err filled as
   line_check does. */
char *line_text(const char *bytes, size_t n, const char *path, long line, size_t offset, Err *err);
/* line_text for the bytes [from, to) of the current line. */
char *line_reader_text(const LineReader *reader, size_t from, size_t to, Err *err);
/* lines_read_raw, but the lines are normalised. */
char **lines_read(const char *path, bool allow_empty, Err *err);

#endif
