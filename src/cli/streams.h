/* streams.h: files in the place of standard input and standard output, for systems whose shell has no `<`, or whose `>`
   changes the encoding. */
#ifndef TIDE_STREAMS_H
#define TIDE_STREAMS_H

#include "cli/cli.h"

/* Opens the files of --input and --output, if the command has these flags and they are given; "-" is the stream itself.
   Returns 0, or -1 with *err filled. */
int streams_begin(const Command *command, const Args *args, Err *err);
/* From now on, what is written to stdout goes to a temporary file that streams_end moves to `path`, a value of a flag.
   words: the words of the command line are files. Returns 0, or -1 with *err filled: a file that is also read would be
   overwritten, or it cannot be written. */
int streams_output(const Args *args, const char *path, bool words, Err *err);
/* Writes what stdout has buffered. Returns 0, or -1 with *err filled. */
int streams_flush(Err *err);
/* Moves the output to its place. If the command failed (status), this is done only if there is any output; else the
   file that was there stays. Returns 0, or -1 with *err filled: it could not be written. */
int streams_end(int status, Err *err);

#endif
