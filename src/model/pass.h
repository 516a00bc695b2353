/* pass.h: the choices of one pass through a model. They belong to the request, not to the model: a model is shared. */
#ifndef TIDE_PASS_H
#define TIDE_PASS_H

#include <stdbool.h>

/* How attention is read. All zero: soft attention; the alignment is the mean of all heads of the last layer. */
typedef struct AttentionOptions {
    bool hard;       /* c_i is the one annotation with the largest score; only on a tape that does not record */
    int layer, head; /* the layer and the head whose weights are the alignment, counted from 1; 0: see above */
} AttentionOptions;

/* Dropout rates, used on a tape that records. */
typedef struct Dropout {
    double embedding, annotation, readout;
} Dropout;

typedef struct PassOptions {
    AttentionOptions attention;
    Dropout dropout;
} PassOptions;

#endif
