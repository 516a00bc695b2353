/* translations.h: the hypotheses that a session found for some sentences, as text and as alignments. */
#ifndef TIDE_TRANSLATIONS_H
#define TIDE_TRANSLATIONS_H

#include "translate/alignment.h"
#include "translate/translator.h"

/* The n-best lists of n sentences. Owns everything except the sentences and the translator. */
typedef struct Translations {
    const Translator *translator; /* the first model */
    int n;
    char *const *sentences; /* [n], owned by the caller */
    int **source;           /* [n] ids with </s>, stb_ds arrays */
    Nbest *nbest;           /* [n]; the list of an empty or a copied sentence is empty */
    bool *copied;           /* [n] the translation is the sentence itself, because the model knows nothing of it */
    Arena arena;
    Timing timing;
    bool cancelled; /* options->before_step cancelled the search: some lists are empty */
} Translations;

void translations_free(Translations *translations);
/* Returns 0, or -1 with *err filled if the search of a sentence failed (see Nbest). first: the number of sentence 0,
   for the message, which counts from 1. */
int translations_check(const Translations *translations, long first, Err *err);
/* The same for the sum of log-probabilities of a given translation. */
int probability_check(double log_probability, long number, Err *err);
/* The text of hypothesis k of sentence i as people write it (translator_written); a copied sentence as it is; "" if
   there is no such hypothesis. Owned by the caller. */
char *translation_text(const Translations *translations, int i, int k);
/* The text of words of a search, as people write it; owned by the caller. */
char *hypothesis_text(const Translator *translator, const Hypothesis *words);
/* The text of the best hypothesis of every sentence, in NFKC, as the model wrote it, or a copied sentence: a stb_ds
   array that the caller owns; release it with strings_free. */
char **translations_normalised(const Translations *translations);
/* The alignment of a hypothesis of sentence i, without weights if the model has no attention. Source pieces are as
   in the sentence (also those that the vocabulary lacks), target pieces as in the vocabulary. Release with
   alignment_free. */
Alignment translation_alignment(const Translations *translations, int i, const Hypothesis *hypothesis);

#endif
