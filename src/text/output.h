/* output.h: files that are written completely or not at all, even if the process is killed. */
#ifndef TIDE_OUTPUT_H
#define TIDE_OUTPUT_H

#include "core/base.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct OutputFile {
    FILE *stream; /* to write to; NULL: not open */
    char path[PATH_MAX];
    char temporary[PATH_MAX]; /* beside it; "": the path is a pipe or a device, which is written as it is */
    int fd, write_errno;      /* write_errno: errno of the first write that failed; 0: none */
    pid_t owner;              /* the process that opened it: a child of that process neither commits nor removes it */
} OutputFile;

/* Opens a temporary file with a unique name in the folder of `path`; the file at `path` does not change before
   output_commit. Also removes temporary files that killed processes left for the same path, if the file system has
   locks, by which they are known. *output must keep its address until it is closed. Returns 0, or -1 with *err filled
   if the file cannot be written. */
int output_open(OutputFile *output, const char *path, Err *err);
/* Puts what was written so far on the disk, so that several files can be complete before the first one is committed.
   Returns 0, or -1 with *err filled. */
int output_sync(OutputFile *output, Err *err);
/* Replaces the file at `path` by what was written: fsync, rename, fsync of the directory. Closes the stream. Returns 0,
   or -1 with *err filled; then no temporary file remains, and the file at `path` has not changed, unless only the fsync
   of the directory failed. */
int output_commit(OutputFile *output, Err *err);
/* Closes the stream and removes the temporary file. Allowed for an output that is not open. */
void output_discard(OutputFile *output);

#endif
