/* unknown.h: what a person reads where the model wrote <unk>. */
#ifndef TIDE_UNKNOWN_H
#define TIDE_UNKNOWN_H

#include "text/lexicon.h"
#include "translate/translator.h"

/* The text of a hypothesis with an alignment, of a normalised sentence, where every <unk> is replaced by the source
   word that it was read from: the one of the piece with the largest weight, </s> left out. A word is a piece; where a
   word has several (bpe), all up to the space marks, less the punctuation at its ends. With a lexicon (or NULL) the
   longest entry that covers the piece in the sentence is translated instead; it may cover several words or, in Han, a
   part of one, but no part of a run of letters or digits. Nothing is written for a word that holds Han and has no
   entry, unless han says so or the target language is written with Han. <unk>s in a row that were read from the same
   place give one word.

   In a bpe text the word is set off with spaces, but for an opening bracket or quote before it and punctuation behind
   it; a char text has none around it; pieces of none have one between them. Owned by the caller. */
char *unknown_replace(const Translator *translator, const char *sentence, const Hypothesis *hypothesis,
                      const Lexicon *lexicon, bool han);

#endif
