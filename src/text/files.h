/* files.h: whole files, and writing so that nothing is lost. */
#ifndef TIDE_FILES_H
#define TIDE_FILES_H

#include "core/base.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { PATH_SIZE = 512 };
/* Writes DIR/NAME; the caller has checked that it fits. */
void path_in(char path[PATH_SIZE], const char *dir, const char *name);

/* fopen; NULL with *err filled. */
FILE *file_open(const char *path, const char *mode, Err *err);

/* Whether both paths lead to one file. */
bool file_is_same(const char *path, const char *other);

/* A stream to write text to, which is complete at *text with a NUL behind it once the stream is closed. It is the
   caller's then, for mem_free. Unlike with open_memstream no memory is never less text, but the end as with mem_alloc.
   Never NULL. */
FILE *memory_open(char **text, size_t *size);

/* A whole file as bytes with a NUL behind them; owned by the caller; NULL with *err filled. size may be NULL. */
char *file_read(const char *path, size_t *size, Err *err);

/* Reads n bytes from a place in a file that is open. 0, or -1 with errno set: to 0 where the file ends too early. */
int file_read_at(int fd, void *bytes, size_t n, off_t at);

/* Makes a directory unless it is there already. */
int directory_make(const char *path, Err *err);

/* Keeps other processes that ask for it out of a directory, until the result is closed or this process ends, however it
   does. Returns a file descriptor, or -1 with *err filled where another has it. Where the file system has no locks,
   *warning says so; else its reason is empty. */
int directory_lock(const char *path, Err *warning, Err *err);

/* Puts the names in a directory on the disk; -1 with errno set. */
int directory_sync(const char *path);

/* A file to write and read, in a directory, without a name: it is gone when it is closed, or this process ends. NULL
 *with err filled. */
FILE *file_temporary(const char *dir, Err *err);

/* Replaces `path` by these bytes, whole or not at all: temporary file, fsync, rename, fsync of the directory. */
int file_replace(const char *path, const void *const *parts, const size_t *sizes, int count, Err *err);

#endif
