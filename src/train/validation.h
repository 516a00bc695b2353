/* validation.h: what is looked at between updates: the loss on other data, and alignments as they emerge. */
#ifndef TIDE_VALIDATION_H
#define TIDE_VALIDATION_H

#include "train/translator.h"

/* Cross-entropy of the pairs without dropout or smoothing, nats a target token. Resets the tape. */
double validation_loss(Tape *tape, const Model *model, const Pairs *pairs);

/* Translates the sentences (normalised, a stb_ds array) and writes DIR/align/UPDATE.json: {"update": .., "alignments":
   [{source, target, matrix}, ...]}. Sentences without an alignment are left out. Resets the tape. */
int alignments_write(const char *dir, long update, Tape *tape, const Translator *translator, char *const *sentences,
                     Err *err);

#endif
