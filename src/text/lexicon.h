/* lexicon.h: a bilingual word list; it translates source words for which the model has no translation. */
#ifndef TIDE_LEXICON_H
#define TIDE_LEXICON_H

#include "core/base.h"

typedef struct Lexicon Lexicon;

/* Reads a file: each line is a source text, one tab and its translation. Both are normalised as sentences are. Blank
   lines are skipped. The caller owns the result. NULL with *err filled if the file cannot be read, or if a line has
   another form, is not valid UTF-8, has an empty field, has a source text of more than 256 bytes, or repeats a source
   text. */
Lexicon *lexicon_read(const char *path, Err *err);
void lexicon_free(Lexicon *lexicon);

/* The translation of a source text, owned by the lexicon; NULL if there is none. Only reads the lexicon: threads may
   share it. */
const char *lexicon_find(const Lexicon *lexicon, const char *source);
/* The length in bytes of the longest source text; 0 for an empty lexicon. */
size_t lexicon_longest(const Lexicon *lexicon);

#endif
