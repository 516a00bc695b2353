/* report.h: an HTML page about a training: curves over the updates, and at each validation the alignments of the probes
   and the translations of the dev set. */
#ifndef TIDE_REPORT_H
#define TIDE_REPORT_H

#include "core/base.h"

/* Writes DIR/report.html from DIR/train.jsonl, DIR/align/UPDATE.json and DIR/valid. The page replaces an older page
   atomically. The same input files give the same bytes.
   These are left out: a last line of the log that has no newline yet; alignments and translations of updates after the
   last update in the log (a killed training can leave such files); translations before the last change of the dev set.
   The page holds at most about 1,000 reports, 1,000 validations, 100 sets of alignments or 8 MB of them, and the
   translations of 41 validations. If there are more, it holds evenly spaced ones, always with the first and the last of
   each kind and the best validation. Of the dev set it holds the first 500 pairs, or fewer if their texts and
   translations have more than 2 MB.
   Returns 0, or -1 with *err filled if a file is missing or does not have the trainer's format. */
int report_write(const char *dir, Err *err);
/* Writes DIR/comparison.html: the same page for two trainings, without alignments. Their curves are in the same charts.
   It lists the options that differ, and has the translations of both if they have the same dev set. The limits of
   report_write hold for each training. Errors are those of
   report_write for both trainings, and those of comparison_options. */
int report_compare(const char *dir, const char *other, Err *err);
/* The same page for a server, as a text that the caller owns. It asks every three seconds for training/log, which must
   answer {"bytes": N}, the size of the log, and loads itself again when the log has grown. nonce: see WebPage; NULL:
   the page of report_write. NULL with *err filled on errors. */
char *report_text(const char *dir, const char *nonce, size_t *size, Err *err);

#endif
