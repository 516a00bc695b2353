/* units.h: one language of the word aligner: what it aligns, and the numbers of these units. */
#ifndef TIDE_UNITS_H
#define TIDE_UNITS_H

#include "io/string_table.h"
#include "text/tokenizer.h"

typedef enum {
    UNIT_CHAR,  /* a Han character, a run of letters, a run of digits or a single symbol */
    UNIT_WORD,  /* a word of the tokenizer bpe before its merges */
    UNIT_PIECE, /* a piece of the tokenizer bpe */
    UNIT_GIVEN, /* the text between two spaces */
    UNIT_PREFIX /* as UNIT_WORD; words that begin with the same UNIT_LETTERS characters are one unit */
} UnitKind;
enum { UNIT_LETTERS = 5 }; /* so that forms of a long word are one unit: translate, translation */
/* The names of the kinds, separated by '|', in the order of the enum. */
extern const char unit_names[];

enum { NULL_UNIT = 0 }; /* the number of the source of target units without a counterpart; its text is "" */

typedef struct Units {
    UnitKind kind;
    Bpe *merges; /* of UNIT_PIECE, owned; NULL: none */
    /* for units.c only: */
    StringTable texts, spellings; /* the number of a text is that of its unit */
    int *best;                    /* stb_ds array: the most frequent spelling of each text; -1: none */
    struct Spelling *spelling;    /* stb_ds array: of each spelling */
} Units;

/* Units without merges. Release with units_free. */
Units *units_new(UnitKind kind);
void units_free(Units *units);

int units_count(const Units *units);
/* The text of a unit, in lower case and without space mark; of UNIT_PREFIX, the first letters. Owned by the units. */
const char *units_text(const Units *units, int unit);
/* The number of this text, which must be in lower case; a new number if it has none. */
int units_add(Units *units, const char *text);
/* The most frequent spelling of a unit in the sentences that were encoded; its text if there were none. */
const char *units_spelling(const Units *units, int unit);

/* A unit in a sentence. */
typedef struct Token {
    int unit;
    int word;    /* number of the word that contains it, as pieces_words counts them */
    bool spaced; /* a space is before it */
} Token;

/* The units of a normalised sentence: a stb_ds array that the caller owns. Adds new units. */
Token *units_encode(Units *units, const char *sentence);

#endif
