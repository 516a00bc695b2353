#include "train/training.h"
#include "train/outputs.h"
#include "core/choice.h"
#include "core/kernels.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/numbered.h"
#include "io/system.h"
#include "tide.h"
#include "text/unicode.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- checks of the job ------------------------------------------------------------------------------------------ */

static int check_options(const TrainJob *job, Err *err) {
    const ModelOptions *o = &job->options.model;
    const int shards = job->options.shards;
    const int ranks = ranks_count(job->ranks);
    if (shards & (shards - 1)) return err_set(err, NULL, 0, "--shards %d is not a power of two", shards);
    if (shards % ranks)
        return err_set(err, NULL, 0, "%d ranks cannot share the shards of --shards %d equally; give %s", ranks, shards,
                       ranks & (ranks - 1) ? "a power of two of ranks" : "more shards");
    if (job->files.guides && !model_options_align(o))
        return err_set(err, NULL, 0, "--guided-alignment needs an attention to guide, not --attention %s",
                       attention_kind_at(o->attention)->name);
    if (job->files.guides && job->files.train_count > 1)
        return err_set(err, NULL, 0, "--guided-alignment needs a single training set, because its lines belong to it");
    if (job->files.guides && (job->options.noise.drop > 0 || job->options.noise.swap > 1))
        return err_set(err, NULL, 0,
                       "--guided-alignment has the places of pieces, which --noise-drop and --noise-swap change");
    return model_options_check(o, err) || model_options_check_effect(o, err) ? -1 : 0;
}

static int check_probes(const TrainJob *job, Err *err) {
    for (int i = 0; i < job->probe_count; i++)
        if (!utf8_valid(job->probes[i], strlen(job->probes[i])))
            return err_set(err, NULL, 0, "--probe %d is not valid UTF-8", i + 1);
    return 0;
}

/* Validations translate the probes, so they have the length limit of `tide translate`. */
static int check_probe_lengths(const Training *t, Err *err) {
    for (int i = 0; i < t->job->probe_count; i++) {
        char *text = text_normalise(t->job->probes[i], strlen(t->job->probes[i]), NULL);
        Err why;
        const int failed = side_check_lengths(&t->learner.translator.source, &text, 1, MOST_PIECES, NULL, &why);
        mem_free(text);
        if (failed) return err_set(err, NULL, 0, "--probe %d is %s", i + 1, why.reason);
    }
    return 0;
}

/* ---- a new model, or one of a checkpoint ------------------------------------------------------------------------ */

/* Locks the model's directory for this process; creates it if it is missing. */
static int lock_directory(Training *t, Err *err) {
    const char *dir = t->job->model;
    enum { MOST = 450 /* bytes; leaves room for the names of files, because path buffers have a fixed size */ };
    if (strlen(dir) > MOST) return err_set(err, dir, 0, "the path is longer than %d bytes", MOST);
    t->directory.made = access(dir, F_OK) != 0;
    Err warning;
    if (directory_make(dir, err) || (t->directory.lock = directory_lock(dir, &warning, err)) < 0) return -1;
    if (warning.reason[0]) training_note(t, "%s: %s", warning.path, warning.reason);
    return 0;
}

static bool change_allowed(const TrainJob *job, const Option *option) {
    for (int i = 0; i < job->change_count; i++)
        if (!strcmp(job->changes[i], option->name)) return true;
    return false;
}

/* Compares the configuration of the checkpoint with the job's: an option may differ only with --allow-change. */
static int check_changes(const Training *t, Err *err) {
    char was[OPTION_FORMAT_SIZE], asked[OPTION_FORMAT_SIZE];
    const Option *o = NULL;
    while ((o = options_differ(train_option_tables, o, &t->learner.options, &t->job->options, was, asked))) {
        if (change_allowed(t->job, o)) continue;
        const char *or_else = o->resume == RESUME_EXPLICIT ? ", or --allow-change " : "";
        return err_set(err, t->job->model, 0,
                       "holds a training with %s = %s, not %s; use another --model or the same options%s%s", o->name,
                       was, asked, or_else, *or_else ? o->name : "");
    }
    return 0;
}

/* A model without a checkpoint cannot be continued and must not be overwritten. */
static int check_no_model(const Training *t, Err *err) {
    char path[PATH_SIZE], aside[PATH_SIZE];
    path_in(path, t->job->model, "model.safetensors");
    path_in(aside, t->job->model, "model.prev.safetensors");
    if (access(path, F_OK)) return 0;
    return err_set(
        err, t->job->model, 0,
        "holds a model, but no checkpoint to continue from; use another --model, or --no-reload, which trains anew%s",
        access(aside, F_OK) ? " and keeps the old model as model.prev.safetensors" : "");
}

/* Makes the model that was set aside (MODEL_ASIDE) the best model again, as it was at the checkpoint. */
static int take_model_back(const Training *t, Err *err) {
    char path[PATH_SIZE], aside[PATH_SIZE];
    path_in(path, t->job->model, "model.safetensors");
    path_in(aside, t->job->model, MODEL_ASIDE);
    if (file_rename(aside, path) && errno != ENOENT)
        return err_set(err, path, 0, "cannot be written: %s", strerror(errno));
    unlink(aside); /* rename keeps both names if they are links to one file */
    return 0;
}

/* Renames the model of an earlier training and removes its checkpoints, for --no-reload. If a model was renamed before,
   that one is kept: it is probably not the model of a new training that was stopped. */
static int start_anew(const Training *t, Err *err) {
    static const char *const others[] = {"checkpoint.safetensors", "checkpoint.prev.safetensors", MODEL_ASIDE};
    char path[PATH_SIZE], aside[PATH_SIZE];
    path_in(path, t->job->model, "model.safetensors");
    path_in(aside, t->job->model, "model.prev.safetensors");
    if (!access(path, F_OK) && !access(aside, F_OK)) {
        if (unlink(path)) return err_set(err, path, 0, "cannot be removed: %s", strerror(errno));
        training_note(t, "%s stays; the newer model.safetensors was removed", aside);
    } else if (file_rename(path, aside) && errno != ENOENT) {
        return err_set(err, path, 0, "cannot be renamed: %s", strerror(errno));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        path_in(path, t->job->model, others[i]);
        if (unlink(path) && errno != ENOENT) return err_set(err, path, 0, "cannot be removed: %s", strerror(errno));
    }
    return directory_sync(t->job->model) ? err_set(err, t->job->model, 0, "cannot be written: %s", strerror(errno)) : 0;
}

/* Loads the checkpoint in the model's directory, if there is one. */
static int resume(Training *t, Err *err) {
    Err warning;
    if (t->job->no_reload) return 0;
    const int found = checkpoint_load(t->job->model, &t->learner, &t->state, &warning, err);
    if (found < 0 || (found ? check_changes(t, err) : check_no_model(t, err))) return -1;
    if (warning.reason[0]) training_note(t, "%s: %s", warning.path, warning.reason);
    t->resumed = found;
    return 0;
}

/* Reports progress before the first update. Returns non-zero, which cancels the work, if a stop is requested. */
static int report_progress(void *context, long done, long all) {
    const Training *t = context;
    if (t->callbacks->counting) t->callbacks->counting(t->callbacks->context, t->data.stage, done, all);
    return *t->stop;
}

static void report_note(void *context, const char *text) { training_note(context, "%s", text); }

/* Learns vocabularies and merges from the training text, and draws the initial weights. */
static int learn_from_text(Training *t, Err *err) {
    const TrainOptions *o = &t->job->options;
    Translator *tr = &t->learner.translator;
    Params *params = &tr->model.params;
    tr->options = o->model;
    if (data_learn(&t->data, tr, err)) return -1;
    translator_init(tr);
    if (params->size > INT_MAX) /* a tensor of a checkpoint cannot have more values */
        return err_set(err, t->job->model, 0, "a model of %zu weights, where %d are the limit", params->size, INT_MAX);
    const int han = translator_banned_han(tr);
    if (han > tr->model.config.target_vocab / 2)
        return err_set(err, data_name(&t->job->files), 0,
                       "%d of %d target pieces hold Han characters, but '%s' is not written with them: are the two "
                       "sides swapped, or is --langs wrong?",
                       han, tr->model.config.target_vocab, o->model.langs[1]);
    training_warn_of_weights(t);
    params_allocate(params);
    params_init(params, o->init, (uint64_t)o->seed);
    return 0;
}

/* Takes weights and vocabularies of the pretrained model; weights of 8 bits become floats. Its options must be those of
   the job. */
static int take_pretrained(Training *t, Err *err) {
    static const Option *const table[] = {model_option_table, NULL};
    char has[OPTION_FORMAT_SIZE], asked[OPTION_FORMAT_SIZE];
    const char *path = t->job->pretrained;
    Translator *tr = &t->learner.translator;
    if (model_load_trained(tr, path, err)) return -1;
    if (tr->quantized)
        training_note(t, "%s has weights of 8 bits: the training starts from the floats that they stand for", path);
    tr->quantized = false;
    if (tr->warning) training_note(t, "%s: %s", path, tr->warning);
    const Option *o = options_differ(table, NULL, &tr->options, &t->job->options.model, has, asked);
    if (o)
        return err_set(err, path, 0, "has %s = %s, not %s: a training can only start from a model of its own kind",
                       o->name, has, asked);
    training_note(t, "starting from %s", path);
    return 0;
}

/* Makes the model of a new training, and its optimizer. */
static int initialise(Training *t, Err *err) {
    const TrainOptions *o = &t->job->options;
    Learner *l = &t->learner;
    Params *params = &l->translator.model.params;
    l->options = *o;
    if (t->job->pretrained ? take_pretrained(t, err) : learn_from_text(t, err)) return -1;
    params_optimizer(params, optimizer_kind_at(o->optimizer), &l->optimizer);
    if (o->exponential_smoothing > 0) optimizer_keep_average(&l->optimizer, params->values);
    t->state = (TrainState){.best = -1};
    return 0;
}

/* The number of texts that have a Han character. */
static ptrdiff_t count_han(char *const *texts, ptrdiff_t n) {
    ptrdiff_t han = 0;
    for (ptrdiff_t i = 0; i < n; i++) han += text_has_han(texts[i]);
    return han;
}

/* Checks that the sides of the development set are not exchanged: the side whose language is not written with Han
   characters has more sentences with them than the other side. */
static int check_sides(const Training *t, Err *err) {
    char **const *texts = t->data.valid.text;
    const CorpusFiles *files = &t->job->files.valid;
    const ModelOptions *o = &t->job->options.model;
    const ptrdiff_t n = arrlen(texts[SOURCE]), han[2] = {count_han(texts[SOURCE], n), count_han(texts[TARGET], n)};
    for (int side = 0; side < 2; side++)
        if (!han_language(o->langs[side]) && han_language(o->langs[!side]) && han[side] > han[!side])
            return err_set(err, files->path[files->form == FORM_LINES && side], 0,
                           "%td of %td %s sentences of the dev set hold Han characters, but '%s' is not written with "
                           "them: are the two sides swapped?",
                           han[side], n, side ? "target" : "source", o->langs[side]);
    return 0;
}

/* ---- the recipe ------------------------------------------------------------------------------------------------- */

static void note_change(Training *t, const char *option, const char *from, const char *to) {
    if (!t->learner.recipe) return;
    const RecipeChange change = {t->state.update, mem_strdup(option), mem_strdup(from), mem_strdup(to)};
    arrput(t->learner.recipe->changes, change);
}

/* Describes how the model of a new training is made. */
static Recipe *new_recipe(Training *t, Err *err) {
    const TrainJob *job = t->job;
    Recipe *r = mem_zalloc(sizeof *r);
    *r = (Recipe){.kind = RECIPE_TRAIN,
                  .version = mem_strdup(TIDE_VERSION),
                  .arithmetic = ARITHMETIC,
                  .configuration = options_format(train_option_tables, &job->options),
                  .corpora = t->data.corpora};
    t->data.corpora = NULL;
    if (job->files.guides) r->guides = recipe_name(job->files.guides);
    if ((!job->files.guides || !sum_file(&r->guides_sum, job->files.guides, err)) &&
        (!job->pretrained || !recipe_model_read(&r->parent, job->pretrained, err)))
        return r;
    recipe_free(r);
    return NULL;
}

/* Notes the version of tide that continues a training. */
static void continue_recipe(Training *t) {
    char before[32], now[32];
    const Recipe *r = t->learner.recipe;
    const char *version = r->version;
    int arithmetic = r->arithmetic;
    for (ptrdiff_t i = 0; i < arrlen(r->changes); i++) {
        if (!strcmp(r->changes[i].option, "tide")) version = r->changes[i].to;
        if (!strcmp(r->changes[i].option, "arithmetic")) arithmetic = (int)strtol(r->changes[i].to, NULL, 10);
    }
    if (strcmp(version, TIDE_VERSION) != 0) note_change(t, "tide", version, TIDE_VERSION);
    if (arithmetic == ARITHMETIC) return;
    snprintf(before, sizeof before, "%d", arithmetic);
    snprintf(now, sizeof now, "%d", ARITHMETIC);
    note_change(t, "arithmetic", before, now);
}

/* Begins or continues the recipe, on rank 0, when the text was read. */
static int trace(Training *t, Err *err) {
    Learner *l = &t->learner;
    if (!training_writes(t)) return 0;
    if (!t->resumed && !(l->recipe = new_recipe(t, err))) return -1;
    if (!l->recipe) {
        training_note(t, "this training began in a version of tide without recipes, so its models have none");
        return 0;
    }
    if (t->resumed) continue_recipe(t);
    recipe_corpora_free(l->recipe->dev); /* another one may be given when a training is continued */
    l->recipe->dev = t->data.dev;
    t->data.dev = NULL;
    Recipe read = *l->recipe;
    if (t->data.corpora) read.corpora = t->data.corpora;
    return t->callbacks->traced ? t->callbacks->traced(t->callbacks->traced_context, &read, err) : 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* Reads the data of a resumed or a new training; initialises the model of a new one. */
static int read_data(Training *t, Err *err) {
    const TrainJob *job = t->job;
    const bool reads = ranks_own_on_node(t->ranks) == 0; /* the first rank of each machine */
    t->data =
        (Data){.files = &t->files, .reads = reads, .progress = report_progress, .note = report_note, .context = t};
    if (data_read(&t->data, &job->options.model, err) || check_sides(t, err) || trace(t, err) ||
        (training_writes(t) && !t->resumed && initialise(t, err)) || share_state(t, err) ||
        data_encode(&t->data, &job->options, &t->learner.translator, err) || share_data(t, err) ||
        check_probe_lengths(t, err))
        return -1;
    about_set(&t->learner.translator.about, job->about);
    const uint64_t hash = data_hash(&t->data);
    if (t->resumed && hash != t->state.data)
        return err_set(err, data_name(&job->files), 0,
                       "is not the data that %s was trained on; to train that model further on other text, give "
                       "--pretrained-model %s and another --model",
                       job->model, job->model);
    t->state.data = hash;
    return 0;
}

/* Keeps the weights of the pretrained model. */
static int keep_pretrained(Training *t, Err *err) {
    const Params *params = &t->learner.translator.model.params;
    Translator model;
    if (model_load_trained(&model, t->job->pretrained, err)) return -1;
    const Params *own = &model.model.params;
    int status = 0;
    if (own->size != params->size)
        status = err_set(err, t->job->pretrained, 0, "is not the model with which this training began");
    else t->pretrained = mem_alloc_aligned(own->size * sizeof *t->pretrained);
    if (!status) memcpy(t->pretrained, own->values, own->size * sizeof *t->pretrained);
    translator_free(&model);
    return status;
}

/* Reads the pretrained model, if a set has it as its teacher, or if the trained model has a share of it. */
static int open_pretrained(Training *t, Err *err) {
    const TrainJob *job = t->job;
    const Recipe *r = t->learner.recipe;
    const bool shares = job->options.pretrained_share > 0;
    RecipeModel given = {0};
    bool taught = false;
    for (int k = 0; k < job->files.train_count; k++) taught |= job->files.train[k].distillation > 0;
    if (!taught && !shares) return 0;
    CHECK(job->pretrained || !taught, "a training with distillation, but without a teacher");
    if (!job->pretrained) return err_set(err, NULL, 0, "--pretrained-share needs --pretrained-model");
    if (r) { /* each rank reads a file of its own */
        if (recipe_model_read(&given, job->pretrained, err)) return -1;
        mem_free(given.recipe);
        if (strcmp(given.file.hex, r->parent.file.hex) != 0)
            return err_set(err, job->pretrained, 0, "is not the model with which this training began%s",
                           taught ? ", its teacher" : "");
    }
    if (shares && keep_pretrained(t, err)) return -1;
    return taught ? distillation_open(&t->distillation, job->pretrained, &t->learner.translator, t->threads, err) : 0;
}

/* ---- changes on resume ------------------------------------------------------------------------------------------ */

/* Applies the job's options; notes and logs those that differ from the checkpoint's. */
static int apply_options(Training *t, Err *err) {
    char was[OPTION_FORMAT_SIZE], asked[OPTION_FORMAT_SIZE], line[256];
    Learner *l = &t->learner;
    const Option *o = NULL;
    const TrainOptions *now = &t->job->options;
    while (t->resumed && (o = options_differ(train_option_tables, o, &l->options, now, was, asked))) {
        training_note(t, "%s is now %s; before, it was %s", o->name, asked, was);
        snprintf(line, sizeof line, "{\"update\": %ld, \"changed\": \"%s\", \"from\": \"%s\", \"to\": \"%s\"}",
                 t->state.update, o->name, was, asked);
        if (training_log(t, line, err)) return -1;
        note_change(t, o->name, was, asked);
    }
    l->options = *now;
    l->translator.options = now->model;
    return 0;
}

/* Forgets the best value, because later validations cannot be compared with it. Notes the reason, and logs the change:
   `change` is the JSON that follows "changed":. */
static int forget_best(Training *t, const char *reason, const char *change, Err *err) {
    char line[256];
    training_note(t, "%s: the next validation replaces the best model, of update %ld", reason, t->state.best_update);
    t->state.best = -1;
    t->state.stalled = 0;
    snprintf(line, sizeof line, "{\"update\": %ld, \"changed\": %s}", t->state.update, change);
    return training_log(t, line, err);
}

static int change_metric(Training *t, ValidMetric before, Err *err) {
    char change[128], reason[128];
    int from, to;
    const ValidMetric now = t->state.metric;
    const char *was = choice_name(valid_metric_names, (int)before, &from),
               *is = choice_name(valid_metric_names, (int)now, &to);
    snprintf(reason, sizeof reason, "%s now chooses the best model, not %s", valid_metric_title(now),
             valid_metric_title(before));
    snprintf(change, sizeof change, "\"valid-metrics\", \"from\": \"%.*s\", \"to\": \"%.*s\"", from, was, to, is);
    return forget_best(t, reason, change, err);
}

/* Applies the validation set and the first metric. If one of them has changed, notes and logs it. */
static int apply_validation(Training *t, Err *err) {
    TrainState *s = &t->state;
    const uint64_t set = s->valid;
    const ValidMetric metric = s->metric;
    if (!data_has_validation(&t->job->files)) return 0;
    s->valid = t->data.valid_pairs.hash;
    s->metric = (ValidMetric)t->job->options.valid_metrics[0];
    if (s->best_update > 0 && set && set != s->valid && forget_best(t, "the dev set has changed", "\"dev set\"", err))
        return -1;
    if (s->best_update > 0 && metric != s->metric && change_metric(t, metric, err)) return -1;
    return training_writes(t) ? outputs_write_pairs(t->job->model, t->data.valid.text, err) : 0;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* Says how to end a training that has no end. */
static void describe_end(const Training *t) {
    const TrainOptions *o = &t->job->options;
    if (o->after_epochs > 0 || o->after_batches > 0 || o->after_minutes > 0) return;
    if (data_has_validation(&t->job->files) && o->early_stopping > 0) return;
    training_note(t, "this training has no end; Ctrl-C stops and saves it, --after-epochs or --after-minutes ends it");
}

static void describe(const Training *t) {
    const Translator *tr = &t->learner.translator;
    const Model *model = &tr->model;
    const int threads = threads_count(t->threads), han = translator_banned_han(tr);
    char fuzzy[32] = "";
    if (t->data.text.dropped_fuzzy) snprintf(fuzzy, sizeof fuzzy, ", %ld fuzzy", t->data.text.dropped_fuzzy);
    training_note(t, "%d pairs to train on (%ld lines read, %ld empty%s, %ld too long), %d to validate (%ld empty)",
                  t->data.pairs.n, t->data.text.read, t->data.text.dropped_empty, fuzzy, t->data.pairs.dropped_long,
                  t->data.valid_pairs.n, t->data.valid.dropped_empty);
    char words[64] = "";
    if (model->config.source_words) snprintf(words, sizeof words, " in %d larger ones", model->config.source_words);
    training_note(t, "%d source pieces%s, %d target pieces, %.1f million weights, %d thread%s, %s kernels",
                  model->config.source_vocab, words, model->config.target_vocab,
                  (double)params_weights(&model->params) / 1e6, threads, threads > 1 ? "s" : "", kernels->name);
    if (han)
        training_note(t, "%d target pieces hold Han characters and are banned: '%s' is not written with them", han,
                      tr->options.langs[1]);
    training_describe_memory(t);
    describe_end(t);
    if (t->resumed) training_note(t, "resuming from update %ld", t->state.update);
}

/* Notes and logs the sizes of several training sets. */
static int describe_sets(Training *t, Err *err) {
    const Pairs *pairs = &t->data.pairs;
    long begin = 0;
    for (int k = 0; k < arrlen(pairs->sets); begin = pairs->sets[k++].end) {
        const TrainFiles *set = &t->files.train[k];
        const int n = (int)(pairs->sets[k].end - begin);
        char line[256], distillation[48] = "";
        if (set->distillation > 0) snprintf(distillation, sizeof distillation, ", distillation %g", set->distillation);
        training_note(t, "  %s: %d pairs, weight %g%s%s%s", train_files_name(set), n, set->weight,
                      set->tag ? ", tag " : "", set->tag ? set->tag : "", distillation);
        snprintf(line, sizeof line, "{\"training_set\": %d, \"pairs\": %d, \"weight\": %g, \"distillation\": %g}",
                 k + 1, n, set->weight, set->distillation);
        if (!t->resumed && training_log(t, line, err)) return -1;
    }
    return 0;
}

/* Locks the directory and loads a checkpoint, on rank 0. Other ranks on this machine use the same directory for
   temporary files; so do those on other machines, if they have it. */
static int open_directory(Training *t, Err *err) {
    t->files = t->job->files;
    if (training_writes(t) && (lock_directory(t, err) || resume(t, err))) return -1;
    if (training_join(t, err)) return -1;
    if (access(t->files.dir, W_OK)) t->files.dir = temporary_directory();
    return 0;
}

/* Checks that valid/ can be read and written, before anything of an older training is removed. */
static int check_outputs(const Training *t, Err *err) {
    char valid[PATH_SIZE];
    long *updates;
    path_in(valid, t->job->model, "valid");
    if (numbered_list(valid, ".out", &updates, err)) return -1;
    arrfree(updates);
    return 0;
}

/* Opens train.jsonl, and cuts it back to the checkpoint, and with it align/, valid/ and the best model. */
static int open_log(Training *t, Err *err) {
    TrainState *s = &t->state;
    const long lines = s->log_lines;
    if (!training_writes(t)) return 0;
    if (check_outputs(t, err)) return -1;
    if (t->job->no_reload ? start_anew(t, err) : take_model_back(t, err)) return -1;
    if (log_open(&t->directory.log, t->job->model, &s->log_lines, err)) return -1;
    const bool complete = s->log_lines == lines;
    if (!complete)
        training_note(t, "%s: has only %ld of the %ld lines that it had at the checkpoint; the others are lost",
                      t->directory.log.path, s->log_lines, lines);
    return outputs_cut(t->job->model, s->update, !complete && training_validation_due(t), err);
}

int training_setup(Training *t, Err *err) {
    const TrainJob *job = t->job;
    t->memory.available = memory_available();
    if (check_options(job, err) || check_probes(job, err) || share_check_options(t->ranks, &job->options, err) ||
        open_directory(t, err) || read_data(t, err))
        return -1;
    Learner *l = &t->learner;
    const int shards = job->options.shards / ranks_count(t->ranks);
    t->shards = (ShardRange){shards * ranks_own(t->ranks), shards, job->options.shards};
    session_init(&t->session, (const Translator *[]){&l->translator}, 1, t->threads);
    if (open_pretrained(t, err) || training_reserve_memory(t, err) || open_log(t, err) || apply_options(t, err) ||
        apply_validation(t, err))
        return -1;
    exchange_init(&t->exchange, t->ranks, t->threads, &l->optimizer);
    describe(t);
    return describe_sets(t, err);
}

void training_release(Training *t) {
    Learner *l = &t->learner;
    log_close(&t->directory.log);
    session_free(&t->session);
    epoch_free(&t->epoch);
    arena_free(&t->memory.plan);
    gradient_tree_free(&t->gradients);
    distillation_free(&t->distillation);
    mem_free(t->pretrained);
    exchange_free(&t->exchange);
    data_free(&t->data);
    learner_free(l);
    threads_free(t->threads);
    if (t->directory.made) rmdir(t->job->model); /* fails if the directory is not empty */
    if (t->directory.lock >= 0) close(t->directory.lock);
}
