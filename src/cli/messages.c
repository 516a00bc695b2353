#include "cli/messages.h"

#include "io/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
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
    for (int i = 0; i < args->given_count; i++) {
        const struct Given *given = &args->given[i];
        for (int k = 0; k < given->count; k++)
            if (given->values[k] != messages.path && file_is_same(messages.path, given->values[k]))
                return err_set(err, messages.path, 0, "is already the file of --%s", given->flag->name);
    }
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

static void print(FILE *out, const char *prefix, const char *format, va_list args) {
    fputs(prefix, out);
    vfprintf(out, format, args);
    fputc('\n', out);
}

/* Prints a line to standard error, unless `silent`, and to the log. */
static void print_line(bool silent, const char *prefix, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    if (!silent) print(stderr, prefix, format, args);
    if (messages.log) {
        progress_stamp(messages.log);
        print(messages.log, prefix, format, again);
    }
    va_end(again);
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

void messages_progress(ProgressView *view) {
    progress_start(view);
    if (messages.quiet) view->screen.file = NULL;
    view->log.file = messages.log;
}
