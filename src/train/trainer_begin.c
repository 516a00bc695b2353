#include "core/kernels.h"
#include "text/files.h"
#include "text/unicode.h"
#include "train/trainer_parts.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- what is asked for ----------------------------------------------------------------------------------------- */

/* An option that would do nothing is a mistake. */
static int check_effect(const Options *asked, Err *err) {
    static const char *const of_rnnsearch[] = {"encoder", "attention", "readout-state"};
    Options usual;
    char value[64], other[64];
    const Option *o = NULL;
    options_default(&usual);
    if (!strcmp(asked->source_words, "on") && !options_tell_words(asked))
        return err_set(err, NULL, 0,
                       "--source-words on needs characters to tell of: --tokenizer char for the source, not %s",
                       asked->tokenizer[SOURCE]);
    while (!strcmp(asked->arch, "transformer") && (o = options_differ(o, asked, &usual, value, other)))
        for (size_t i = 0; i < sizeof of_rnnsearch / sizeof *of_rnnsearch; i++)
            if (!strcmp(o->name, of_rnnsearch[i]))
                return err_set(err, NULL, 0, "--%s %s needs --arch rnnsearch: a Transformer has its own", o->name,
                               value);
    return 0;
}

static int check_options(const TrainJob *job, Err *err) {
    const Options *o = &job->options;
    if (job->files.guides && !strcmp(o->arch, "rnnsearch") && !attention_kind(o->attention)->aligns)
        return err_set(err, NULL, 0, "--guided-alignment needs an attention to guide, not --attention %s",
                       o->attention);
    return options_check(o, err) || check_effect(o, err) ? -1 : 0;
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
    const int han = translator_banned_han(tr);
    if (han > tr->model.config.target_vocab / 2)
        return err_set(err, data_name(&t->job->files), 0,
                       "%d of %d target pieces hold Han, which '%s' is not written with: are the two sides swapped, or "
                       "is it --langs?",
                       han, tr->model.config.target_vocab, o->langs[1]);
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
        trainer_note(t, "%s is %s from here on, no longer %s", o->name, asked, was);
        snprintf(line, sizeof line, "{\"update\": %ld, \"changed\": \"%s\", \"from\": \"%s\", \"to\": \"%s\"}",
                 t->state.update, o->name, was, asked);
        t->state.log_lines++;
        if (log_line(&t->log, line, err)) return -1;
    }
    t->translator.options = *now;
    model_dropout(&t->translator.model, now->dropout_emb, now->dropout_annotation, now->dropout_readout);
    return 0;
}

/* BLEU is of a dev set: with another one, the next validation is the best so far. */
static int meet_validation(Trainer *t, Err *err) {
    TrainState *s = &t->state;
    const uint64_t met = s->valid;
    char line[64];
    if (!data_has_validation(&t->job->files)) return 0;
    s->valid = t->data.valid_pairs.hash;
    if (!met || met == s->valid || s->best_bleu < 0) return 0;
    trainer_note(
        t, "the dev set is another one: the next validation's model takes the place of the best one, of update %ld",
        s->best_update);
    s->best_bleu = -1;
    s->stalled = 0;
    s->log_lines++;
    snprintf(line, sizeof line, "{\"update\": %ld, \"changed\": \"dev set\"}", s->update);
    return log_line(&t->log, line, err);
}

/* What an earlier process left, if there is anything. */
static int take_up(Trainer *t, Err *err) {
    Err warning;
    const int found = checkpoint_load(t->job->model, &t->translator, &t->optimizer, &t->state, &warning, err);
    if (found < 0 || (found && check_same_run(t, err))) return -1;
    if (warning.reason[0])
        trainer_note(t, "%s: %s; going on from the checkpoint before it", warning.path, warning.reason);
    t->resumed = found;
    return 0;
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static const double MiB = 1 << 20;
double trainer_limit(const Options *o) { return o->workspace * MiB; }

/* Takes the memory that a batch needs. */
static int reserve(Trainer *t, Err *err) {
    const Options *o = &t->job->options;
    Model *model = &t->translator.model;
    const Pairs *pairs = &t->data.pairs;
    const LargestBatch batch = workspace_largest(pairs, o->mini_batch);
    t->workspace = workspace_measure(t->threads, model, t->job->files.guides);
    double need = workspace_need(&t->workspace, batch.n, batch.source, batch.target);
    if (o->workspace && need > trainer_limit(o)) {
        const int pair = workspace_largest_pair(&t->workspace, pairs);
        const int x = pairs->source_length[pair], y = pairs->target_length[pair];
        const double least = workspace_need(&t->workspace, 1, x, y);
        if (least > trainer_limit(o))
            return err_set(err, data_name(&t->job->files), pairs->line[pair],
                           "the pair of %d and %d pieces needs a --workspace of %.0f at least", x, y,
                           ceil(least / MiB));
        need = trainer_limit(o);
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
    trainer_note(
        t,
        "memory: %.0f MiB for weights, gradients and optimizer, %.0f MiB for a batch (%d pairs of up to %d and %d "
        "pieces)",
        ceil(weights / MiB), ceil(t->batch_bytes / MiB), batch.n, batch.source, batch.target);
}

/* ---- setting up ----------------------------------------------------------------------------------------------- */

/* The directory of the model, which is ours alone from now on. */
static int take_directory(Trainer *t, Err *err) {
    const char *dir = t->job->model;
    enum { MOST = 450 /* bytes: with the names of its files, no more than any of the buffers that hold them */ };
    if (strlen(dir) > MOST) return err_set(err, dir, 0, "the path is longer than %d bytes", MOST);
    t->made = access(dir, F_OK) != 0;
    return directory_make(dir, err) || (t->lock = directory_lock(dir, err)) < 0 ? -1 : 0;
}

static void describe(const Trainer *t) {
    const Model *model = &t->translator.model;
    trainer_note(t, "%d pairs to train on (%ld lines read, %ld empty, %ld too long), %d to validate (%ld empty)",
                 t->data.pairs.n, t->data.read, t->data.dropped_empty, t->data.pairs.dropped_long,
                 t->data.valid_pairs.n, t->data.valid.dropped_empty);
    char words[64] = "";
    if (model->config.source_words) snprintf(words, sizeof words, " in %d larger ones", model->config.source_words);
    trainer_note(t, "%d source pieces%s, %d target pieces, %.1f million weights, %d thread%s, %s kernels",
                 model->config.source_vocab, words, model->config.target_vocab,
                 (double)params_weights(&model->params) / 1e6, threads_count(t->threads),
                 threads_count(t->threads) > 1 ? "s" : "", kernels->name);
    int han = translator_banned_han(&t->translator);
    if (han)
        trainer_note(t, "%d target pieces hold Han and are never written in '%s'", han, t->translator.options.langs[1]);
    describe_memory(t);
    if (t->resumed) trainer_note(t, "going on from update %ld", t->state.update);
}

int trainer_begin(Trainer *t, Err *err) {
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
    if (log_open(&t->log, job->model, t->state.log_lines, err) || change_options(t, err) || meet_validation(t, err))
        return -1;
    describe(t);
    return 0;
}

void trainer_end(Trainer *t) {
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
