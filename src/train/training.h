/* training.h: the state of a running training, grouped by subject, and the functions of the files that work on it. */
#ifndef TIDE_TRAINING_H
#define TIDE_TRAINING_H

#include "train/checkpoint.h"
#include "train/distillation.h"
#include "train/job.h"
#include "train/log.h"
#include "train/update.h"

/* The model's directory, locked for this process. */
typedef struct RunDirectory {
    int lock;  /* file descriptor; -1: none */
    bool made; /* created by this process */
    Log log;
} RunDirectory;

/* The memory of a batch in the tape's arena: predicted need and limit. */
typedef struct BatchMemory {
    Workspace workspace;
    LargestBatch largest; /* of all batches in the training */
    double limit;         /* bytes; --workspace; 0: none */
    double available;     /* bytes that were free before the training took any; 0: unknown */
    double batch;         /* bytes: enough for every batch, or for each part of a batch */
    Arena plan;           /* the parts of the current batch */
} BatchMemory;

/* Measurements of this process for reports and the progress bar. */
typedef struct Meter {
    double began;      /* seconds_now() when the loop began */
    long began_update; /* number of updates made before the loop began */
    double reported;   /* seconds_now() at the last report, plus the duration of later validations */
    double tokens;     /* target tokens since the last report */
    double learn_rate; /* in the last update */
    double loss;       /* nats per token, moving average */
    double speed;      /* target tokens per second, moving average */
} Meter;

typedef struct Training {
    const TrainJob *job;
    const TrainCallbacks *callbacks;
    const volatile sig_atomic_t *stop; /* not 0, but a signal: finish the update and stop */
    Threads *threads;
    Learner learner;
    Session session; /* its tape records */
    Data data;
    Epoch epoch; /* the order of the pairs in the current epoch */
    RunDirectory directory;
    BatchMemory memory;
    Ranks *ranks;      /* the job's */
    DataFiles files;   /* the job's; with a directory for temporary files on this machine */
    ShardRange shards; /* of this process */
    GradientTree gradients;
    Distillation distillation;
    real *pretrained; /* [params.size] the weights with which the training began, if the model has a share of them;
                         owned; NULL: it has none */
    Exchange exchange;
    int stopping;     /* *stop of a rank that was told to stop, as of the last update; 0: none */
    bool out_of_time; /* --after-minutes are over, as of the last update */
    TrainState state; /* is stored in checkpoints */
    Meter meter;
    bool resumed; /* from a checkpoint */
    bool saved;   /* the directory has a checkpoint of this training */
    bool ending;  /* the training ends: a validation from here on is one that a longer training would not have */
} Training;

/* Whether this process is rank 0, which writes the files. */
bool training_writes(const Training *training);
/* Waits, if there are several ranks, until all ranks call it. Returns 0, or -1 with *err filled. */
int training_join(const Training *training, Err *err);
/* Passes a line of text to the caller's callback `note`. */
void training_note(const Training *training, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a line of JSON to train.jsonl, on rank 0 only. Returns 0, or -1 with *err filled. */
int training_log(Training *training, const char *line, Err *err);
/* Makes a copy of the learner whose slots and average of the optimizer are complete on rank 0: collects them from all
   ranks. Release with training_release_collected, also after an error. Returns 0, or -1 with *err filled. */
int training_collect(Training *training, Learner *whole, Err *err);
void training_release_collected(const Training *training, Learner *whole);
/* Whether something that happens every `frequency` updates happens after this update. frequency 0: it never happens. */
bool training_due(long update, int frequency);
/* Whether --valid-freq demands a validation after the last update. The end of a training is validated anyway. */
bool training_validation_due(const Training *training);
/* Number of epochs done, with the fraction of the current one. */
double training_epochs(const Training *training);
/* exp(nats), the perplexity for a loss in nats per token; at most 1e15, because JSON has no infinity. */
double training_perplexity(double nats);

/* ---- setup.c ---- */

/* Sets up a training: locks the directory, loads its checkpoint or initialises a new model, reads the data, reserves
   memory, opens train.jsonl, and describes the training in notes. job, callbacks, stop and threads must be
   set; directory.lock must be -1. training_release must follow, also after an error. Returns 0, or -1 with *err
   filled. */
int training_setup(Training *training, Err *err);
void training_release(Training *training);

/* ---- memory.c ---- */

/* Warns, before the weights of a new model are allocated, if they do not fit into memory. */
void training_warn_of_weights(const Training *training);
/* Measures what batches need, and reserves arena memory for the largest one or, if this is less, as much as --workspace
   allows. Warns if the memory of the machine is not enough. Returns 0, or -1 with *err filled: a batch is too large. */
int training_reserve_memory(Training *training, Err *err);
/* Prints how much memory the weights and a batch take. */
void training_describe_memory(const Training *training);

/* ---- trainer.c: the loop of `train`, for callers that have one of their own ---- */

/* Plans the first epoch, after training_setup. Returns 0, or -1 with *err filled: the checkpoint is one of other data.
 */
int trainer_begin(Training *training, Err *err);
/* Whether an --after-... option or early stopping ends the training. */
bool trainer_finished(const Training *training);
/* Makes one update, then the report, the validation and the checkpoint that are due. Returns 0, or -1 with *err
   filled. */
int trainer_step(Training *training, Err *err);
/* Ends this run with a checkpoint and a model. An end that no signal caused (!stopped) is validated. If there was no
   validation yet, the model has the weights of the last update. Returns 0, or -1 with *err filled. */
int trainer_finish(Training *training, bool stopped, Err *err);

/* ---- share.c: gives all ranks the state and the data that one of them has read ---- */

/* Checks that all ranks have the same options and the same version of tide. Returns 0, or -1 with *err filled. */
int share_check_options(Ranks *ranks, const TrainOptions *options, Err *err);
/* Copies model, optimizer and position of the training from rank 0 to all ranks; the optimizer is not divided yet.
   Returns 0, or -1 with *err filled. */
int share_state(Training *training, Err *err);
/* Gives the encoded training data of the first rank of each machine to its other ranks: they read its temporary files.
   Then checks that the data of all machines are the same. Returns 0, or -1 with *err filled. */
int share_data(Training *training, Err *err);

/* ---- validation.c ---- */

/* The cross-entropy of the validation pairs in nats per target token, without dropout and label smoothing. Batches need
   at most memory.batch bytes, except a single pair that needs more. Resets the tape. Returns 0, or -1 with *err filled
   if the disk fails. Ranks share the batches; the loss has the same bits for any number of them. */
int validation_loss(Training *training, double *loss, Err *err);
/* Translates the validation set as session_translate does; `progress` gets the training as its context. Ranks share the
   sentences; the result is complete on rank 0, with the best hypothesis of each sentence, and has no sentences on the
   others. Returns 0, or -1 with *err filled. Release with translations_free. */
int validation_translate(Training *training, SessionProgress *progress, Translations *found, Err *err);
/* Translates normalised sentences (a stb_ds array) and writes MODEL/align/UPDATE.json: {"update": .., "alignments":
   [{source, target, matrix}, ...]}. Sentences without an alignment are left out. Afterwards the tape is as after
   session_translate. Returns 0, or -1 with *err filled. */
int alignments_write(Training *training, char *const *sentences, Err *err);

/* ---- validate.c ---- */

/* A file in the model's directory, which exists only if the validation at the end of the last run found a better model
   than all validations before it. It has the best model before that end, with which a longer training continues. */
#define MODEL_ASIDE "model.resume.safetensors"

/* Measures loss, BLEU, the other --valid-metrics and attention on the validation set, writes them to train.jsonl, and
   writes the translations and the alignments of the probes. Writes the model if the first metric is the best so far.
   Uses the average of the weights, if the optimizer keeps one. Returns 0, or -1 with *err filled. */
int training_validate(Training *training, Err *err);
/* Writes the model, with the average of the weights if the optimizer keeps one, and the alignments of the probes.
   Returns 0, or -1 with *err filled. */
int training_save_model(Training *training, Err *err);

#endif
