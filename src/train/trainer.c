#include "train/training.h"
#include "io/files.h"
#include "text/codes.h"
#include "train/chain.h"
#include "train/reached.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SKIPPED = 5 }; /* updates in a row */

/* ---- one update ----------------------------------------------------------------------------------------------- */

/* The learning rate of update number `update`, from 1, in this epoch, from 0. */
static double learn_rate(const TrainOptions *o, long update, long epoch) {
    const double number = (double)update;
    double rate = o->learn_rate;
    for (long e = o->lr_decay_start; e <= epoch; e++) rate *= o->lr_decay;
    if (number < o->lr_warmup) rate *= number / o->lr_warmup;
    if (o->lr_decay_inv_sqrt && number > o->lr_decay_inv_sqrt) rate *= sqrt(o->lr_decay_inv_sqrt / number);
    return rate;
}

/* Finds the origin: the first op on the lowest rank that finds one, and the first pair of the batch. */
static int find_origin(Training *t, const BatchParts *parts, const UpdateOptions *options, NonFinite *origin,
                       Err *err) {
    const int count = ranks_count(t->ranks);
    NonFinite own;
    if (update_find_nonfinite(&t->session.tape, &t->learner.translator.model, &t->data.pairs, parts, options, &own,
                              err))
        return -1;
    NonFinite *all = mem_alloc((size_t)count * sizeof *all);
    const int status = ranks_gather(t->ranks, &own, all, sizeof own, true, err);
    for (int r = count; r-- > 0 && !status;) {
        if (r == count - 1) *origin = all[r];
        const NonFinite *o = &all[r];
        if (o->op[0]) {
            memcpy(origin->op, o->op, sizeof o->op);
            origin->back = o->back;
        }
        if (o->index >= 0 && (origin->index < 0 || o->index < origin->index)) {
            origin->index = o->index;
            origin->pair = o->pair;
        }
    }
    mem_free(all);
    return status;
}

/* Skips an update whose loss or gradient is not finite: finds the origin, notes and logs it. The weights have not
   changed. MOST_SKIPPED in a row are an error. */
static int skip(Training *t, const BatchParts *parts, const UpdateOptions *options, Err *err) {
    TrainState *s = &t->state;
    NonFinite origin;
    if (find_origin(t, parts, options, &origin, err)) return -1;
    const char *op = origin.op[0] ? origin.op : "norm",
               *back = origin.back ? "the gradient of the result of" : "the result of";
    const Pairs *pairs = &t->data.pairs;
    const bool known = origin.index >= 0;
    const long line = known ? pairs->line[origin.pair] : 0;
    char where[PATH_SIZE + 64] = "", text[256];
    s->update++;
    s->skipped++;
    if (known)
        snprintf(where, sizeof where, ", first with the pair in line %ld of %s", line,
                 data_name_of(&t->job->files, pairs, origin.pair));
    training_note(t, "update %ld was skipped: %s %s is not finite%s", s->update, back, op, where);
    snprintf(text, sizeof text,
             "{\"update\": %ld, \"epoch\": %.4f, \"skipped\": \"%s\", \"back\": %s, \"line\": %ld, \"set\": %d}",
             s->update, training_epochs(t), op, origin.back ? "true" : "false", line,
             known ? pairs_set(pairs, origin.pair) + 1 : 0);
    if (training_log(t, text, err)) return -1;
    if (s->skipped < MOST_SKIPPED) return 0;
    return err_set(
        err, t->job->model, 0,
        "the training diverged at update %ld: %d updates in a row were not finite, first in %s %s%s; try a lower "
        "--learn-rate; the last checkpoint has not changed",
        s->update, MOST_SKIPPED, back, op, where);
}

static int target_rows(const Pairs *pairs, const int *which, int n) {
    int rows = 0;
    for (int i = 0; i < n; i++) rows += pairs->target_length[which[i]];
    return rows;
}

/* Adds the gradients of a part to the model's. Adds its loss in nats to nats[0], nats[1], .. for its shards. */
static int add_gradients(Training *t, const BatchPart *part, UpdateOptions options, double *nats, Err *err) {
    Tape *tape = &t->session.tape;
    double found[MOST_SHARDS];
    Batch batch;
    Guide guide;
    Teacher teacher;
    tape_reset(tape);
    if (pairs_fold(&tape->arena, &t->data.pairs, part->which, part->index, part->n, options.noise, &batch, err))
        return -1;
    if (part->shard) batch_shard(&tape->arena, &batch, part->shard, part->shards);
    if (t->job->files.guides) {
        if (guides_fold(&tape->arena, &t->data.guides, part->which, &batch.target, &guide, err)) return -1;
        options.guide = &guide;
    }
    if (t->distillation.open) {
        if (distillation_teach(&t->distillation, &tape->arena, &t->data.pairs, part->which, part->n, &batch.target,
                               &teacher, err))
            return -1;
        if (teacher.tape) options.teacher = &teacher;
    }
    update_gradients(tape, &t->learner.translator.model, &batch, &options, found);
    for (int s = 0; s < part->shards; s++) nats[s] += found[s];
    return 0;
}

/* Computes the gradient of this process's shards, and their loss in nats. */
static int compute_gradient(Training *t, const BatchParts *parts, const UpdateOptions *options, double *nats,
                            Err *err) {
    for (int k = 0; k < parts->count; k++) {
        const BatchPart *part = &parts->list[k];
        if (part->n > 0 && add_gradients(t, part, *options, nats + part->first, err)) return -1;
        if (part->last)
            gradient_tree_add(&t->gradients, t->threads, &t->learner.translator.model.params,
                              t->shards.count / part->shards);
    }
    return 0;
}

/* Adds an update to the sums of the next report and of the progress bar. */
static void count(Training *t, double nats, int tokens, double norm) {
    TrainState *s = &t->state;
    Meter *m = &t->meter;
    const double loss = nats / tokens;
    s->update++;
    s->skipped = 0;
    s->report_nats += nats;
    s->report_tokens += tokens;
    s->report_gnorm += norm;
    s->report_updates++;
    m->tokens += tokens;
    m->loss = m->loss > 0 ? 0.98 * m->loss + 0.02 * loss : loss;
}

static bool minutes_are_over(const Training *t) {
    const TrainOptions *o = &t->job->options;
    return o->after_minutes > 0 && seconds_now() - t->meter.began >= o->after_minutes * 60;
}

/* What each rank tells all others before an update. */
typedef struct News {
    double nats[MOST_SHARDS]; /* of its shards */
    int32_t stop, over;       /* stop: the value of *Training.stop */
} News;

/* Completes nats, the losses of all shards. Every rank learns whether one of them was told to stop, and whether the
   minutes are over on the clock of rank 0, so that all end after the same update. */
static int share_news(Training *t, double *nats, Err *err) {
    const int count = ranks_count(t->ranks);
    News own = {.stop = *t->stop, .over = minutes_are_over(t)};
    memcpy(own.nats, nats + t->shards.first, (size_t)t->shards.count * sizeof *nats);
    News *all = mem_alloc((size_t)count * sizeof *all);
    const int status = ranks_gather(t->ranks, &own, all, sizeof own, false, err);
    for (int r = 0; r < count && !status; r++) {
        memcpy(nats + (ptrdiff_t)r * t->shards.count, all[r].nats, (size_t)t->shards.count * sizeof *nats);
        if (!t->stopping) t->stopping = all[r].stop;
    }
    if (!status) t->out_of_time = all[0].over;
    mem_free(all);
    return status;
}

/* Makes one update with n pairs. Returns the number of target tokens, 0 if the update was skipped, or -1 with *err
   filled. */
static int update(Training *t, const int *which, int n, Err *err) {
    const TrainOptions *o = &t->job->options;
    const Pairs *pairs = &t->data.pairs;
    BatchMemory *m = &t->memory;
    Learner *l = &t->learner;
    t->meter.learn_rate = learn_rate(o, t->state.update + 1, t->state.epoch);
    const UpdateNoise noise = {o->noise, (uint64_t)o->seed, t->state.update};
    const UpdateOptions options = {
        .label_smoothing = o->label_smoothing,
        .dropout = o->dropout,
        .step = {t->meter.learn_rate, o->clip_norm, o->exponential_smoothing, o->averaging_eta},
        .rows = target_rows(pairs, which, n),
        .guide_cost = o->guided_cost,
        .guide_weight = o->guided_weight,
        .products = o->precision,
        .noise = noise_is_none(&noise.noise) ? NULL : &noise};
    double nats[MOST_SHARDS] = {0}, norm;
    arena_reset(&m->plan);
    const BatchParts parts = parts_plan(&m->plan, &m->workspace, m->limit, pairs, which, n, t->shards);
    /* a separate stream for each update */
    t->session.tape.rng = rng_seed((uint64_t)o->seed, 0x64726f706f7574u + (uint64_t)t->state.update);
    if (compute_gradient(t, &parts, &options, nats + t->shards.first, err) || share_news(t, nats, err)) return -1;
    const double total = shard_total(nats, t->shards.all);
    if (update_step(&t->session.tape, &l->translator.model, &l->optimizer, &t->exchange, total, &options, &norm, err))
        return -1;
    if (!isfinite(norm)) return skip(t, &parts, &options, err);
    count(t, total, options.rows, norm);
    return options.rows;
}

/* ---- reports -------------------------------------------------------------------------------------------------- */

/* Writes the mean loss and gradient norm since the last report to train.jsonl. */
static int report(Training *t, Err *err) {
    TrainState *s = &t->state;
    Meter *m = &t->meter;
    double time = seconds_now(), loss = s->report_nats / s->report_tokens;
    char line[512], ranks[128] = "";
    if (ranks_count(t->ranks) > 1)
        snprintf(ranks, sizeof ranks, ", \"ranks\": %d, \"bytes_sent\": %.0f, \"seconds_waited\": %.1f",
                 ranks_count(t->ranks), ranks_bytes_sent(t->ranks), ranks_seconds_waited(t->ranks));
    snprintf(
        line, sizeof line,
        "{\"update\": %ld, \"epoch\": %.4f, \"loss\": %.6f, \"ppl\": %.4f, \"tokens_per_s\": %.0f, \"seconds\": %.1f, "
        "\"gnorm\": %.6f, \"learn_rate\": %.9g%s}",
        s->update, training_epochs(t), loss, training_perplexity(loss), m->tokens / (time - m->reported),
        time - m->began, s->report_gnorm / (double)s->report_updates, m->learn_rate, ranks);
    s->report_nats = s->report_tokens = s->report_gnorm = 0;
    s->report_updates = 0;
    m->tokens = 0;
    m->reported = time;
    return training_log(t, line, err);
}

/* The earlier of two limits; `left` is negative if it is none. */
static double earlier(double left, double limit) { return left < 0 ? limit : fmin(left, limit); }

/* Estimates the seconds until the first limit on epochs, updates or minutes is reached; negative: there is no limit. */
static double seconds_left(const Training *t, double time) {
    const TrainOptions *o = &t->job->options;
    const Meter *m = &t->meter;
    double left = -1, done = (double)(t->state.update - m->began_update), pace = (time - m->began) / fmax(done, 1);
    if (o->after_batches) left = (double)(o->after_batches - t->state.update) * pace;
    if (o->after_epochs > 0) left = earlier(left, (o->after_epochs - training_epochs(t)) * t->epoch.batches * pace);
    if (o->after_minutes > 0) left = earlier(left, o->after_minutes * 60 - (time - m->began));
    return left;
}

/* Reports an update of this many tokens to the progress bar. */
static void show_progress(Training *t, int tokens, double seconds) {
    Meter *m = &t->meter;
    double speed = tokens / fmax(seconds, 1e-9);
    m->speed = m->speed > 0 ? 0.95 * m->speed + 0.05 * speed : speed;
    if (!t->callbacks->progress) return;
    const TrainOptions *o = &t->job->options;
    long updates = o->after_batches;
    if (o->after_epochs > 0) {
        long by_epochs = (long)ceil(o->after_epochs * t->epoch.batches);
        updates = updates && updates < by_epochs ? updates : by_epochs;
    }
    t->callbacks->progress(t->callbacks->context, &(Progress){t->state.update, updates, training_epochs(t), m->loss,
                                                              m->speed, seconds_left(t, seconds_now())});
}

/* ---- the loop ------------------------------------------------------------------------------------------------- */

static bool has_stalled(const Training *t) {
    const int most = t->job->options.early_stopping;
    return most && t->state.stalled >= most;
}

bool trainer_finished(const Training *t) {
    const TrainOptions *o = &t->job->options;
    return has_stalled(t) || (o->after_batches && t->state.update >= o->after_batches) ||
           (o->after_epochs > 0 && training_epochs(t) >= o->after_epochs) ||
           (ranks_count(t->ranks) > 1 ? t->out_of_time : minutes_are_over(t));
}

/* Writes a checkpoint on rank 0. */
static int collect_and_save(Training *t, Err *err) {
    Learner whole;
    int status = training_collect(t, &whole, err);
    if (!status && training_writes(t))
        status = log_sync(&t->directory.log, err) || checkpoint_save(t->job->model, &whole, &t->state, err) ? -1 : 0;
    training_release_collected(t, &whole);
    return status ? status : training_join(t, err);
}

static int save_checkpoint(Training *t, Err *err) {
    const TrainCallbacks *tell = t->callbacks;
    const bool tells = training_writes(t) && tell->saving;
    if (tells) tell->saving(tell->context, true);
    const int status = collect_and_save(t, err);
    if (tells) tell->saving(tell->context, false);
    if (!status) t->saved = true;
    return status;
}

static void plan_epoch(Training *t) {
    const TrainOptions *o = &t->job->options;
    epoch_free(&t->epoch);
    t->epoch = epoch_plan(&t->data.pairs, o->mini_batch, o->maxi_batch, (uint64_t)o->seed, t->state.epoch);
}

/* Whether one of the next MOST_SKIPPED updates is followed by a validation. */
static bool validation_is_near(const Training *t) {
    const long frequency = t->job->options.valid_freq;
    const long left = frequency ? frequency - t->state.update % frequency : t->epoch.batches - t->state.batch;
    return data_has_validation(&t->job->files) && left <= MOST_SKIPPED;
}

/* Writes the first checkpoint before the first validation, which writes a model: a training that was killed there could
   not continue from a model alone. Of the states before the last MOST_SKIPPED updates, one at least is not after a
   skipped update. */
static int save_before_model(Training *t, Err *err) {
    return t->saved || t->state.skipped || !validation_is_near(t) ? 0 : save_checkpoint(t, err);
}

int trainer_step(Training *t, Err *err) {
    if (save_before_model(t, err)) return -1;
    const TrainOptions *o = &t->job->options;
    const int *begin = t->epoch.begin + t->state.batch;
    double started = seconds_now();
    int tokens = update(t, t->epoch.order + begin[0], begin[1] - begin[0], err);
    if (tokens < 0) return -1;
    t->state.batch++;
    show_progress(t, tokens, seconds_now() - started);
    if (t->state.batch == t->epoch.batches) {
        t->state.epoch++;
        t->state.batch = 0;
        plan_epoch(t);
    }
    if (chain_extend(t, err)) return -1;
    if (training_due(t->state.update, o->disp_freq) && t->state.report_updates > 0 && report(t, err)) return -1;
    if (t->state.skipped) return 0; /* the weights that led to a skipped update may be bad: they are not saved */
    const bool validated = data_has_validation(&t->job->files) && training_validation_due(t);
    if (validated && training_validate(t, err)) return -1;
    return validated || training_due(t->state.update, o->save_freq) ? save_checkpoint(t, err) : 0;
}

/* Ends a run whose last updates were skipped: nothing is saved. A model of an earlier end stays. */
static int finish_skipped(const Training *t, Err *err) {
    const long first = t->state.update - t->state.skipped + 1;
    char model[PATH_SIZE];
    path_in(model, t->job->model, "model.safetensors");
    if (training_writes(t) && access(model, F_OK))
        return err_set(
            err, t->job->model, 0,
            "the updates from %ld on were skipped, so there is no model to save; give a later end, or a lower "
            "--learn-rate",
            first);
    training_note(t, "the updates from %ld on were skipped, so their weights are not saved", first);
    return 0;
}

/* Says what others reached with a corpus of this size, if they can be compared: the numbers are those of models from
   Chinese to English that began with random weights. */
static void note_size(const Training *t) {
    const char(*langs)[OPTION_TEXT_SIZE] = t->learner.translator.options.langs;
    if (t->job->pretrained || !language_is_variant(langs[SOURCE], "zh") || !language_is_variant(langs[TARGET], "en"))
        return;
    char text[320];
    reached_describe(text, sizeof text, t->data.pairs.n);
    training_note(t, "%s", text);
}

/* Writes the checkpoint before the validation, so that a longer training resumes as if it had never stopped. */
int trainer_finish(Training *t, bool stopped, Err *err) {
    const TrainState *s = &t->state;
    const bool validates = data_has_validation(&t->job->files) && !stopped;
    if ((!s->skipped && save_checkpoint(t, err)) || (s->report_updates > 0 && report(t, err))) return -1;
    if (s->skipped) return stopped ? 0 : finish_skipped(t, err);
    t->ending = true;
    if (validates && (s->best < 0 || !training_validation_due(t)) && training_validate(t, err)) return -1;
    if (s->best_update == 0) return training_save_model(t, err);
    training_note(t, "the model is that of update %ld, which had the best %s", s->best_update,
                  valid_metric_title(s->metric));
    if (validates) note_size(t);
    return 0;
}

/* Says that the training was stopped, and how it continues. */
static void note_stop(const Training *t) {
    const char *skipped = "", *from = "there";
    if (t->state.skipped) {
        skipped = ", which was skipped";
        from = t->saved ? "the last checkpoint" : "the beginning";
    }
    training_note(t, "stopped after update %ld%s; the same command%s continues from %s", t->state.update, skipped,
                  t->job->no_reload ? " without --no-reload" : "", from);
}

static void begin_meter(Training *t) {
    const TrainState *s = &t->state;
    Meter *m = &t->meter;
    m->began = m->reported = seconds_now();
    m->began_update = s->update;
    /* of the last update, for a report before the next one; it may have ended an epoch */
    if (s->update > 0) m->learn_rate = learn_rate(&t->job->options, s->update, s->batch > 0 ? s->epoch : s->epoch - 1);
}

int trainer_begin(Training *t, Err *err) {
    plan_epoch(t);
    if (t->state.batch >= t->epoch.batches)
        return err_set(err, t->job->model, 0, "the checkpoint is at a batch that the data does not have");
    begin_meter(t);
    t->saved = t->resumed;
    return 0;
}

/* Returns as `train` does. */
static int loop(Training *t, Err *err) {
    if (trainer_begin(t, err)) return -1;
    while (!trainer_finished(t)) {
        const int stop = ranks_count(t->ranks) > 1 ? t->stopping : *t->stop;
        if (stop) {
            note_stop(t);
            return trainer_finish(t, true, err) ? -1 : stop;
        }
        if (trainer_step(t, err)) return -1;
    }
    if (has_stalled(t))
        training_note(t, "%d validations without a better %s end the training (--early-stopping)", t->state.stalled,
                      valid_metric_title(t->state.metric));
    return trainer_finish(t, false, err);
}

int train(const TrainJob *job, const TrainCallbacks *callbacks, const volatile sig_atomic_t *stop, Err *err) {
    Training t = {.job = job,
                  .callbacks = callbacks,
                  .stop = stop,
                  .ranks = job->ranks,
                  .threads = threads_new(job->threads),
                  .directory.lock = -1};
    int status = training_setup(&t, err);
    if (!status) status = loop(&t, err);
    training_release(&t);
    return status;
}
