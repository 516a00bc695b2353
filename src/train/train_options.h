/* train_options.h: the options of a training, including those of its model. */
#ifndef TIDE_TRAIN_OPTIONS_H
#define TIDE_TRAIN_OPTIONS_H

#include "core/ops.h"
#include "core/optimizer.h"
#include "corpus/noise.h"
#include "model/params.h"
#include "model/pass.h"
#include "translate/model_options.h"

/* ---- --valid-metrics: the first one of a training chooses the best model ---- */

/* Indices in valid_metric_names. */
typedef enum { VALID_BLEU, VALID_CHRF, VALID_CE_MEAN_WORDS, VALID_PERPLEXITY } ValidMetric;
enum { VALID_METRICS = 4 };

/* Marian's names. */
extern const char valid_metric_names[];

/* The name for people: "BLEU". */
const char *valid_metric_title(ValidMetric metric);
/* Whether `value` is better than `best`. A negative best: there is none, and every finite value is better. */
bool valid_metric_is_better(ValidMetric metric, double value, double best);

/* ---- all options ---- */

typedef struct TrainOptions {
    ModelOptions model; /* first, so that the tables of ModelOptions also describe TrainOptions */
    /* options that change the arithmetic */
    InitScheme init;
    int optimizer; /* index in optimizer_names */
    double learn_rate, lr_decay, clip_norm, label_smoothing, exponential_smoothing, averaging_eta, pretrained_share;
    int lr_decay_start, lr_warmup, lr_decay_inv_sqrt;
    Dropout dropout;
    Noise noise; /* in the sources */
    GuideCost guided_cost;
    double guided_weight;
    bool guided_null;
    int mini_batch, maxi_batch, max_length, workspace, shards;
    PanelFormat precision; /* PANELS_F32 or PANELS_BF16 */
    int seed;
    /* when to stop, validate, save and report; not in the configuration */
    double after_epochs, after_minutes;
    int valid_metrics[VALID_METRICS]; /* indices in valid_metric_names; -1 after the last */
    int after_batches, early_stopping, valid_freq, save_freq, disp_freq;
} TrainOptions;

/* The tables of the model, the training and the search, in the order of --help and of the configuration. */
extern const Option *const train_option_tables[];
/* The same with what `tide tune` fits: all that the configuration of a model may have. */
extern const Option *const stored_option_tables[];

#endif
