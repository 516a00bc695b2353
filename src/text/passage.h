/* passage.h: splits a text into sentences and the text between them, so that the translation keeps line breaks, spaces,
   the markup of HTML and the times of subtitles in their places. */
#ifndef TIDE_PASSAGE_H
#define TIDE_PASSAGE_H

#include "core/base.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum PassageFormat { PASSAGE_TEXT, PASSAGE_HTML, PASSAGE_SUBTITLES } PassageFormat;

/* Markup inside of a sentence of HTML. */
typedef struct Mark {
    char *text;        /* owned */
    size_t at;         /* the byte of the sentence before which it stands; marks are in ascending order */
    ptrdiff_t partner; /* the number of the other tag of the element in the same sentence; -1: none */
    bool end;          /* an end tag */
    bool copied;       /* `text` is a whole element, which replaces the translation of the text up to the partner */
} Mark;

typedef struct Passage {
    char **sentences; /* [n] normalised, not empty: a stb_ds array, which the owner may take away (NULL) */
    Mark **marks;     /* [n] stb_ds arrays, NULL without marks: a stb_ds array */
    char **between;   /* [n + 1] unchanged text: before each sentence, and after the last: a stb_ds array */
    PassageFormat format;
} Passage;

/* Splits a text, which must be valid UTF-8 without NULs, into sentences (text/sentences.h). A line break ends a
   sentence. With PASSAGE_HTML, it does not, but markup such as <p> does; markup such as <b> becomes a mark, unless it
   stands at an end of a sentence and can stay outside; character references are decoded, and html.h says what is kept.
   With PASSAGE_SUBTITLES (SRT or WebVTT), only the lines below the times of a subtitle are text, without tags such as
   <i> or {\\an8}; a line of it that begins with a dash, as a speaker's does, begins a new sentence, and other lines are
   joined; the dash is kept. Release with passage_free. */
Passage passage_split(const char *text, bool chinese, PassageFormat format);
/* Checks that each block of lines in subtitles has times such as 00:01:02,345 --> 00:01:05,000 in its first or second
   line; a text that begins with WEBVTT may have other blocks, too. Returns 0, or -1 with *err's line and reason. */
int subtitles_check(const char *text, Err *err);
/* Joins the translations [n] of the sentences, which are HTML if the passage is (inline_markup.h), with what stood
   between the sentences. spaced: the target language has spaces between sentences: a space is added where nothing
   separates two sentences, as in Chinese; if not, spaces between sentences are left out. The caller owns the text. */
char *passage_join(const Passage *passage, const char *const *translations, bool spaced);
void passage_free(Passage *passage);

#endif
