/* pass.h: the options of one pass through a model. They are not part of the model, because several sessions share it.
 */
#ifndef TIDE_PASS_H
#define TIDE_PASS_H

#include <stdbool.h>

/* All zero: soft attention, and the alignment is the mean over all heads of the last layer. */
typedef struct AttentionOptions {
    bool hard;       /* c_i is the annotation with the largest score; only on a tape that does not record */
    int layer, head; /* the layer and the head of the alignment, counted from 1; 0: the last layer, all heads */
} AttentionOptions;

/* Dropout rates. They have no effect on a tape that does not record. */
typedef struct Dropout {
    double embedding, annotation, readout;
} Dropout;

typedef struct PassOptions {
    AttentionOptions attention;
    Dropout dropout;
} PassOptions;

#endif
