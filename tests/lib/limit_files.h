/* limit_files.h: makes writing fail as on a full disk. */
#ifndef TIDE_TESTS_LIMIT_FILES_H
#define TIDE_TESTS_LIMIT_FILES_H

#include <signal.h>
#include <sys/resource.h>

/* Limits the size of files. */
static inline void limit_files(rlim_t bytes) {
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

#endif
