#include "tide.h"
#include "core/kernels.h"
#include "text/ds.h"
#include "text/unicode.h"
#include "train/translator.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>

struct TideModel {
    Translator translator;
    Threads *threads;
    Tape tape;
};

TideModel *tide_load(const char *path, int threads, char *error, size_t error_size) {
    Err err;
    TideModel *model = mem_zalloc(sizeof *model);
    kernels_choose("auto");
    cJSON_InitHooks(&(cJSON_Hooks){mem_alloc, mem_free});
    if (threads < 1 ? err_set(&err, NULL, 0, "%d threads", threads) : translator_load(&model->translator, path, &err)) {
        snprintf(error, error_size, "%s%s%s", err.path, err.path[0] ? ": " : "", err.reason);
        mem_free(model);
        return NULL;
    }
    model->threads = threads_new(threads);
    tape_init(&model->tape, model->threads, rng_seed(0, 0));
    return model;
}

void tide_free(TideModel *model) {
    if (!model) return;
    tape_free(&model->tape);
    threads_free(model->threads);
    translator_free(&model->translator);
    mem_free(model);
}

static void fill(TideTranslation *out, const TideModel *model, const Translations *found) {
    const Hypothesis *h = &found->nbest[0].list[0];
    Alignment a = translation_alignment(found, &model->translator, 0, h);
    out->log_probability = h->log_probability;
    out->source_pieces = a.n_source;
    out->target_pieces = a.n_target;
    out->source = (char **)a.source; /* what the alignment owns is the caller's from here on */
    out->target = (char **)a.target;
    out->alignment = (float *)a.weight;
}

int tide_translate(TideModel *model, const char *sentence, int beam, TideTranslation *out) {
    *out = (TideTranslation){0};
    char *normal = text_normalise(sentence, strlen(sentence), NULL);
    Err err;
    if (!normal || side_check_lengths(&model->translator.source, &normal, 1, MOST_PIECES, NULL, &err)) {
        mem_free(normal);
        return -1;
    }
    BeamOptions options = translator_beam_options(&model->translator);
    if (beam > 0) options.beam = beam;
    Translations found = translate(&model->tape, &model->translator, &normal, 1, &options, 1, NULL, NULL);
    out->text = translation_text(&found, &model->translator, 0, 0);
    if (found.nbest[0].count) fill(out, model, &found);
    translations_free(&found);
    mem_free(normal);
    return 0;
}

void tide_translation_free(TideTranslation *t) {
    for (int i = 0; i < t->source_pieces; i++) mem_free(t->source[i]);
    for (int i = 0; i < t->target_pieces; i++) mem_free(t->target[i]);
    mem_free(t->source);
    mem_free(t->target);
    mem_free(t->alignment);
    mem_free(t->text);
    *t = (TideTranslation){0};
}
