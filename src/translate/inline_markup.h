/* inline_markup.h: puts the tags of a sentence of HTML into its translation, by the alignment. */
#ifndef TIDE_INLINE_MARKUP_H
#define TIDE_INLINE_MARKUP_H

#include "text/passage.h"
#include "translate/translations.h"

/* Returns a translation as HTML: `text` with the characters & < > as references, and with all marks (a stb_ds array) of
   the source sentence. The alignment is that of the text; if it has no weights, the words are assumed to be in the same
   order. An element gets the run of target words with the largest sum of (weight on the source words of the element -
   1/2): at least one word, but a copied element may get none. A tag without its partner stands where the sum, over the
   target words before it, of (weight on the source words before the tag - 1/2) is largest. Elements stay well nested:
   two elements share words only if one contains the other. The caller owns the HTML. */
char *inline_markup_transfer(const Mark *marks, const char *sentence, const Alignment *alignment, const char *text);

/* The same for hypothesis k of sentence i; `text` is the text of the hypothesis, which the function releases. */
char *translation_html(const Translations *translations, int i, int k, const Mark *marks, char *text);

#endif
