#include "aligner/units.h"

#include "io/ds.h"
#include "text/unicode.h"

#include <string.h>

const char unit_names[] = "char|word|piece|given";

/* A spelling of a unit, and how often it occurs. */
typedef struct Spelling {
    char *key;
    int unit;
    long count;
} Spelling;

typedef struct UnitNumber {
    char *key;          /* text of the unit, copied by the map */
    long best;          /* count of the most frequent spelling */
    ptrdiff_t spelling; /* its index; -1: none */
} UnitNumber;

struct Units {
    UnitKind kind;
    Bpe *merges;
    UnitNumber *numbers; /* stb_ds map; the index of a text is its number */
    Spelling *spellings; /* stb_ds map */
};

Units *units_new(UnitKind kind) {
    Units *units = mem_zalloc(sizeof *units);
    units->kind = kind;
    sh_new_strdup(units->numbers);
    sh_new_strdup(units->spellings);
    units_add(units, "");
    return units;
}

void units_free(Units *units) {
    if (!units) return;
    bpe_free(units->merges);
    shfree(units->numbers);
    shfree(units->spellings);
    mem_free(units);
}

UnitKind units_kind(const Units *units) { return units->kind; }

void units_set_merges(Units *units, Bpe *merges) {
    bpe_free(units->merges);
    units->merges = merges;
}

const Bpe *units_merges(const Units *units) { return units->merges; }

int units_count(const Units *units) { return (int)shlen(units->numbers); }
const char *units_text(const Units *units, int unit) { return units->numbers[unit].key; }

int units_add(Units *units, const char *text) {
    const ptrdiff_t known = map_find(units->numbers, sizeof *units->numbers, text);
    if (known >= 0) return (int)known;
    shputs(units->numbers, ((UnitNumber){(char *)text, 0, -1}));
    return units_count(units) - 1;
}

const char *units_spelling(const Units *units, int unit) {
    const ptrdiff_t at = units->numbers[unit].spelling;
    return at < 0 ? units->numbers[unit].key : units->spellings[at].key;
}

/* Counts an occurrence of a spelling; returns the number of its unit. */
static int spelled(Units *units, const char *spelling) {
    ptrdiff_t at = map_find(units->spellings, sizeof *units->spellings, spelling);
    if (at < 0) {
        char *text = text_lower(spelling);
        shputs(units->spellings, ((Spelling){(char *)spelling, units_add(units, text), 0}));
        mem_free(text);
        at = shlen(units->spellings) - 1;
    }
    Spelling *found = &units->spellings[at];
    UnitNumber *number = &units->numbers[found->unit];
    if (++found->count > number->best) {
        number->best = found->count;
        number->spelling = at;
    }
    return found->unit;
}

/* The pieces of a sentence, with space marks; a stb_ds array. */
static char **pieces_of(const Units *units, const char *sentence) {
    static const TokenizerKind kinds[] = {TOKENIZER_CHAR, TOKENIZER_BPE, TOKENIZER_BPE, TOKENIZER_NONE};
    const Tokenizer tokenizer = {kinds[units->kind], units->merges};
    if (units->kind != UNIT_WORD) return tokenizer_split(&tokenizer, sentence);
    char **pieces = NULL;
    Words words = words_start(TOKENIZER_BPE, sentence);
    while (words_next(&words)) arrput(pieces, mem_strdup(words.word));
    words_end(&words);
    return pieces;
}

Token *units_encode(Units *units, const char *sentence) {
    Token *tokens = NULL;
    int count;
    char **pieces = pieces_of(units, sentence);
    int *word = pieces_words(pieces, (int)arrlen(pieces), &count, NULL);
    bool spaced = false;
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        const bool marked = units->kind != UNIT_GIVEN && piece_is_spaced(pieces[i]);
        const char *text = pieces[i] + (marked ? strlen(SPACE_MARK) : 0);
        spaced |= marked || units->kind == UNIT_GIVEN;
        if (!*text) continue; /* a space mark alone */
        arrput(tokens, ((Token){spelled(units, text), word[i], spaced}));
        spaced = false;
    }
    mem_free(word);
    pieces_free(pieces);
    return tokens;
}
