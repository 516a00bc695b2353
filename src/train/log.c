#include "train/log.h"
#include "io/files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int log_open(Log *log, const char *dir, long *lines, Err *err) {
    long found = 0, end = 0; /* complete lines, and where the last one ends */
    snprintf(log->path, sizeof log->path, "%s/train.jsonl", dir);
    log->file = file_open(log->path, "a+", err);
    if (!log->file) return -1;
    rewind(log->file);
    for (int c; found < *lines && end >= 0 && (c = fgetc(log->file)) != EOF;) {
        if (c != '\n') continue;
        found++;
        end = ftell(log->file);
    }
    *lines = found;
    if (end < 0 || ferror(log->file) || ftruncate(fileno(log->file), end) || fseek(log->file, 0, SEEK_END))
        return err_set(err, log->path, 0, "cannot be written: %s", strerror(errno));
    return 0;
}

int log_line(Log *log, const char *text, Err *err) {
    if (fprintf(log->file, "%s\n", text) < 0 || fflush(log->file))
        return err_set(err, log->path, 0, "cannot be written: %s", strerror(errno));
    return 0;
}

int log_sync(Log *log, Err *err) {
    return file_sync(fileno(log->file)) ? err_set(err, log->path, 0, "cannot be written: %s", strerror(errno)) : 0;
}

void log_close(Log *log) {
    if (log->file) fclose(log->file);
    log->file = NULL;
}
