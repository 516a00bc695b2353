/* compressed.h: reads files that gzip, zip, xz or zstd has compressed as if they were plain. The first bytes tell the
   format. The programs gzip, unzip, xz and zstd unpack the text while it is read, as tar uses them. A zip archive must
   be a file, because its directory is at its end, and must have one text; files whose names start with _ or . are
   notes, as manythings.org adds them. */
#ifndef TIDE_COMPRESSED_H
#define TIDE_COMPRESSED_H

#include "core/base.h"
#include "io/system.h"

typedef struct Compressed {
    FILE *stream;      /* the plain bytes */
    Program program;   /* can be read if there are plain bytes */
    char problem[160]; /* why the stream has an error; "": not known */
    /* for compressed.c only: */
    const struct CompressedFormat *format;
    FILE *file;
    bool running;
    char input[1 << 16];
    size_t at, size; /* the bytes of input that the program does not have: [at, size) */
    bool sent;       /* the program needs no more bytes */
    size_t line;     /* bytes since the last end of a line */
} Compressed;

/* Looks at the first bytes of a file; it reads no more of them than are needed to see that the file is plain. Sets
   *compressed, or NULL if the file is plain; the file then has all its bytes. Returns 0, or -1 with *err filled if the
   file cannot be read, if the program of the format is missing, or if an archive does not have one text. */
int compressed_open(FILE *file, const char *path, Compressed **compressed, Err *err);
/* Ends the program, also if it has more bytes. Does not close the file. NULL: does nothing. */
void compressed_close(Compressed *compressed);

#endif
