/* trainer_parts.h: a training under way, which trainer.c, trainer_begin.c and trainer_validate.c share. */
#ifndef TIDE_TRAINER_PARTS_H
#define TIDE_TRAINER_PARTS_H

#include "train/log.h"
#include "train/trainer.h"
#include "train/workspace.h"

typedef struct Trainer {
    const TrainJob *job;
    const TrainWatch *watch;
    Threads *threads;
    Tape tape;
    Translator translator;
    Optimizer optimizer;
    TrainState state;
    Data data;
    Workspace workspace;
    double batch_bytes; /* that the tape's arena has for a batch */
    Epoch epoch;
    Log log;
    double began, reported; /* seconds: the training, the last report */
    double report_tokens;   /* target tokens since then, by this process */
    long began_update;      /* made when this process began */
    double learn_rate;      /* of the last update */
    double shown_loss;      /* of the progress bar: a moving average */
    double speed;           /* target tokens a second, lately */
    bool resumed;
    int lock;  /* on the model's directory; -1: none */
    bool made; /* that directory */
    const volatile sig_atomic_t *stop;
} Trainer;

/* trainer.c: a line for whoever watches. */
void trainer_note(const Trainer *trainer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Epochs done, with the part of the present one. */
double trainer_epochs(const Trainer *trainer);
/* A number of nats a piece, as a perplexity that JSON can hold. */
double trainer_perplexity(double nats);

/* trainer_begin.c: takes up what an earlier process left, or begins anew: data, weights, memory, log; and notes what is
   to be trained on what. -1 with *err filled; trainer_end releases what there is in either case. */
int trainer_begin(Trainer *trainer, Err *err);
void trainer_end(Trainer *trainer);
/* What a batch may take, in bytes. */
double trainer_limit(const Options *options);

/* trainer_validate.c: loss, BLEU, the probes' alignments; keeps the weights if they are the best so far. */
int trainer_validate(Trainer *trainer, Err *err);
/* Writes the model as it translates, with its averaged weights where there are any, and the probes' alignments. */
int trainer_save_model(Trainer *trainer, Err *err);

#endif
