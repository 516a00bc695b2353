/* inline_markup.h: puts the tags in a sentence of HTML into its translation, by the alignment. */
#ifndef TIDE_INLINE_MARKUP_H
#define TIDE_INLINE_MARKUP_H

#include "text/passage.h"
#include "translate/translations.h"

/* Returns a translation as HTML: `text` with the characters & < > as references, and all marks of the source sentence,
   a stb_ds array. The alignment is that of the text; without weights, words are taken to be in the same order. The
   words of an element are the run of target words with the largest sum of (weight in the element's source - 1/2), at
   least one; a tag without its partner stands where the same sum, of the weight before the tag, is largest. Elements
   stay well nested: they share no words unless one is in the other. The caller owns the HTML. */
char *inline_markup_transfer(const Mark *marks, const char *sentence, const Alignment *alignment, const char *text);

/* The same for hypothesis k of sentence i; `text` is the text of the hypothesis, which the function releases. */
char *translation_html(const Translations *translations, int i, int k, const Mark *marks, char *text);

#endif
