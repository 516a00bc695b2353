/* unfamiliar.h: counts the text on standard input that a model does not know, for messages after the translation. The
   translation of such text is an invention, and its reader should know this. */
#ifndef TIDE_UNFAMILIAR_H
#define TIDE_UNFAMILIAR_H

#include "io/string_table.h"
#include "translate/translator.h"

/* Before the first line, everything is zero except the translator. */
typedef struct Unfamiliar {
    const Translator *translator;
    StringTable pieces; /* the pieces of the lines that are not in the source vocabulary */
    long *counts;       /* [number of a piece in `pieces`] how often the piece occurs: a stb_ds array, owned */
    long lines;         /* number of all lines */
    long unknown;       /* number of lines with a piece that is not in the vocabulary */
    long traditional;   /* number of lines where such a piece has a character of traditional Chinese */
    long foreign;       /* number of foreign lines: they have letters, but no words in the source language that the
                           model knows */
    long first;         /* the line number of the first foreign line, from 1 */
} Unfamiliar;

/* Counts a normalised line. */
void unfamiliar_add(Unfamiliar *unfamiliar, const char *line);
/* Prints a message about unknown pieces, one about traditional Chinese, and one about foreign lines, if there are some.
   unit: what the messages call a line, such as "line" or "sentence". */
void unfamiliar_report(const Unfamiliar *unfamiliar, const char *unit);
void unfamiliar_free(Unfamiliar *unfamiliar);

#endif
