/* gzip.c: what tide calls of gzip, for the tests under wine, where there is none: gzip -dc, gzip -9nc. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static int fails(const char *why) {
    fprintf(stderr, "\ngzip: stdin: %s\n", why);
    return 1;
}

int main(int argc, char **argv) {
    static char bytes[1 << 16];
    const int unpack = argc > 1 && strchr(argv[1], 'd') != NULL;
    int n, end;
    for (int fd = 0; fd < 2; fd++) setmode(fd, O_BINARY);
    gzFile packed = gzdopen(!unpack, unpack ? "rb" : "wb9");
    if (unpack) {
        while ((n = gzread(packed, bytes, sizeof bytes)) > 0)
            if (fwrite(bytes, 1, (size_t)n, stdout) != (size_t)n) return 1;
        if (gzdirect(packed)) return fails("not in gzip format");
        gzerror(packed, &end);
        return n < 0 || end != Z_OK ? fails("unexpected end of file") : fflush(stdout);
    }
    while ((n = (int)fread(bytes, 1, sizeof bytes, stdin)) > 0)
        if (gzwrite(packed, bytes, (unsigned)n) != n) return 1;
    return gzclose(packed) != Z_OK;
}
