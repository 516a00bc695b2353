#include "train/train_options.h"
#include "train/guides.h"

#include <math.h>
#include <stddef.h>

const char valid_metric_names[] = "bleu|chrf|ce-mean-words|perplexity";

static const struct {
    const char *title;
    bool smaller_is_better;
} metrics[] = {[VALID_BLEU] = {"BLEU", false},
               [VALID_CHRF] = {"chrF", false},
               [VALID_CE_MEAN_WORDS] = {"cross-entropy", true},
               [VALID_PERPLEXITY] = {"perplexity", true}};

const char *valid_metric_title(ValidMetric metric) { return metrics[metric].title; }

bool valid_metric_is_better(ValidMetric metric, double value, double best) {
    if (!isfinite(value)) return false;
    return best < 0 || (metrics[metric].smaller_is_better ? value < best : value > best);
}

#define AT(field) offsetof(TrainOptions, field)
_Static_assert(AT(model) == 0, "the tables of ModelOptions describe TrainOptions, too");
_Static_assert(sizeof(InitScheme) == sizeof(int) && sizeof(GuideCost) == sizeof(int) &&
                   sizeof(PanelFormat) == sizeof(int),
               "an OPTION_CHOICE is as large as an int");

static const Option table[] = {
    {"init", OPTION_CHOICE, 1, AT(init), 0, 0, init_names, RESUME_FIXED, "lecun",
     "initial weights: N(0, 1 / inputs) (lecun), or the smaller ones of the paper (bahdanau)"},
    {"optimizer", OPTION_CHOICE, 1, AT(optimizer), 0, 0, optimizer_names, RESUME_FIXED, "adam",
     "adam, adadelta or sgd"},
    {"learn-rate", OPTION_REAL, 1, AT(learn_rate), 0, 1e6, NULL, RESUME_EXPLICIT, "0.001",
     "learning rate; give 1 with adadelta"},
    {"lr-decay", OPTION_REAL, 1, AT(lr_decay), 0.001, 1, NULL, RESUME_EXPLICIT, "1",
     "multiply the learning rate by this at the end of each epoch"},
    {"lr-decay-start", OPTION_INT, 1, AT(lr_decay_start), 1, 1e6, NULL, RESUME_EXPLICIT, "1",
     "the first epoch after which lr-decay applies"},
    {"lr-warmup", OPTION_INT, 1, AT(lr_warmup), 0, 2e9, NULL, RESUME_EXPLICIT, "0",
     "number of updates of linear warm-up; 0: none"},
    {"lr-decay-inv-sqrt", OPTION_INT, 1, AT(lr_decay_inv_sqrt), 0, 2e9, NULL, RESUME_EXPLICIT, "0",
     "after this update, decay the learning rate by 1 / sqrt(update); 0: never"},
    {"clip-norm", OPTION_REAL, 1, AT(clip_norm), 0, 1e9, NULL, RESUME_EXPLICIT, "1",
     "clip the gradient's L2 norm; 0: do not"},
    {"exponential-smoothing", OPTION_REAL, 1, AT(exponential_smoothing), 0, 0.5, NULL, RESUME_FIXED, "0",
     "share of the newest weights in an exponential average, which translates; 0: no average"},
    {"averaging-eta", OPTION_REAL, 1, AT(averaging_eta), 0, 1000, NULL, RESUME_FIXED, "8",
     "η of the average: update t has at least the share (η + 1) / (η + 2 + t) in it (Shamir & Zhang 2013)"},
    {"pretrained-share", OPTION_REAL, 1, AT(pretrained_share), 0, 0.99, NULL, RESUME_FIXED, "0",
     "share of the pretrained model's weights in those that are validated and written (Wortsman et al. 2022)"},
    {"label-smoothing", OPTION_REAL, 1, AT(label_smoothing), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "share of each target's probability spread over all pieces"},
    {"dropout-emb", OPTION_REAL, 1, AT(dropout.embedding), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "dropout of word embeddings"},
    {"dropout-annotation", OPTION_REAL, 1, AT(dropout.annotation), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "dropout of annotations h_j"},
    {"dropout-readout", OPTION_REAL, 1, AT(dropout.readout), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "dropout of the maxout layer"},
    {"noise-drop", OPTION_REAL, 1, AT(noise.drop), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "probability that a piece of a training source is removed"},
    {"noise-blank", OPTION_REAL, 1, AT(noise.blank), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "probability that a piece of a training source becomes <unk>"},
    {"noise-swap", OPTION_INT, 1, AT(noise.swap), 0, 1000, NULL, RESUME_EXPLICIT, "0",
     "pieces of a training source move by fewer places than this; 0: none moves"},
    {"guided-alignment-cost", OPTION_CHOICE, 1, AT(guided_cost), 0, 0, guide_cost_names, RESUME_EXPLICIT, "ce",
     "cost of attention that differs from --guided-alignment: ce, mult or mse"},
    {"guided-alignment-weight", OPTION_REAL, 1, AT(guided_weight), 0, 1e6, NULL, RESUME_EXPLICIT, "0.1",
     "weight of this cost in the loss (both are means over target pieces)"},
    {"guided-alignment-null", OPTION_SWITCH, 1, AT(guided_null), 0, 0, "off|on", RESUME_FIXED, "off",
     "guide target words without links to the source's </s>"},
    {"mini-batch", OPTION_INT, 1, AT(mini_batch), 1, 8192, NULL, RESUME_FIXED, "64", "sentence pairs per batch"},
    {"maxi-batch", OPTION_INT, 1, AT(maxi_batch), 1, 8192, NULL, RESUME_FIXED, "20",
     "number of batches that are sorted by length together"},
    {"max-length", OPTION_INT, 1, AT(max_length), 0, 1e6, NULL, RESUME_FIXED, "50",
     "leave out training pairs with more pieces on a side; 0: keep all"},
    {"workspace", OPTION_INT, 1, AT(workspace), 0, 1e6, NULL, RESUME_EXPLICIT, "0",
     "MiB of memory for a batch; larger batches are split into parts; 0: no limit"},
    {"shards", OPTION_INT, 1, AT(shards), 1, MOST_SHARDS, NULL, RESUME_FIXED, "1",
     "shards of a batch, 1, 2, 4, .. 64: their gradients are added in a fixed tree; needed for several machines"},
    {"precision", OPTION_CHOICE, 1, AT(precision), 0, 0, PRECISIONS, RESUME_EXPLICIT, "float32",
     "numbers that products with weights multiply; their sums, the weights and all other numbers are float32"},
    {"seed", OPTION_INT, 1, AT(seed), 0, 2147483647, NULL, RESUME_FIXED, "1",
     "random seed of initial weights, data order, dropout and noise"},
    {"after-epochs", OPTION_REAL, 1, AT(after_epochs), 0, 1e9, NULL, RESUME_FREE, "0",
     "stop after this many epochs; 0: never"},
    {"after-batches", OPTION_INT, 1, AT(after_batches), 0, 2e9, NULL, RESUME_FREE, "0",
     "stop after this many updates; 0: never"},
    {"after-minutes", OPTION_REAL, 1, AT(after_minutes), 0, 1e9, NULL, RESUME_FREE, "0",
     "stop after this many minutes; 0: never"},
    {"early-stopping", OPTION_INT, 1, AT(early_stopping), 0, 1e6, NULL, RESUME_FREE, "10",
     "stop after this many validations without a better value of the first of valid-metrics, once a value was above 0; "
     "0: never"},
    {"valid-metrics", OPTION_LIST, VALID_METRICS, AT(valid_metrics), 0, 0, valid_metric_names, RESUME_FREE, "bleu",
     "metrics of a validation: bleu, chrf, ce-mean-words, perplexity; the first chooses the best model"},
    {"valid-freq", OPTION_INT, 1, AT(valid_freq), 0, 2e9, NULL, RESUME_FREE, "0",
     "updates between validations; 0: one per epoch; the end is always validated"},
    {"save-freq", OPTION_INT, 1, AT(save_freq), 0, 2e9, NULL, RESUME_FREE, "500",
     "updates between checkpoints; 0: only at validations"},
    {"disp-freq", OPTION_INT, 1, AT(disp_freq), 1, 2e9, NULL, RESUME_FREE, "50",
     "updates between reports in train.jsonl"},
    {0}};

const Option *const train_option_tables[] = {model_option_table, table, search_option_table, NULL};
const Option *const stored_option_tables[] = {model_option_table, table, search_option_table, fitted_option_table,
                                              NULL};
