/* report.h: a training as a page: curves over the updates, and the probes' alignments as they emerge. */
#ifndef TIDE_REPORT_H
#define TIDE_REPORT_H

#include "core/base.h"

/* Writes DIR/report.html, whole or not at all, from DIR/train.jsonl and DIR/align/UPDATE.json. The same files give the
   same bytes. A last line of the log without its end is still being written and left out; so are alignments later than
   the log, which a training that was killed left behind. To keep the page small, of more than 1,000 reports, 1,000
   validations or 100 sets of alignments (or 8 MB of them) every so many stand for all; the first and the last always
   do, and the best validation. Returns 0, or -1 with *err filled where a file is missing or not what the trainer
   writes. */
int report_write(const char *dir, Err *err);

#endif
