/* Streams over functions, and what has to be done before and after the C library reads and writes. */
#include "io/system/windows_handles.h"
#include "io/system.h"

/* The C library has no streams over functions. A Stream is passed as a FILE *; its first bytes tell it from a FILE of
   the library. */
typedef struct Stream {
    uint64_t ours;
    void *context;
    StreamFunctions f;
    char bytes[1 << 14]; /* of an output: to be written; of an input: to be returned, from `at` on */
    size_t at, size;
    bool at_once, failed;
} Stream;

static const uint64_t ours = 0x6d61657274736564; /* no address: a stream of the library begins with one */

static Stream *own_stream(FILE *stream) {
    Stream *own = (void *)stream;
    return own->ours == ours ? own : NULL;
}

FILE *stream_open(void *context, StreamFunctions f) {
    Stream *own = malloc(sizeof *own);
    if (!own) return NULL;
    own->ours = ours, own->context = context, own->f = f;
    own->at = own->size = 0;
    own->at_once = own->failed = false;
    return (void *)own;
}

static int stream_flush(Stream *own) {
    for (size_t done = 0; own->f.write && done < own->size && !own->failed;) {
        const ssize_t n = own->f.write(own->context, own->bytes + done, own->size - done);
        own->failed = n <= 0;
        done += own->failed ? 0 : (size_t)n;
    }
    if (own->f.write) own->size = 0;
    return own->failed ? EOF : 0;
}

static int stream_close(Stream *own) {
    const int flushed = stream_flush(own), closed = own->f.close ? own->f.close(own->context) : 0;
    own->ours = 0;
    free(own);
    return flushed || closed ? EOF : 0;
}

void stream_abandon(FILE *stream) {
    own_stream(stream)->size = 0;
    stream_close(own_stream(stream));
}

bool stream_has_line(const FILE *stream) {
    const Stream *own = own_stream((FILE *)stream);
    if (own) return own->at < own->size && memchr(own->bytes + own->at, '\n', own->size - own->at);
    return stream->_cnt > 0 && memchr(stream->_ptr, '\n', (size_t)stream->_cnt);
}

/* Ends the process, as a signal does on other systems, if a write has failed because nobody reads the standard output.
 */
static void end_if_unread(FILE *stream) {
    enum { STATUS = 141 }; /* that of a shell, for a process that SIGPIPE has ended */
    DWORD n;
    if (stream == stdout && ferror(stream) && GetFileType(handle_of(1)) == FILE_TYPE_PIPE &&
        !WriteFile(handle_of(1), "\n", 1, &n, NULL))
        _exit(STATUS);
}

int windows_fflush(FILE *stream) {
    Stream *own = stream ? own_stream(stream) : NULL;
    if (own) return stream_flush(own);
    const int status = fflush(stream);
    end_if_unread(stream);
    return status;
}

int windows_fclose(FILE *stream) {
    Stream *own = own_stream(stream);
    return own ? stream_close(own) : fclose(stream);
}

int windows_ferror(FILE *stream) {
    const Stream *own = own_stream(stream);
    return own ? own->failed : ferror(stream);
}

int windows_setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
    Stream *own = own_stream(stream);
    if (!own)
        return setvbuf(stream, buffer, mode == _IOLBF ? _IONBF : mode, size); /* the library has no buffer of a line */
    own->at_once = mode != _IOFBF;
    return 0;
}

static size_t stream_put(Stream *own, const char *bytes, size_t n) {
    for (size_t done = 0, some; done < n; done += some) {
        if (own->size == sizeof own->bytes && stream_flush(own)) return done;
        some = n - done < sizeof own->bytes - own->size ? n - done : sizeof own->bytes - own->size;
        memcpy(own->bytes + own->size, bytes + done, some);
        own->size += some;
    }
    return own->at_once && stream_flush(own) ? 0 : n;
}

size_t windows_fwrite(const void *items, size_t size, size_t n, FILE *stream) {
    Stream *own = own_stream(stream);
    if (!own) return fwrite(items, size, n, stream);
    return size && n ? stream_put(own, items, size * n) / size : 0;
}

int windows_fputs(const char *text, FILE *stream) {
    Stream *own = own_stream(stream);
    if (!own) return fputs(text, stream);
    const size_t n = strlen(text);
    return stream_put(own, text, n) == n ? 0 : EOF;
}

int windows_fputc(int c, FILE *stream) {
    Stream *own = own_stream(stream);
    return !own ? fputc(c, stream) : stream_put(own, &(char){(char)c}, 1) == 1 ? (unsigned char)c : EOF;
}

/* Formats in memory: the library would write character by character to a stream without a buffer. */
int windows_vfprintf(FILE *stream, const char *format, va_list args) {
    char short_text[512], *text = short_text;
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(short_text, sizeof short_text, format, args);
    if (n >= (int)sizeof short_text) {
        text = malloc((size_t)n + 1);
        if (text) vsnprintf(text, (size_t)n + 1, format, again);
    }
    va_end(again);
    const bool done = text && n >= 0 && windows_fwrite(text, 1, (size_t)n, stream) == (size_t)n;
    if (!done && own_stream(stream)) own_stream(stream)->failed = true;
    if (text != short_text) free(text);
    return done ? n : -1;
}

int windows_fprintf(FILE *stream, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = windows_vfprintf(stream, format, args);
    va_end(args);
    return n;
}

/* Reads what comes next. Returns whether there is anything. */
static bool stream_fill(Stream *own) {
    if (own->at < own->size) return true;
    const ssize_t n = own->failed ? 0 : own->f.read(own->context, own->bytes, sizeof own->bytes);
    own->failed |= n < 0;
    own->at = 0;
    own->size = n > 0 ? (size_t)n : 0;
    return n > 0;
}

size_t windows_fread(void *items, size_t size, size_t n, FILE *stream) {
    Stream *own = own_stream(stream);
    if (!own) console_begin_input(stream);
    if (!own) return fread(items, size, n, stream);
    size_t done = 0;
    while (done < size * n && stream_fill(own)) {
        const size_t rest = size * n - done, some = rest < own->size - own->at ? rest : own->size - own->at;
        memcpy((char *)items + done, own->bytes + own->at, some);
        own->at += some;
        done += some;
    }
    return size ? done / size : 0;
}

static int next_byte(Stream *own, FILE *stream) {
    if (!own) return getc(stream);
    return stream_fill(own) ? (unsigned char)own->bytes[own->at++] : EOF;
}

ssize_t windows_getline(char **line, size_t *capacity, FILE *stream) {
    Stream *own = own_stream(stream);
    if (!own) console_begin_input(stream);
    size_t n = 0;
    int c = 0;
    while (c != '\n' && (c = next_byte(own, stream)) != EOF) {
        if (n + 2 > *capacity || !*line) {
            const size_t larger = n + 2 > 128 ? (n + 2) * 2 : 128;
            char *more = realloc(*line, larger);
            if (!more) return errno = ENOMEM, -1;
            *line = more;
            *capacity = larger;
        }
        (*line)[n++] = (char)c;
    }
    if (!n) return -1;
    (*line)[n] = '\0';
    return (ssize_t)n;
}
