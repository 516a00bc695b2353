/* messages.h: what a command tells people: lines on standard error and in the file of --log, whose control characters
   are visible (io/visible.h). */
#ifndef TIDE_MESSAGES_H
#define TIDE_MESSAGES_H

#include "cli/args.h"
#include "view/progress.h"

#define FLAGS_MESSAGES                                                                                                 \
    FLAG_SWITCH("quiet", "print errors only, no progress and no notes"),                                               \
        FLAG_FILE("log", "add all messages to FILE, with their times")

/* Reads --quiet and --log, and opens the log. Returns 0, or -1 with *err filled. */
int messages_begin(const Args *args, Err *err);
/* Closes the log. Returns 0, or -1 with *err filled if it could not be written. */
int messages_end(Err *err);

/* Prints a line, unless --quiet is given, and adds it to the log. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints an error as one line, "tide: TEXT", and adds it to the log. */
void error_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Standard output for text that may be a stranger's: at a terminal, its control characters are visible. What is written
   to both this stream and stdout appears in the order of the calls. */
FILE *results(void);
/* At a terminal, says what a command waits for on standard input. */
void message_waiting(const char *what);
/* Does the same as progress_start, for standard error and the log. */
void messages_progress(ProgressView *view);

#endif
