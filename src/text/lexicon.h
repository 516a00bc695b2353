/* lexicon.h: a bilingual word list; it translates source words for which the model has no translation. */
#ifndef TIDE_LEXICON_H
#define TIDE_LEXICON_H

#include "core/base.h"

#include <stdbool.h>

typedef struct Lexicon Lexicon;

/* The limit for a source text, because all spans of a sentence up to the longest source text are looked up. */
enum { LEXICON_SOURCE_BYTES = 256 };

/* Reads a file: each line is a source text, one tab and its translation, and optionally one tab and a probability, a
   decimal number such as 0.25 from 0 to 1. Of several translations of a source text, the lexicon has the most probable
   one, the first of equals; a translation without a probability has 1. Texts are normalised as sentences are. Blank
   lines are skipped. The caller owns the result. NULL with *err filled if the file cannot be read, or if a line has
   another form, is not valid UTF-8, has an empty field, has a source text of more than LEXICON_SOURCE_BYTES, or repeats
   a source text and neither line has a probability. */
Lexicon *lexicon_read(const char *path, Err *err);
/* lexicon_read for the lines of a text; *err has no path. */
Lexicon *lexicon_parse(const char *text, Err *err);
void lexicon_free(Lexicon *lexicon);

/* One line of such a file, with normalised texts. */
typedef struct LexiconEntry {
    const char *source, *target;
    double probability;
    bool certain; /* the line has no probability */
    const char *path;
    long number; /* of the line, from 1 */
} LexiconEntry;
/* Takes an entry, whose texts are valid during the call. Returns 0, or -1 with *err filled. */
typedef int LexiconSink(void *context, const LexiconEntry *entry, Err *err);
/* Passes each entry of a file to the sink, in order: all translations of a source text. Returns 0, or -1 with *err
   filled as lexicon_read does, but a source text may be repeated. */
int lexicon_each(const char *path, LexiconSink *sink, void *context, Err *err);
/* The same for the lines of a text of valid UTF-8; *err has no path. */
int lexicon_each_of(const char *text, LexiconSink *sink, void *context, Err *err);

/* The translation of a source text of n bytes, owned by the lexicon; NULL if there is none. Only reads the lexicon:
   threads may share it. */
const char *lexicon_find(const Lexicon *lexicon, const char *source, size_t n);
/* Entry i of the lexicon, from 0: sets *source and *target, which the lexicon owns. Returns false after the last. */
bool lexicon_entry(const Lexicon *lexicon, int i, const char **source, const char **target);
/* The length in bytes of the longest source text; 0 for an empty lexicon. */
size_t lexicon_longest(const Lexicon *lexicon);

#endif
