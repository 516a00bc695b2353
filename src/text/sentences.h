/* sentences.h: where the sentences of a paragraph end. */
#ifndef TIDE_SENTENCES_H
#define TIDE_SENTENCES_H

#include <stdbool.h>

/* Splits normalised text into its sentences: a stb_ds array of strings, each owned (lines_free), without the space
   between them; one for text that is one sentence, none for none. A sentence ends in 。 ! or ? in Chinese; in English
   in . ! or ? where a space and a capital, a digit or an opening quote follow and the word before a full stop is
   neither a known abbreviation nor a single letter. Closing quotes and brackets belong to the sentence that they
   follow, and an ellipsis ends nothing. */
char **sentences_split(const char *text, bool chinese);

#endif
