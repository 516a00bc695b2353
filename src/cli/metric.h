/* metric.h: what `tide bleu`, `tide chrf` and `tide evaluate` share: scoring text against a reference, line by line. */
#ifndef TIDE_METRIC_H
#define TIDE_METRIC_H

#include "cli/cli.h"

#define FLAG_LC                                                                                                        \
    { "lc", 0, NULL, "compare without case; -lc, as sacreBLEU has it, is the same" }

typedef struct Metric {
    const char *settings; /* its own part of the signature */
    /* Writes the score of n hypotheses into line, as it is printed. */
    void (*score)(char *const *hypotheses, char *const *references, int n, bool lowercase, char *line, int size);
} Metric;

extern const Metric metric_bleu, metric_bleu_zh, metric_chrf;

/* Prints the score of n hypotheses and a signature like sacreBLEU's, a line each. */
void metric_print(const Metric *metric, char *const *hypotheses, char *const *references, int n, bool lowercase);

/* -1 with *err filled unless hypotheses (named so in errors) are as many as the references of a file, and not none. */
int metric_check(char *const *hypotheses, const char *name, char *const *references, const char *path, Err *err);

/* Runs the command of a metric. Returns the exit status. */
int metric_run(const Args *args, const Command *command, const Metric *metric);

#endif
