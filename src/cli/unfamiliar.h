/* unfamiliar.h: what a model does not know of the text that it translates: it says so once, because the translation of
   such text is an invention. */
#ifndef TIDE_UNFAMILIAR_H
#define TIDE_UNFAMILIAR_H

#include "io/string_table.h"
#include "translate/translator.h"

/* All zero but for the translator: nothing counted yet. */
typedef struct Unfamiliar {
    const Translator *translator;
    StringTable pieces; /* that are not in the source vocabulary */
    long *counts;       /* of each piece, at its number: a stb_ds array, owned */
    long lines;         /* counted */
    long partly;        /* lines with such pieces */
    long traditional;   /* lines with such pieces of traditional Chinese */
    long foreign;       /* lines with letters, none of which the model knows as text of its language */
    long first;         /* number of the first foreign line, from 1 */
} Unfamiliar;

/* Counts a normalised line. */
void unfamiliar_add(Unfamiliar *unfamiliar, const char *line);
/* Prints a message about unknown pieces, one about traditional Chinese, and one about foreign lines, if there are some.
   unit: "line", or what was counted. */
void unfamiliar_report(const Unfamiliar *unfamiliar, const char *path, const char *unit);
void unfamiliar_free(Unfamiliar *unfamiliar);

#endif
