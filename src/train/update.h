/* update.h: one update of the weights by one batch. */
#ifndef TIDE_UPDATE_H
#define TIDE_UPDATE_H

#include "core/optimizer.h"
#include "model/model.h"
#include "text/batches.h"

/* Options of the loss and of the optimizer step. */
typedef struct UpdateOptions {
    double label_smoothing;
    Dropout dropout;
    StepOptions step;
    int rows;           /* target rows of the whole batch, if only a part of it is passed; 0: the batch is whole */
    const Guide *guide; /* guides the attention, with a row for each target row; NULL: no guidance */
    GuideCost guide_cost;
    double guide_weight;
} UpdateOptions;

/* Runs the forward and backward pass of a batch, or of a part of one, and adds the gradients to those of the model.
   Its results stay in the tape's arena until the next tape_reset. Returns the cross-entropy in nats, without label
   smoothing and guide cost, summed over the target rows; NAN if the loss with both is not finite. */
double update_gradients(Tape *tape, Model *model, const Batch *batch, const UpdateOptions *options);
/* Updates the weights by the gradients of a batch with loss `nats`, and sets the gradients to zero. Returns the
   gradient norm before clipping, NAN if nats is not finite. If the result is not finite, weights and optimizer have
   not changed. */
double update_step(Tape *tape, Model *model, Optimizer *optimizer, double nats, const UpdateOptions *options);

/* The origin of a loss or gradient norm that is not finite. */
typedef struct NonFinite {
    Watch watch; /* first op whose result or gradient is not finite; op NULL: only the norm is not finite */
    int pair;    /* first pair of the batch with such an op when it runs alone; -1: none */
} NonFinite;
/* Finds the origin of a non-finite loss or gradient norm and writes it to *found: repeats the forward and backward
   pass of an update of n pairs in `parts` parts, then of each pair separately, and checks the results of every op.
   Afterwards the gradients are zero. Returns 0, or -1 with *err filled if the pairs cannot be read from the disk. */
int update_find_nonfinite(Tape *tape, Model *model, const Pairs *pairs, const int *which, int n, int parts,
                          const UpdateOptions *options, NonFinite *found, Err *err);

#endif
