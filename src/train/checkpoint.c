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
    const char *name = choice_name(valid_metric_names, s->metric, &length);
    snprintf(text + n, SIZE - (size_t)n, "metric %.*s\nbest %a\n", length, name, s->best);
    return text;
}

/* Whether a counter is valid, and small enough to continue counting. */
static bool is_count(long n) { return n >= 0 && n <= 1000000000000; }

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
    if ((rename(path, before) && errno != ENOENT) || rename(next, path) || directory_sync(dir))
        return err_set(err, path, 0, "cannot be written: %s", strerror(errno));
    return 0;
}

int checkpoint_write(const char *path, const Translator *translator, const TrainOptions *options,
                     const Optimizer *optimizer, const TrainState *state, Err *err) {
    Meta meta[MODEL_META + 1];
    char *configuration = options_format(train_option_tables, options);
    model_meta(translator, configuration, meta);
    mem_free(configuration);
    char *text = format_state(state, optimizer->steps);
    meta[MODEL_META] = (Meta){"state", text};
    Tensor *tensors = model_tensors(translator);
    for (int i = 0; i < OPTIMIZER_SLOTS && optimizer->slots[i]; i++)
        arrput(tensors, ((Tensor){slot_names[i], 0, (int)optimizer->size, optimizer->slots[i], TENSOR_F32}));
    if (optimizer->average)
        arrput(tensors, ((Tensor){average_name, 0, (int)optimizer->size, optimizer->average, TENSOR_F32}));
    int status = safetensors_write(path, tensors, (int)arrlen(tensors), meta, MODEL_META + 1, err);
    arrfree(tensors);
    mem_free(text);
    model_meta_free(meta);
    return status;
}

int checkpoint_save(const char *dir, const Translator *translator, const TrainOptions *options,
                    const Optimizer *optimizer, const TrainState *state, Err *err) {
    char next[PATH_SIZE];
    path_in(next, dir, "checkpoint.next.safetensors");
    return checkpoint_write(next, translator, options, optimizer, state, err) || rotate(dir, next, err) ? -1 : 0;
}

/* Reads the configuration of a checkpoint, with the options of the training. */
static int read_options(TrainOptions *options, const Safetensors *file, const char *path, Err *err) {
    *options = (TrainOptions){0};
    options_default(train_option_tables, options);
    return options_read(train_option_tables, options, safetensors_meta(file, "config"), path, UNKNOWN_ERROR, err);
}

/* The context is the memory of a vector of the optimizer. */
static void write_vector(void *context, const TensorPart *part) {
    memcpy((real *)context + part->first, tensor_part_values(part), part->n * sizeof(real));
}

/* Allocates the optimizer's slots and average, and finds their tensors. */
static int find_optimizer(Safetensors *file, Optimizer *optimizer, const TrainOptions *options, const Params *params,
                          Err *err) {
    const int size = (int)params->size;
    params_optimizer(params, optimizer_kind_at(options->optimizer), optimizer);
    for (int i = 0; i < OPTIMIZER_SLOTS && optimizer->slots[i]; i++)
        if (safetensors_find(file, slot_names[i], 0, size, write_vector, optimizer->slots[i], err)) return -1;
    if (options->exponential_smoothing <= 0) return 0;
    optimizer_keep_average(optimizer, params->values);
    return safetensors_find(file, average_name, 0, size, write_vector, optimizer->average, err);
}

/* Reads the weights and the optimizer of a model in training. */
static int read_weights(Params *params, Optimizer *optimizer, const TrainOptions *options, Safetensors *file,
                        Err *err) {
    if (params_find(params, file, err)) return -1;
    params_allocate(params);
    return find_optimizer(file, optimizer, options, params, err) || safetensors_all_found(file, err) ||
                   safetensors_read(file, err)
               ? -1
               : 0;
}

/* Returns 0, with *warning filled if there is a warning; -1 with *err filled; or OTHER_FORMAT with *err filled: the
   program cannot read the format. */
enum { OTHER_FORMAT = -2 };
static int load_file(const char *path, Translator *translator, TrainOptions *options, Optimizer *optimizer,
                     TrainState *state, Err *warning, Err *err) {
    Safetensors *file = safetensors_open(path, err);
    if (!file) return -1;
    long steps = 0;
    const char *text = safetensors_meta(file, "state");
    const bool other = !safetensors_is_readable(file);
    *translator = (Translator){0};
    *optimizer = (Optimizer){0};
    int status =
        text && !parse_state(text, state, &steps) ? 0 : err_set(err, path, 0, "not a checkpoint of a training");
    if (!status) status = model_read(translator, file, path, err);
    if (!status) status = read_options(options, file, path, err);
    if (!status) status = read_weights(&translator->model.params, optimizer, options, file, err);
    optimizer->steps = steps;
    if (!status && translator->warning) err_set(warning, path, 0, "%s", translator->warning);
    status = safetensors_close(file, status, err);
    if (status) {
        translator_free(translator);
        optimizer_free(optimizer);
    }
    return status && other ? OTHER_FORMAT : status;
}

int checkpoint_read(const char *path, Translator *translator, TrainOptions *options, Optimizer *optimizer,
                    TrainState *state, Err *warning, Err *err) {
    return load_file(path, translator, options, optimizer, state, warning, err) ? -1 : 0;
}

/* Renames a damaged checkpoint. Otherwise the next save would move it to the place of the undamaged previous one. */
static int rename_damaged(const char *dir, const char *path, Err *err) {
    char damaged[PATH_SIZE];
    path_in(damaged, dir, "checkpoint.damaged.safetensors");
    return rename(path, damaged) ? err_set(err, path, 0, "cannot be renamed: %s", strerror(errno)) : 0;
}

int checkpoint_load(const char *dir, Translator *translator, TrainOptions *options, Optimizer *optimizer,
                    TrainState *state, Err *warning, Err *err) {
    char path[PATH_SIZE], before[PATH_SIZE];
    path_in(path, dir, "checkpoint.safetensors");
    path_in(before, dir, "checkpoint.prev.safetensors");
    warning->reason[0] = '\0';
    bool newest = !access(path, F_OK), older = !access(before, F_OK);
    if (!newest && !older) return 0;
    Err damage = {0};
    int status = newest ? load_file(path, translator, options, optimizer, state, warning, &damage) : -1;
    if (!status) return 1;
    *err = damage;
    if (status == OTHER_FORMAT || !older || load_file(before, translator, options, optimizer, state, warning, err))
        return -1;
    if (!newest) return 1;
    err_set(warning, path, 0, "%.400s; resuming from the previous checkpoint", damage.reason);
    return rename_damaged(dir, path, err) ? -1 : 1;
}
