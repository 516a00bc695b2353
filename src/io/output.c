#include "io/output.h"
#include "io/files.h"
#include "io/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the path must be written directly: a pipe, a device, or an open file of this process. */
static bool is_special(const char *path) {
    static const char *const prefixes[] = {"/dev/std", "/dev/fd/", "/proc/", NULL};
    struct stat info;
    return starts_with_any(path, prefixes) || (!stat(path, &info) && !S_ISREG(info.st_mode));
}

/* Removes a temporary file if no process has it locked: the process that wrote it was killed. Returns whether it
   did. */
static bool remove_stale(const char *temporary) {
    const int fd = open(temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    const bool stale = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !unlink(temporary);
    if (fd >= 0) close(fd);
    return stale;
}

/* Whether another process removed the file as stale before this process locked it. */
static bool is_gone(int fd) {
    struct stat info;
    return fstat(fd, &info) || info.st_nlink == 0;
}

/* Sets output->temporary to PATH.N.tmp, or to "" if that is too long. */
static void name_temporary(OutputFile *output, int n) {
    if (snprintf(output->temporary, sizeof output->temporary, "%s.%d.tmp", output->path, n) >=
        (int)sizeof output->temporary)
        output->temporary[0] = '\0';
}

/* Creates the temporary file with the first free N, and locks it. Then removes stale files with larger N. If the file
   system has no locks, stale files stay, because no lock tells them from files in use. Returns a file descriptor, or -1
   with errno set. */
static int create(OutputFile *output) {
    for (int n = 0;;) {
        name_temporary(output, n);
        if (!output->temporary[0]) return errno = ENAMETOOLONG, -1;
        const int fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) return -1;
        if (fd < 0) {
            if (!remove_stale(output->temporary)) n++;
            continue;
        }
        while (flock(fd, LOCK_EX) && errno == EINTR) continue; /* waits for a process that locked it as stale */
        if (!is_gone(fd)) {
            for (int next = n + 1; name_temporary(output, next), remove_stale(output->temporary); next++) continue;
            name_temporary(output, n);
            return fd;
        }
        close(fd);
    }
}

/* ---- the stream: stores errno of the first failed write, which stdio does not ---- */

static ssize_t stream_write(void *cookie, const char *bytes, size_t n) {
    OutputFile *output = cookie;
    for (size_t done = 0; done < n && !output->write_errno;) {
        const ssize_t written = write(output->fd, bytes + done, n - done);
        if (written >= 0) done += (size_t)written;
        else if (errno != EINTR) output->write_errno = errno;
    }
    return output->write_errno ? 0 : (ssize_t)n;
}

static int stream_close(void *cookie) {
    const OutputFile *output = cookie;
    return output->fd < 0 ? 0 : close(output->fd);
}

/* ---- opening and closing ---- */

static int open_target(OutputFile *output, bool special) {
    struct stat old;
    if (special) return open(output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool exists = !stat(output->path, &old);
    if (exists && access(output->path, W_OK)) return -1;
    const int fd = create(output);
    if (fd >= 0 && exists) (void)!fchmod(fd, old.st_mode & 07777); /* fails for a file of another user */
    return fd;
}

int output_open(OutputFile *output, const char *path, Err *err) {
    *output = (OutputFile){0};
    const bool special = is_special(path);
    char real[PATH_MAX]; /* a link stays; the file that it points to is replaced */
    struct stat info;
    const bool link = !special && !lstat(path, &info) && S_ISLNK(info.st_mode);
    const char *target = link && realpath(path, real) ? real : path;
    if (snprintf(output->path, sizeof output->path, "%s", target) >= (int)sizeof output->path)
        return err_set(err, path, 0, "the path is too long");
    output->stream = fopencookie(output, "w", (cookie_io_functions_t){.write = stream_write, .close = stream_close});
    if (!output->stream) mem_refused(0);
    output->fd = open_target(output, special);
    if (output->fd >= 0) return 0;
    err_set(err, path, 0, "cannot be written: %s", strerror(errno));
    fclose(output->stream);
    output->stream = NULL;
    return -1;
}

/* Whether the output is a file that takes its place at the end. */
static bool has_temporary(const OutputFile *output) { return output->temporary[0] != '\0'; }

/* Puts everything written so far on the disk (fsync). Returns 0, or the errno of the first failure. */
static int sync_written(OutputFile *output) {
    const int error = fflush(output->stream) && !output->write_errno ? errno : output->write_errno;
    return !error && has_temporary(output) && fsync(output->fd) ? errno : error;
}

/* Renames the temporary file to the path. Returns 0, or -1 with errno set. */
static int replace(const OutputFile *output) {
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", output->path);
    return rename(output->temporary, output->path) || directory_sync(dirname(directory)) ? -1 : 0;
}

/* Returns 0 for the errno 0, else -1 with *err filled. */
static int status_of(const OutputFile *output, int error, Err *err) {
    return error ? err_set(err, output->path, 0, "cannot be written: %s", strerror(error)) : 0;
}

int output_sync(OutputFile *output, Err *err) { return status_of(output, sync_written(output), err); }

int output_commit(OutputFile *output, Err *err) {
    const bool own = has_temporary(output);
    int error = sync_written(output);
    if (!error && own && replace(output)) error = errno;
    if (error && own) unlink(output->temporary);
    if (fclose(output->stream) && !error) error = errno;
    output->stream = NULL;
    return status_of(output, error, err);
}

void output_discard(OutputFile *output) {
    if (!output->stream) return;
    if (has_temporary(output)) unlink(output->temporary);
    fclose(output->stream);
    output->stream = NULL;
}

int output_write(const char *path, const void *bytes, size_t size, Err *err) {
    OutputFile output;
    if (output_open(&output, path, err)) return -1;
    fwrite(bytes, 1, size, output.stream); /* the stream stores the error for output_commit */
    return output_commit(&output, err);
}
