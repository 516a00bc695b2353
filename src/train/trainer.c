#include "train/trainer.h"
#include "core/kernels.h"
#include "text/ds.h"
#include "text/files.h"
#include "text/lines.h"
#include "text/unicode.h"
#include "train/log.h"
#include "train/update.h"
#include "train/workspace.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROBES_OF_DEV = 4, EXAMPLES = 3, DECODE_BATCH = 64 };

typedef struct Trainer {
    const TrainJob *job;
    const TrainWatch *watch;
    Threads *threads;
    Tape tape;
    Translator translator;
    Optimizer optimizer;
    TrainState state;
    Data data;
    Workspace workspace;
    double batch_bytes; /* that the tape's arena has for a batch */
    Epoch epoch;
    Log log;
    double began, reported; /* seconds: the training, the last report */
    double report_tokens;   /* target tokens since then, by this process */
    long began_update;      /* made when this process began */
    double learn_rate;      /* of the last update */
    double shown_loss;      /* of the progress bar: a moving average */
    double speed;           /* target tokens a second, lately */
    bool resumed;
    int lock;  /* on the model's directory; -1: none */
    bool made; /* that directory */
    const volatile sig_atomic_t *stop;
} Trainer;

static void note(const Trainer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(const Trainer *t, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (t->watch->note) t->watch->note(t->watch->context, text);
}

/* ---- what is asked for ----------------------------------------------------------------------------------------- */

static int check_options(const TrainJob *job, Err *err) {
    const Options *o = &job->options;
    if (job->files.guides && !strcmp(o->arch, "rnnsearch") && !attention_kind(o->attention)->aligns)
        return err_set(err, NULL, 0, "--guided-alignment needs an attention to guide, not --attention %s",
                       o->attention);
    return options_check(o, err);
}

static int check_probes(const TrainJob *job, Err *err) {
    for (int i = 0; i < job->probe_count; i++)
        if (!utf8_valid(job->probes[i], strlen(job->probes[i])))
            return err_set(err, NULL, 0, "--probe %d is not valid UTF-8", i + 1);
    return 0;
}

/* What is decoded in validations may not be longer than what `tide translate` takes. */
static int check_probe_lengths(const Trainer *t, Err *err) {
    for (int i = 0; i < t->job->probe_count; i++) {
        char *text = text_normalise(t->job->probes[i], strlen(t->job->probes[i]), NULL);
        Err why;
        const int failed = side_check_lengths(&t->translator.source, &text, 1, MOST_PIECES, NULL, &why);
        mem_free(text);
        if (failed) return err_set(err, NULL, 0, "--probe %d is %s", i + 1, why.reason);
    }
    return 0;
}

/* ---- a new training, or one that goes on ----------------------------------------------------------------------- */

/* Whoever asks for an end is heard on the long way to the first update, too. */
static int go_on(void *context, const char *what, long done, long all) {
    const Trainer *t = context;
    if (t->watch->counting) t->watch->counting(t->watch->context, what, done, all);
    return *t->stop;
}

static int begin_anew(Trainer *t, const DataWatch *watch, Err *err) {
    const Options *o = &t->job->options;
    Translator *tr = &t->translator;
    tr->options = *o;
    if (data_learn(&t->data, o, &tr->source, &tr->target, watch, err)) return -1;
    translator_begin(tr);
    if (tr->model.params.size > INT_MAX) /* as a checkpoint's tensors have it */
        return err_set(err, t->job->model, 0, "a model of %zu weights, where %d are the limit", tr->model.params.size,
                       INT_MAX);
    params_allocate(&tr->model.params);
    params_init(&tr->model.params, (InitScheme)init_scheme(o->init), (uint64_t)o->seed);
    optimizer_init(&t->optimizer, (OptimizerKind)optimizer_kind(o->optimizer), tr->model.params.size);
    if (o->exponential_smoothing > 0) optimizer_keep_average(&t->optimizer, tr->model.params.values);
    t->state = (TrainState){.best_bleu = -1, .rng = rng_seed((uint64_t)o->seed, 0).state};
    return 0;
}

static bool may_change(const TrainJob *job, const Option *option) {
    for (int i = 0; i < job->change_count; i++)
        if (!strcmp(job->changes[i], option->name)) return true;
    return false;
}

/* The checkpoint's configuration must be the one asked for, but for what was allowed to change; what does not change
   the arithmetic may change. */
static int check_same_run(const Trainer *t, Err *err) {
    char was[64], asked[64];
    const Option *o = NULL;
    while ((o = options_differ(o, &t->translator.options, &t->job->options, was, asked))) {
        if (may_change(t->job, o)) continue;
        const char *or_else = o->hold == NAMED ? ", or --allow-change " : "";
        return err_set(err, t->job->model, 0,
                       "holds a training with %s = %s, not %s; use another --model or the same options%s%s", o->name,
                       was, asked, or_else, *or_else ? o->name : "");
    }
    return 0;
}

/* Goes over to the options asked for, and says in the log which ones are others from here on. */
static int change_options(Trainer *t, Err *err) {
    char was[64], asked[64], line[256];
    const Option *o = NULL;
    const Options *now = &t->job->options;
    while (t->resumed && (o = options_differ(o, &t->translator.options, now, was, asked))) {
        note(t, "%s is %s from here on, no longer %s", o->name, asked, was);
        snprintf(line, sizeof line, "{\"update\": %ld, \"changed\": \"%s\", \"from\": \"%s\", \"to\": \"%s\"}",
                 t->state.update, o->name, was, asked);
        t->state.log_lines++;
        if (log_line(&t->log, line, err)) return -1;
    }
    t->translator.options = *now;
    model_dropout(&t->translator.model, now->dropout_emb, now->dropout_annotation, now->dropout_readout);
    return 0;
}

/* What an earlier process left, if there is anything. */
static int take_up(Trainer *t, Err *err) {
    Err warning;
    const int found = checkpoint_load(t->job->model, &t->translator, &t->optimizer, &t->state, &warning, err);
    if (found < 0 || (found && check_same_run(t, err))) return -1;
    if (warning.reason[0]) note(t, "%s: %s; going on from the checkpoint before it", warning.path, warning.reason);
    t->resumed = found;
    return 0;
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static const double MiB = 1 << 20;
static double limit_of(const Options *o) { return o->workspace * MiB; }

/* Takes the memory that a batch needs. */
static int reserve(Trainer *t, Err *err) {
    const Options *o = &t->job->options;
    Model *model = &t->translator.model;
    const Pairs *pairs = &t->data.pairs;
    const LargestBatch batch = workspace_largest(pairs, o->mini_batch);
    t->workspace = workspace_measure(t->threads, model, t->job->files.guides);
    double need = workspace_need(&t->workspace, batch.n, batch.source, batch.target);
    if (o->workspace && need > limit_of(o)) {
        const int pair = workspace_largest_pair(&t->workspace, pairs);
        const int x = pairs->source_length[pair], y = pairs->target_length[pair];
        const double least = workspace_need(&t->workspace, 1, x, y);
        if (least > limit_of(o))
            return err_set(err, data_name(&t->job->files), pairs->line[pair],
                           "the pair of %d and %d pieces needs a --workspace of %.0f at least", x, y,
                           ceil(least / MiB));
        need = limit_of(o);
    }
    t->batch_bytes = need;
    arena_reserve(&t->tape.arena, (size_t)need);
    return 0;
}

static void describe_memory(const Trainer *t) {
    const LargestBatch batch = workspace_largest(&t->data.pairs, t->job->options.mini_batch);
    /* weights, gradients, two moments, and an average */
    const int copies = 2 + (t->optimizer.moments[0] ? 2 : 0) + (t->optimizer.average ? 1 : 0);
    const double weights = copies * (double)t->translator.model.params.size * sizeof(real) + t->workspace.panels;
    note(t,
         "memory: %.0f MiB for weights, gradients and optimizer, %.0f MiB for a batch (%d pairs of up to %d and %d "
         "pieces)",
         ceil(weights / MiB), ceil(t->batch_bytes / MiB), batch.n, batch.source, batch.target);
}

/* ---- setting up ----------------------------------------------------------------------------------------------- */

/* The directory of the model, which is ours alone from now on. */
static int take_directory(Trainer *t, Err *err) {
    const char *dir = t->job->model;
    t->made = access(dir, F_OK) != 0;
    return directory_make(dir, err) || (t->lock = directory_lock(dir, err)) < 0 ? -1 : 0;
}

static int begin(Trainer *t, Err *err) {
    const TrainJob *job = t->job;
    const Options *o = &job->options;
    const DataWatch watch = {go_on, t};
    const Translator *tr = &t->translator;
    if (check_options(job, err) || check_probes(job, err) || take_directory(t, err) || take_up(t, err) ||
        data_read(&t->data, &job->files, o, &watch, err) || (!t->resumed && begin_anew(t, &watch, err)) ||
        data_encode(&t->data, &job->files, o, &tr->source, &tr->target, &watch, err) || check_probe_lengths(t, err))
        return -1;
    const uint64_t hash = data_hash(&t->data);
    if (t->resumed && hash != t->state.data)
        return err_set(err, data_name(&job->files), 0, "is not what %s was trained on", job->model);
    t->state.data = hash;
    tape_init(&t->tape, t->threads, (Rng){t->state.rng});
    if (reserve(t, err)) return -1;
    return log_open(&t->log, job->model, t->state.log_lines, err) || change_options(t, err) ? -1 : 0;
}

static void describe(const Trainer *t) {
    const Model *model = &t->translator.model;
    note(t, "%d pairs to train on (%ld lines read, %ld empty, %ld too long), %d to validate (%ld empty)",
         t->data.pairs.n, t->data.read, t->data.dropped_empty, t->data.pairs.dropped_long, t->data.valid_pairs.n,
         t->data.valid.dropped_empty);
    note(t, "%d source pieces, %d target pieces, %.1f million weights, %d thread%s, %s kernels",
         model->config.source_vocab, model->config.target_vocab, (double)params_weights(&model->params) / 1e6,
         threads_count(t->threads), threads_count(t->threads) > 1 ? "s" : "", kernels->name);
    int han = translator_banned_han(&t->translator);
    if (han) note(t, "%d target pieces hold Han and are never written in '%s'", han, t->translator.options.langs[1]);
    describe_memory(t);
    if (t->resumed) note(t, "going on from update %ld", t->state.update);
}

static void end(Trainer *t) {
    log_close(&t->log);
    tape_free(&t->tape);
    epoch_free(&t->epoch);
    data_free(&t->data);
    optimizer_free(&t->optimizer);
    translator_free(&t->translator);
    threads_free(t->threads);
    if (t->made) rmdir(t->job->model); /* if nothing was begun in it */
    if (t->lock >= 0) close(t->lock);
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

static double epochs_done(const Trainer *t) {
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
    note(t, "update %ld was skipped: %s %.*s is not finite%s", s->update,
         watch->back ? "the gradient at" : "what comes of", length, op, where);
    snprintf(text, sizeof text,
             "{\"update\": %ld, \"epoch\": %.4f, \"skipped\": \"%.*s\", \"back\": %s, \"line\": %ld}", s->update,
             epochs_done(t), length, op, watch->back ? "true" : "false", line);
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
    const int parts = o->workspace ? workspace_parts(&t->workspace, limit_of(o), &t->data.pairs, which, n) : 1;
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
static double perplexity(double nats) { return fmin(exp(nats), 1e15); }

static int report(Trainer *t, Err *err) {
    TrainState *s = &t->state;
    double time = seconds_now(), loss = s->report_nats / s->report_tokens;
    char line[512];
    snprintf(
        line, sizeof line,
        "{\"update\": %ld, \"epoch\": %.4f, \"loss\": %.6f, \"ppl\": %.4f, \"tokens_per_s\": %.0f, \"seconds\": %.1f, "
        "\"gnorm\": %.6f, \"learn_rate\": %.9g}",
        s->update, epochs_done(t), loss, perplexity(loss), t->report_tokens / (time - t->reported), time - t->began,
        s->report_gnorm / (double)s->report_updates, t->learn_rate);
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
        double epochs = (o->after_epochs - epochs_done(t)) * t->epoch.batches * pace;
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
    t->watch->progress(t->watch->context, &(Progress){t->state.update, updates, epochs_done(t), t->shown_loss, t->speed,
                                                      seconds_left(t, seconds_now())});
}

/* ---- validation ----------------------------------------------------------------------------------------------- */

static void count(void *context, long done, long all) {
    const Trainer *t = context;
    if (t->watch->counting) t->watch->counting(t->watch->context, "validating", done, all);
}

/* The sentences whose alignment is kept: those asked for, and the first few of the validation set. */
static int write_probes(Trainer *t, Err *err) {
    char **sentences = NULL;
    for (int i = 0; i < t->job->probe_count; i++) {
        arrput(sentences, text_normalise(t->job->probes[i], strlen(t->job->probes[i]), NULL));
    }
    for (int i = 0; i < PROBES_OF_DEV && i < corpus_size(&t->data.valid); i++)
        arrput(sentences, mem_strdup(t->data.valid.source[i]));
    int status = alignments_write(t->job->model, t->state.update, &t->tape, &t->translator, sentences, err);
    lines_free(sentences);
    return status;
}

/* The average of the weights, where there is one, is what translates: it takes their place, and gives it back. */
static void exchange_average(Trainer *t) {
    tape_reset(&t->tape); /* what is packed there is of the others */
    if (t->optimizer.average) params_exchange(&t->translator.model.params, &t->optimizer.average);
}

static int save_model(const Trainer *t, Err *err) {
    char path[512];
    snprintf(path, sizeof path, "%s/model.safetensors", t->job->model);
    return translator_save(&t->translator, path, err);
}

static void print_lengths(FILE *out, const LengthBleu *lengths) {
    const char *comma = "";
    fputs(", \"bleu_by_length\": [", out);
    for (int k = 0; k < LENGTHS; k++) {
        if (!lengths[k].sentences) continue;
        fprintf(out, "%s{\"to\": ", comma);
        if (lengths[k].most) fprintf(out, "%d", lengths[k].most);
        else fputs("null", out);
        fprintf(out, ", \"sentences\": %d, \"bleu\": %.4f}", lengths[k].sentences, lengths[k].bleu);
        comma = ", ";
    }
    fputc(']', out);
}

static int log_validation(Trainer *t, const Validation *v, Err *err) {
    char *line = NULL;
    size_t size;
    FILE *out = memory_open(&line, &size);
    fprintf(
        out,
        "{\"update\": %ld, \"epoch\": %.4f, \"valid_loss\": %.6f, \"valid_ppl\": %.4f, \"bleu\": %.4f, \"best\": %s, "
        "\"seconds\": %.1f",
        v->update, v->epoch, v->loss, perplexity(v->loss), v->bleu.score, v->best ? "true" : "false",
        seconds_now() - t->began);
    if (v->looks.rows)
        fprintf(out, ", \"attention_entropy\": %.4f, \"attention_diversity\": %.4f, \"attention_stuck\": %s",
                v->looks.entropy, v->looks.diversity, looks_stuck(&v->looks) ? "true" : "false");
    print_lengths(out, v->lengths);
    fputc('}', out);
    fclose(out);
    t->state.log_lines++;
    int status = log_line(&t->log, line, err);
    mem_free(line);
    return status;
}

/* Before that it has not had the time to be anything else. */
static void warn_of_stuck_attention(const Trainer *t, const Validation *v) {
    enum { TIME = 1000 /* updates */ };
    if (v->update < TIME || !looks_stuck(&v->looks)) return;
    note(
        t,
        "the attention is stuck: its largest weights fall on %.0f %% of the source pieces that they could fall on, and "
        "a row of weights has %.0f %% of the entropy of an even one; more data, another --seed or --guided-alignment "
        "may help",
        100 * v->looks.diversity, 100 * v->looks.evenness);
}

static int look(Trainer *t, Err *err) {
    double paused = seconds_now();
    BeamOptions beam = translator_beam_options(&t->translator);
    const BleuOptions options = {.chinese = translator_writes_han(&t->translator)};
    Validation v = {.update = t->state.update, .epoch = epochs_done(t)};
    if (validation_loss(&t->tape, &t->translator.model, &t->data.valid_pairs, &t->workspace, t->batch_bytes, &v.loss,
                        err))
        return -1;
    Translations found = translate(&t->tape, &t->translator, t->data.valid.source, corpus_size(&t->data.valid), &beam,
                                   DECODE_BATCH, count, t);
    char **texts = translations_text(&found, &t->translator);
    v.bleu = bleu_corpus(texts, t->data.valid.target, found.n, options);
    v.looks = looks_of(&found);
    bleu_by_length(&found, texts, t->data.valid.target, options, v.lengths);
    v.best = v.bleu.score > t->state.best_bleu;
    v.sources = (const char *const *)t->data.valid.source;
    v.outputs = (const char *const *)texts;
    v.examples = found.n < EXAMPLES ? found.n : EXAMPLES;
    if (v.best) {
        t->state.best_bleu = v.bleu.score;
        t->state.best_update = v.update;
        t->state.stalled = 0;
    } else {
        t->state.stalled++;
    }
    int status = log_validation(t, &v, err);
    if (!status && v.best) status = save_model(t, err);
    if (!status) status = write_probes(t, err);
    if (!status && t->watch->validated) t->watch->validated(t->watch->context, &v);
    if (!status) warn_of_stuck_attention(t, &v);
    lines_free(texts);
    translations_free(&found);
    t->reported += seconds_now() - paused; /* tokens_per_s is of training alone */
    return status;
}

/* Loss, BLEU, the probes' alignments; keeps the weights if they are the best so far. */
static int validate(Trainer *t, Err *err) {
    exchange_average(t);
    int status = look(t, err);
    exchange_average(t);
    return status;
}

/* ---- the loop ------------------------------------------------------------------------------------------------- */

static bool finished(const Trainer *t) {
    const Options *o = &t->job->options;
    return (o->after_batches && t->state.update >= o->after_batches) ||
           (o->after_epochs > 0 && epochs_done(t) >= o->after_epochs) ||
           (o->after_minutes > 0 && seconds_now() - t->began >= o->after_minutes * 60) ||
           (o->early_stopping && t->state.stalled >= o->early_stopping);
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
    if (validated && validate(t, err)) return -1;
    if (validated || due(t->state.update, o->save_freq)) return save_checkpoint(t, err);
    return 0;
}

/* The end of a training that was not interrupted. Whatever it trained, it leaves a model: where no validation was due
   so far, these weights. The checkpoint is from before that, so that a longer training goes on as if it had not
   stopped. */
static int conclude(Trainer *t, Err *err) {
    if (save_checkpoint(t, err)) return -1;
    if (data_has_validation(&t->job->files)) return t->state.best_bleu < 0 ? validate(t, err) : 0;
    exchange_average(t);
    int status = save_model(t, err);
    exchange_average(t);
    return status;
}

static int loop(Trainer *t, Err *err) {
    plan(t);
    if (t->state.batch >= t->epoch.batches)
        return err_set(err, t->job->model, 0, "the checkpoint stands at a batch that the data does not have");
    t->began = t->reported = seconds_now();
    t->began_update = t->state.update;
    while (!finished(t)) {
        if (*t->stop) {
            note(t, "stopped after update %ld; the same command goes on from there", t->state.update);
            return save_checkpoint(t, err);
        }
        if (step(t, err)) return -1;
    }
    return conclude(t, err);
}

int train(const TrainJob *job, const TrainWatch *watch, const volatile sig_atomic_t *stop, Err *err) {
    Trainer t = {.job = job, .watch = watch, .threads = threads_new(job->threads), .lock = -1, .stop = stop};
    int status = begin(&t, err);
    if (!status) {
        describe(&t);
        status = loop(&t, err);
    }
    end(&t);
    return status;
}
