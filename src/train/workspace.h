/* workspace.h: predicts the memory of a batch in training, and splits batches that need too much. */
#ifndef TIDE_WORKSPACE_H
#define TIDE_WORKSPACE_H

#include "corpus/batches.h"
#include "model/model.h"
#include "train/distillation.h"

enum { WORKSPACE_LENGTHS = 3 };

/* The arena memory that batches of a model need in training. It is linear in the number of pairs, and at most
   quadratic in the source length and in the target length, so measurements of a few small batches predict every
   batch. The prediction does not depend on the number of threads or on the instruction set. Therefore the parts into
   which a batch is split do not depend on them either. */
typedef struct Workspace {
    /* measured with FEW or 2 FEW pairs (see workspace.c), 2 to 4 source pieces, 2 to 4 target pieces */
    double bytes[2][WORKSPACE_LENGTHS][WORKSPACE_LENGTHS];
    double per_link; /* bytes of a link that guides the attention; 0: no guidance */
    double panels;   /* upper limit for packed weights, in addition; depends on the instruction set */
} Workspace;

/* Measures by training on a few small batches with these dropout rates, without updates, in `shards`
   shards (1: not divided), with products of this format, and with a teacher (NULL: none), whose memory counts.
   Afterwards the gradients are zero. */
Workspace workspace_measure(Threads *threads, Model *model, Dropout dropout, bool guided, int shards,
                            PanelFormat products, Distillation *teacher);
/* Upper limit of the bytes for n pairs with at most these numbers of source and target pieces. */
double workspace_need(const Workspace *workspace, int n, int source, int target);

/* The largest possible batch of some pairs. */
typedef struct LargestBatch {
    int n, source, target; /* number of pairs, and the largest numbers of pieces */
} LargestBatch;
LargestBatch workspace_largest(const Pairs *pairs, int mini_batch);
/* The index of the pair that needs most memory. */
int workspace_largest_pair(const Workspace *workspace, const Pairs *pairs);

/* The number of nearly equal parts, at most n, into which n pairs must be split so that no part needs more than
   `limit` bytes. If a single pair needs more, the result is n. */
int workspace_parts(const Workspace *workspace, double limit, const Pairs *pairs, const int *which, int n);

#endif
