/* scratch.h: temporary files and directories of tests. They are made in TMPDIR; if it is not set, in /dev/shm (memory)
   if this can be written, else in /tmp. */
#ifndef TIDE_TESTS_SCRATCH_H
#define TIDE_TESTS_SCRATCH_H

#include "core/base.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRATCH_SIZE = 256 };

/* Returns the directory for all temporary files. */
static inline const char *scratch_folder(void) {
    const char *folder = getenv("TMPDIR");
    if (folder && *folder) return folder;
    return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

static inline void scratch_name(char path[SCRATCH_SIZE]) {
    const int length = snprintf(path, SCRATCH_SIZE, "%s/tide-XXXXXX", scratch_folder());
    CHECK(length < SCRATCH_SIZE, "TMPDIR is too long: %s", scratch_folder());
}

/* Makes a file with this text and writes its name to path; the caller removes the file. */
static inline void scratch_text(char path[SCRATCH_SIZE], const char *text) {
    const ssize_t n = (ssize_t)strlen(text);
    scratch_name(path);
    const int file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, (size_t)n) == n && !close(file), "cannot make a file in %s: %s",
          scratch_folder(), strerror(errno));
}

static inline void scratch_file(char path[SCRATCH_SIZE]) { scratch_text(path, ""); }

/* Makes a directory and writes its name to path; remove it with scratch_remove. */
static inline void scratch_directory(char path[SCRATCH_SIZE]) {
    scratch_name(path);
    CHECK(mkdtemp(path), "cannot make a directory in %s: %s", scratch_folder(), strerror(errno));
}

static inline int scratch_remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    return remove(path);
}

/* Removes a directory with all its files. */
static inline void scratch_remove(const char *path) {
    CHECK(!nftw(path, scratch_remove_entry, 8, FTW_DEPTH | FTW_PHYS), "%s: %s", path, strerror(errno));
}

#endif
