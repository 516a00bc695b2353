#include "serve/access_log.h"
#include "io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int access_log_open(AccessLog *log, const char *path, Err *err) {
    /* O_NONBLOCK: a pipe without a reader is an error */
    const int fd = strcmp(path, "-") != 0 ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0640)
                                          : file_duplicate(STDOUT_FILENO);
    *log = (AccessLog){.fd = fd};
    return fd < 0 ? err_set(err, path, 0, "%s", strerror(errno)) : 0;
}

void access_log_close(AccessLog *log) {
    if (log->fd >= 0) close(log->fd);
}

/* ---- a line ------------------------------------------------------------------------------------------------------ */

/* Writes a text with escapes. Returns its end in the line. NULL: "-". */
static char *write_field(char *out, const char *text) {
    enum { LONGEST = 1024, ESCAPE = 4 };
    const char *const stop = out + LONGEST - ESCAPE;
    for (text = text ? text : "-"; *text && out < stop; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ' || c >= 127 || c == '"' || c == '\\') out += sprintf(out, "\\x%02X", c);
        else *out++ = (char)c;
    }
    return out;
}

size_t access_line_format(char text[ACCESS_LINE_SIZE], const AccessLine *line, long long time) {
    const time_t now = (time_t)time;
    char date[64], *out = text;
    struct tm parts;
    localtime_r(&now, &parts);
    strftime(date, sizeof date, "%d/%b/%Y:%H:%M:%S %z", &parts);
    out += sprintf(out, "%.63s - - [%s] \"", line->client, date);
    out = write_field(out, line->request);
    out += sprintf(out, "\" %d %zu \"", line->status, line->bytes);
    out = write_field(out, line->referer);
    out += sprintf(out, "\" \"");
    out = write_field(out, line->agent);
    out += sprintf(out, "\" %.3f\n", line->seconds);
    return (size_t)(out - text);
}

void access_log_write(AccessLog *log, const AccessLine *line) {
    char text[ACCESS_LINE_SIZE];
    const size_t n = access_line_format(text, line, (long long)time(NULL));
    if (!output_ready(log->fd) || write(log->fd, text, n) != (ssize_t)n) log->lost++;
}
