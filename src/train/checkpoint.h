/* checkpoint.h: checkpoints: everything that is needed to continue a training exactly. */
#ifndef TIDE_CHECKPOINT_H
#define TIDE_CHECKPOINT_H

#include "core/optimizer.h"
#include "train/train_options.h"
#include "translate/model_file.h"

#include <stdint.h>

/* The position of a training. A resumed training must write the same numbers to train.jsonl as one without a stop,
   so sums for the next report are kept, too. */
typedef struct TrainState {
    long update;       /* number of updates made */
    long epoch, batch; /* the next batch: its epoch (from 0), and its number in the epoch */

    double report_nats, report_tokens, report_gnorm; /* sums since the last report */
    long report_updates;
    ValidMetric metric; /* the metric of `best` */
    double best;        /* value of the best validation; negative: there is none */
    long best_update;   /* update of the last best validation, even if `best` was forgotten since; 0: none */
    int stalled;        /* number of validations since the best one; stays 0 until a best value is above 0 */
    int skipped;        /* number of updates in a row whose loss or gradient was not finite */
    long log_lines;     /* number of lines in train.jsonl */
    uint64_t data;      /* hash of the training pairs */
    uint64_t valid;     /* hash of the validation pairs that `best` belongs to; 0: not known */
} TrainState;

/* The model, its optimizer and its options. */
typedef struct Learner {
    Translator translator;
    Optimizer optimizer;
    TrainOptions options; /* those in use; after a resume those of the checkpoint, until setup applies the job's */
    Recipe *recipe;       /* so far, owned; NULL: the training began in a version of tide without recipes */
} Learner;
void learner_free(Learner *learner);
/* The weights, the slots and the average of the optimizer: all numbers of a checkpoint. A stb_ds array; the data belong
   to the learner. */
Tensor *learner_tensors(const Learner *learner);

/* Writes DIR/checkpoint.safetensors and keeps the previous one as DIR/checkpoint.prev.safetensors. Two complete
   checkpoints exist at every moment. options.model must equal the translator's options. Returns 0, or -1 with *err
   filled. */
int checkpoint_save(const char *dir, const Learner *learner, const TrainState *state, Err *err);

/* Writes a checkpoint as one file at `path`, and renames nothing. Returns 0, or -1 with *err filled. */
int checkpoint_write(const char *path, const Learner *learner, const TrainState *state, Err *err);
/* Reads such a file, and fills *learner and *state, from zero. *warning changes only if the file has no checksum.
   Returns 0; -1 with *err filled; or OTHER_FORMAT with *err filled if the program cannot read the format. */
enum { OTHER_FORMAT = -2 };
int checkpoint_read(const char *path, Learner *learner, TrainState *state, Err *warning, Err *err);

/* Reads the newest undamaged checkpoint of DIR and fills *learner and *state, from zero. If the newest is damaged,
   reads the previous one and renames the damaged file to checkpoint.damaged.safetensors. *warning says this, or that
   the file has no checksum; otherwise its reason is empty. Returns 1; 0 if DIR has no checkpoint; -1 with *err filled
   if all are damaged, or if the newest has a newer format. */
int checkpoint_load(const char *dir, Learner *learner, TrainState *state, Err *warning, Err *err);

/* The number of updates in the newest checkpoint of DIR; 0 if there is none that can be read. */
long checkpoint_update(const char *dir);
/* Reads the options of the newest checkpoint of DIR, or of the previous one if that cannot be read. Returns whether one
   could be read. */
bool checkpoint_options(const char *dir, TrainOptions *options);

#endif
