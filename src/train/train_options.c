#include "train/train_options.h"
#include "train/guides.h"

#include <stddef.h>

#define AT(field) offsetof(TrainOptions, field)
_Static_assert(AT(model) == 0, "the tables of ModelOptions describe TrainOptions, too");
_Static_assert(sizeof(InitScheme) == sizeof(int) && sizeof(GuideCost) == sizeof(int),
               "an OPTION_CHOICE is as large as an int");

static const Option table[] = {
    {"init", OPTION_CHOICE, 1, AT(init), 0, 0, init_names, RESUME_FIXED, "lecun",
     "initial weights: N(0, 1 / inputs) (lecun), or the paper's, which are small (bahdanau)"},
    {"optimizer", OPTION_CHOICE, 1, AT(optimizer), 0, 0, optimizer_names, RESUME_FIXED, "adam",
     "adam, adadelta or sgd"},
    {"learn-rate", OPTION_REAL, 1, AT(learn_rate), 0, 1e6, NULL, RESUME_EXPLICIT, "0.001",
     "learning rate; give 1 with adadelta"},
    {"lr-decay", OPTION_REAL, 1, AT(lr_decay), 0.001, 1, NULL, RESUME_EXPLICIT, "1",
     "multiply the learning rate by this at the end of each epoch"},
    {"lr-decay-start", OPTION_INT, 1, AT(lr_decay_start), 1, 1e6, NULL, RESUME_EXPLICIT, "1",
     "the first epoch at whose end lr-decay does"},
    {"lr-warmup", OPTION_INT, 1, AT(lr_warmup), 0, 2e9, NULL, RESUME_EXPLICIT, "0",
     "updates over which the learning rate grows to what it is to be"},
    {"lr-decay-inv-sqrt", OPTION_INT, 1, AT(lr_decay_inv_sqrt), 0, 2e9, NULL, RESUME_EXPLICIT, "0",
     "from this update on, the learning rate falls with the root of their number; 0: never"},
    {"clip-norm", OPTION_REAL, 1, AT(clip_norm), 0, 1e9, NULL, RESUME_EXPLICIT, "1",
     "clip the gradient's L2 norm; 0: do not"},
    {"exponential-smoothing", OPTION_REAL, 1, AT(exponential_smoothing), 0, 0.5, NULL, RESUME_FIXED, "0",
     "translate with an average of the weights, in which each update's have this share; 0: with the last"},
    {"label-smoothing", OPTION_REAL, 1, AT(label_smoothing), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "share of a target's probability spread over all words"},
    {"dropout-emb", OPTION_REAL, 1, AT(dropout_emb), 0, 0.9, NULL, RESUME_EXPLICIT, "0", "dropout of word embeddings"},
    {"dropout-annotation", OPTION_REAL, 1, AT(dropout_annotation), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "dropout of annotations h_j"},
    {"dropout-readout", OPTION_REAL, 1, AT(dropout_readout), 0, 0.9, NULL, RESUME_EXPLICIT, "0",
     "dropout of the maxout layer"},
    {"guided-alignment-cost", OPTION_CHOICE, 1, AT(guided_cost), 0, 0, guide_cost_names, RESUME_EXPLICIT, "ce",
     "of attention that differs from --guided-alignment: ce, mult or mse"},
    {"guided-alignment-weight", OPTION_REAL, 1, AT(guided_weight), 0, 1e6, NULL, RESUME_EXPLICIT, "0.1",
     "of that cost, a target piece, in the loss"},
    {"mini-batch", OPTION_INT, 1, AT(mini_batch), 1, 8192, NULL, RESUME_FIXED, "64", "sentence pairs a batch"},
    {"maxi-batch", OPTION_INT, 1, AT(maxi_batch), 1, 8192, NULL, RESUME_FIXED, "20",
     "batches sorted by length at a time"},
    {"max-length", OPTION_INT, 1, AT(max_length), 0, 1e6, NULL, RESUME_FIXED, "50",
     "leave out training pairs with a longer side; 0: none"},
    {"workspace", OPTION_INT, 1, AT(workspace), 0, 1e6, NULL, RESUME_EXPLICIT, "0",
     "MiB that a batch may take at most; a larger one comes in parts; 0: no limit"},
    {"seed", OPTION_INT, 1, AT(seed), 0, 2147483647, NULL, RESUME_FIXED, "1",
     "of initial weights, data order and dropout"},
    {"after-epochs", OPTION_REAL, 1, AT(after_epochs), 0, 1e9, NULL, RESUME_FREE, "0",
     "stop after so many epochs; 0: never"},
    {"after-batches", OPTION_INT, 1, AT(after_batches), 0, 2e9, NULL, RESUME_FREE, "0",
     "stop after so many updates; 0: never"},
    {"after-minutes", OPTION_REAL, 1, AT(after_minutes), 0, 1e9, NULL, RESUME_FREE, "0",
     "stop after so many minutes; 0: never"},
    {"early-stopping", OPTION_INT, 1, AT(early_stopping), 0, 1e6, NULL, RESUME_FREE, "10",
     "stop after so many validations without a better BLEU, once there was one above 0; 0: never"},
    {"valid-freq", OPTION_INT, 1, AT(valid_freq), 0, 2e9, NULL, RESUME_FREE, "0",
     "updates between validations; 0: one an epoch"},
    {"save-freq", OPTION_INT, 1, AT(save_freq), 0, 2e9, NULL, RESUME_FREE, "500",
     "updates between checkpoints; 0: only at validations"},
    {"disp-freq", OPTION_INT, 1, AT(disp_freq), 1, 2e9, NULL, RESUME_FREE, "50",
     "updates between reports in train.jsonl"},
    {0}};

const Option *const train_option_tables[] = {model_option_table, table, search_option_table, NULL};
