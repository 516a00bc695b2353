#include "aligner/units.h"

#include "io/ds.h"
#include "io/utf8.h"
#include "text/unicode.h"

#include <string.h>

const char unit_names[] = "char|word|piece|given|prefix";

/* The unit of a spelling, and how often the spelling occurs. */
typedef struct Spelling {
    int unit;
    long count;
} Spelling;

Units *units_new(UnitKind kind) {
    Units *units = mem_zalloc(sizeof *units);
    units->kind = kind;
    units_add(units, "");
    return units;
}

void units_free(Units *units) {
    if (!units) return;
    bpe_free(units->merges);
    string_table_free(&units->texts);
    string_table_free(&units->spellings);
    arrfree(units->best);
    arrfree(units->spelling);
    mem_free(units);
}

int units_count(const Units *units) { return string_table_count(&units->texts); }
const char *units_text(const Units *units, int unit) { return units->texts.strings[unit]; }

int units_add(Units *units, const char *text) {
    const int unit = string_table_add(&units->texts, text, strlen(text));
    if (unit == arrlen(units->best)) arrput(units->best, -1);
    return unit;
}

const char *units_spelling(const Units *units, int unit) {
    const int best = units->best[unit];
    return best < 0 ? units_text(units, unit) : units->spellings.strings[best];
}

/* The text of the unit of a spelling; the caller owns it. */
static char *unit_of(const Units *units, const char *spelling) {
    char *text = text_lower(spelling), *end = text;
    if (units->kind != UNIT_PREFIX) return text;
    for (int i = 0; i < UNIT_LETTERS && *end; i++) end += utf8_length(end);
    *end = '\0';
    return text;
}

/* Counts an occurrence of a spelling; returns the number of its unit. */
static int spelled(Units *units, const char *spelling) {
    const int number = string_table_add(&units->spellings, spelling, strlen(spelling));
    if (number == arrlen(units->spelling)) {
        char *text = unit_of(units, spelling);
        arrput(units->spelling, ((Spelling){units_add(units, text), 0}));
        mem_free(text);
    }
    Spelling *found = &units->spelling[number];
    int *best = &units->best[found->unit];
    found->count++;
    if (*best < 0 || found->count > units->spelling[*best].count) *best = number;
    return found->unit;
}

/* The pieces of a sentence, with space marks; a stb_ds array. */
static char **pieces_of(const Units *units, const char *sentence) {
    static const TokenizerKind kinds[] = {[UNIT_CHAR] = TOKENIZER_CHAR,
                                          [UNIT_WORD] = TOKENIZER_BPE,
                                          [UNIT_PIECE] = TOKENIZER_BPE,
                                          [UNIT_GIVEN] = TOKENIZER_NONE,
                                          [UNIT_PREFIX] = TOKENIZER_BPE};
    const Tokenizer tokenizer = {kinds[units->kind], units->merges};
    char **pieces = NULL;
    if (units->kind != UNIT_WORD && units->kind != UNIT_PREFIX) return tokenizer_split(&tokenizer, sentence);
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
    strings_free(pieces);
    return tokens;
}
