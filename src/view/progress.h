/* progress.h: how long work shows itself on standard error: a bar on a terminal, plain lines elsewhere. */
#ifndef TIDE_PROGRESS_H
#define TIDE_PROGRESS_H

#include "train/job.h"

#include <stdbool.h>

typedef struct ProgressView {
    bool terminal;        /* draw a bar and redraw it in place */
    int columns;          /* of the terminal */
    double last_drawn;    /* seconds; the bar is redrawn at most ten times a second, a plain line every few */
    double line_interval; /* seconds between plain lines, 10 at first */
} ProgressView;

void progress_start(ProgressView *view);
/* Draws if it is time (now: seconds on a monotonic clock); force draws at once. */
void progress_show(ProgressView *view, const Progress *progress, double now, bool force);
/* Ends the bar so that other lines can be printed below it; the next progress_show starts anew. */
void progress_clear(ProgressView *view);

/* Simple counter for other long work ("translating 40/1000"), same rules. */
void progress_count(ProgressView *view, const char *what, long done, long all, double now, bool force);

/* "1:02:05", "2:05" into a buffer of 16 bytes. */
void format_duration(double seconds, char buffer[16]);

#endif
