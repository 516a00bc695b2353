/* tide train: trains a model. */
#include "cli/cli.h"
#include "cli/messages.h"
#include "cli/pairs.h"
#include "cli/presets.h"
#include "cli/training.h"
#include "io/files.h"
#include "train/checkpoint.h"
#include "train/job.h"
#include "translate/model_file.h"

#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Flag flags[] = {
    {"model", 1, "DIR", "directory of the model; a training that DIR already holds is continued", .kind = VALUE_DIR},
    FLAGS_CORPORA,
    {"train-set-weights", MANY, "R...", "how often an epoch has the pairs of each training corpus (default: once)",
     VALUE_REAL, 0.001, 1000, NULL, NULL},
    {"train-set-tags", MANY, "NAME...", "a tag for the source of each training corpus, for `translate --tag`; -: none",
     .kind = VALUE_TEXT},
    {"train-set-noise", MANY, "on|off...", "whether each training corpus has the noise of --noise-* (default: on)",
     .kind = VALUE_TEXT},
    {"train-set-distillation", MANY, "R...",
     "weight of a teacher in the targets of each training corpus, 0 to 1: they are R of the distribution that "
     "--pretrained-model gives, and 1 - R of the given piece (default: 0)",
     VALUE_REAL, 0, 1, NULL, NULL},
    {"train-set-teachers", MANY, "MODEL...",
     "the model that translated a side of each training corpus, for `tide info --recipe`; -: people wrote it",
     .kind = VALUE_FILE},
    {"valid-sets", 2, "SRC TGT", "development set: two line-aligned files", .kind = VALUE_FILE},
    FLAG_FILE("valid-tsv", "development set: lines as for --tsv"),
    FLAG_FILE("valid-csv", "development set: rows as for --csv"),
    FLAG_FILE("valid-jsonl", "development set: lines as for --jsonl"),
    FLAG_FILE("guided-alignment", "train the attention on these links of words: one line per pair, `i-j`, from 0"),
    {"pretrained-model", 1, "MODEL",
     "start from the weights, pieces and options of another model; options that are given override its",
     .kind = VALUE_FILE},
    {"title", 1, "TEXT", "a name of the model, for people; stored in it", .kind = VALUE_TEXT},
    {"corpora", 1, "TEXT", "what it was trained on and who made this text; stored in the model", .kind = VALUE_TEXT},
    {"licence", 1, "TEXT", "the licence of the model; stored in it", .kind = VALUE_TEXT},
    {"preset", 1, "NAME", "preset: tiny, small, base or bahdanau2015 (models/NAME.conf)", .kind = VALUE_PRESET},
    FLAG_FILE("config", "file of `key = value` lines; overrides the preset; flags override it"),
    FLAG_SWITCH("no-reload",
                "start a new training even if DIR holds one; its model becomes model.prev.safetensors, if there "
                "is none yet"),
    {"allow-change", MANY, "OPTION...",
     "options that may differ from the training that is continued, for example learn-rate", .kind = VALUE_OPTION},
    FLAG_RANK_TIMEOUT,
    {"probe", MANY, "TEXT...", "sentences whose alignments are saved at each validation", .kind = VALUE_TEXT},
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};
static const FlagGroup groups[] = {
    {"Common flags",
     "model train-sets tsv valid-sets valid-tsv preset config langs after-epochs after-minutes threads quiet log"},
    {"Corpora", "csv jsonl columns tmx mo po train-set-weights train-set-tags train-set-noise train-set-distillation "
                "train-set-teachers valid-csv valid-jsonl max-length"},
    {"Pieces", "tokenizer bpe-merges merges dim-vocabs source-words"},
    {"Model", "arch dim-emb dim-rnn dim-att dim-maxout encoder enc-depth dec-cell-base-depth dec-depth dim-ffn window "
              "attention heads readout-state tied-embeddings init pretrained-model"},
    {"Guided attention", "guided-alignment guided-alignment-cost guided-alignment-weight guided-alignment-null"},
    {"Optimization",
     "optimizer learn-rate lr-decay lr-decay-start lr-warmup lr-decay-inv-sqrt clip-norm "
     "exponential-smoothing averaging-eta pretrained-share mini-batch maxi-batch workspace shards precision seed"},
    {"Regularization",
     "label-smoothing dropout-emb dropout-annotation dropout-readout noise-drop noise-blank noise-swap"},
    {"Validation, checkpoints and the end",
     "valid-metrics valid-freq save-freq disp-freq early-stopping after-batches probe no-reload allow-change"},
    {"Search, in validations and of the model", "beam-size normalize word-penalty"},
    {"Notes in the model", "title corpora licence"},
    {"Machine", "isa rank-timeout"},
    {0}};

/* ---- options -------------------------------------------------------------------------------------------------- */

/* Sets options from a text, which it releases; NULL: it could not be read. */
static int apply(TrainOptions *options, char *text, const char *path, Err *err) {
    if (!text) return -1;
    int status = options_read(stored_option_tables, options, text, path, UNKNOWN_ERROR, err);
    mem_free(text);
    return status;
}

/* Sets options from the configuration of a model. */
static int apply_model(TrainOptions *options, const char *path, Err *err) {
    Translator model;
    if (model_load(&model, path, err)) return -1;
    const int status = options_read(train_option_tables, options, model.configuration, path, UNKNOWN_SKIP, err);
    options->pretrained_share = 0; /* that of its own training was of another model */
    translator_free(&model);
    return status;
}

/* Sets the options with which pieces were learned and the first weights were drawn to those of a pretrained model.
   Flags with other values are an error. */
static int settle(TrainOptions *options, const TrainOptions *pretrained, const Args *args, Err *err) {
    static const char *const settled[] = {"bpe-merges", "merges", "dim-vocabs", "init"};
    char has[OPTION_FORMAT_SIZE], asked[OPTION_FORMAT_SIZE], text[2 * OPTION_FORMAT_SIZE];
    for (size_t i = 0; i < sizeof settled / sizeof *settled; i++) {
        const Option *o = option_find(train_option_tables, settled[i]);
        option_format(o, pretrained, has);
        option_format(o, options, asked);
        if (args_has(args, o->name) && strcmp(has, asked) != 0)
            return usage_error(err, "--%s %s: the pretrained model has %s, and its pieces and weights stay", o->name,
                               asked, has);
        snprintf(text, sizeof text, "%s = %s", o->name, has);
        if (options_read(train_option_tables, options, text, "the pretrained model", UNKNOWN_ERROR, err)) return -1;
    }
    return 0;
}

/* Chooses the tokenizers if nothing named them: those of the training that is continued, or those of the languages. */
static void choose_tokenizers(const Args *args, ModelOptions *options) {
    TrainOptions before;
    if (options->tokenizer[SOURCE] != TOKENIZER_UNSET) return;
    for (int side = 0; side < 2; side++) options->tokenizer[side] = tokenizer_usual(options->langs[side]);
    if (!args_has(args, "no-reload") && checkpoint_options(args_value(args, "model", 0), &before))
        memcpy(options->tokenizer, before.model.tokenizer, sizeof options->tokenizer);
}

/* Sets options from the defaults, the pretrained model, the preset, --config and the flags; later ones override earlier
   ones. */
static int gather_options(const Args *args, TrainOptions *options, Err *err) {
    char path[PATH_SIZE];
    const char *preset = args_value(args, "preset", 0), *config = args_value(args, "config", 0);
    const char *pretrained = args_value(args, "pretrained-model", 0);
    options_default(train_option_tables, options);
    for (int side = 0; side < 2; side++) options->model.tokenizer[side] = TOKENIZER_UNSET;
    if (pretrained && apply_model(options, pretrained, err)) return -1;
    const TrainOptions own = *options;
    if (preset && apply(options, preset_read(preset, path, err), path, err)) return -1;
    if (config && apply(options, configuration_read(config, err), config, err)) return -1;
    for (const Option *o = NULL; (o = option_next(train_option_tables, o));) {
        if (!args_has(args, o->name)) continue;
        if (option_set(o, options, args_values(args, o->name), args_count(args, o->name), err)) return -1;
    }
    if (options->pretrained_share > 0 && !pretrained)
        return usage_error(err, "--pretrained-share needs --pretrained-model");
    choose_tokenizers(args, &options->model);
    return pretrained ? settle(options, &own, args, err) : 0;
}

/* ---- the command ---------------------------------------------------------------------------------------------- */

/* Lists the training corpora in the order of the command line, with their weights and tags. Returns their number, or -1
   with *err filled. */
static int train_files(const Args *args, TrainFiles list[MOST_CORPORA], Err *err) {
    CorpusFiles corpora[MOST_CORPORA];
    const int count = pairs_list(args, corpora, err);
    if (count < 0) return -1;
    if (!count) return usage_error(err, "--train-sets, --tsv, --csv, --jsonl, --tmx, --mo or --po is needed");
    static const char *const lists[] = {"train-set-weights", "train-set-tags", "train-set-noise",
                                        "train-set-distillation", "train-set-teachers"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (args_has(args, lists[i]) && args_count(args, lists[i]) != count)
            return usage_error(err, "--%s needs one value for each of %d training corpora", lists[i], count);
    for (int i = 0; i < count; i++) {
        const char *tag = args_value(args, "train-set-tags", i), *noise = args_value(args, "train-set-noise", i),
                   *teacher = args_value(args, "train-set-teachers", i);
        list[i] = (TrainFiles){.files = corpora[i], .weight = 1};
        if (args_real_at(args, "train-set-weights", i, &list[i].weight, err) ||
            args_real_at(args, "train-set-distillation", i, &list[i].distillation, err))
            return -1;
        list[i].tag = tag && strcmp(tag, "-") != 0 ? tag : NULL;
        list[i].teacher = teacher && strcmp(teacher, "-") != 0 ? teacher : NULL;
        if (list[i].tag && tag_check(tag, err)) return usage_error(err, "%s", err->reason);
        list[i].quiet = noise && !strcmp(noise, "off");
        if (noise && !list[i].quiet && strcmp(noise, "on") != 0)
            return usage_error(err, "--train-set-noise is on or off, not '%s'", noise);
        if (list[i].distillation > 0 && !args_has(args, "pretrained-model"))
            return usage_error(err, "--train-set-distillation needs --pretrained-model, the teacher");
    }
    return count;
}

/* Finds the development set. *files has no path if none is given. */
static int valid_files(const Args *args, CorpusFiles *files, Err *err) {
    static const char *const names[] = {"valid-sets", "valid-tsv", "valid-csv", "valid-jsonl"};
    const char *given = NULL;
    int columns[2];
    *files = (CorpusFiles){0};
    if (pairs_columns(args, columns, err)) return -1;
    for (CorpusForm form = FORM_LINES; form <= FORM_JSONL; form++) {
        if (!args_has(args, names[form])) continue;
        if (given) return usage_error(err, "--%s and --%s cannot be given together", given, names[form]);
        given = names[form];
        *files = pairs_corpus(form, args_values(args, given), columns);
    }
    return 0;
}

/* Checks that no file that is given is in MODEL/valid, where a training replaces and removes files. */
static int check_inputs(const Args *args, const char *model, Err *err) {
    char valid[PATH_SIZE], absolute[PATH_MAX];
    if (snprintf(valid, sizeof valid, "%s/valid", model) >= (int)sizeof valid) return 0; /* refused later: too long */
    for (int i = 0; i < args->given_count; i++) {
        const struct Given *given = &args->given[i];
        for (int k = 0; k < given->count; k++)
            if (realpath(given->values[k], absolute) && file_is_same(dirname(absolute), valid))
                return err_set(err, given->values[k], 0,
                               "the training writes and removes files in this folder; copy the file first");
    }
    return 0;
}

static int check_changes(const TrainJob *job, Err *err) {
    for (int i = 0; i < job->change_count; i++) {
        const Option *option = option_find(train_option_tables, job->changes[i]);
        if (!option) return usage_error(err, "--allow-change: there is no option '%s'", job->changes[i]);
        if (option->resume == RESUME_FIXED)
            return usage_error(err, "--allow-change: %s can never change when a training is continued", option->name);
    }
    return 0;
}

static int run(const Args *args, Err *err) {
    TrainJob job = {
        .files = {.guides = args_value(args, "guided-alignment", 0), .dir = args_value(args, "model", 0)},
        .no_reload = args_has(args, "no-reload"),
        .pretrained = args_value(args, "pretrained-model", 0),
        .model = args_value(args, "model", 0),
        .probes = args_values(args, "probe"),
        .probe_count = args_count(args, "probe"),
        .changes = args_values(args, "allow-change"),
        .change_count = args_count(args, "allow-change"),
    };
    TrainFiles sets[MOST_CORPORA] = {0};
    if (check_changes(&job, err)) return -1;
    for (int i = 0; i < ABOUTS; i++) {
        job.about[i] = args_value(args, about_names[i], 0);
        if (job.about[i] && about_check(about_names[i], job.about[i], err)) return usage_error(err, "%s", err->reason);
    }
    if (args->word_count) return flags_only(err, "train", args->words[0]);
    if (!job.model) return usage_error(err, "--model is needed; see `tide train --help`");
    if ((job.files.train_count = train_files(args, sets, err)) < 0) return -1;
    job.files.train = sets;
    if (check_inputs(args, job.model, err)) return -1;
    if (valid_files(args, &job.files.valid, err)) return -1;
    if (job.files.guides && sets[0].files.form >= FORM_TMX)
        return usage_error(err,
                           "--guided-alignment needs --train-sets, --tsv, --csv or --jsonl, because its lines belong "
                           "to theirs");
    if (gather_options(args, &job.options, err)) return err->path[0] ? -1 : usage_error(err, "%s", err->reason);
    if (training_begin(args, &job.ranks, &job.threads, err)) return -1;
    Screen screen = {.model = job.model};
    const TrainCallbacks callbacks = screen_callbacks(&screen, job.ranks);
    const int status = train(&job, &callbacks, &training_stop, err);
    if (status >= 0) {
        progress_clear(&screen.view);
        screen_report(&screen, job.ranks);
    }
    return training_end(&screen, job.ranks, status, err);
}

const Command command_train = {
    .name = "train",
    .summary = "train a model on a parallel corpus",
    .usage = "--train-sets SRC TGT | --tsv FILE | --csv FILE | --jsonl FILE | --tmx FILE | --mo FILE | --po FILE  "
             "--model DIR  "
             "[--valid-sets SRC TGT] [--preset NAME] ...",
    .about = "Trains, validates, and writes checkpoints, the best model, train.jsonl, alignments and report.html into\n"
             "DIR. If DIR already holds a training, continues from its last checkpoint. Ctrl-C saves and stops. Flags\n"
             "with a * can also be set in a preset or in --config, one per line: `dim-emb = 256`.",
    COMMAND_FLAGS(flags),
    .options = train_option_tables,
    .groups = groups,
    .files = REMARKS(
        {"DIR/model.safetensors", "The best weights so far, with configuration, tokenizers and vocabularies"},
        {"DIR/checkpoint.safetensors", "Everything that a training needs to continue"},
        {"DIR/checkpoint.prev.safetensors", "The checkpoint before it"},
        {"DIR/model.resume.safetensors",
         "The best model before the end of the training, if that of the end is better; a longer training needs it"},
        {"DIR/train.jsonl", "A line for each report and for each validation"},
        {"DIR/align", "Alignments of the probe sentences at each validation"},
        {"DIR/valid", "Translations of the development set at each validation"},
        {"DIR/report.html", "A page with curves, alignments and translations; see tide-report(1)"},
        {"../share/tide/NAME.conf", "A preset; the path begins at the folder of the program"},
        {"models/NAME.conf", "The same; or a preset of your own, in the current folder"}),
    .examples = REMARKS(
        {"tide train --preset small --model run1 --after-epochs 12 \\\n"
         "    --train-sets corpus/train.zh corpus/train.en \\\n"
         "    --valid-sets corpus/dev.zh corpus/dev.en",
         "Train for twelve epochs; the same command continues a training that was interrupted"},
        {"tide train --tsv train.tsv --valid-tsv dev.tsv --preset tiny --model run2 --probe 潮水退了。",
         "Train on a file that has English, a tab and Chinese on each line, and watch the alignment of a sentence"},
        {"tide train --pretrained-model run1 --train-sets own.zh own.en --learn-rate 0.0003 --model run3",
         "Train a model further on other text"}),
    .see = "corpus evaluate report translate",
    .run = run,
};
