#include "translate/translations.h"
#include "io/ds.h"

void translations_free(Translations *t) {
    side_ids_free(t->source, t->n);
    mem_free(t->nbest);
    arena_free(&t->arena);
    *t = (Translations){0};
}

static char *decode(const Translations *t, int i, int k) {
    if (k >= t->nbest[i].count) return mem_strdup("");
    return side_decode(&t->translator->target, t->nbest[i].list[k].ids, t->nbest[i].list[k].length);
}

char *translation_text(const Translations *t, int i, int k) {
    return translator_written(t->translator, decode(t, i, k));
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
