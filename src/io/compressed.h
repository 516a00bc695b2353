/* compressed.h: reads files that gzip, zip, xz or zstd has compressed as if they were plain. The first bytes tell the
   format. The programs gzip, unzip, xz and zstd unpack the text while it is read, as tar uses them. A zip archive must
   be a file, because its directory is at its end, and must have one text; files whose names start with _ or . are
   notes, as manythings.org adds them. */
#ifndef TIDE_COMPRESSED_H
#define TIDE_COMPRESSED_H

#include "core/base.h"

#include <stdio.h>

typedef struct Compressed Compressed;

/* Looks at the first bytes of a file; it reads no more of them than are needed to see that the file is plain. Sets
   *compressed, or NULL if the file is plain; the file then has all its bytes. Returns 0, or -1 with *err filled if the
   file cannot be read, if the program of the format is missing, or if an archive does not have one text. */
int compressed_open(FILE *file, const char *path, Compressed **compressed, Err *err);
/* The plain bytes. The stream belongs to `compressed`. */
FILE *compressed_stream(const Compressed *compressed);
/* A descriptor for poll: it is readable if there are plain bytes. */
int compressed_descriptor(const Compressed *compressed);
/* Why the stream has an error. */
const char *compressed_problem(const Compressed *compressed);
/* Ends the program, also if it has more bytes. Does not close the file. NULL: does nothing. */
void compressed_close(Compressed *compressed);

#endif
