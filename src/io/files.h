/* files.h: reads whole files; streams in memory, temporary files, locks of directories, atomic replacement of a
   file. */
#ifndef TIDE_FILES_H
#define TIDE_FILES_H

#include "core/base.h"
#include "io/system.h"

enum { PATH_SIZE = 512 };
/* Writes DIR/NAME to `path`. Requires that it fits. */
void path_in(char path[PATH_SIZE], const char *dir, const char *name);

/* fopen. Returns NULL with *err filled if it fails. */
FILE *file_open(const char *path, const char *mode, Err *err);

/* A stream that writes to memory. The struct must not move while the stream is open. */
typedef struct MemoryFile {
    FILE *stream;
    char *text;
    size_t size, capacity;
    bool refused; /* memory was refused: the text is not complete */
} MemoryFile;
/* Opens memory->stream and returns it; never NULL. */
FILE *memory_open(MemoryFile *memory);
/* Closes the stream. Returns the text, NUL-terminated, which the caller owns; *size (unless NULL) receives its length
   in bytes. Unlike open_memstream, it never truncates the text when memory is refused: it fails as mem_alloc does. */
char *memory_close(MemoryFile *memory, size_t *size);

/* The rest of a stream and a NUL after it, which the caller owns; stops after more than `most` bytes. Sets *size to the
   length without the NUL. The caller looks at ferror. */
char *stream_read(FILE *stream, size_t most, size_t *size);
/* The bytes of a file and a NUL after them; the caller owns them. Sets *size (unless NULL) to the length without the
   NUL. NULL with *err filled if the file cannot be read. */
char *file_read(const char *path, size_t *size, Err *err);

/* Reads n bytes at offset `at` of an open file. Returns 0, or -1 with errno set; errno 0 means that the file ends too
   early. */
int file_read_at(int fd, void *bytes, size_t n, off_t at);

/* Creates a directory, and those above it, if they do not exist. Returns 0, or -1 with *err filled. */
int directory_make(const char *path, Err *err);

/* Creates one directory that only its owner can use (mode 0700), if it does not exist, and puts its name on the disk.
   Returns 0, or -1 with *err filled. */
int directory_make_private(const char *path, Err *err);

/* Locks an open file or directory until the descriptor is closed or the process ends in any way. Only processes that
   lock it in this way respect the lock. what: "file" or "directory". If the file system has no locks, fills *warning;
   else *warning stays. Returns 0, or -1 with *err filled: another process has the lock. */
int file_lock(int fd, const char *path, const char *what, Err *warning, Err *err);
/* Locks a directory until the descriptor is closed or the process ends in any way. Only processes that call this
   function respect the lock. Returns a file descriptor, or -1 with *err filled if the directory cannot be opened or
   another process has the lock. If the file system has no locks, fills *warning and returns a descriptor; else
   warning->reason is "". */
int directory_lock(const char *path, Err *warning, Err *err);

/* A file without a name in `dir`, for writing and reading. The system removes it when it is closed or the process ends.
   NULL with *err filled if it cannot be created. */
FILE *file_temporary(const char *dir, Err *err);
/* Fills *err for a temporary file in `dir` that cannot be used, by errno (0: it ends too early), and returns -1. */
int file_temporary_broken(const char *dir, Err *err);

#endif
