#include "text/ds.h"
#include "text/files.h"
#include "text/lines.h"
#include "text/unicode.h"
#include "train/trainer_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROBES_OF_DEV = 4, EXAMPLES = 3, DECODE_BATCH = 64 };

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
    if (!sentences) return 0;
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
    char *line = NULL, loss[32] = "null"; /* which is what JSON has for one that is not finite */
    size_t size;
    FILE *out = memory_open(&line, &size);
    if (isfinite(v->loss)) snprintf(loss, sizeof loss, "%.6f", v->loss);
    fprintf(out,
            "{\"update\": %ld, \"epoch\": %.4f, \"valid_loss\": %s, \"valid_ppl\": %.4f, \"bleu\": %.4f, \"best\": %s, "
            "\"seconds\": %.1f",
            v->update, v->epoch, loss, trainer_perplexity(v->loss), v->bleu.score, v->best ? "true" : "false",
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
    trainer_note(
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
    Validation v = {.update = t->state.update, .epoch = trainer_epochs(t)};
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
    } else if (t->state.best_bleu > 0) {
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

int trainer_validate(Trainer *t, Err *err) {
    exchange_average(t);
    int status = look(t, err);
    exchange_average(t);
    return status;
}

int trainer_save_model(Trainer *t, Err *err) {
    exchange_average(t);
    int status = save_model(t, err) || write_probes(t, err) ? -1 : 0;
    exchange_average(t);
    return status;
}
