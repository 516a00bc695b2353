/* checkpoint.h: everything needed to go on exactly where a training stopped. */
#ifndef TIDE_CHECKPOINT_H
#define TIDE_CHECKPOINT_H

#include "core/optimizer.h"
#include "train/train_options.h"
#include "translate/model_file.h"

#include <stdint.h>

/* Where a training stands. Numbers that stand in train.jsonl must come out the same after resuming. */
typedef struct TrainState {
    long update;       /* made so far */
    long epoch, batch; /* the next batch: number of the pass (from 0), and of the batch in it */

    double report_nats, report_tokens, report_gnorm; /* since the last report: loss and norms summed */
    long report_updates;
    double best_bleu; /* of the best validation; negative before the first */
    long best_update;
    int stalled;    /* validations since then; before a BLEU above 0, none */
    int skipped;    /* updates in a row whose loss or gradient was not finite */
    long log_lines; /* of train.jsonl */
    uint64_t data;  /* a hash of the training pairs */
    uint64_t valid; /* and of those that best_bleu was measured on; 0: not known */
} TrainState;

/* Writes DIR/checkpoint.safetensors; the one before becomes DIR/checkpoint.prev.safetensors. Two whole checkpoints
   exist at every moment. The model's part of the options must be the translator's. */
int checkpoint_save(const char *dir, const Translator *translator, const TrainOptions *options,
                    const Optimizer *optimizer, const TrainState *state, Err *err);

/* Reads the newest checkpoint of DIR that is whole. Returns 1 and fills everything (the translator and the optimiser
   set up from nothing), 0 if DIR holds none, -1 with *err filled if it holds only damaged ones, or the newest has a
   newer format. Where the newest is damaged, the one before is taken and the damaged file is renamed to
   checkpoint.damaged.safetensors. *warning says this, or that the file has no checksum; else its reason is empty. */
int checkpoint_load(const char *dir, Translator *translator, TrainOptions *options, Optimizer *optimizer,
                    TrainState *state, Err *warning, Err *err);

#endif
