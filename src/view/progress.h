/* progress.h: shows the progress of long work on standard error, as a bar if it is a terminal and as plain lines
   otherwise, and in a log. */
#ifndef TIDE_PROGRESS_H
#define TIDE_PROGRESS_H

#include "train/job.h"

#include <stdbool.h>
#include <stdio.h>

/* One of the places where progress is shown. */
typedef struct ProgressOutput {
    FILE *file;           /* NULL: nothing is shown; not owned */
    bool terminal;        /* draw a bar and redraw it in place */
    double last_drawn;    /* time of the last bar or line, in seconds */
    double line_interval; /* seconds between plain lines: 10 at first, then longer */
    char bar[1024];       /* the last bar, with its columns */
} ProgressOutput;

typedef struct ProgressView {
    ProgressOutput screen, log; /* lines of the log begin with the time */
} ProgressView;

/* Begins with standard error and without a log; the caller may set other files. */
void progress_start(ProgressView *view);
/* Writes the local time, as the start of a line of a log. */
void progress_stamp(FILE *log);
/* Draws the progress of a training, but a bar at most ten times a second and a plain line at most once in
   line_interval. now: seconds on a monotonic clock. force: draw in any case. */
void progress_show(ProgressView *view, const Progress *progress, double now, bool force);
/* Erases the bar, so that other text can be printed in its place; plain lines stay. The next call of progress_show or
   progress_count draws a new bar. */
void progress_clear(ProgressView *view);

/* On a terminal, replaces the bar by a status text, such as "saving a checkpoint". NULL: draws the bar again. */
void progress_status(ProgressView *view, const char *text);

/* Draws a counter, for example "translating 40/1000". The times of drawing are those of progress_show.
   all: the total; 0 if it is unknown. */
void progress_count(ProgressView *view, const char *what, long done, long all, double now, bool force);

/* Writes a duration as "1:02:05" or "2:05"; "?" if it is negative, not finite or very large. */
void format_duration(double seconds, char buffer[16]);

#endif
