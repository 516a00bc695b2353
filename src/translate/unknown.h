/* unknown.h: replaces <unk> in a translation by the source word that it is aligned to. */
#ifndef TIDE_UNKNOWN_H
#define TIDE_UNKNOWN_H

#include "text/lexicon.h"
#include "translate/translator.h"

/* The text of a hypothesis, with each <unk> replaced; owned by the caller. The sentence must be normalised, the
   hypothesis must have an alignment. An <unk> is replaced by the source word that contains the piece of largest weight,
   </s> excepted. A source word is one piece; for bpe it is all pieces between two space marks, without punctuation at
   its ends. If the lexicon (NULL: none) has entries that cover the piece, the translation of the longest one is used
   instead. An entry may cover several words or a part of a Han text, but never a part of a run of letters or of digits.
   A word with Han characters and without an entry is left out, unless `han` is true or the target language is written
   with Han characters. Neighbouring <unk>s that are aligned to the same place give one word.

   Spaces: a bpe target has spaces around the word, except after an opening bracket or quotation mark and before
   punctuation. A char target has none. The pieces of a target without tokenizer are joined by single spaces. */
char *unknown_replace(const Translator *translator, const char *sentence, const Hypothesis *hypothesis,
                      const Lexicon *lexicon, bool han);

#endif
