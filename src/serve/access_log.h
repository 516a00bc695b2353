/* access_log.h: a line for each request that was answered, in the combined format of Apache and nginx, with the seconds
   from the first byte of the request to its answer as a last field. It has no text of a request: no body and no query.
 */
#ifndef TIDE_SERVE_ACCESS_LOG_H
#define TIDE_SERVE_ACCESS_LOG_H

#include "core/base.h"

typedef struct AccessLog {
    int fd;    /* -1: there is no log */
    long lost; /* lines that could not be written without waiting for the reader of a pipe, or at all */
} AccessLog;

/* What a line says. A string may be NULL or come from a hostile client. */
typedef struct AccessLine {
    const char *client, *request, *referer, *agent; /* request: method, path and version */
    int status;
    size_t bytes; /* of the answer, without its head */
    double seconds;
} AccessLine;

/* Opens the log, to append to a file; path "-": standard output. Returns 0, or -1 with *err filled and no log. */
int access_log_open(AccessLog *log, const char *path, Err *err);
/* If there is no log, does nothing. */
void access_log_close(AccessLog *log);
/* Writes a line to an open log, or counts it as lost. Does not wait for the reader of a pipe. Only one thread at a time
   may call this. */
void access_log_write(AccessLog *log, const AccessLine *line);

enum { ACCESS_LINE_SIZE = 4096 }; /* such a line is written to a pipe at once (PIPE_BUF) */
/* Formats a line with its newline, at the given time in seconds since 1970. Characters that end a field, and all that
   are not printable ASCII, are written as \xHH; long fields are cut. Returns the number of bytes. */
size_t access_line_format(char text[ACCESS_LINE_SIZE], const AccessLine *line, long long time);

#endif
