/* lexicon.h: a word list that says what to write for a source word that the model has no word for. */
#ifndef TIDE_LEXICON_H
#define TIDE_LEXICON_H

#include "core/base.h"

typedef struct Lexicon Lexicon;

/* Reads lines of a source text, a tab and its translation; both are normalised as sentences are. Blank lines are
   skipped. NULL with *err filled where the file cannot be read, or a line is not that, is not UTF-8, has an empty
   field, or gives a source text a second time. The caller owns the result. */
Lexicon *lexicon_read(const char *path, Err *err);
void lexicon_free(Lexicon *lexicon);

/* The translation of a source text, or NULL; owned by the lexicon. Only reads it: threads may share one. */
const char *lexicon_find(const Lexicon *lexicon, const char *source);
/* The length in bytes of the longest source text; 0 where there is none. */
size_t lexicon_longest(const Lexicon *lexicon);

#endif
