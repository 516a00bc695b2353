/* trainer.h: the training loop: batches, updates, validation, checkpoints, train.jsonl. */
#ifndef TIDE_TRAINER_H
#define TIDE_TRAINER_H

#include "train/job.h"

#include <signal.h>

/* Trains until an --after-... option or early stopping ends the training, or *stop is the number of a
   signal instead of 0; then finishes the update and writes a checkpoint. Resumes from the checkpoint in job->model, if
   there is one. model.safetensors then has the weights of the best validation, or of the last update if there was no
   validation. Returns 0, *stop if it ended the training (with several ranks: that of the rank that was told to stop),
   or -1 with *err filled. */
int train(const TrainJob *job, const TrainCallbacks *callbacks, const volatile sig_atomic_t *stop, Err *err);

#endif
