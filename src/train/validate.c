#include "train/training.h"
#include "core/choice.h"
#include "core/kernels.h"
#include "score/chrf.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "text/unicode.h"
#include "train/outputs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROBES_OF_DEV = 4, EXAMPLES = 3, MIXED_AT_ONCE = 1 << 20 };

static void count(void *context, long done, long all) {
    const Training *t = context;
    if (t->callbacks->counting) t->callbacks->counting(t->callbacks->context, "validating", done, all);
}

/* Writes the alignments of the job's probes and of the first sentences of the validation set. */
static int write_probes(Training *t, Err *err) {
    char **sentences = NULL;
    for (int i = 0; i < t->job->probe_count; i++)
        arrput(sentences, text_normalise(t->job->probes[i], strlen(t->job->probes[i]), NULL));
    for (int i = 0; i < PROBES_OF_DEV && i < t->data.valid.n; i++)
        arrput(sentences, mem_strdup(t->data.valid.text[SOURCE][i]));
    if (!sentences) return 0;
    int status = alignments_write(t, sentences, err);
    strings_free(sentences);
    return status;
}

/* The mean of the pretrained weights, with their share, and the average, or the weights if there is none; owned by the
   caller (Wortsman et al. 2022, equation 1). */
static real *mix_pretrained(const Training *t, const real *average) {
    const Params *params = &t->learner.translator.model.params;
    real *mixed = mem_alloc_aligned(params->size * sizeof *mixed);
    memcpy(mixed, average ? average : params->values, params->size * sizeof *mixed);
    for (size_t at = 0; at < params->size; at += MIXED_AT_ONCE) {
        const size_t left = params->size - at, n = left < MIXED_AT_ONCE ? left : MIXED_AT_ONCE;
        kernels->blend((int)n, mixed + at, (real)t->learner.options.pretrained_share, t->pretrained + at);
    }
    return mixed;
}

/* Exchanges the weights and *average, their average if there is one. Validation and the saved model use the average. */
static void exchange_average(Training *t, real **average) {
    tape_reset(&t->session.tape); /* drops panels packed from the weights in use */
    if (*average) params_exchange(&t->learner.translator.model.params, average);
}

/* Calls `work` with the average of the weights, and their share of the pretrained ones, in their place. */
static int with_average(Training *t, int work(Training *, Err *), Err *err) {
    real *const own = t->learner.optimizer.average, *average = own;
    int status = exchange_collect(&t->exchange, &average, true, err);
    if (!status) {
        real *mixed = t->pretrained ? mix_pretrained(t, average) : NULL, **used = mixed ? &mixed : &average;
        exchange_average(t, used);
        status = work(t, err);
        exchange_average(t, used);
        mem_free(mixed);
    }
    if (average != own) mem_free(average);
    return status;
}

/* Before the last validation of a run replaces the best model: keeps that model for a training that continues. */
static int set_model_aside(const Training *t, Err *err) {
    char path[PATH_SIZE], aside[PATH_SIZE];
    path_in(path, t->job->model, "model.safetensors");
    path_in(aside, t->job->model, MODEL_ASIDE);
    if (access(path, F_OK) || !file_link(path, aside) || !file_rename(path, aside))
        return 0; /* not all disks have links */
    return err_set(err, aside, 0, "cannot be written: %s", strerror(errno));
}

static int save_model(const Training *t, Err *err) {
    char path[PATH_SIZE];
    path_in(path, t->job->model, "model.safetensors");
    char *configuration = options_format(train_option_tables, &t->learner.options);
    int status = model_save(&t->learner.translator, configuration, t->learner.recipe, path, err);
    mem_free(configuration);
    return status;
}

static int log_validation(Training *t, const Validation *v, Err *err) {
    MemoryFile memory;
    int length;
    const char *metric = choice_name(valid_metric_names, (int)v->metric, &length);
    FILE *out = memory_open(&memory);
    fprintf(out, "{\"update\": %ld, \"epoch\": %.4f, \"valid_loss\": ", v->update, v->epoch);
    json_number(out, v->loss, 6);
    fprintf(out, ", \"valid_ppl\": %.4f, \"bleu\": %.4f", training_perplexity(v->loss), v->bleu.score);
    if (v->chrf >= 0) fprintf(out, ", \"chrf\": %.4f", v->chrf);
    fprintf(out, ", \"best\": %s", v->best ? "true" : "false");
    if (v->metric != VALID_BLEU) fprintf(out, ", \"metric\": \"%.*s\"", length, metric); /* without: BLEU */
    fprintf(out, ", \"seconds\": %.1f", seconds_now() - t->meter.began);
    if (v->attention.rows)
        fprintf(out, ", \"attention_entropy\": %.4f, \"attention_diversity\": %.4f, \"attention_stuck\": %s",
                v->attention.entropy, v->attention.diversity, attention_degenerate(&v->attention) ? "true" : "false");
    fputs(", ", out);
    bleu_by_length_print(out, v->lengths);
    fputc('}', out);
    char *line = memory_close(&memory, NULL);
    int status = training_log(t, line, err);
    mem_free(line);
    return status;
}

/* Notes a degenerate attention; not early in a training, when every attention is degenerate. */
static void warn_of_attention(const Training *t, const Validation *v) {
    enum { EARLY = 1000 /* updates */ };
    if (v->update < EARLY || !attention_degenerate(&v->attention)) return;
    training_note(
        t,
        "the attention is stuck: its largest weights are on %.0f %% of the source pieces that they could be on, and "
        "its mean entropy is %.0f %% of that of uniform weights; more data, another --seed or --guided-alignment "
        "may help",
        100 * v->attention.diversity, 100 * v->attention.evenness);
}

/* Compares this validation with the best one and updates the best. */
static void update_best(TrainState *s, Validation *v) {
    v->best = valid_metric_is_better(v->metric, v->value, s->best);
    if (v->best) {
        s->best = v->value;
        s->best_update = v->update;
        s->stalled = 0;
    } else if (s->best > 0) {
        s->stalled++;
    }
}

/* The value of the first metric, which is finite: a checkpoint stores it. */
static double first_metric(const Validation *v) {
    switch (v->metric) {
    case VALID_BLEU: return v->bleu.score;
    case VALID_CHRF: return v->chrf;
    case VALID_CE_MEAN_WORDS: return fmin(v->loss, 1e15);
    case VALID_PERPLEXITY: return training_perplexity(v->loss);
    }
    return 0;
}

static bool is_listed(const TrainOptions *o, ValidMetric metric) {
    for (int i = 0; i < VALID_METRICS && o->valid_metrics[i] >= 0; i++)
        if (o->valid_metrics[i] == (int)metric) return true;
    return false;
}

/* Computes the scores of the translations. */
static void measure(const Training *t, Validation *v, const Translations *found, char *const *texts) {
    const TrainOptions *o = &t->job->options;
    char *const *references = t->data.valid.text[TARGET];
    const BleuOptions options = {.chinese = translator_writes_han(&t->learner.translator)};
    v->bleu = bleu_corpus(texts, references, found->n, options);
    v->chrf = is_listed(o, VALID_CHRF) ? chrf_corpus(texts, references, found->n, 0).score : -1;
    v->perplexity = is_listed(o, VALID_PERPLEXITY);
    v->value = first_metric(v);
    v->attention = attention_stats(found);
    bleu_by_length(found, texts, references, options, v->lengths);
}

/* Writes everything that a validation writes, on rank 0. */
static int write_validation(Training *t, Validation *v, const Translations *found, Err *err) {
    char **texts = translations_normalised(found);
    const bool had_best = t->state.best_update > 0; /* otherwise, no validation chose the model: an end wrote it */
    measure(t, v, found, texts);
    v->sources = (const char *const *)t->data.valid.text[SOURCE];
    v->outputs = (const char *const *)texts;
    v->examples = found->n < EXAMPLES ? found->n : EXAMPLES;
    update_best(&t->state, v);
    int status = log_validation(t, v, err);
    if (!status && v->best && had_best && t->ending) status = set_model_aside(t, err);
    if (!status && v->best) status = save_model(t, err);
    if (!status) status = write_probes(t, err);
    if (!status) status = outputs_write(t->job->model, v->update, texts, found->n, err);
    if (!status && t->callbacks->validated) t->callbacks->validated(t->callbacks->context, v);
    if (!status) warn_of_attention(t, v);
    strings_free(texts);
    return status;
}

/* Tells the other ranks the value of the first metric on rank 0, so that all know the best validation. */
static int share_outcome(Training *t, Validation *v, Err *err) {
    if (ranks_count(t->ranks) == 1) return 0;
    if (ranks_broadcast(t->ranks, RANKS_ALL, &v->value, sizeof v->value, err)) return -1;
    if (training_writes(t)) return 0;
    update_best(&t->state, v);
    return training_log(t, "", err);
}

static int validate(Training *t, Err *err) {
    const double began = seconds_now();
    Validation v = {.update = t->state.update, .epoch = training_epochs(t), .metric = t->state.metric};
    Translations found;
    if (validation_loss(t, &v.loss, err)) return -1;
    int status = validation_translate(t, count, &found, err);
    if (!status && training_writes(t)) status = write_validation(t, &v, &found, err);
    translations_free(&found);
    if (!status) status = share_outcome(t, &v, err);
    t->meter.reported += seconds_now() - began; /* tokens_per_s leaves out validations */
    return status;
}

int training_validate(Training *t, Err *err) { return with_average(t, validate, err); }

static int save(Training *t, Err *err) {
    if (training_writes(t) && (save_model(t, err) || write_probes(t, err))) return -1;
    return training_join(t, err);
}

int training_save_model(Training *t, Err *err) { return with_average(t, save, err); }
