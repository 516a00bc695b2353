#include "tide.h"
#include "text/unicode.h"
#include "translate/model_file.h"
#include "translate/session.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

struct TideModel {
    Translator translator;
    Threads *threads;
    Session session;
};

/* The numbers in a model file have a decimal point. Reads the model in the locale "C", because the host's locale may
   have a decimal comma. The locale of this thread only is changed, and it is restored afterwards. */
static int load_with_points(Translator *translator, const char *path, Err *err) {
    const locale_t points = newlocale(LC_NUMERIC_MASK, "C", duplocale(uselocale((locale_t)0)));
    CHECK(points, "no memory for a locale");
    const locale_t host = uselocale(points);
    const int status = model_load(translator, path, err);
    uselocale(host);
    freelocale(points);
    return status;
}

TideModel *tide_load(const char *path, int threads, char *error, size_t error_size) {
    Err err;
    TideModel *model = mem_zalloc(sizeof *model);
    if (threads < 1 ? err_set(&err, NULL, 0, "%d threads", threads)
                    : load_with_points(&model->translator, path, &err)) {
        snprintf(error, error_size, "%s%s%s", err.path, err.path[0] ? ": " : "", err.reason);
        mem_free(model);
        return NULL;
    }
    const char *warning = model->translator.warning;
    snprintf(error, error_size, "%s%s%s", warning ? path : "", warning ? ": " : "", warning ? warning : "");
    model->threads = threads_new(threads);
    session_init(&model->session, (const Translator *[]){&model->translator}, 1, model->threads);
    return model;
}

void tide_free(TideModel *model) {
    if (!model) return;
    session_free(&model->session);
    threads_free(model->threads);
    translator_free(&model->translator);
    mem_free(model);
}

static void fill_translation(TideTranslation *out, const Translations *found) {
    const Hypothesis *h = &found->nbest[0].list[0];
    Alignment a = translation_alignment(found, 0, h);
    out->log_probability = h->log_probability;
    out->source_pieces = a.n_source;
    out->target_pieces = a.n_target;
    out->source = (char **)a.source; /* moves from the alignment to the caller */
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
    Translations found = session_translate(&model->session, &normal, 1, &options, 1, NULL, NULL);
    out->text = translation_text(&found, 0, 0);
    if (found.nbest[0].count) fill_translation(out, &found);
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
