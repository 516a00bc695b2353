/* job.h: runs a training: its input, and what it reports to its caller. */
#ifndef TIDE_JOB_H
#define TIDE_JOB_H

#include "train/data.h"
#include "train/ranks.h"
#include "train/validation.h"

#include <signal.h>

/* The paths belong to the caller. */
typedef struct TrainJob {
    DataFiles files;
    const char *model;         /* the model's directory; created if missing */
    const char *const *probes; /* [probe_count] sentences; each validation writes their alignments */
    int probe_count;
    const char *const *changes; /* names of options that may differ from the resumed training */
    int change_count;
    Ranks *ranks;   /* NULL: one process */
    bool no_reload; /* start a new training, even if the directory contains a model */
    /* A new training starts from the weights and vocabularies of this model; NULL: none. It is also the teacher of sets
       with distillation, and must then be given when the training is continued, too. */
    const char *pretrained;
    const char *about[ABOUTS]; /* what the model says about itself; NULL: what it said before, or nothing */
    int threads;
    TrainOptions options;
} TrainJob;

/* What the progress bar shows. */
typedef struct Progress {
    long update, updates; /* updates made, and their number at the end of the training (0: unknown) */
    double epoch, loss, tokens_per_second, seconds_left;
} Progress;

typedef struct Validation {
    long update;
    double epoch, loss; /* loss in nats per token */
    Bleu bleu;
    double chrf;        /* negative: not one of --valid-metrics */
    bool perplexity;    /* whether it is one of --valid-metrics */
    ValidMetric metric; /* the first of --valid-metrics */
    double value;       /* of this metric */
    AttentionStats attention;
    LengthBleu lengths[LENGTHS];
    bool best;                                   /* best of all validations so far */
    const char *const *sources, *const *outputs; /* the first few sentences and translations */
    int examples;
} Validation;

/* Callbacks of a training; each may be NULL. `validated` is called after train.jsonl, the alignments and the
   translations are written. */
typedef struct TrainCallbacks {
    void *context;
    void (*note)(void *context, const char *text);
    void (*progress)(void *context, const Progress *progress);
    void (*counting)(void *context, const char *what, long done, long all);
    void (*saving)(void *context, bool begins); /* before and after a checkpoint is written */
    void (*validated)(void *context, const Validation *validation);
    /* Called when the text was read, and after each link of the chain. If it fills *err and returns -1, the training
       ends with this error. */
    int (*traced)(void *context, const Recipe *recipe, Err *err);
    void *traced_context; /* its argument */
} TrainCallbacks;

/* Trains until an --after-... option or early stopping ends the training, or *stop is the number of a
   signal instead of 0; then finishes the update and writes a checkpoint. Resumes from the checkpoint in job->model, if
   there is one. An end that no signal caused is validated. model.safetensors then has the weights of the best
   validation, or of the last update if there was no validation. Returns 0, *stop if it ended the training (with several
   ranks: that of the rank that was told to stop), or -1 with *err filled. */
int train(const TrainJob *job, const TrainCallbacks *callbacks, const volatile sig_atomic_t *stop, Err *err);

#endif
