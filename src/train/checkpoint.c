#include "train/checkpoint.h"
#include "core/choice.h"
#include "io/ds.h"
#include "io/files.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const slot_names[OPTIMIZER_SLOTS] = {"optimizer.moment1", "optimizer.moment2"};
static const char *const average_name = "optimizer.average";

/* ---- the state as text: `name value` lines, doubles in hexadecimal, which is exact --------------------------- */

/* If the best value is of another metric, best_bleu is -1, so that older versions of tide find no best value. */
static char *format_state(const TrainState *s, long steps) {
    enum { SIZE = 1024 };
    char *text = mem_alloc(SIZE);
    int n = snprintf(text, SIZE,
                     "update %ld\nepoch %ld\nbatch %ld\nreport_nats %a\nreport_tokens %a\nreport_gnorm %a\n"
                     "report_updates %ld\nbest_bleu %a\nbest_update %ld\nstalled %d\nlog_lines %ld\ndata %" PRIu64
                     "\noptimizer_steps %ld\nskipped %d\nvalid %" PRIu64 "\n",
                     s->update, s->epoch, s->batch, s->report_nats, s->report_tokens, s->report_gnorm,
                     s->report_updates, s->metric == VALID_BLEU ? s->best : -1, s->best_update, s->stalled,
                     s->log_lines, s->data, steps, s->skipped, s->valid);
    if (s->metric == VALID_BLEU) return text;
    int length;
    const char *name = choice_name(valid_metric_names, (int)s->metric, &length);
    snprintf(text + n, SIZE - (size_t)n, "metric %.*s\nbest %a\n", length, name, s->best);
    return text;
}

/* Whether a counter is valid, and small enough to continue counting. */
static bool is_count(long long n) { return n >= 0 && n <= 1000000000000; }

static bool is_sound(const TrainState *s, long steps) {
    return is_count(s->update) && is_count(s->batch) && is_count(s->report_updates) && is_count(s->best_update) &&
           is_count(s->log_lines) && is_count(steps) && s->epoch >= 0 && s->epoch <= 1000000000 && s->stalled >= 0 &&
           s->stalled < INT_MAX && s->skipped >= 0 && s->skipped < INT_MAX && isfinite(s->report_nats) &&
           isfinite(s->report_tokens) && isfinite(s->report_gnorm) && isfinite(s->best);
}

/* Reads the metric and its best value, which end a state. Without them, the metric is BLEU. */
static int parse_metric(const char *text, TrainState *s) {
    char name[32];
    /* NOLINTNEXTLINE(cert-err34-c): is_sound refuses a number that is too large */
    const int n = sscanf(text, " metric %31s best %la", name, &s->best);
    if (n < 1) return 0;
    const int metric = choice_find(valid_metric_names, name);
    if (n < 2 || metric < 0) return -1;
    s->metric = (ValidMetric)metric;
    return 0;
}

static int parse_state(const char *text, TrainState *s, long *steps) {
    int end = 0;
    s->metric = VALID_BLEU;
    /* NOLINTBEGIN(cert-err34-c): glibc returns LONG_MAX for too large numbers; is_sound refuses it */
    int n = sscanf(text,
                   "update %ld epoch %ld batch %ld report_nats %la report_tokens %la report_gnorm %la "
                   "report_updates %ld best_bleu %la best_update %ld stalled %d log_lines %ld data %" SCNu64
                   " optimizer_steps %ld skipped %d valid %" SCNu64 "%n",
                   &s->update, &s->epoch, &s->batch, &s->report_nats, &s->report_tokens, &s->report_gnorm,
                   &s->report_updates, &s->best, &s->best_update, &s->stalled, &s->log_lines, &s->data, steps,
                   &s->skipped, &s->valid, &end);
    /* NOLINTEND(cert-err34-c) */
    if (n < 15 || parse_metric(text + end, s)) return -1;
    return is_sound(s, *steps) ? 0 : -1;
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

/* Renames the newest checkpoint to the previous one, and `next` to the newest. */
static int rotate(const char *dir, const char *next, Err *err) {
    char path[PATH_SIZE], before[PATH_SIZE];
    path_in(path, dir, "checkpoint.safetensors");
    path_in(before, dir, "checkpoint.prev.safetensors");
    if ((file_rename(path, before) && errno != ENOENT) || file_replace(next, path))
        return err_set(err, path, 0, "cannot be written: %s", strerror(errno));
    return 0;
}

Tensor *learner_tensors(const Learner *learner) {
    const Optimizer *optimizer = &learner->optimizer;
    Tensor *tensors = model_tensors(&learner->translator);
    for (int i = 0; i < OPTIMIZER_SLOTS && optimizer->slots[i]; i++)
        arrput(tensors, ((Tensor){slot_names[i], 0, (int)optimizer->size, optimizer->slots[i], TENSOR_F32}));
    if (optimizer->average)
        arrput(tensors, ((Tensor){average_name, 0, (int)optimizer->size, optimizer->average, TENSOR_F32}));
    return tensors;
}

void learner_free(Learner *learner) {
    optimizer_free(&learner->optimizer);
    translator_free(&learner->translator);
    recipe_free(learner->recipe);
    learner->recipe = NULL;
}

int checkpoint_write(const char *path, const Learner *learner, const TrainState *state, Err *err) {
    Meta meta[MODEL_META + 1];
    const Optimizer *optimizer = &learner->optimizer;
    char *configuration = options_format(train_option_tables, &learner->options);
    char *recipe = learner->recipe ? recipe_format(learner->recipe) : NULL;
    model_meta(&learner->translator, configuration, recipe, meta);
    mem_free(recipe);
    mem_free(configuration);
    char *text = format_state(state, optimizer->steps);
    meta[MODEL_META] = (Meta){"state", text};
    Tensor *tensors = learner_tensors(learner);
    int status = safetensors_write(path, tensors, (int)arrlen(tensors), meta, MODEL_META + 1, err);
    arrfree(tensors);
    mem_free(text);
    model_meta_free(meta);
    return status;
}

int checkpoint_save(const char *dir, const Learner *learner, const TrainState *state, Err *err) {
    char next[PATH_SIZE];
    path_in(next, dir, "checkpoint.next.safetensors");
    return checkpoint_write(next, learner, state, err) || rotate(dir, next, err) ? -1 : 0;
}

/* The context is the memory of a vector of the optimizer. */
static void write_vector(void *context, const TensorPart *part) {
    memcpy((real *)context + part->first, tensor_part_values(part), part->n * sizeof(real));
}

/* Makes memory for the weights, and for the optimizer's slots and average, and reads them. */
static int read_weights(Learner *learner, Safetensors *file, Err *err) {
    Params *params = &learner->translator.model.params;
    const int size = (int)params->size;
    Optimizer *optimizer = &learner->optimizer;
    if (params_find(params, file, err)) return -1;
    params_allocate(params);
    params_optimizer(params, optimizer_kind_at(learner->options.optimizer), optimizer);
    for (int i = 0; i < OPTIMIZER_SLOTS && optimizer->slots[i]; i++)
        if (safetensors_find(file, slot_names[i], 0, size, write_vector, optimizer->slots[i], err)) return -1;
    if (learner->options.exponential_smoothing > 0) {
        optimizer_keep_average(optimizer, params->values);
        if (safetensors_find(file, average_name, 0, size, write_vector, optimizer->average, err)) return -1;
    }
    return safetensors_all_found(file, err) || safetensors_read(file, false, err) ? -1 : 0;
}

int checkpoint_read(const char *path, Learner *learner, TrainState *state, Err *warning, Err *err) {
    Safetensors *file = safetensors_open(path, err);
    if (!file) return -1;
    long steps = 0;
    const char *text = safetensors_meta(file, "state");
    const bool other = !safetensors_is_readable(file);
    Translator *translator = &learner->translator;
    *learner = (Learner){0};
    int status =
        text && !parse_state(text, state, &steps) ? 0 : err_set(err, path, 0, "not a checkpoint of a training");
    if (!status) status = model_read(translator, file, path, err);
    options_default(train_option_tables, &learner->options);
    if (!status)
        status = options_read(train_option_tables, &learner->options, safetensors_meta(file, "config"), path,
                              UNKNOWN_ERROR, err);
    if (!status && translator->recipe && !(learner->recipe = recipe_parse(translator->recipe, path, err))) status = -1;
    if (!status) status = read_weights(learner, file, err);
    learner->optimizer.steps = steps;
    if (!status && translator->warning) err_set(warning, path, 0, "%s", translator->warning);
    status = safetensors_close(file, status, err);
    if (status) learner_free(learner);
    return status && other ? OTHER_FORMAT : status;
}

int checkpoint_load(const char *dir, Learner *learner, TrainState *state, Err *warning, Err *err) {
    char path[PATH_SIZE], before[PATH_SIZE], damaged[PATH_SIZE];
    path_in(path, dir, "checkpoint.safetensors");
    path_in(before, dir, "checkpoint.prev.safetensors");
    path_in(damaged, dir, "checkpoint.damaged.safetensors");
    warning->reason[0] = '\0';
    bool newest = !access(path, F_OK), older = !access(before, F_OK);
    if (!newest && !older) return 0;
    Err damage = {0};
    int status = newest ? checkpoint_read(path, learner, state, warning, &damage) : -1;
    if (!status) return 1;
    *err = damage;
    if (status == OTHER_FORMAT || !older || checkpoint_read(before, learner, state, warning, err)) return -1;
    if (!newest) return 1;
    err_set(warning, path, 0, "%.400s; resuming from the previous checkpoint", damage.reason);
    /* otherwise the next save would move it to the place of the undamaged previous one */
    return file_rename(path, damaged) ? err_set(err, path, 0, "cannot be renamed: %s", strerror(errno)) : 1;
}

/* Returns an entry of a checkpoint's metadata, owned by the caller; NULL if there is none. */
static char *read_meta(const char *dir, const char *name, const char *key) {
    char path[PATH_SIZE];
    Err err;
    path_in(path, dir, name);
    /* access: safetensors_open would make the text of an error, which needs memory */
    Safetensors *file = access(path, F_OK) ? NULL : safetensors_open(path, &err);
    if (!file) return NULL;
    const char *text = safetensors_meta(file, key);
    char *copy = text ? mem_strdup(text) : NULL;
    safetensors_close(file, 0, &err);
    return copy;
}

long checkpoint_update(const char *dir) {
    TrainState state = {0};
    long steps;
    char *text = read_meta(dir, "checkpoint.safetensors", "state");
    const bool read = text && !parse_state(text, &state, &steps);
    mem_free(text);
    return read ? state.update : 0;
}

bool checkpoint_options(const char *dir, TrainOptions *options) {
    static const char *const names[] = {"checkpoint.safetensors", "checkpoint.prev.safetensors"};
    bool found = false;
    for (int i = 0; i < 2 && !found; i++) {
        Err err;
        char *text = read_meta(dir, names[i], "config");
        options_default(train_option_tables, options);
        found = text && !options_read(train_option_tables, options, text, names[i], UNKNOWN_ERROR, &err);
        mem_free(text);
    }
    return found;
}
