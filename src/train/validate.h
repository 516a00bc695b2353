/* validate.h: a validation within a training, and the model that it chooses. */
#ifndef TIDE_VALIDATE_H
#define TIDE_VALIDATE_H

#include "train/training.h"

/* Measures loss, BLEU and attention on the validation set, logs them, and writes the probes' alignments; if the BLEU is
   the best so far, writes the model. The weights in use are their average, if there is one. Returns 0, or -1 with *err
   filled. */
int training_validate(Training *training, Err *err);
/* Writes the model, with the average of its weights if there is one, and the probes' alignments. Returns 0, or -1 with
 *err filled. */
int training_save_model(Training *training, Err *err);

#endif
