#include "io/lines.h"

#include "core/scope.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ---- */

static void close_file(void *file) { fclose(file); }

static const char *input_path; /* one for the whole process, as stdin; NULL: standard input is what it was */

int standard_input_open(const char *path, Err *err) {
    FILE *file = file_open(path, "rb", err);
    if (!file) return -1;
    input_path = path;
    if (fileno(file) == STDIN_FILENO) return 0; /* standard input was closed; `file` stays open, unused */
    const int error = dup2(fileno(file), STDIN_FILENO) < 0 ? errno : 0;
    fclose(file);
    return error ? err_set(err, path, 0, "%s", strerror(error)) : 0;
}

const char *standard_input_name(void) { return input_path ? input_path : "standard input"; }

int line_reader_open(LineReader *reader, const char *path, Err *err) {
    *reader =
        (LineReader){.path = path ? path : standard_input_name(), .file = path ? file_open(path, "rb", err) : stdin};
    if (!reader->file) return -1;
    if (path) scope_own(reader->file, close_file);
    if (compressed_open(reader->file, reader->path, &reader->compressed, err)) {
        line_reader_close(reader);
        return -1;
    }
    reader->stream = reader->compressed ? reader->compressed->stream : reader->file;
    return 0;
}

/* Removes a byte order mark from the first line. Returns whether there was one. */
static bool skip_byte_order_mark(LineReader *reader) {
    if (reader->keep_mark || reader->number != 1 || reader->length < 3 || memcmp(reader->line, "\xEF\xBB\xBF", 3) != 0)
        return false;
    reader->length -= 3;
    memmove(reader->line, reader->line + 3, reader->length + 1);
    return true;
}

/* ---- encodings ---- */

/* Whether bytes begin with a byte order mark of UTF-16. */
static bool is_utf16(const char *bytes, size_t n) {
    return n >= 2 && (!memcmp(bytes, "\xFF\xFE", 2) || !memcmp(bytes, "\xFE\xFF", 2));
}

/* Whether bytes are ASCII and at least two pairs of bytes, as in GB18030 without its longer sequences, and in Big5. */
static bool is_of_pairs(const char *bytes, size_t n) {
    int pairs = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char lead = (unsigned char)bytes[i];
        if (lead < 0x80) continue;
        const unsigned char trail = i + 1 < n ? (unsigned char)bytes[i + 1] : 0;
        if (lead == 0x80 || lead == 0xFF || trail < 0x40 || trail == 0x7F || trail == 0xFF) return false;
        pairs++;
        i++;
    }
    return pairs >= 2;
}

const char *encoding_hint(const char *bytes, size_t n) {
    if (is_utf16(bytes, n)) return "; it is UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`";
    return is_of_pairs(bytes, n) ? "; it may be GB18030 or Big5: convert it, as with `iconv -f GB18030 -t UTF-8`" : "";
}

/* ---- line by line ---- */

/* Sets the error of a stream that cannot be read. */
static int broken(const LineReader *reader, Err *err) {
    const Compressed *c = reader->compressed;
    if (!c) return err_set(err, reader->path, 0, "%s", strerror(errno));
    return err_set(err, reader->path, reader->number + 1, "%s", *c->problem ? c->problem : "cannot be read");
}

int line_reader_next(LineReader *reader, Err *err) {
    errno = 0;
    ssize_t got = getline(&reader->line, &reader->capacity, reader->stream);
    if (got < 0 && errno == ENOMEM) mem_refused(0);
    if (ferror(reader->stream)) return broken(reader, err); /* also if getline has a part of a line */
    if (got < 0) return 0;
    reader->length = (size_t)got;
    bool whole = reader->line[got - 1] == '\n';
    if (whole) reader->line[--reader->length] = '\0';
    reader->number++;
    if (got > LONGEST_LINE)
        return err_set(err, reader->path, reader->number, "a line of %zd bytes, where %d are the limit", got,
                       LONGEST_LINE);
    if (reader->number == 1 && is_utf16(reader->line, reader->length))
        return err_set(err, reader->path, 1, "line is not valid UTF-8 (byte 1)%s", encoding_hint(reader->line, 2));
    bool mark = skip_byte_order_mark(reader);
    if (whole || reader->length > 0 || !mark) return 1;
    reader->number--; /* a file with only a mark has no lines */
    return 0;
}

long line_reader_bytes(LineReader *reader, char *bytes, int n, Err *err) {
    errno = 0;
    const size_t got = fread(bytes, 1, (size_t)n, reader->stream);
    return ferror(reader->stream) ? broken(reader, err) : (long)got;
}

bool line_reader_ready(const LineReader *reader, int milliseconds) {
    return stream_has_line(reader->stream) ||
           input_ready(fileno(reader->file), reader->compressed ? &reader->compressed->program : NULL, milliseconds);
}

long line_reader_count(const LineReader *reader) {
    enum { BLOCK = 1 << 16 };
    const int fd = fileno(reader->file);
    off_t at = reader->compressed ? -1 : ftello(reader->file);
    if (at < 0) return 0;
    char *bytes = mem_alloc(BLOCK);
    long lines = 0;
    bool whole = true; /* the last line ends */
    for (ssize_t n; (n = file_read_some(fd, bytes, BLOCK, at)) > 0; at += n) {
        for (const char *c = bytes, *end = bytes + n; (c = memchr(c, '\n', (size_t)(end - c))); c++) lines++;
        whole = bytes[n - 1] == '\n';
    }
    mem_free(bytes);
    return lines + !whole;
}

int line_check(const char *bytes, size_t n, const char *path, long line, size_t offset, Err *err) {
    size_t bad = 0, length;
    for (int32_t c; bad < n; bad += length)
        if (!(length = utf8_read(bytes + bad, n - bad, &c)) || !c) break;
    if (bad >= n) return 0;
    const char *what = bytes[bad] ? "is not valid UTF-8" : "holds a NUL";
    const char *hint = bytes[bad] ? encoding_hint(bytes, n) : ", as text in UTF-16 does";
    return err_set(err, path, line, "line %s (byte %zu)%s", what, offset + bad + 1, hint);
}

void line_reader_close(LineReader *reader) {
    compressed_close(reader->compressed);
    scope_disown(reader->file, close_file);
    if (reader->file && reader->file != stdin) fclose(reader->file);
    free(reader->line); /* allocated by getline, not by mem_alloc */
    *reader = (LineReader){0};
}

/* ---- all lines ---- */

static int read_all(LineReader *reader, char ***lines, Err *err) {
    int status;
    while ((status = line_reader_next(reader, err)) > 0) {
        size_t length = reader->length;
        if (line_check(reader->line, length, reader->path, reader->number, 0, err)) return -1;
        if (length > 0 && reader->line[length - 1] == '\r') length--;
        arrput(*lines, mem_strndup(reader->line, length));
        if (reader->number == INT_MAX)
            return err_set(err, reader->path, reader->number, "more lines than can be counted");
    }
    return status;
}

char **lines_read_raw(const char *path, bool allow_empty, Err *err) {
    char **lines = NULL;
    arrsetcap(lines, 1); /* an array without lines is not NULL: NULL means an error */
    LineReader reader;
    int status = line_reader_open(&reader, path && strcmp(path, "-") != 0 ? path : NULL, err);
    if (!status) {
        status = read_all(&reader, &lines, err);
        if (!status && arrlen(lines) == 0 && !allow_empty) status = err_set(err, reader.path, 0, "file is empty");
        line_reader_close(&reader);
    }
    if (!status) return lines;
    strings_free(lines);
    return NULL;
}

char *text_read(const char *path, size_t *size, Err *err) {
    LineReader reader;
    if (line_reader_open(&reader, path, err)) return NULL;
    char *text = stream_read(reader.stream, LONGEST_LINE, size);
    int status = *size > LONGEST_LINE ? err_set(err, reader.path, 0, "has more than 1 GiB") : 0;
    if (ferror(reader.stream)) status = broken(&reader, err);
    line_reader_close(&reader);
    if (!status) return text;
    mem_free(text);
    return NULL;
}
