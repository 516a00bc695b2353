/* log.h: train.jsonl: one JSON object per line, appended during the training. */
#ifndef TIDE_LOG_H
#define TIDE_LOG_H

#include "core/base.h"

#include <stdio.h>

typedef struct Log {
    FILE *file;
    char path[512];
} Log;

/* Opens DIR/train.jsonl and truncates it after its first *lines lines, which it had at the time of the checkpoint. If
   it has fewer, truncates it after the last complete line, and sets *lines to their number. Returns 0, or -1 with *err
   filled. */
int log_open(Log *log, const char *dir, long *lines, Err *err);
int log_line(Log *log, const char *text, Err *err);
/* Syncs the file to the disk. */
int log_sync(Log *log, Err *err);
void log_close(Log *log);

#endif
