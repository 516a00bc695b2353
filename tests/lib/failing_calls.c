/* failing_calls.c: a library for LD_PRELOAD that wraps the functions below. Call number FAIL_AT fails with EIO, as on a
   broken disk, or with FAIL_WITH=errno; before call number KILL_AT the process is killed with SIGKILL. CALLS=FILE: the
   number of calls is written to FILE at the end. With NO_LOCKS=errno, flock fails with errno.

   cc -shared -fPIC failing_calls.c -o failing_calls.so; FAIL_AT=3 LD_PRELOAD=./failing_calls.so tide train ... */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* Returns the value of an environment variable; 0 if it is not set. */
static long variable(const char *name) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

static long calls;

static int fails(void) {
    const long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (call == variable("KILL_AT")) kill(getpid(), SIGKILL);
    if (call != variable("FAIL_AT")) return 0;
    errno = variable("FAIL_WITH") ? (int)variable("FAIL_WITH") : EIO;
    return 1;
}

__attribute__((destructor)) static void write_count(void) {
    const char *path = getenv("CALLS");
    const long all = calls; /* those below count, too */
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out) return;
    fprintf(out, "%ld\n", all);
    fclose(out);
}

#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

ssize_t write(int fd, const void *bytes, size_t n) {
    return fails() ? -1 : REAL(ssize_t(*)(int, const void *, size_t), "write")(fd, bytes, n);
}
ssize_t pread(int fd, void *bytes, size_t n, off_t at) {
    static long reads; /* there is a call for each sentence pair: only every 50th counts */
    if (__atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) % 50 == 0 && fails()) return -1;
    return REAL(ssize_t(*)(int, void *, size_t, off_t), "pread")(fd, bytes, n, at);
}
int fsync(int fd) {
    if (fails()) return -1;
    return variable("KILL_AT")
               ? 0
               : REAL(int (*)(int), "fsync")(fd); /* written data survives a kill: no need to wait for the disk */
}
int rename(const char *from, const char *to) {
    return fails() ? -1 : REAL(int (*)(const char *, const char *), "rename")(from, to);
}
int unlink(const char *path) { return fails() ? -1 : REAL(int (*)(const char *), "unlink")(path); }
int close(int fd) {
    const int status = REAL(int (*)(int), "close")(fd);
    return !variable("KILL_AT") && fails() ? -1 : status; /* a kill before it is one before the next call */
}
int ftruncate(int fd, off_t length) { return fails() ? -1 : REAL(int (*)(int, off_t), "ftruncate")(fd, length); }
int fflush(FILE *stream) {
    if (stream == stderr || stream == stdout || !stream || !fails()) return REAL(int (*)(FILE *), "fflush")(stream);
    return EOF;
}
int mkdir(const char *path, mode_t mode) {
    return fails() ? -1 : REAL(int (*)(const char *, mode_t), "mkdir")(path, mode);
}
int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const int mode = va_arg(rest, int);
    va_end(rest);
    return fails() ? -1 : REAL(int (*)(const char *, int, ...), "open")(path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) {
    return fails() ? NULL : REAL(FILE * (*)(const char *, const char *), "fopen")(path, mode);
}
int flock(int fd, int operation) {
    const long why = variable("NO_LOCKS");
    return why ? errno = (int)why, -1 : REAL(int (*)(int, int), "flock")(fd, operation);
}
