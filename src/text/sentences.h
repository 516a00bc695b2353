/* sentences.h: splits a paragraph into sentences. */
#ifndef TIDE_SENTENCES_H
#define TIDE_SENTENCES_H

#include <stdbool.h>

/* Splits normalised text into sentences without the spaces between them: a stb_ds array of owned strings; release with
   strings_free. Empty text gives none. A Chinese sentence ends in 。 ! or ?. An English sentence ends in . ! or ? if a
   space and then a capital letter, a digit or an opening quote or bracket follow; a full stop after a known
   abbreviation or a word of one character does not end it. Closing quotes and brackets belong to the sentence before
   them. An ellipsis does not end a sentence. */
char **sentences_split(const char *text, bool chinese);

#endif
