/* metric.h: metrics that compare hypotheses with one or more references each; for `tide bleu`, `tide chrf` and `tide
   evaluate`. */
#ifndef TIDE_METRIC_H
#define TIDE_METRIC_H

#include "cli/cli.h"
#include "score/bleu.h"

#define FLAG_LC FLAG_SWITCH("lc", "ignore case; -lc, the name in sacreBLEU, is the same")
#define FLAGS_FORMAT                                                                                                   \
    FLAG_SWITCH("score-only", "print the score only"), FLAG_SWITCH("json", "print JSON with the names of sacreBLEU")

/* The score of a metric, as it is printed: "BLEU = 27.90 82.4/41.4/..." */
typedef struct MetricScore {
    const char *name;
    double score;      /* 0..100 */
    char details[160]; /* what follows the score; "": nothing */
} MetricScore;

typedef struct Metric {
    const char *settings; /* the part of the signature that is specific to the metric */
    MetricScore (*score)(char *const *hypotheses, References references, int n, BleuOptions options);
    bool chinese; /* an option of `score`; the other one is that of --lc */
} Metric;

extern const Metric metric_bleu, metric_bleu_zh, metric_chrf;

/* Reads the references of a command; each set is a stb_ds array of lines. Returns 0, or -1 with *err filled. Release
   with references_free, after an error too. */
int references_read(References *references, const char *const *paths, int count, Err *err);
void references_free(References *references);

/* Prints the scores of n hypotheses: for each metric one line with the score, and one with a signature like
   sacreBLEU's. With --score-only, the scores alone; with --json, an object, or an array of several. args: for --lc and
   these two. */
void metric_print(const Metric *const *metrics, int count, char *const *hypotheses, References references, int n,
                  const Args *args);

/* Reads the references that the words of the command line name, and standard input, which has their hypotheses. Returns
   0, or -1 with *err filled. Release both in both cases. */
int hypotheses_read(const Args *args, References *references, char ***hypotheses, Err *err);
/* Checks that there are as many hypotheses (a stb_ds array) as references, and at least one. name: of the hypotheses,
   in errors; paths: the files of the references. Returns 0, or -1 with *err filled. */
int metric_check(char *const *hypotheses, const char *name, const References *references, const char *const *paths,
                 Err *err);

/* Runs a subcommand that scores standard input against REFERENCE files with a metric. Returns 0, or -1 with *err
   filled. */
int metric_run(const Args *args, const Command *command, const Metric *metric, Err *err);

#endif
