/* translations.h: the hypotheses that a session found for some sentences, as text and as alignments. */
#ifndef TIDE_TRANSLATIONS_H
#define TIDE_TRANSLATIONS_H

#include "translate/alignment.h"
#include "translate/translator.h"

/* The n-best lists of n sentences. Owns everything but the sentences and the translator. */
typedef struct Translations {
    const Translator *translator; /* of the first model */
    int n;
    char *const *sentences; /* [n] the caller's */
    int **source;           /* [n] ids, stb_ds arrays */
    Nbest *nbest;           /* [n]; an empty sentence has none */
    Arena arena;
    Timing timing;
} Translations;

void translations_free(Translations *translations);
/* The text of hypothesis k of sentence i ("" where there is none); owned by the caller. */
char *translation_text(const Translations *translations, int i, int k);
/* The best hypothesis of every sentence: a stb_ds array, for lines_free. */
char **translations_text(const Translations *translations);
/* The alignment of a hypothesis of sentence i as heatmaps and formats take it, without weights if the model has none:
   the source's pieces as they are in the sentence, the target's as the model wrote them. Release with
   alignment_free. */
Alignment translation_alignment(const Translations *translations, int i, const Hypothesis *hypothesis);

#endif
