#include "io/visible.h"
#include "core/base.h"
#include "io/system.h"
#include "io/utf8.h"

#include <string.h>

/* Whether an escape stands for the character: it is a control character (Cc), breaks lines, or changes the direction of
   writing. */
static bool is_hidden(int32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void write_escape(FILE *out, int32_t c) {
    switch (c) {
    case '\n': fputs("\\n", out); break;
    case '\t': fputs("\\t", out); break;
    case '\r': fputs("\\r", out); break;
    default: fprintf(out, c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c);
    }
}

void visible_write(FILE *out, const char *bytes, size_t n, const char *keep) {
    int32_t c;
    for (size_t at = 0, length; at < n; at += length) {
        length = utf8_read(bytes + at, n - at, &c);
        if (!length) {
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)bytes[at]);
            length = 1;
        } else if (is_hidden(c) && !(c > 0 && c < 0x80 && strchr(keep, c))) {
            write_escape(out, c);
        } else {
            fwrite(bytes + at, 1, length, out);
        }
    }
}

/* ---- the stream ---- */

typedef struct Visible {
    FILE *out;
    char begun[8]; /* a character that is not complete yet */
    size_t count;
} Visible;

/* The number of bytes at the end that may be the beginning of a character. */
static size_t begun_at_end(const char *bytes, size_t n) {
    for (size_t k = 1; k <= 3 && k <= n; k++) {
        const unsigned char c = (unsigned char)bytes[n - k];
        const size_t length = 2u + (c >= 0xe0) + (c >= 0xf0);
        if (c >= 0xc0) return k < length ? k : 0;
        if (c < 0x80) return 0;
    }
    return 0;
}

static ssize_t visible_some(void *cookie, const char *bytes, size_t n) {
    Visible *v = cookie;
    char *text = mem_alloc(v->count + n);
    memcpy(text, v->begun, v->count);
    memcpy(text + v->count, bytes, n);
    const size_t all = v->count + n, whole = all - begun_at_end(text, all);
    visible_write(v->out, text, whole, "\n\t");
    v->count = all - whole;
    memcpy(v->begun, text + whole, v->count);
    mem_free(text);
    return ferror(v->out) ? 0 : (ssize_t)n;
}

static int visible_close(void *cookie) {
    Visible *v = cookie;
    visible_write(v->out, v->begun, v->count, "");
    mem_free(v);
    return 0;
}

FILE *visible_stream(FILE *out) {
    Visible *v = mem_zalloc(sizeof *v);
    v->out = out;
    FILE *stream = stream_open(v, (StreamFunctions){.write = visible_some, .close = visible_close});
    if (!stream) mem_refused(0);
    setvbuf(stream, NULL, _IONBF, 0); /* what is written to `out` itself stays in its place */
    return stream;
}
