/* learn.h: trains a model further on corrections of its translations, and decides whether it is better. */
#ifndef TIDE_LEARN_H
#define TIDE_LEARN_H

#include "train/learned.h"

/* What the model learns from the text that keeps its knowledge. */
typedef enum KeepTargets {
    KEEP_GIVEN,
    KEEP_OWN,          /* the model's own translations */
    KEEP_PROBABILITIES /* the probabilities that the model gives to each word of the given translations */
} KeepTargets;
extern const char keep_targets_names[]; /* as in core/choice.h */

/* The paths belong to the caller. */
typedef struct LearnJob {
    const char *model;              /* as for model_load */
    const CorpusFiles *corrections; /* [correction_count], as for corrections_divide */
    int correction_count;
    const char *output; /* directory of the new model; created if missing */
    CorpusFiles keep;   /* text of the kind that the model knows */
    CorpusFiles valid;  /* development set */
    bool starter;       /* one of the two is the starter corpus: the model must have its languages */
    const char *served; /* the model that the new one must better on the held-out corrections; NULL: `model` */
    KeepTargets keep_targets;
    int updates;       /* 0: by the number of corrections */
    double learn_rate; /* 0: 0.2 of that with which the model was trained */
    double share;      /* of the corrections in an epoch; the rest is text of `keep`; above 0, below 1 */
    double most_loss;  /* BLEU that the development set may lose */
    int seed, threads;
} LearnJob;

/* Starts from job->model and trains on the corrections that are not held out and on text that keeps what the model
   knows. Accepts the new model if learned_judge does: the held-out corrections are translated better, and
   the development set loses at most job->most_loss BLEU. job->output then has
     corrections.tsv, keep.tsv  the training sets, for `tide verify --parent`
     held-out.tsv               the corrections that judged it
     train.jsonl                the log of the training
     learned.json               what *learned has
     model.safetensors          the new model, moved there as the last step; only if it was accepted
     float.safetensors          the same before its weights were rounded, if job->model has weights of 8 bits
   The training itself is in the folder `training`, which is removed at the end. After an interruption, the same job
   continues there. The same job gives the same bits with any number of threads.
   Returns 0, also if the model was refused; the number of the signal that stopped it, as `train` does; or -1 with *err
   filled: a file cannot be read or written, no correction is left to learn or to hold out, the output is in use or has
   a model already. Release *learned with learned_free in all cases. */
int learn(const LearnJob *job, const TrainCallbacks *callbacks, const volatile sig_atomic_t *stop, Learned *learned,
          Err *err);

#endif
