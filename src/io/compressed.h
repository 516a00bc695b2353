/* compressed.h: reads files that gzip, zip, xz or zstd has compressed as if they were plain. The first bytes tell the
   format. A zip archive must have one text. The libraries are loaded when they are needed. */
#ifndef TIDE_COMPRESSED_H
#define TIDE_COMPRESSED_H

#include "core/base.h"

#include <stdio.h>

typedef struct Compressed Compressed;

/* Looks at the first bytes of a file; it reads no more of them than are needed to see that the file is plain. Sets
   *compressed, or NULL if the file is plain; the file then has all its bytes. Returns 0, or -1 with *err filled if the
   file cannot be read, or if the library of the format is missing. */
int compressed_open(FILE *file, const char *path, Compressed **compressed, Err *err);
/* The plain bytes. The stream belongs to `compressed`. */
FILE *compressed_stream(const Compressed *compressed);
/* Why the stream has an error. */
const char *compressed_problem(const Compressed *compressed);
/* Does not close the file. NULL: does nothing. */
void compressed_close(Compressed *compressed);

#endif
