#include "corpus/correction_file.h"

#include "corpus/correction_check.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct CorrectionFile {
    char *path;
    int fd;
    size_t size, most_bytes;
    bool torn; /* the file has more bytes than `size`, from a write that failed */
    Correction *all;
    char **keys; /* stb_ds array: correction_key of each entry */
    long last_id;
};

static int cannot_write(const char *path, Err *err) {
    return err_set(err, path, 0, "cannot be written: %s", strerror(errno));
}

/* Makes the directory of a file. */
static int make_directory(const char *path, Err *err) {
    char *file = mem_strdup(path);
    const int status = directory_make_private(dirname(file), err);
    mem_free(file);
    return status;
}

static int sync_directory(const char *path, Err *err) { return file_sync_name(path) ? cannot_write(path, err) : 0; }

/* Opens and locks the file that has this path now: another process can replace it between the two calls. Returns 0, or
   -1 with *err filled. */
static int open_locked(CorrectionFile *file, Err *warning, Err *err) {
    for (struct stat info;; close(file->fd)) {
        file->fd = open(file->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
        if (file->fd < 0) return cannot_write(file->path, err);
        if (fstat(file->fd, &info)) return cannot_write(file->path, err);
        if (!S_ISREG(info.st_mode)) return err_set(err, file->path, 0, "is not a regular file");
        if (file_lock(file->fd, file->path, "file", warning, err)) return -1;
        if (fstat(file->fd, &info)) return cannot_write(file->path, err);
        file->size = (size_t)info.st_size;
        if (info.st_nlink > 0) return sync_directory(file->path, err);
    }
}

/* Removes what a failed write has left. Returns 0, or -1 with errno set. */
static int cut_back(CorrectionFile *file) {
    file->torn = ftruncate(file->fd, (off_t)file->size) != 0;
    return file->torn ? -1 : 0;
}

static int write_bytes(int fd, const char *bytes, size_t n) {
    while (n > 0) {
        const ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno != EINTR) return -1;
        if (written < 0) continue;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

/* Appends n bytes and puts them on the disk. Returns 0, or -1 with *err filled; then the file is as it was before. */
static int append(CorrectionFile *file, const char *bytes, size_t n, Err *err) {
    struct stat info;
    if (fstat(file->fd, &info)) return cannot_write(file->path, err);
    if (info.st_nlink == 0) return err_set(err, file->path, 0, "was removed or replaced while it was in use");
    if (file->torn && cut_back(file)) return cannot_write(file->path, err);
    if (!write_bytes(file->fd, bytes, n) && !file_sync(file->fd)) {
        file->size += n;
        return 0;
    }
    cannot_write(file->path, err);
    (void)!cut_back(file); /* append tries again */
    return -1;
}

/* Cuts off an incomplete last line, or adds the newline that the last line lacks. */
static int repair_end(CorrectionFile *file, const CorrectionLines *lines, Err *warning, Err *err) {
    const size_t rest = file->size - lines->size;
    file->size = lines->size;
    if (lines->open_end) return append(file, "\n", 1, err);
    if (rest == 0) return 0;
    err_set(warning, file->path, 0, "an incomplete last line of %zu bytes was cut off", rest);
    return cut_back(file) || file_sync(file->fd) ? cannot_write(file->path, err) : 0;
}

/* Opens the file, reads it and repairs its end. Sets *deleted to the number of deleted entries with texts in the file.
   Returns 0, or -1 with *err filled. */
static int load(CorrectionFile *file, int *deleted, Err *warning, Err *err) {
    CorrectionLines lines;
    if (open_locked(file, warning, err)) return -1;
    char *bytes = mem_alloc(file->size + 1);
    bytes[file->size] = '\0';
    int status = -1;
    if (file_read_at(file->fd, bytes, file->size, 0))
        err_set(err, file->path, 0, "%s", errno ? strerror(errno) : "ends too early");
    else status = corrections_parse(&lines, bytes, file->size, file->path, err);
    mem_free(bytes);
    if (status) return -1;
    file->all = lines.all;
    file->last_id = lines.last_id;
    *deleted = lines.deleted;
    for (ptrdiff_t i = 0; i < arrlen(file->all); i++) arrput(file->keys, correction_key(&file->all[i]));
    return repair_end(file, &lines, warning, err);
}

/* Closes what load opened. */
static void unload(CorrectionFile *file) {
    if (file->fd >= 0) close(file->fd);
    corrections_free(file->all);
    strings_free(file->keys);
    file->fd = -1;
    file->all = NULL;
    file->keys = NULL;
}

/* Replaces the file by one without deleted entries. Returns 0, or -1 with *err filled. */
static int rewrite(const CorrectionFile *file, Err *err) {
    OutputFile output;
    const ptrdiff_t n = arrlen(file->all);
    if (output_open(&output, file->path, err)) return -1;
    for (ptrdiff_t i = 0; i < n; i++) correction_write(output.stream, &file->all[i]);
    if (n == 0 || file->all[n - 1].id < file->last_id) fprintf(output.stream, "{\"deleted\":%ld}\n", file->last_id);
    return output_commit(&output, err);
}

/* Opens the file, and writes it anew if it has texts of deleted entries. The new file is not locked yet, so it is
   opened in the same way. Returns 0, or -1 with *err filled. */
static int load_tidy(CorrectionFile *file, Err *warning, Err *err) {
    Err why;
    int deleted;
    if (make_directory(file->path, err) || load(file, &deleted, warning, err)) return -1;
    if (deleted == 0) return 0;
    if (!rewrite(file, &why)) {
        unload(file);
        return load(file, &deleted, warning, err);
    }
    err_set(warning, file->path, 0, "still has the texts of deleted corrections: %s", why.reason);
    return 0;
}

CorrectionFile *corrections_open(const char *path, size_t most_bytes, Err *warning, Err *err) {
    CorrectionFile *file = mem_alloc(sizeof *file);
    *file = (CorrectionFile){.path = mem_strdup(path), .fd = -1, .most_bytes = most_bytes};
    warning->reason[0] = '\0';
    if (!load_tidy(file, warning, err)) return file;
    corrections_close(file);
    return NULL;
}

void corrections_close(CorrectionFile *file) {
    if (!file) return;
    unload(file);
    mem_free(file->path);
    mem_free(file);
}

const Correction *corrections_all(const CorrectionFile *file, int *n) {
    *n = (int)arrlen(file->all);
    return file->all;
}

size_t corrections_size(const CorrectionFile *file) { return file->size; }

/* The last entry with a key; NULL: there is none. */
static const Correction *find_current(const CorrectionFile *file, const char *key) {
    for (ptrdiff_t i = arrlen(file->all) - 1; i >= 0; i--)
        if (!strcmp(file->keys[i], key)) return &file->all[i];
    return NULL;
}

/* The time now, as in the file. */
static char *time_now(void) {
    char text[sizeof "2026-11-29T12:00:00Z"];
    const time_t now = time(NULL);
    struct tm parts;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    return mem_strdup(text);
}

static char *copy_trimmed(const char *text) {
    size_t n;
    text = correction_trim(text, &n);
    return mem_strndup(text, n);
}

/* A copy of a correction that was checked, with an id. */
static Correction copy_entry(const Correction *c, long id) {
    return (Correction){
        .id = id,
        .time = c->time ? mem_strdup(c->time) : time_now(),
        .model = copy_trimmed(c->model),
        .langs = {mem_strdup(c->langs[0]), mem_strdup(c->langs[1])},
        .source = copy_trimmed(c->source),
        .translation = c->translation ? copy_trimmed(c->translation) : NULL,
        .correction = copy_trimmed(c->correction),
    };
}

/* Appends the line of an entry, if there is room for it. */
static int append_entry(CorrectionFile *file, const Correction *entry, Err *err) {
    MemoryFile memory;
    size_t n;
    correction_write(memory_open(&memory), entry);
    char *line = memory_close(&memory, &n);
    const int status =
        n > file->most_bytes || file->size > file->most_bytes - n
            ? err_set(err, file->path, 0, "is full: it may have %zu bytes, and has %zu", file->most_bytes, file->size)
            : append(file, line, n, err);
    mem_free(line);
    return status;
}

int corrections_add(CorrectionFile *file, const Correction *correction, long *id, Err *err) {
    if (correction_check(correction, err)) return -1;
    if (file->last_id == CORRECTION_IDS) return err_set(err, file->path, 0, "has had %d corrections", CORRECTION_IDS);
    Correction entry = copy_entry(correction, file->last_id + 1);
    char *key = correction_key(&entry);
    const Correction *same = find_current(file, key);
    if (same && !strcmp(same->correction, entry.correction)) {
        *id = same->id;
        correction_clear(&entry);
        mem_free(key);
        return 0;
    }
    /* memory first: after the line is on the disk, nothing may fail */
    arrsetcap(file->all, arrlenu(file->all) + 1);
    arrsetcap(file->keys, arrlenu(file->keys) + 1);
    if (append_entry(file, &entry, err)) {
        correction_clear(&entry);
        mem_free(key);
        return -1;
    }
    arrput(file->all, entry);
    arrput(file->keys, key);
    *id = file->last_id = entry.id;
    return 0;
}

int corrections_delete(CorrectionFile *file, long id, Err *err) {
    char line[96];
    const int found = corrections_find(file->all, id);
    if (found < 0) {
        err_set(err, file->path, 0, "has no correction %ld", id);
        return 1;
    }
    char *time = time_now();
    const int n = snprintf(line, sizeof line, "{\"deleted\":%ld,\"time\":\"%s\"}\n", id, time);
    mem_free(time);
    if (append(file, line, (size_t)n, err)) return -1;
    const size_t i = (size_t)found;
    correction_clear(&file->all[i]);
    arrdel(file->all, i);
    mem_free(file->keys[i]);
    arrdel(file->keys, i);
    return 0;
}
