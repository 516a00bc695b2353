/* setup.h: the beginning and the end of a training. */
#ifndef TIDE_SETUP_H
#define TIDE_SETUP_H

#include "train/training.h"

/* Sets up the job of a training: takes the directory, resumes from its checkpoint or initialises a new model, reads the
   data, reserves memory and opens the log; notes what is to be trained on what. Returns 0, or -1 with *err filled; in
   either case training_release must follow. Needs job, callbacks, stop, the learner's threads, and no lock. */
int training_setup(Training *training, Err *err);
void training_release(Training *training);

#endif
