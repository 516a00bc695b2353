/* validate.h: validation during a training, and saving the model. */
#ifndef TIDE_VALIDATE_H
#define TIDE_VALIDATE_H

#include "train/training.h"

/* Measures loss, BLEU, the other --valid-metrics and attention on the validation set, writes them to train.jsonl, and
   writes the translations and the alignments of the probes. Writes the model if the first metric is the best so far.
   Uses the average of the weights, if the optimizer keeps one. Returns 0, or -1 with *err filled. */
int training_validate(Training *training, Err *err);
/* Writes the model, with the average of the weights if the optimizer keeps one, and the alignments of the probes.
   Returns 0, or -1 with *err filled. */
int training_save_model(Training *training, Err *err);

#endif
