#include "io/compressed.h"

#include "io/library.h"
#include "io/lines.h"

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

enum { INPUT = 1 << 16, MOST_MAGIC = 6, MOST_FUNCTIONS = 5 };

typedef struct Format {
    const char *name;
    unsigned char magic[MOST_MAGIC];
    int magic_length;
    const char *library, *package;                /* the library of the runtime; the package for building; */
    const char *const names[MOST_FUNCTIONS + 1];  /* of its functions; NULL ends them */
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
    z_stream zlib;
    struct Zip {
        bool inside;   /* in a file of the archive */
        bool deflated; /* else the file is stored */
        bool wanted;   /* the file is the text */
        bool found;    /* the archive has had a text */
        bool trailer;  /* checksum and lengths follow the file */
        bool large;    /* the lengths have 8 bytes */
        uint32_t crc, expected;
        uint64_t left; /* bytes of a stored file */
    } zip;
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

/* Reads the next bytes of the file if all are decoded. */
static void refill(Compressed *c) {
    if (c->at < c->size || c->ended) return;
    errno = 0;
    c->at = 0;
    c->size = fread(c->input, 1, INPUT, c->file);
    c->ended = c->size < INPUT;
    if (ferror(c->file)) c->problem = strerror(errno);
}

/* ---- gzip (RFC 1952), with zlib ------------------------------------------------------------------------------- */

#if defined(TIDE_GZIP)
static int gzip_begin(Compressed *c) {
    enum { GZIP_HEADER = 16 };
    c->inside = true;
    return CALL(c, 0, inflateInit2_)(&c->zlib, MAX_WBITS + GZIP_HEADER, ZLIB_VERSION, (int)sizeof c->zlib) ? -1 : 0;
}

/* Decodes up to n bytes; *complete: they end the data. */
static size_t inflate_some(Compressed *c, char *out, size_t n, bool *complete) {
    z_stream *z = &c->zlib;
    z->next_in = c->input + c->at, z->avail_in = (uInt)(c->size - c->at);
    z->next_out = (unsigned char *)out, z->avail_out = (uInt)n;
    const int status = CALL(c, 2, inflate)(z, Z_NO_FLUSH);
    c->at = c->size - z->avail_in;
    *complete = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR) mem_refused(0);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return fails(c, z->msg);
    return n - z->avail_out;
}

static size_t gzip_step(Compressed *c, char *out, size_t n) {
    bool complete;
    if (!c->inside) CALL(c, 1, inflateReset)(&c->zlib); /* another member */
    const size_t got = inflate_some(c, out, n, &complete);
    c->inside = !complete;
    return got;
}

static void zlib_end(Compressed *c) { CALL(c, 3, inflateEnd)(&c->zlib); }

/* ---- zip (PKWARE, APPNOTE.TXT), with zlib ----------------------------------------------------------------------- */

/* An archive is read from its start to its directory. It must have one text. Files whose names start with _ or . are
   notes, as manythings.org adds them. */

static size_t refuses(Compressed *c, const char *why) {
    snprintf(c->reason, sizeof c->reason, "is compressed by %s: %s", c->format->name, why);
    c->problem = c->reason;
    return 0;
}

static uint64_t little_endian(const unsigned char *bytes, int n) {
    uint64_t value = 0;
    while (n-- > 0) value = value << 8 | bytes[n];
    return value;
}

/* Takes n bytes of the input; stores them unless bytes is NULL. Returns whether there are so many. */
static bool take(Compressed *c, unsigned char *bytes, size_t n) {
    while (n > 0) {
        refill(c);
        if (c->problem || c->at == c->size) return false;
        size_t some = c->size - c->at < n ? c->size - c->at : n;
        if (bytes) memcpy(bytes, c->input + c->at, some), bytes += some;
        c->at += some, n -= some;
    }
    return true;
}

static int zip_begin(Compressed *c) {
    c->inside = true;
    return CALL(c, 0, inflateInit2_)(&c->zlib, -MAX_WBITS, ZLIB_VERSION, (int)sizeof c->zlib) ? -1 : 0;
}

/* Reads the name of a file. Returns whether the file can be the text. */
static bool zip_name(Compressed *c, size_t length) {
    unsigned char byte = 0, first = 0, before = '/';
    for (; length > 0 && take(c, &byte, 1); length--, before = byte)
        if (before == '/') first = byte;
    return byte != '/' && first && first != '_' && first != '.';
}

/* Reads the extra fields of a file, of which the one of Zip64 has the length of a stored file. */
static void zip_extra(Compressed *c, size_t length, bool long_length) {
    enum { HEAD = 4, ZIP64 = 1, LENGTHS = 16 };
    unsigned char field[LENGTHS];
    while (length >= HEAD && take(c, field, HEAD)) {
        const uint64_t id = little_endian(field, 2);
        size_t size = little_endian(field + 2, 2);
        length -= HEAD;
        if (size > length) size = length;
        length -= size;
        c->zip.large |= id == ZIP64;
        if (id == ZIP64 && size >= LENGTHS && take(c, field, LENGTHS)) {
            size -= LENGTHS;
            if (long_length) c->zip.left = little_endian(field + LENGTHS / 2, LENGTHS / 2);
        }
        take(c, NULL, size);
    }
    take(c, NULL, length);
}

/* Reads the header of the next file; at the directory, the rest of the archive. */
static void zip_next(Compressed *c) {
    enum { HEADER = 26, ENCRYPTED = 1, TRAILER = 8, STORED = 0, DEFLATED = 8 };
    unsigned char signature[4], header[HEADER];
    struct Zip *zip = &c->zip;
    if (!take(c, signature, sizeof signature)) return;
    if (memcmp(signature, "PK\3\4", sizeof signature) != 0) {
        if (memcmp(signature, "PK\1\2", sizeof signature) != 0) fails(c, NULL);
        else if (!zip->found) refuses(c, "the archive has no text");
        while (take(c, NULL, 1)) continue;
        c->inside = false;
        return;
    }
    if (!take(c, header, HEADER)) return;
    const uint64_t flags = little_endian(header + 2, 2), method = little_endian(header + 4, 2);
    *zip = (struct Zip){.inside = true,
                        .found = zip->found,
                        .deflated = method == DEFLATED,
                        .trailer = flags & TRAILER,
                        .expected = (uint32_t)little_endian(header + 10, 4),
                        .left = little_endian(header + 14, 4)};
    if (flags & ENCRYPTED) refuses(c, "the archive is encrypted");
    if ((method != DEFLATED && method != STORED) || (method == STORED && zip->trailer))
        refuses(c, "the archive has a file of another format; unpack it");
    zip->wanted = zip_name(c, little_endian(header + 22, 2));
    zip_extra(c, little_endian(header + 24, 2), zip->left == UINT32_MAX);
    if (zip->wanted && zip->found) refuses(c, "the archive has several texts; unpack it");
    zip->found |= zip->wanted;
    CALL(c, 1, inflateReset)(&c->zlib);
}

/* Reads what follows a file, and compares the checksums. */
static void zip_finish(Compressed *c) {
    enum { CHECKSUM = 4 };
    static const unsigned char signature[CHECKSUM] = {'P', 'K', 7, 8};
    unsigned char checksum[CHECKSUM];
    struct Zip *zip = &c->zip;
    zip->inside = false;
    if (zip->trailer) {
        if (!take(c, checksum, CHECKSUM)) return;
        if (!memcmp(checksum, signature, CHECKSUM) && !take(c, checksum, CHECKSUM)) return;
        zip->expected = (uint32_t)little_endian(checksum, CHECKSUM);
        take(c, NULL, zip->large ? 16 : 8);
    }
    if (zip->crc != zip->expected) fails(c, "incorrect data check");
}

static size_t zip_step(Compressed *c, char *out, size_t n) {
    struct Zip *zip = &c->zip;
    size_t got;
    bool complete;
    if (!zip->inside) {
        zip_next(c);
        return 0;
    }
    if (zip->deflated) {
        got = inflate_some(c, out, n, &complete);
    } else {
        got = n < zip->left ? n : zip->left;
        if (got > c->size - c->at) got = c->size - c->at;
        memcpy(out, c->input + c->at, got);
        c->at += got, zip->left -= got;
        complete = zip->left == 0;
    }
    zip->crc = (uint32_t)CALL(c, 4, crc32)(zip->crc, (unsigned char *)out, (uInt)got);
    if (complete && !c->problem) zip_finish(c);
    return zip->wanted ? got : 0;
}
#define GZIP gzip_begin, gzip_step, zlib_end
#define ZIP  zip_begin, zip_step, zlib_end
#else
#define GZIP NULL, NULL, NULL
#define ZIP  NULL, NULL, NULL
#endif

/* ---- xz, with liblzma ----------------------------------------------------------------------------------------- */

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

/* ---- Zstandard (RFC 8878), with libzstd ----------------------------------------------------------------------- */

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

/* ---- all formats ---------------------------------------------------------------------------------------------- */

static const Format formats[] = {
    {"gzip",
     {0x1f, 0x8b},
     2,
     "libz.so.1",
     "zlib1g-dev",
     {"inflateInit2_", "inflateReset", "inflate", "inflateEnd"},
     GZIP},
    {"zip",
     {'P', 'K', 3, 4},
     4,
     "libz.so.1",
     "zlib1g-dev",
     {"inflateInit2_", "inflateReset", "inflate", "inflateEnd", "crc32"},
     ZIP},
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
    c->library = library_load(format->library, format->names, c->functions);
    if (!c->library)
        return err_set(err, path, 0, "is compressed by %s, but there is no %s", format->name, format->library);
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
    library_close(c->library);
    mem_free(c);
}
