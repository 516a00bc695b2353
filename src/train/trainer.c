#include "train/trainer_parts.h"
#include "train/update.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trainer_note(const Trainer *t, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (t->watch->note) t->watch->note(t->watch->context, text);
}

/* ---- one update ----------------------------------------------------------------------------------------------- */

/* The learning rate of the next update. */
static double rate_of_next(const Trainer *t) {
    const Options *o = &t->job->options;
    const double update = (double)t->state.update + 1;
    double rate = o->learn_rate;
    for (long epoch = o->lr_decay_start; epoch <= t->state.epoch; epoch++) rate *= o->lr_decay;
    if (update < o->lr_warmup) rate *= update / o->lr_warmup;
    if (o->lr_decay_inv_sqrt && update > o->lr_decay_inv_sqrt) rate *= sqrt(o->lr_decay_inv_sqrt / update);
    return rate;
}

double trainer_epochs(const Trainer *t) {
    return (double)t->state.epoch + (t->epoch.batches ? (double)t->state.batch / t->epoch.batches : 0);
}

/* An update whose loss or gradient is not finite leaves the weights as they are; a few of them in a row are the end. */
static int skip(Trainer *t, const int *which, int n, int parts, const UpdateOptions *options, Rng rng, Err *err) {
    enum { MOST = 5 };
    TrainState *s = &t->state;
    Blame blame;
    if (update_blame(&t->tape, &t->translator.model, &t->data.pairs, which, n, parts, options, rng, &blame, err))
        return -1;
    const Watch *watch = &blame.watch;
    const char *op = watch->op ? watch->op : "norm";
    const int length = watch->op ? watch->length : (int)strlen(op);
    const long line = blame.pair < 0 ? 0 : t->data.pairs.line[which[blame.pair]];
    char where[64] = "", text[256];
    s->update++;
    s->skipped++;
    if (line) snprintf(where, sizeof where, ", first with the pair in line %ld", line);
    trainer_note(t, "update %ld was skipped: %s %.*s is not finite%s", s->update,
                 watch->back ? "the gradient at" : "what comes of", length, op, where);
    snprintf(text, sizeof text,
             "{\"update\": %ld, \"epoch\": %.4f, \"skipped\": \"%.*s\", \"back\": %s, \"line\": %ld}", s->update,
             trainer_epochs(t), length, op, watch->back ? "true" : "false", line);
    s->log_lines++;
    if (log_line(&t->log, text, err)) return -1;
    if (s->skipped < MOST) return 0;
    return err_set(
        err, t->job->model, 0,
        "the training diverged at update %ld: %d updates in a row came out not finite, %s %.*s%s; try a lower "
        "--learn-rate; the last checkpoint is as it was",
        s->update, MOST, watch->back ? "in the gradient at" : "first in", length, op, where);
}

static int target_rows(const Pairs *pairs, const int *which, int n) {
    int rows = 0;
    for (int i = 0; i < n; i++) rows += pairs->target_length[which[i]];
    return rows;
}

/* Adds the gradients of a batch, or of a part of one; *nats is added to. */
static int add_gradients(Trainer *t, const int *which, int n, UpdateOptions options, double *nats, Err *err) {
    Batch batch;
    Guide guide;
    tape_reset(&t->tape);
    if (pairs_fold(&t->tape.arena, &t->data.pairs, which, n, &batch, err)) return -1;
    if (t->job->files.guides) {
        if (guides_fold(&t->tape.arena, &t->data.guides, which, &batch.target, &guide, err)) return -1;
        options.guide = &guide;
    }
    *nats += update_gradients(&t->tape, &t->translator.model, &batch, &options);
    return 0;
}

/* Forward, backward, update; returns the batch's target tokens, 0 where it was skipped, or -1. */
static int update(Trainer *t, const int *which, int n, Err *err) {
    const Options *o = &t->job->options;
    TrainState *s = &t->state;
    t->learn_rate = rate_of_next(t);
    UpdateOptions options = {.label_smoothing = o->label_smoothing,
                             .step = {t->learn_rate, o->clip_norm, o->exponential_smoothing},
                             .rows = target_rows(&t->data.pairs, which, n),
                             .guide_cost = (GuideCost)guide_cost(o->guided_cost),
                             .guide_weight = o->guided_weight};
    const int parts = o->workspace ? workspace_parts(&t->workspace, trainer_limit(o), &t->data.pairs, which, n) : 1;
    const Rng rng = t->tape.rng;
    double nats = 0;
    for (int k = 0; k < parts; k++) {
        const int first = part_begin(n, parts, k), size = part_begin(n, parts, k + 1) - first;
        if (add_gradients(t, which + first, size, options, &nats, err)) return -1;
    }
    const double norm = update_step(&t->tape, &t->translator.model, &t->optimizer, &options);
    if (!isfinite(norm) || !isfinite(nats)) return skip(t, which, n, parts, &options, rng, err);
    s->update++;
    s->skipped = 0;
    s->report_nats += nats;
    s->report_tokens += options.rows;
    s->report_gnorm += norm;
    s->report_updates++;
    t->report_tokens += options.rows;
    double loss = nats / options.rows;
    t->shown_loss = t->shown_loss > 0 ? 0.98 * t->shown_loss + 0.02 * loss : loss;
    return options.rows;
}

/* ---- reports -------------------------------------------------------------------------------------------------- */

/* JSON has no infinity, which a training that runs away would come to. */
double trainer_perplexity(double nats) { return fmin(exp(nats), 1e15); }

static int report(Trainer *t, Err *err) {
    TrainState *s = &t->state;
    double time = seconds_now(), loss = s->report_nats / s->report_tokens;
    char line[512];
    snprintf(
        line, sizeof line,
        "{\"update\": %ld, \"epoch\": %.4f, \"loss\": %.6f, \"ppl\": %.4f, \"tokens_per_s\": %.0f, \"seconds\": %.1f, "
        "\"gnorm\": %.6f, \"learn_rate\": %.9g}",
        s->update, trainer_epochs(t), loss, trainer_perplexity(loss), t->report_tokens / (time - t->reported),
        time - t->began, s->report_gnorm / (double)s->report_updates, t->learn_rate);
    s->report_nats = s->report_tokens = s->report_gnorm = 0;
    s->report_updates = 0;
    t->report_tokens = 0;
    t->reported = time;
    s->log_lines++;
    return log_line(&t->log, line, err);
}

/* Seconds that the rest will take, by whichever limit comes first; negative if there is none. */
static double seconds_left(const Trainer *t, double time) {
    const Options *o = &t->job->options;
    double left = -1, done = (double)(t->state.update - t->began_update), pace = (time - t->began) / fmax(done, 1);
    if (o->after_batches) left = (double)(o->after_batches - t->state.update) * pace;
    if (o->after_epochs > 0) {
        double epochs = (o->after_epochs - trainer_epochs(t)) * t->epoch.batches * pace;
        left = left < 0 ? epochs : fmin(left, epochs);
    }
    if (o->after_minutes > 0) {
        double minutes = o->after_minutes * 60 - (time - t->began);
        left = left < 0 ? minutes : fmin(left, minutes);
    }
    return left;
}

static void show(Trainer *t, int tokens, double seconds) {
    double speed = tokens / fmax(seconds, 1e-9);
    t->speed = t->speed > 0 ? 0.95 * t->speed + 0.05 * speed : speed;
    if (!t->watch->progress) return;
    const Options *o = &t->job->options;
    long updates = o->after_batches;
    if (o->after_epochs > 0) {
        long by_epochs = (long)ceil(o->after_epochs * t->epoch.batches);
        updates = updates && updates < by_epochs ? updates : by_epochs;
    }
    t->watch->progress(t->watch->context, &(Progress){t->state.update, updates, trainer_epochs(t), t->shown_loss,
                                                      t->speed, seconds_left(t, seconds_now())});
}

/* ---- the loop ------------------------------------------------------------------------------------------------- */

static bool has_stalled(const Trainer *t) {
    const int most = t->job->options.early_stopping;
    return most && t->state.stalled >= most;
}

static bool finished(const Trainer *t) {
    const Options *o = &t->job->options;
    return has_stalled(t) || (o->after_batches && t->state.update >= o->after_batches) ||
           (o->after_epochs > 0 && trainer_epochs(t) >= o->after_epochs) ||
           (o->after_minutes > 0 && seconds_now() - t->began >= o->after_minutes * 60);
}

static int save_checkpoint(Trainer *t, Err *err) {
    t->state.rng = t->tape.rng.state;
    if (log_sync(&t->log, err)) return -1;
    return checkpoint_save(t->job->model, &t->translator, &t->optimizer, &t->state, err);
}

static void plan(Trainer *t) {
    const Options *o = &t->job->options;
    epoch_free(&t->epoch);
    t->epoch = epoch_plan(&t->data.pairs, o->mini_batch, o->maxi_batch, (uint64_t)o->seed, t->state.epoch);
}

static bool due(long update, int frequency) { return frequency > 0 && update % frequency == 0; }

/* One update and whatever is due after it. */
static int step(Trainer *t, Err *err) {
    const Options *o = &t->job->options;
    const int *begin = t->epoch.begin + t->state.batch;
    double started = seconds_now();
    int tokens = update(t, t->epoch.order + begin[0], begin[1] - begin[0], err);
    if (tokens < 0) return -1;
    bool epoch_over = ++t->state.batch == t->epoch.batches;
    show(t, tokens, seconds_now() - started);
    if (epoch_over) {
        t->state.epoch++;
        t->state.batch = 0;
        plan(t);
    }
    if (due(t->state.update, o->disp_freq) && t->state.report_updates > 0 && report(t, err)) return -1;
    bool validated =
        data_has_validation(&t->job->files) && (o->valid_freq ? due(t->state.update, o->valid_freq) : epoch_over);
    if (validated && trainer_validate(t, err)) return -1;
    const bool saves = validated || due(t->state.update, o->save_freq);
    return saves && !t->state.skipped ? save_checkpoint(t, err) : 0; /* none of weights that may be beyond help */
}

/* The end of a training, or of this part of it. Whatever it trained, it leaves a model: where no validation was due so
   far, these weights. The checkpoint is from before that, so that a longer training goes on as if it had not stopped.
 */
static int conclude(Trainer *t, bool stopped, Err *err) {
    const TrainState *s = &t->state;
    const bool validates = data_has_validation(&t->job->files) && !stopped;
    if (save_checkpoint(t, err) || (s->report_updates > 0 && report(t, err))) return -1;
    if (s->best_bleu < 0 && validates) return trainer_validate(t, err);
    if (s->best_update == 0) return trainer_save_model(t, err);
    trainer_note(t, "the model is that of update %ld, which had the best BLEU", s->best_update);
    return 0;
}

static int loop(Trainer *t, Err *err) {
    plan(t);
    if (t->state.batch >= t->epoch.batches)
        return err_set(err, t->job->model, 0, "the checkpoint stands at a batch that the data does not have");
    t->began = t->reported = seconds_now();
    t->began_update = t->state.update;
    while (!finished(t)) {
        if (*t->stop) {
            trainer_note(t, "stopped after update %ld; the same command goes on from there", t->state.update);
            return conclude(t, true, err);
        }
        if (step(t, err)) return -1;
    }
    if (has_stalled(t))
        trainer_note(t, "%d validations without a better BLEU end the training (--early-stopping)", t->state.stalled);
    return conclude(t, false, err);
}

int train(const TrainJob *job, const TrainWatch *watch, const volatile sig_atomic_t *stop, Err *err) {
    Trainer t = {.job = job, .watch = watch, .threads = threads_new(job->threads), .lock = -1, .stop = stop};
    int status = trainer_begin(&t, err);
    if (!status) status = loop(&t, err);
    trainer_end(&t);
    return status;
}
