#include "translate/translations.h"
#include "io/ds.h"

#include <math.h>

void translations_free(Translations *t) {
    side_ids_free(t->source, t->n);
    mem_free(t->nbest);
    mem_free(t->copied);
    arena_free(&t->arena);
    *t = (Translations){0};
}

static char *decode(const Translations *t, int i, int k) {
    if (k >= t->nbest[i].count) return mem_strdup(!k && t->copied[i] ? t->sentences[i] : "");
    return side_decode(&t->translator->target, t->nbest[i].list[k].ids, t->nbest[i].list[k].length);
}

int probability_check(double log_probability, long number, Err *err) {
    if (isfinite(log_probability)) return 0;
    return err_set(err, NULL, 0, "sentence %ld: its probabilities are not finite: the numbers of the model overflow",
                   number + 1);
}

int translations_check(const Translations *t, long first, Err *err) {
    for (int i = 0; i < t->n; i++)
        if (t->nbest[i].failed) return probability_check(NAN, first + i, err);
    return 0;
}

char *translation_text(const Translations *t, int i, int k) {
    return t->copied[i] ? decode(t, i, k) : translator_written(t->translator, decode(t, i, k));
}

char *hypothesis_text(const Translator *translator, const Hypothesis *words) {
    return translator_written(translator, side_decode(&translator->target, words->ids, words->length));
}

char **translations_normalised(const Translations *t) {
    char **texts = NULL;
    for (int i = 0; i < t->n; i++) arrput(texts, decode(t, i, 0));
    return texts;
}

Alignment translation_alignment(const Translations *t, int i, const Hypothesis *h) {
    char **source = side_spell(&t->translator->source, t->sentences[i]);
    char **target = side_pieces(&t->translator->target, h->ids, h->length);
    CHECK(arrlen(source) == arrlen(t->source[i]), "%td pieces for %td ids", arrlen(source), arrlen(t->source[i]));
    Alignment alignment = alignment_new(source, (int)arrlen(source), target, h->length, h->alpha);
    strings_free(source);
    arrfree(target);
    return alignment;
}
