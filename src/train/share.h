/* share.h: gives all ranks of a training the state and the data that one of them has read. */
#ifndef TIDE_SHARE_H
#define TIDE_SHARE_H

#include "train/training.h"

/* Checks that all ranks have the same options and the same version of tide. Returns 0, or -1 with *err filled. */
int share_check_options(Ranks *ranks, const TrainOptions *options, Err *err);
/* Copies model, optimizer and position of the training from rank 0 to all ranks; the optimizer is not divided yet.
   Returns 0, or -1 with *err filled. */
int share_state(Training *training, Err *err);
/* Gives the encoded training data of the first rank of each machine to its other ranks: they read its temporary files.
   Then checks that the data of all machines are the same. Returns 0, or -1 with *err filled. */
int share_data(Training *training, Err *err);

#endif
