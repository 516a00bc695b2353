/* metric.h: what `tide bleu` and `tide chrf` share: scoring standard input against a reference, line by line. */
#ifndef TIDE_METRIC_H
#define TIDE_METRIC_H

#include "cli/cli.h"

#define FLAG_LC                                                                                                        \
    { "lc", 0, NULL, "compare without case; -lc, as sacreBLEU has it, is the same" }

/* Writes the score of n hypotheses into line, as it is printed. */
typedef void Metric(char *const *hypotheses, char *const *references, int n, bool lowercase, char *line, int size);

/* Runs the command of a metric: prints its score and a signature like sacreBLEU's, in which `settings` are its own.
   Returns the exit status. */
int metric_run(const Args *args, const Command *command, Metric *metric, const char *settings);

#endif
