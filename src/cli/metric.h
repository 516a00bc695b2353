/* metric.h: metrics that compare hypotheses with one reference each; for `tide bleu`, `tide chrf` and `tide evaluate`.
 */
#ifndef TIDE_METRIC_H
#define TIDE_METRIC_H

#include "cli/cli.h"

#define FLAG_LC                                                                                                        \
    { .name = "lc", .help = "ignore case; -lc, the name in sacreBLEU, is the same" }

typedef struct Metric {
    const char *settings; /* the part of the signature that is specific to the metric */
    /* Formats the score of n hypotheses into line, of `size` bytes. */
    void (*score)(char *const *hypotheses, char *const *references, int n, bool lowercase, char *line, int size);
} Metric;

extern const Metric metric_bleu, metric_bleu_zh, metric_chrf;

/* Prints one line with the score of n hypotheses and one line with a signature like sacreBLEU's. */
void metric_print(const Metric *metric, char *const *hypotheses, char *const *references, int n, bool lowercase);

/* Checks that there are as many hypotheses as references (both stb_ds arrays), and at least one. name: of the
   hypotheses, in errors; path: the file of the references. Returns 0, or -1 with *err filled. */
int metric_check(char *const *hypotheses, const char *name, char *const *references, const char *path, Err *err);

/* Runs a subcommand that scores standard input against a REFERENCE file with a metric. Returns the exit status. */
int metric_run(const Args *args, const Command *command, const Metric *metric);

#endif
