/* job.h: the input of a training, and what it reports to its caller. */
#ifndef TIDE_JOB_H
#define TIDE_JOB_H

#include "train/data.h"
#include "train/validation.h"

/* Paths are not owned. */
typedef struct TrainJob {
    DataFiles files;
    const char *model;          /* directory; made if missing */
    const char *const *probes;  /* sentences whose alignments are written at each validation, */
    int probe_count;            /* besides those of the first few sentences of the validation set */
    const char *const *changes; /* names of options that may differ from those of the resumed training */
    int change_count;
    bool no_reload; /* trains anew, even if the directory holds a model */
    int threads;
    TrainOptions options;
} TrainJob;

/* For the progress bar. */
typedef struct Progress {
    long update, updates; /* made, and to make; 0: unknown */
    double epoch, loss, tokens_per_second, seconds_left;
} Progress;

typedef struct Validation {
    long update;
    double epoch, loss; /* loss in nats per token */
    Bleu bleu;
    AttentionStats attention;
    LengthBleu lengths[LENGTHS];
    bool best;                                   /* so far */
    const char *const *sources, *const *outputs; /* a few examples */
    int examples;
} Validation;

/* Callbacks of a training; each may be NULL. `validated` is called after the log and the alignments are written. */
typedef struct TrainCallbacks {
    void *context;
    void (*note)(void *context, const char *text);
    void (*progress)(void *context, const Progress *progress);
    void (*counting)(void *context, const char *what, long done, long all);
    void (*validated)(void *context, const Validation *validation);
} TrainCallbacks;

#endif
