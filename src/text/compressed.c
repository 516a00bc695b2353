#include "text/compressed.h"

#include "text/lines.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#if defined(TIDE_GZIP)
#include <zlib.h>
#endif
#if defined(TIDE_XZ)
#include <lzma.h>
#endif
#if defined(TIDE_ZSTD)
#include <zstd.h>
#endif

enum { INPUT = 1 << 16, MOST_MAGIC = 6, MOST_FUNCTIONS = 4 };

typedef struct Format {
    const char *name;
    unsigned char magic[MOST_MAGIC];
    int magic_length;
    const char *library, *package;                /* the library of the runtime; the package for building; */
    const char *const names[MOST_FUNCTIONS];      /* of its functions; NULL ends them */
    int (*begin)(Compressed *);                   /* returns 0, or -1 if memory is refused */
    size_t (*step)(Compressed *, char *, size_t); /* decodes up to n bytes; sets `inside`, or `problem` */
    void (*end)(Compressed *);
} Format;

struct Compressed {
    const Format *format;
    FILE *file, *stream;
    void *library, *functions[MOST_FUNCTIONS];
    unsigned char input[INPUT];
    size_t at, size; /* the bytes of input that are not decoded: [at, size) */
    bool ended;      /* the file has no more bytes */
    bool inside;     /* the data are not complete */
    size_t line;     /* bytes since the last end of a line */
    const char *problem;
    char reason[160];
#if defined(TIDE_GZIP)
    z_stream gzip;
#endif
#if defined(TIDE_XZ)
    lzma_stream xz;
#endif
#if defined(TIDE_ZSTD)
    ZSTD_DStream *zstd;
#endif
};

/* Calls function number i of the format's library, whose prototype is that of `name`. */
#define CALL(c, i, name) ((__typeof__(name) *)(c)->functions[i])

static size_t fails(Compressed *c, const char *why) {
    snprintf(c->reason, sizeof c->reason, "the %s data are damaged: %s", c->format->name, why ? why : "not valid");
    c->problem = c->reason;
    return 0;
}

/* ---- gzip (RFC 1952), with zlib
 * -------------------------------------------------------------------------------------- */

#if defined(TIDE_GZIP)
static int gzip_begin(Compressed *c) {
    enum { GZIP_HEADER = 16 };
    c->inside = true;
    return CALL(c, 0, inflateInit2_)(&c->gzip, MAX_WBITS + GZIP_HEADER, ZLIB_VERSION, (int)sizeof c->gzip) ? -1 : 0;
}

static size_t gzip_step(Compressed *c, char *out, size_t n) {
    z_stream *z = &c->gzip;
    if (!c->inside) CALL(c, 1, inflateReset)(z); /* another member */
    c->inside = true;
    z->next_in = c->input + c->at, z->avail_in = (uInt)(c->size - c->at);
    z->next_out = (unsigned char *)out, z->avail_out = (uInt)n;
    const int status = CALL(c, 2, inflate)(z, Z_NO_FLUSH);
    c->at = c->size - z->avail_in;
    c->inside = status != Z_STREAM_END;
    if (status == Z_MEM_ERROR) mem_refused(0);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return fails(c, z->msg);
    return n - z->avail_out;
}

static void gzip_end(Compressed *c) { CALL(c, 3, inflateEnd)(&c->gzip); }
#define GZIP gzip_begin, gzip_step, gzip_end
#else
#define GZIP NULL, NULL, NULL
#endif

/* ---- xz, with liblzma
 * ------------------------------------------------------------------------------------------------ */

#if defined(TIDE_XZ)
static int xz_begin(Compressed *c) {
    const uint64_t most = (uint64_t)1 << 28; /* bytes of memory; xz -9 needs a quarter of it */
    c->inside = true;
    return CALL(c, 0, lzma_stream_decoder)(&c->xz, most, LZMA_CONCATENATED) ? -1 : 0;
}

static size_t xz_step(Compressed *c, char *out, size_t n) {
    lzma_stream *x = &c->xz;
    x->next_in = c->input + c->at, x->avail_in = c->size - c->at;
    x->next_out = (uint8_t *)out, x->avail_out = n;
    const lzma_ret status = CALL(c, 1, lzma_code)(x, c->ended ? LZMA_FINISH : LZMA_RUN);
    c->at = c->size - x->avail_in;
    c->inside = status != LZMA_STREAM_END;
    if (status == LZMA_MEM_ERROR) mem_refused(0);
    if (status == LZMA_MEMLIMIT_ERROR) return fails(c, "they need more than 256 MiB of memory");
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR) return fails(c, NULL);
    return n - x->avail_out;
}

static void xz_end(Compressed *c) { CALL(c, 2, lzma_end)(&c->xz); }
#define XZ xz_begin, xz_step, xz_end
#else
#define XZ NULL, NULL, NULL
#endif

/* ---- Zstandard (RFC 8878), with libzstd
 * ------------------------------------------------------------------------------- */

#if defined(TIDE_ZSTD)
static int zstd_begin(Compressed *c) {
    c->inside = true;
    c->zstd = CALL(c, 0, ZSTD_createDStream)(); /* its limit for windows is 128 MiB */
    return c->zstd ? 0 : -1;
}

static size_t zstd_step(Compressed *c, char *out, size_t n) {
    ZSTD_inBuffer from = {c->input, c->size, c->at};
    ZSTD_outBuffer to = {out, n, 0};
    const size_t status = CALL(c, 1, ZSTD_decompressStream)(c->zstd, &to, &from);
    c->at = from.pos;
    c->inside = status != 0;
    if (CALL(c, 2, ZSTD_isError)(status)) return fails(c, NULL);
    return to.pos;
}

static void zstd_end(Compressed *c) { CALL(c, 3, ZSTD_freeDStream)(c->zstd); }
#define ZSTD zstd_begin, zstd_step, zstd_end
#else
#define ZSTD NULL, NULL, NULL
#endif

/* ----------------------------------------------------------------------------------------------------------------------
 */

static const Format formats[] = {
    {"gzip",
     {0x1f, 0x8b},
     2,
     "libz.so.1",
     "zlib1g-dev",
     {"inflateInit2_", "inflateReset", "inflate", "inflateEnd"},
     GZIP},
    {"xz",
     {0xfd, '7', 'z', 'X', 'Z', 0},
     6,
     "liblzma.so.5",
     "liblzma-dev",
     {"lzma_stream_decoder", "lzma_code", "lzma_end"},
     XZ},
    {"zstd",
     {0x28, 0xb5, 0x2f, 0xfd},
     4,
     "libzstd.so.1",
     "libzstd-dev",
     {"ZSTD_createDStream", "ZSTD_decompressStream", "ZSTD_isError", "ZSTD_freeDStream"},
     ZSTD},
};

/* Reads the next bytes of the file if all are decoded. */
static void refill(Compressed *c) {
    if (c->at < c->size || c->ended) return;
    errno = 0;
    c->at = 0;
    c->size = fread(c->input, 1, INPUT, c->file);
    c->ended = c->size < INPUT;
    if (ferror(c->file)) c->problem = strerror(errno);
}

/* A few compressed bytes can become a line that fills the memory. */
static void check_line(Compressed *c, const char *bytes, size_t n) {
    const char *last = memrchr(bytes, '\n', n);
    c->line = last ? (size_t)(bytes + n - last) : c->line + n;
    if (c->line > LONGEST_LINE) fails(c, "they have a line of more than 1 GiB");
}

static ssize_t read_plain(void *cookie, char *out, size_t n) {
    Compressed *c = cookie;
    size_t got = 0;
    while (!got && !c->problem) {
        refill(c);
        const bool drained = c->ended && c->at == c->size;
        if (c->problem || (drained && !c->inside)) break;
        got = c->format->step(c, out, n);
        if (!got && drained && c->inside && !c->problem) fails(c, "they end too early");
    }
    check_line(c, out, got);
    if (!c->problem) return (ssize_t)got;
    errno = EIO;
    return -1;
}

/* The format of a file; NULL if it is plain. Puts the bytes back. */
static const Format *format_of(FILE *file) {
    int bytes[MOST_MAGIC], n = 0;
    const Format *format = formats, *const end = formats + sizeof formats / sizeof *formats;
    bytes[n++] = getc(file);
    while (format < end && bytes[0] != format->magic[0]) format++;
    if (format == end) {
        ungetc(bytes[0], file);
        return NULL;
    }
    while (n < format->magic_length && bytes[n - 1] == format->magic[n - 1]) bytes[n++] = getc(file);
    const bool whole = n == format->magic_length && bytes[n - 1] == format->magic[n - 1];
    while (n-- > 0) ungetc(bytes[n], file); /* does nothing for EOF */
    return whole ? format : NULL;
}

/* Loads the library. */
static int load(Compressed *c, const char *path, Err *err) {
    const Format *format = c->format;
    if (!format->step)
        return err_set(err, path, 0, "is compressed by %s: this tide was built without Debian's package %s",
                       format->name, format->package);
    c->library = dlopen(format->library, RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < MOST_FUNCTIONS && format->names[i]; i++) {
        c->functions[i] = c->library ? dlsym(c->library, format->names[i]) : NULL;
        if (!c->functions[i])
            return err_set(err, path, 0, "is compressed by %s, but there is no %s", format->name, format->library);
    }
    if (format->begin(c)) mem_refused(0);
    return 0;
}

int compressed_open(FILE *file, const char *path, Compressed **compressed, Err *err) {
    *compressed = NULL;
    errno = 0;
    const Format *format = format_of(file);
    if (ferror(file)) return err_set(err, path, 0, "%s", strerror(errno));
    if (!format) return 0;
    Compressed *c = mem_zalloc(sizeof *c);
    *c = (Compressed){.format = format, .file = file};
    if (load(c, path, err)) {
        if (c->library) dlclose(c->library);
        mem_free(c);
        return -1;
    }
    c->stream = fopencookie(c, "r", (cookie_io_functions_t){.read = read_plain});
    if (!c->stream) mem_refused(0);
    *compressed = c;
    return 0;
}

FILE *compressed_stream(const Compressed *c) { return c->stream; }

const char *compressed_problem(const Compressed *c) { return c->problem ? c->problem : "cannot be read"; }

void compressed_close(Compressed *c) {
    if (!c) return;
    fclose(c->stream);
    c->format->end(c);
    dlclose(c->library);
    mem_free(c);
}
