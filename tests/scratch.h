/* scratch.h: the files that tests make. They stand in TMPDIR; where that is not set, in memory or else on a disk. */
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

/* The folder for all of them. */
static inline const char *scratch_folder(void) {
    const char *folder = getenv("TMPDIR");
    if (folder && *folder) return folder;
    return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

static inline void scratch_name(char path[SCRATCH_SIZE]) {
    const int length = snprintf(path, SCRATCH_SIZE, "%s/tide-XXXXXX", scratch_folder());
    CHECK(length < SCRATCH_SIZE, "TMPDIR is too long: %s", scratch_folder());
}

/* Makes a file that holds a text; the caller removes it. */
static inline void scratch_text(char path[SCRATCH_SIZE], const char *text) {
    const ssize_t n = (ssize_t)strlen(text);
    scratch_name(path);
    const int file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, (size_t)n) == n && !close(file), "no file in %s: %s", scratch_folder(),
          strerror(errno));
}

static inline void scratch_file(char path[SCRATCH_SIZE]) { scratch_text(path, ""); }

/* Makes a directory; release with scratch_remove. */
static inline void scratch_directory(char path[SCRATCH_SIZE]) {
    scratch_name(path);
    CHECK(mkdtemp(path), "no directory in %s: %s", scratch_folder(), strerror(errno));
}

static inline int scratch_remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    return remove(path);
}

/* Removes a directory and what is in it. */
static inline void scratch_remove(const char *path) {
    CHECK(!nftw(path, scratch_remove_entry, 8, FTW_DEPTH | FTW_PHYS), "%s: %s", path, strerror(errno));
}

#endif
