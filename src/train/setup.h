/* setup.h: set-up and release of a training. */
#ifndef TIDE_SETUP_H
#define TIDE_SETUP_H

#include "train/training.h"

/* Sets up a training: locks the directory, loads its checkpoint or initialises a new model, reads the data, reserves
   memory, opens train.jsonl, and describes the training in notes. job, callbacks, stop and learner.threads must be
   set; directory.lock must be -1. training_release must follow, also after an error. Returns 0, or -1 with *err
   filled. */
int training_setup(Training *training, Err *err);
void training_release(Training *training);

#endif
