/* workspace.h: how much memory a batch takes in training, known before it is there, and batches that take too much in
   parts. */
#ifndef TIDE_WORKSPACE_H
#define TIDE_WORKSPACE_H

#include "model/model.h"
#include "text/batches.h"

enum { WORKSPACE_LENGTHS = 3 };

/* The memory in the tape's arena that batches of a model need. It is linear in the number of pairs, and at most
   quadratic in the source length and in the target length: measurements of a few small batches predict every batch. The
   prediction does not depend on the number of threads or on the instruction set. Therefore the parts into which a batch
   is split do not depend on them either. */
typedef struct Workspace {
    double bytes[2][WORKSPACE_LENGTHS]
                [WORKSPACE_LENGTHS]; /* of FEW or twice as many pairs, of 2 to 4 source and 2 to 4 target pieces */
    double per_link;                 /* of a link that guides the attention, or 0 */
    double panels;                   /* at most, for packed weights, in addition; depends on the instruction set */
} Workspace;

/* Trains on a few small batches with these dropout rates, without updates. The gradients are zero before and after. */
Workspace workspace_measure(Threads *threads, Model *model, Dropout dropout, bool guided);
/* Bytes that n pairs need at most, of up to so many pieces. */
double workspace_need(const Workspace *workspace, int n, int source, int target);

/* The largest batch that there can be of such pairs. */
typedef struct LargestBatch {
    int n, source, target; /* pairs, and pieces of their longest sides */
} LargestBatch;
LargestBatch workspace_largest(const Pairs *pairs, int mini_batch);
/* The pair that needs most by itself. */
int workspace_largest_pair(const Workspace *workspace, const Pairs *pairs);

/* Into how many equal parts n pairs must be split so that none needs more than `limit` bytes; n at most. */
int workspace_parts(const Workspace *workspace, double limit, const Pairs *pairs, const int *which, int n);

#endif
