/* update.h: one update of the weights by one batch. */
#ifndef TIDE_UPDATE_H
#define TIDE_UPDATE_H

#include "core/optimizer.h"
#include "model/model.h"

/* How the loss is formed and the step taken. */
typedef struct UpdateOptions {
    double label_smoothing, learn_rate, clip_norm;
    const Guide *guide; /* of the attention, a row for each target row; NULL: none */
    GuideCost guide_cost;
    double guide_weight;
} UpdateOptions;

/* Forward, backward, step: the batch lives in the tape's arena, which stays until the next tape_reset. Returns the
   gradient's norm before clipping; *nats receives the batch's plain cross-entropy. Where the norm is not finite, the
   weights are as they were. */
double update_by(Tape *tape, Model *model, Optimizer *optimizer, const Batch *batch, const UpdateOptions *options,
                 double *nats);

#endif
