#include "train/learn_measure.h"
#include "core/exact.h"
#include "io/ds.h"

#include <stdio.h>

enum { BATCH = 64 };

/* A call of measurer_translate. */
typedef struct Count {
    const Measurer *measurer;
    const char *what;
    ptrdiff_t before; /* sentences that earlier calls of the session have translated */
    ptrdiff_t all;
} Count;

static void count(const Measurer *m, const char *what, ptrdiff_t done, ptrdiff_t all) {
    if (m->callbacks->counting) m->callbacks->counting(m->callbacks->context, what, (long)done, (long)all);
}

static void count_translations(void *context, long done, long all) {
    const Count *w = context;
    (void)all;
    count(w->measurer, w->what, w->before + done, w->all);
}

static int stopped(void *context) {
    const Count *w = context;
    return *w->measurer->stop;
}

int measurer_translate(const Measurer *m, char *const *sources, const char *what, char ***texts, Err *err) {
    int status = 0;
    Count counted = {m, what, 0, arrlen(sources)};
    BeamOptions options = translator_beam_options(m->translator);
    options.before_step = stopped;
    options.context = &counted;
    Session session;
    session_init(&session, &m->translator, 1, m->threads);
    while (!status && counted.before < counted.all) {
        const int n = translate_most(sources + counted.before, (int)(counted.all - counted.before), options.beam);
        Translations found =
            session_translate(&session, sources + counted.before, n, &options, BATCH, count_translations, &counted);
        status = found.cancelled ? *m->stop : translations_check(&found, (long)counted.before, err);
        char **some = translations_normalised(&found);
        for (ptrdiff_t i = 0; i < arrlen(some); i++) arrput(*texts, some[i]);
        arrfree(some);
        translations_free(&found);
        counted.before += n;
    }
    session_free(&session);
    return status;
}

/* Computes the perplexity. Returns as measurer_translate does. */
static int score(const Measurer *m, const TextPairs *pairs, const char *what, double *perplexity, Err *err) {
    int status = 0;
    double nats = 0;
    long pieces = 0;
    PairScore scores[MOST_PAIRS];
    char *const *source = pairs->text[SOURCE], *const *target = pairs->text[TARGET];
    const int all = text_pairs_count(pairs);
    Session session;
    session_init(&session, &m->translator, 1, m->threads);
    for (int i = 0, n; i < all && !status; i += n) {
        n = score_most(source + i, target + i, all - i);
        session_scores(&session, source + i, target + i, n, (AttentionOptions){0}, scores, NULL);
        for (int k = 0; k < n && !status; k++) {
            status = probability_check(scores[k].log_probability, i + k, err);
            nats -= scores[k].log_probability;
            pieces += scores[k].pieces;
        }
        if (!status) status = *m->stop;
        count(m, what, i + n, all);
    }
    session_free(&session);
    *perplexity = exact_exp(nats / (double)pieces);
    return status;
}

int measurer_measure(const Measurer *m, const TextPairs *pairs, const char *what, Measure *measure, char ***texts,
                     Err *err) {
    const BleuOptions options = {.chinese = translator_writes_han(m->translator)};
    char doing[64];
    snprintf(doing, sizeof doing, "scoring %s", what);
    int status = score(m, pairs, doing, &measure->perplexity, err);
    snprintf(doing, sizeof doing, "translating %s", what);
    if (!status) status = measurer_translate(m, pairs->text[SOURCE], doing, texts, err);
    if (!status) measure->bleu = bleu_corpus(*texts, pairs->text[TARGET], text_pairs_count(pairs), options).score;
    return status;
}
