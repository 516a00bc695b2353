/* unfamiliar.h: counts the text on standard input that a model does not know (reading.h), for messages after the
   translation. */
#ifndef TIDE_UNFAMILIAR_H
#define TIDE_UNFAMILIAR_H

#include "io/string_table.h"
#include "translate/translator.h"

/* Some lines: how many there are, and the number of the first one, from 1. */
typedef struct LinesSeen {
    long count, first;
} LinesSeen;

/* Before the first line, everything is zero except the translator. */
typedef struct Unfamiliar {
    const Translator *translator;
    StringTable pieces; /* the pieces of the lines that are not in the source vocabulary */
    long *counts;       /* [number of a piece in `pieces`] how often the piece occurs: a stb_ds array, owned */
    long lines;         /* number of all lines */
    long unknown;       /* number of lines with a piece that is not in the vocabulary */
    long traditional;   /* number of lines where such a piece has a character of traditional Chinese */
    LinesSeen copied;   /* lines of which the model knows nothing: they are their own translations */
    LinesSeen foreign;  /* other lines that have letters, but no words in the source language that the model knows */
} Unfamiliar;

/* Counts a normalised line. copied: its translation is the line itself. */
void unfamiliar_add(Unfamiliar *unfamiliar, const char *line, bool copied);
/* Prints a message about unknown pieces, and about lines with traditional Chinese, copied and other foreign ones, if
   there are some. unit: what the messages call a line, such as "line" or "sentence". */
void unfamiliar_report(const Unfamiliar *unfamiliar, const char *unit);
void unfamiliar_free(Unfamiliar *unfamiliar);

#endif
