/* report.h: an HTML page about a training: curves over the updates, and the alignments of the probes at each
   validation. */
#ifndef TIDE_REPORT_H
#define TIDE_REPORT_H

#include "core/base.h"

/* Writes DIR/report.html from DIR/train.jsonl and DIR/align/UPDATE.json. The page replaces an older page atomically.
   The same input files give the same bytes.
   Two things are left out: a last line of the log that has no newline yet, and alignments of updates after the last
   update in the log (a killed training can leave such files).
   The page holds at most about 1,000 reports, 1,000 validations, and 100 sets of alignments or 8 MB of them. If there
   are more, it holds evenly spaced ones, always with the first and the last of each kind and the best validation.
   Returns 0, or -1 with *err filled if a file is missing or does not have the trainer's format. */
int report_write(const char *dir, Err *err);
/* The same page for a server, as a text that the caller owns. It asks every three seconds for training/log, which must
   answer {"bytes": N}, the size of the log, and loads itself again when the log has grown. nonce: see WebPage; NULL:
   the page of report_write. NULL with *err filled on errors. */
char *report_text(const char *dir, const char *nonce, size_t *size, Err *err);

#endif
