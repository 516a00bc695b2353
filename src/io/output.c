#include "io/output.h"
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Removes a temporary file if no process has it locked: the process that wrote it was killed. Returns whether it
   did. */
static bool remove_stale(const char *temporary) {
    const int fd = open(temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    const bool stale = fd >= 0 && !file_lock_now(fd) && !unlink(temporary);
    if (fd >= 0) close(fd);
    return stale;
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
        file_lock_wait(fd); /* waits for a process that locked it as stale, and may have removed it */
        if (!file_is_removed(fd)) {
            for (int next = n + 1; name_temporary(output, next), remove_stale(output->temporary); next++) continue;
            name_temporary(output, n);
            return fd;
        }
        close(fd);
    }
}

/* ---- the stream: stores errno of the first failed write, which stdio does not ---- */

static ssize_t write_output(void *cookie, const char *bytes, size_t n) {
    OutputFile *output = cookie;
    for (size_t done = 0; done < n && !output->write_errno;) {
        const ssize_t written = write(output->fd, bytes + done, n - done);
        if (written >= 0) done += (size_t)written;
        else if (errno != EINTR) output->write_errno = errno;
    }
    return output->write_errno ? 0 : (ssize_t)n;
}

static int close_output(void *cookie) {
    const OutputFile *output = cookie;
    return output->fd < 0 ? 0 : close(output->fd);
}

/* ---- opening and closing ---- */

static int open_target(OutputFile *output, bool special) {
    if (special) return open(output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool exists = !access(output->path, F_OK);
    if (exists && access(output->path, W_OK)) return -1;
    const int fd = create(output);
    if (fd >= 0 && exists) file_copy_mode(fd, output->path);
    return fd;
}

int output_open(OutputFile *output, const char *path, Err *err) {
    *output = (OutputFile){0};
    if (!*path) return err_set(err, NULL, 0, "a file to write has an empty name");
    const bool special = file_is_special(path);
    char real[PATH_MAX]; /* a link stays; the file that it points to is replaced */
    const char *target = !special && path_of_link(path, real) ? real : path;
    if (snprintf(output->path, sizeof output->path, "%s", target) >= (int)sizeof output->path)
        return err_set(err, path, 0, "the path is too long");
    output->stream = stream_open(output, (StreamFunctions){.write = write_output, .close = close_output});
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
    return !error && has_temporary(output) && file_sync(output->fd) ? errno : error;
}

/* Returns 0 for the errno 0, else -1 with *err filled. */
static int status_of(const OutputFile *output, int error, Err *err) {
    return error ? err_set(err, output->path, 0, "cannot be written: %s", strerror(error)) : 0;
}

int output_sync(OutputFile *output, Err *err) { return status_of(output, sync_written(output), err); }

int output_commit(OutputFile *output, Err *err) {
    const bool own = has_temporary(output);
    int error = sync_written(output);
    if (!error && own && file_replace(output->temporary, output->path)) error = errno;
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
