#include "cli/messages.h"

#include "io/files.h"
#include "io/visible.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Standard error, too, is one for the whole process. */
static struct {
    bool quiet;
    FILE *log; /* NULL: none */
    const char *path;
} messages;

int messages_begin(const Args *args, Err *err) {
    messages.quiet = args_has(args, "quiet");
    messages.path = args_value(args, "log", 0);
    if (!messages.path) return 0;
    if (args_file_is_free(args, messages.path, false, err)) return -1;
    messages.log = file_open(messages.path, "a", err);
    if (!messages.log) return -1;
    setvbuf(messages.log, NULL, _IOLBF, 0); /* for `tail -f` */
    return 0;
}

int messages_end(Err *err) {
    if (!messages.log) return 0;
    const bool failed = ferror(messages.log);
    const bool written = !fclose(messages.log) && !failed;
    messages.log = NULL;
    return written ? 0 : err_set(err, messages.path, 0, "the log cannot be written: %s", strerror(errno));
}

/* Prints a line to standard error, unless `silent`, and to the log. */
static void print_line(bool silent, const char *prefix, const char *format, va_list args) {
    MemoryFile raw, shown;
    size_t size;
    vfprintf(memory_open(&raw), format, args);
    char *text = memory_close(&raw, &size);
    fputs(prefix, memory_open(&shown));
    visible_write(shown.stream, text, size, "");
    fputc('\n', shown.stream);
    char *line = memory_close(&shown, NULL);
    if (!silent) fputs(line, stderr);
    if (messages.log) {
        progress_stamp(messages.log);
        fputs(line, messages.log);
    }
    mem_free(text);
    mem_free(line);
}

void message(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_line(messages.quiet, "", format, args);
    va_end(args);
}

void error_line(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_line(false, "tide: ", format, args);
    va_end(args);
}

void message_waiting(const char *what) {
    if (isatty(STDIN_FILENO)) message("type %s, one on each line; Ctrl-D ends", what);
}

static FILE *result_stream; /* NULL before the first call of results */

/* Writes what the stream for a terminal still holds, the beginning of a character, and releases the stream. */
static void close_results(void) { fclose(result_stream); }

FILE *results(void) {
    if (result_stream) return result_stream;
    if (!isatty(STDOUT_FILENO)) return result_stream = stdout;
    result_stream = visible_stream(stdout);
    atexit(close_results);
    return result_stream;
}

void messages_progress(ProgressView *view) {
    progress_start(view);
    if (messages.quiet) view->screen.file = NULL;
    view->log.file = messages.log;
}
