/* verify.h: makes a model again by its recipe, and compares the bits. See docs/verify.md. */
#ifndef TIDE_VERIFY_H
#define TIDE_VERIFY_H

#include "train/job.h"

/* The paths belong to the caller. */
typedef struct VerifyJob {
    const char *model;          /* as for model_load; never changed */
    const CorpusFiles *corpora; /* [corpus_count] the training sets, in the order of the recipe */
    int corpus_count;
    const char *guides; /* of --guided-alignment; NULL: none */
    const char *parent; /* the model of which this one was made; NULL: not given */
    const char *work;   /* a directory for the new training, which an interrupted verification continues */
    int updates;        /* updates to compare; 0: all, and then the weights */
    Ranks *ranks;
    int threads;
} VerifyJob;

typedef struct VerifyCallbacks {
    TrainCallbacks training; /* without `traced` */
    void *context;
    void (*linked)(void *context, long update); /* a link of the chain has the same bits */
} VerifyCallbacks;

/* Reads the recipe of a model. Returns NULL with *err filled if it has none, or a damaged one, or if the weights in the
   file are not those of the recipe. Release with recipe_free. */
Recipe *verify_recipe(const char *model, Err *err);

/* Makes the model again, as far as updates says, on all ranks. Returns 0 if all bits are the same; the number of the
   signal that stopped it, as `train` does; or -1 with *err filled: what differs, or why it could not be done. After 0
   the files in `work` are removed. */
int verify(const VerifyJob *job, const Recipe *recipe, const VerifyCallbacks *callbacks,
           const volatile sig_atomic_t *stop, Err *err);

#endif
