/* log.h: train.jsonl: one JSON object a line, appended as the training goes. */
#ifndef TIDE_LOG_H
#define TIDE_LOG_H

#include "core/base.h"

#include <stdio.h>

typedef struct Log {
    FILE *file;
    char path[512];
} Log;

/* Opens DIR/train.jsonl and cuts it back to its first `lines` lines, where the checkpoint was made. */
int log_open(Log *log, const char *dir, long lines, Err *err);
int log_line(Log *log, const char *text, Err *err);
/* Puts all lines on the disk. */
int log_sync(Log *log, Err *err);
void log_close(Log *log);

#endif
