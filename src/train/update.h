/* update.h: one update of the weights by one batch. */
#ifndef TIDE_UPDATE_H
#define TIDE_UPDATE_H

#include "core/optimizer.h"
#include "model/model.h"
#include "text/batches.h"

/* How the loss is formed and the step taken. */
typedef struct UpdateOptions {
    double label_smoothing;
    Dropout dropout;
    StepOptions step;
    int rows;           /* target rows of the whole batch, for a part of one; 0: the batch is whole */
    const Guide *guide; /* of the attention, a row for each target row; NULL: none */
    GuideCost guide_cost;
    double guide_weight;
} UpdateOptions;

/* Forward and backward: adds the gradients of a batch, or of a part of one, to the model's. What it computes stays in
   the tape's arena until the next tape_reset. Returns the cross-entropy in nats, without smoothing and guide, summed
   over the target rows; NAN if the loss with both is not finite. */
double update_gradients(Tape *tape, Model *model, const Batch *batch, const UpdateOptions *options);
/* Updates the weights by the gradients of a batch whose loss is `nats`. Returns the gradients' norm before clipping, or
   NAN if nats is not finite. If what it returns is not finite, the weights and the optimizer do not change. The
   gradients are zero afterwards. */
double update_step(Tape *tape, Model *model, Optimizer *optimizer, double nats, const UpdateOptions *options);

/* Where a loss or gradient norm that is not finite comes from. */
typedef struct NonFinite {
    Watch watch; /* the first op with such a number; none: the gradient is finite, but its norm is not */
    int pair;    /* the first pair of the batch that has such a number if it is alone; -1: none */
} NonFinite;
/* Repeats the forward and backward passes of an update, in as many parts as before, and then of each of its n pairs
   alone, and watches every op. Afterwards the gradients are zero. Returns 0, or -1 with *err filled if the pairs cannot
   be read from the disk. */
int update_find_nonfinite(Tape *tape, Model *model, const Pairs *pairs, const int *which, int n, int parts,
                          const UpdateOptions *options, NonFinite *found, Err *err);

#endif
