/* progress.h: shows the progress of long work on standard error: a bar if it is a terminal, plain lines otherwise. */
#ifndef TIDE_PROGRESS_H
#define TIDE_PROGRESS_H

#include "train/job.h"

#include <stdbool.h>

typedef struct ProgressView {
    bool terminal;        /* draw a bar and redraw it in place */
    int columns;          /* width of the terminal */
    double last_drawn;    /* time of the last bar or line, in seconds */
    double line_interval; /* seconds between plain lines: 10 at first, then longer */
} ProgressView;

void progress_start(ProgressView *view);
/* Draws the progress of a training, but a bar at most ten times a second and a plain line at most once in
   view->line_interval. now: seconds on a monotonic clock. force: draw in any case. */
void progress_show(ProgressView *view, const Progress *progress, double now, bool force);
/* Ends the line of the bar, so that other text can be printed below it. The next call of progress_show or
   progress_count draws a new bar. */
void progress_clear(ProgressView *view);

/* Draws a counter, for example "translating 40/1000". The times of drawing are those of progress_show.
   all: the total; 0 if it is unknown. */
void progress_count(ProgressView *view, const char *what, long done, long all, double now, bool force);

/* Writes a duration as "1:02:05" or "2:05"; "?" if it is negative, not finite or very large. */
void format_duration(double seconds, char buffer[16]);

#endif
