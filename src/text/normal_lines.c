#include "text/normal_lines.h"

#include "io/ds.h"
#include "text/unicode.h"

char *line_text(const char *bytes, size_t n, const char *path, long line, size_t offset, Err *err) {
    char *text = text_normalise(bytes, n, NULL);
    if (!text) line_check(bytes, n, path, line, offset, err);
    return text;
}

char *line_reader_text(const LineReader *reader, size_t from, size_t to, Err *err) {
    return line_text(reader->line + from, to - from, reader->path, reader->number, from, err);
}

char **lines_read(const char *path, bool allow_empty, Err *err) {
    char **lines = lines_read_raw(path, allow_empty, err);
    for (ptrdiff_t i = 0; i < arrlen(lines); i++) {
        char *raw = lines[i];
        lines[i] = text_normalise(raw, strlen(raw), NULL);
        mem_free(raw);
    }
    return lines;
}
