/* trainer.h: the training loop: batches, updates, validation, checkpoints, train.jsonl. */
#ifndef TIDE_TRAINER_H
#define TIDE_TRAINER_H

#include "train/checkpoint.h"
#include "train/data.h"
#include "train/validation.h"

#include <signal.h>

/* What to train on and where to write. Paths are not owned. */
typedef struct TrainJob {
    DataFiles files;            /* before a validation, the last weights are the model */
    const char *model;          /* directory; made if missing */
    const char *const *probes;  /* sentences whose alignment is kept at each validation, */
    int probe_count;            /* besides the first few of the validation set */
    const char *const *changes; /* options by name that may differ from those of the training that goes on */
    int change_count;
    int threads;
    Options options;
} TrainJob;

/* For the progress bar. */
typedef struct Progress {
    long update, updates; /* 0: not known how many */
    double epoch, loss, tokens_per_second, seconds_left;
} Progress;

typedef struct Validation {
    long update;
    double epoch, loss; /* nats a token */
    Bleu bleu;
    Looks looks;
    LengthBleu lengths[LENGTHS];
    bool best;
    const char *const *sources, *const *outputs; /* a few examples */
    int examples;
} Validation;

/* How the loop is watched; any may be NULL. `validated` comes when the log and the alignments are written. */
typedef struct TrainWatch {
    void *context;
    void (*note)(void *context, const char *text);
    void (*progress)(void *context, const Progress *progress);
    void (*counting)(void *context, const char *what, long done, long all);
    void (*validated)(void *context, const Validation *validation);
} TrainWatch;

/* Trains until an after-option or early stopping ends it, or *stop becomes nonzero: then the update is finished and a
   checkpoint written, and a model where there is none of a validation. Goes on from the checkpoint where job->model
   holds one. Returns 0, or -1 with *err filled. */
int train(const TrainJob *job, const TrainWatch *watch, const volatile sig_atomic_t *stop, Err *err);

#endif
