/* gzip.c: what tide calls of gzip, for the tests under wine, where there is none: gzip -dc, gzip -9nc. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static unsigned char in[1 << 16], out[1 << 16];

static int fails(const char *why) {
    fprintf(stderr, "\ngzip: stdin: %s\n", why);
    return 1;
}

/* Makes sure that bytes are waiting; returns whether there are any. */
static int more(z_stream *s) {
    if (!s->avail_in) s->next_in = in, s->avail_in = (uInt)fread(in, 1, sizeof in, stdin);
    return s->avail_in > 0;
}

/* One part after another; zeros may follow the last one. */
static int unpack(void) {
    z_stream s = {0};
    for (int parts = 0; more(&s); parts++) {
        while (parts && more(&s) && !*s.next_in) s.next_in++, s.avail_in--;
        if (!more(&s)) break;
        if (*s.next_in != 0x1f) return fails(parts ? "trailing garbage ignored" : "not in gzip format");
        z_stream part = {.next_in = s.next_in, .avail_in = s.avail_in};
        int status = inflateInit2(&part, 15 + 16);
        while (status == Z_OK) {
            if (!more(&part)) return fails("unexpected end of file");
            part.next_out = out, part.avail_out = sizeof out;
            status = inflate(&part, Z_NO_FLUSH);
            const size_t n = sizeof out - part.avail_out;
            if (fwrite(out, 1, n, stdout) != n) return 1;
        }
        if (status != Z_STREAM_END) return fails("invalid compressed data");
        s.next_in = part.next_in, s.avail_in = part.avail_in;
        inflateEnd(&part);
    }
    return fflush(stdout);
}

int main(int argc, char **argv) {
    for (int fd = 0; fd < 2; fd++) setmode(fd, O_BINARY);
    if (argc > 1 && strchr(argv[1], 'd')) return unpack();
    gzFile packed = gzdopen(1, "wb9");
    for (size_t n; (n = fread(in, 1, sizeof in, stdin)) > 0;)
        if (gzwrite(packed, in, (unsigned)n) != (int)n) return 1;
    return gzclose(packed) != Z_OK;
}
