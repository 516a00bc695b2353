/* update.h: one update of the weights by one batch. */
#ifndef TIDE_UPDATE_H
#define TIDE_UPDATE_H

#include "core/optimizer.h"
#include "model/model.h"
#include "train/exchange.h"
#include "train/parts.h"

/* Options of the loss and of the optimizer step. */
typedef struct UpdateOptions {
    double label_smoothing;
    Dropout dropout;
    StepOptions step;
    int rows;           /* target rows of the whole batch, if only a part of it is passed; 0: the batch is whole */
    const Guide *guide; /* guides the attention, with a row for each target row; NULL: no guidance */
    GuideCost guide_cost;
    double guide_weight;
    const Teacher *teacher;   /* NULL: no distillation */
    PanelFormat products;     /* of weights and of their gradients: see Tape */
    const UpdateNoise *noise; /* in the sources of the batch; NULL: none */
} UpdateOptions;

/* Runs the forward and backward pass of a batch, or of a part of one, and adds the gradients to those of the model.
   Its results stay in the tape's arena until the next tape_reset. nats[s] receives the cross-entropy of shard s in
   nats, without label smoothing and guide cost, summed over the target rows; without shards nats[0] that of the batch.
   All are NAN if the loss with both is not finite. */
void update_gradients(Tape *tape, Model *model, const Batch *batch, const UpdateOptions *options, double *nats);

/* Gradients of finished parts that wait until they are added in the tree of shard_sums.h. All zero: none. */
typedef struct GradientTree {
    real *waiting[SHARD_LEVELS]; /* blocks like params->gradients, or NULL; owned */
    int done;                    /* number of parts so far */
} GradientTree;
/* Adds the model's gradients, which are those of part `done` of `parts`. After the last part, the model's gradients are
   the sum; before, they are zero. Every part has the same number of shards. */
void gradient_tree_add(GradientTree *tree, Threads *threads, Params *params, int parts);
void gradient_tree_free(GradientTree *tree);
/* Updates the weights by the gradients of a batch with loss `nats`, and sets the gradients to zero. *norm receives the
   gradient norm before clipping, NAN if nats is not finite. If it is not finite, weights and optimizer have not
   changed. exchange: the other ranks, which call it with the same nats; NULL: there are none. Returns 0, or -1 with
   *err filled if another rank failed. */
int update_step(Tape *tape, Model *model, Optimizer *optimizer, Exchange *exchange, double nats,
                const UpdateOptions *options, double *norm, Err *err);

/* The origin of a loss or gradient norm that is not finite. Ranks send it to each other. */
typedef struct NonFinite {
    char op[48];   /* first op whose result or gradient is not finite; empty: only the norm is not finite */
    int32_t back;  /* whether it is the gradient */
    int32_t index; /* of the first pair of the batch with such an op when it runs alone; -1: none */
    int32_t pair;  /* this pair */
} NonFinite;
/* Finds the origin of a non-finite loss or gradient norm and writes it to *found: repeats the forward and backward
   pass of the parts of an update, then of each of their pairs separately, and checks the results of every op.
   Afterwards the gradients are zero. Returns 0, or -1 with *err filled if the pairs cannot be read from the disk. */
int update_find_nonfinite(Tape *tape, Model *model, const Pairs *pairs, const BatchParts *parts,
                          const UpdateOptions *options, NonFinite *found, Err *err);

#endif
