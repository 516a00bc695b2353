/* update.h: one update of the weights by one batch. */
#ifndef TIDE_UPDATE_H
#define TIDE_UPDATE_H

#include "core/optimizer.h"
#include "model/model.h"
#include "text/batches.h"

/* How the loss is formed and the step taken. */
typedef struct UpdateOptions {
    double label_smoothing;
    StepOptions step;
    int rows;           /* target rows of the batch, where it comes in parts; 0: it comes whole */
    const Guide *guide; /* of the attention, a row for each target row; NULL: none */
    GuideCost guide_cost;
    double guide_weight;
} UpdateOptions;

/* Forward and backward: adds the gradients of a batch, or of a part of one. It lives in the tape's arena, which stays
   until the next tape_reset. Returns its plain cross-entropy in nats. */
double update_gradients(Tape *tape, Model *model, const Batch *batch, const UpdateOptions *options);
/* Takes the step; gradients are zero afterwards. Returns the gradient's norm before clipping; where that is not finite,
   the weights are as they were. */
double update_step(Tape *tape, Model *model, Optimizer *optimizer, const UpdateOptions *options);

/* What an update came to grief on: looked for where its loss or norm is not finite. */
typedef struct Blame {
    Watch watch; /* the first op; none: the gradient is finite, but its norm is not */
    int pair;    /* the first of the batch's that is not finite by itself either; -1: none */
} Blame;
/* Goes through the batch's update once more with a watch, without the step, and then through each of its n pairs alone.
   It comes in as many parts as it did.
   `rng` is what the tape had before the update. Gradients are zero afterwards, and the tape is as after the update. -1
   with *err filled where the disk is broken. */
int update_blame(Tape *tape, Model *model, const Pairs *pairs, const int *which, int n, int parts,
                 const UpdateOptions *options, Rng rng, Blame *blame, Err *err);

#endif
