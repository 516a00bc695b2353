#include "io/files.h"
#include "core/scope.h"

#include <errno.h>
#include <libgen.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void path_in(char path[PATH_SIZE], const char *dir, const char *name) { snprintf(path, PATH_SIZE, "%s/%s", dir, name); }

FILE *file_open(const char *path, const char *mode, Err *err) {
    FILE *stream = fopen(path, mode);
    if (stream) return stream;
    if (errno == ENOMEM) mem_refused(0);
    err_set(err, path, 0, "%s%s", *mode == 'r' ? "" : "cannot be written: ", strerror(errno));
    return NULL;
}

/* ---- text in memory ---- */

/* Called within stdio, which must not be left by a jump. */
static ssize_t memory_write(void *cookie, const char *bytes, size_t n) {
    MemoryFile *memory = cookie;
    const size_t needed = memory->size + n + 1;
    if (needed > memory->capacity) {
        char *text = memory->refused ? NULL : mem_try_realloc(memory->text, needed + needed / 2);
        memory->refused = !text;
        if (memory->refused) return 0;
        memory->text = text;
        memory->capacity = needed + needed / 2;
    }
    memcpy(memory->text + memory->size, bytes, n);
    memory->text[memory->size += n] = '\0';
    return (ssize_t)n;
}

static void abandon(void *stream) { stream_abandon(stream); }

FILE *memory_open(MemoryFile *memory) {
    *memory = (MemoryFile){.text = mem_strdup(""), .capacity = 1};
    memory->stream = stream_open(memory, (StreamFunctions){.write = memory_write});
    if (!memory->stream) mem_refused(0);
    scope_own(memory->stream, abandon);
    return memory->stream;
}

char *memory_close(MemoryFile *memory, size_t *size) {
    scope_disown(memory->stream, abandon);
    const bool failed = fclose(memory->stream) != 0;
    memory->stream = NULL;
    if (failed || memory->refused) mem_refused(0);
    if (size) *size = memory->size;
    return memory->text;
}

/* ---- whole files ---- */

char *stream_read(FILE *stream, size_t most, size_t *size) {
    size_t capacity = 1 << 16;
    char *bytes = mem_alloc(capacity);
    *size = 0;
    for (size_t got; *size <= most && (got = fread(bytes + *size, 1, capacity - *size - 1, stream)) > 0;) {
        *size += got;
        if (*size + 1 == capacity) bytes = mem_realloc(bytes, capacity *= 2);
    }
    bytes[*size] = '\0';
    return bytes;
}

char *file_read(const char *path, size_t *size, Err *err) {
    size_t length;
    FILE *stream = file_open(path, "rb", err);
    if (!stream) return NULL;
    char *bytes = stream_read(stream, SIZE_MAX, &length);
    if (ferror(stream)) {
        err_set(err, path, 0, "%s", strerror(errno));
        mem_free(bytes);
        bytes = NULL;
    }
    fclose(stream);
    if (bytes && size) *size = length;
    return bytes;
}

int file_read_at(int fd, void *bytes, size_t n, off_t at) {
    for (char *to = bytes; n > 0;) {
        errno = 0;
        const ssize_t got = file_read_some(fd, to, n, at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        to += got;
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

FILE *file_temporary(const char *dir, Err *err) {
    const int fd = file_unnamed(dir);
    FILE *file = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (file) return file;
    if (errno == ENOMEM) mem_refused(0);
    err_set(err, dir, 0, "cannot create a temporary file in this directory: %s", strerror(errno));
    if (fd >= 0) close(fd);
    return NULL;
}

int file_temporary_broken(const char *dir, Err *err) {
    return err_set(err, dir, 0, "cannot use the temporary file in this directory: %s",
                   errno ? strerror(errno) : "it ends too early");
}

/* Creates those directories above a path that do not exist. Returns 0, or -1 with errno set. */
static int make_parents(const char *path) {
    char *parent = mem_strdup(path);
    int why = 0;
    for (char *slash = parent; !why && *slash && (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = '\0';
        if (directory_create(parent, false) && errno != EEXIST) why = errno;
    }
    mem_free(parent);
    errno = why;
    return why ? -1 : 0;
}

int directory_make(const char *path, Err *err) {
    struct stat info;
    if (!directory_create(path, false)) return 0;
    if (errno == ENOENT && !make_parents(path) && !directory_create(path, false)) return 0;
    if (errno != EEXIST) return err_set(err, path, 0, "cannot be created: %s", strerror(errno));
    if (stat(path, &info) || !S_ISDIR(info.st_mode)) return err_set(err, path, 0, "is not a directory");
    return 0;
}

int file_lock(int fd, const char *path, const char *what, Err *warning, Err *err) {
    if (!file_lock_now(fd)) return 0;
    if (errno == EWOULDBLOCK) return err_set(err, path, 0, "another tide process uses this %s", what);
    err_set(warning, path, 0, "cannot be locked (%s): make sure that no other tide process uses it", strerror(errno));
    return 0;
}

int directory_lock(const char *path, Err *warning, Err *err) {
    warning->reason[0] = '\0';
    int fd = directory_open(path);
    if (fd < 0) return err_set(err, path, 0, "%s", strerror(errno));
    if (!file_lock(fd, path, "directory", warning, err)) return fd;
    close(fd);
    return -1;
}

int directory_make_private(const char *path, Err *err) {
    if (directory_create(path, true))
        return errno == EEXIST ? 0 : err_set(err, path, 0, "cannot be created: %s", strerror(errno));
    return file_sync_name(path) ? err_set(err, path, 0, "cannot be created: %s", strerror(errno)) : 0;
}
