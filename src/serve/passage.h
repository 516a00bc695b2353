/* passage.h: splits a text into sentences and the text between them, so that the translation keeps line breaks, spaces
   and HTML tags in their places. */
#ifndef TIDE_SERVE_PASSAGE_H
#define TIDE_SERVE_PASSAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Passage {
    char **sentences; /* [n] normalised, not empty: a stb_ds array */
    char **between;   /* [n + 1] unchanged text: before each sentence, and after the last: a stb_ds array */
    bool html;
} Passage;

/* Splits a text, which must be valid UTF-8 without NULs, into sentences (text/sentences.h). A line break ends a
   sentence. With `html`, tags, comments, and the contents of script, style, pre and code are kept; the text between
   two tags is one or more sentences of its own, and entities are decoded. Release with passage_free. */
Passage passage_split(const char *text, bool chinese, bool html);
/* Joins the translations [n] of the sentences with what stood between the sentences. If nothing separated two
   sentences, as in Chinese, a space does if `spaced`. With HTML, the characters & < > of the translations are written
   as entities. The caller owns the text. */
char *passage_join(const Passage *passage, const char *const *translations, bool spaced);
void passage_free(Passage *passage);

#endif
