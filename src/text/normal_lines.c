#include "text/normal_lines.h"

#include "text/unicode.h"

char *line_text(const char *bytes, size_t n, const char *path, long line, size_t offset, Err *err) {
    char *text = text_normalise(bytes, n, NULL);
    if (!text) line_check(bytes, n, path, line, offset, err);
    return text;
}

char *line_reader_text(const LineReader *reader, size_t from, size_t to, Err *err) {
    return line_text(reader->line + from, to - from, reader->path, reader->number, from, err);
}

static char *whole_line(const LineReader *reader, Err *err) { return line_reader_text(reader, 0, reader->length, err); }

char **lines_read(const char *path, int allow_empty, Err *err) {
    return lines_collect(path, allow_empty, whole_line, err);
}
