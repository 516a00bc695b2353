/* output.h: writes files completely or not at all, even if the process is killed. */
#ifndef TIDE_OUTPUT_H
#define TIDE_OUTPUT_H

#include "core/base.h"

#include <limits.h>
#include <stdio.h>

typedef struct OutputFile {
    FILE *stream; /* for the caller to write to; NULL: not open */
    char path[PATH_MAX];
    char temporary[PATH_MAX]; /* in the same directory; "": the path is a pipe or a device and is written directly */
    int fd, write_errno;      /* write_errno: errno of the first failed write; 0: none */
} OutputFile;

/* Opens a temporary file with a unique name in the directory of `path`. The file at `path` does not change before
   output_commit. If the file system has locks, also removes temporary files for `path` that killed processes left: no
   process has them locked. *output must keep its address until it is closed. Returns 0, or -1 with *err filled if the
   file cannot be written. */
int output_open(OutputFile *output, const char *path, Err *err);
/* Puts everything written so far on the disk (fsync), so that several files can be complete before the first one is
   committed. Returns 0, or -1 with *err filled. */
int output_sync(OutputFile *output, Err *err);
/* Replaces the file at `path` by the written one: fsync, rename, fsync of the directory. Closes the stream. Returns 0,
   or -1 with *err filled; then the temporary file is removed, and the file at `path` has not changed, unless only the
   fsync of the directory failed. */
int output_commit(OutputFile *output, Err *err);
/* Closes the stream and removes the temporary file. Does nothing for an output that is not open. */
void output_discard(OutputFile *output);
/* Writes a whole file: output_open, the bytes, output_commit. */
int output_write(const char *path, const void *bytes, size_t size, Err *err);

#endif
