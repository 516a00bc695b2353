/* training.h: the state of a training in progress, grouped by subject, and what all its parts use. */
#ifndef TIDE_TRAINING_H
#define TIDE_TRAINING_H

#include "train/checkpoint.h"
#include "train/job.h"
#include "train/log.h"

#include <signal.h>

/* What learns, and with what. */
typedef struct Learner {
    Threads *threads;
    Session session; /* its tape records */
    Translator translator;
    Optimizer optimizer;
    TrainOptions options; /* in force: on resume the checkpoint's, until setup applies the job's */
} Learner;

/* The model's directory, which is locked for this process. */
typedef struct RunDirectory {
    int lock;  /* file descriptor; -1: none */
    bool made; /* by this process */
    Log log;
} RunDirectory;

/* What a batch may take of the tape's arena. */
typedef struct BatchMemory {
    Workspace workspace;
    LargestBatch largest; /* of the training */
    double limit;         /* bytes, from --workspace; 0: none */
    double batch;         /* bytes that are reserved, enough for every batch or part of one */
} BatchMemory;

/* What reports and the progress bar show of this process. */
typedef struct Meter {
    double began;      /* seconds_now() when the loop began */
    long began_update; /* updates made until then */
    double reported;   /* seconds_now() at the last report, plus the time of validations since */
    double tokens;     /* target tokens since the last report */
    double learn_rate; /* of the last update */
    double loss;       /* nats per token: a moving average */
    double speed;      /* target tokens per second: a moving average */
} Meter;

typedef struct Training {
    const TrainJob *job;
    const TrainCallbacks *callbacks;
    const volatile sig_atomic_t *stop; /* non-zero: finish the update and stop */
    Learner learner;
    Data data;
    Epoch epoch; /* the plan of the current epoch */
    RunDirectory directory;
    BatchMemory memory;
    TrainState state; /* what a checkpoint keeps */
    Meter meter;
    bool resumed; /* from a checkpoint */
} Training;

/* Passes a line of text to the caller's `note`. */
void training_note(const Training *training, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a line of JSON to train.jsonl. Returns 0, or -1 with *err filled. */
int training_log(Training *training, const char *line, Err *err);
/* The dropout rates that the options set. */
Dropout training_dropout(const TrainOptions *options);
/* The random numbers of the dropout masks of the update that follows `updates` others. */
Rng training_rng(const TrainOptions *options, long updates);
/* Epochs done, the current one in part. */
double training_epochs(const Training *training);
/* The perplexity of a loss in nats per token; at most 1e15, for JSON has no infinity. */
double training_perplexity(double nats);

#endif
