#include "text/tokenizer.h"

#include "text/ds.h"
#include "text/unicode.h"

#include <string.h>

#define SPACE "▁"

enum {
    MAX_RUN = 100,               /* characters in a token: keeps the work for each character bounded */
    WORD_BYTES = 4 * MAX_RUN + 8 /* a token with its space mark, escape and NUL */
};

static const char *const NAMES[] = {[TOKENIZER_CHAR] = "char", [TOKENIZER_BPE] = "bpe", [TOKENIZER_NONE] = "none"};

int tokenizer_kind(const char *name) {
    for (int kind = TOKENIZER_CHAR; kind <= TOKENIZER_NONE; kind++)
        if (strcmp(name, NAMES[kind]) == 0) return kind;
    return -1;
}

void pieces_free(char **pieces) {
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) mem_free(pieces[i]);
    arrfree(pieces);
}

/* ---- splitting ---- */

typedef enum { LETTER, DIGIT, MARK, SINGLE } Class;

static Class class_of(int32_t c, TokenizerKind kind) {
    if (is_mark(c)) return MARK;
    if (is_digit(c)) return DIGIT;
    if (is_letter(c) || (is_han(c) && kind == TOKENIZER_BPE)) return LETTER;
    return SINGLE;
}

/* Where the token that starts at text ends: a run of letters or digits, or a single character; bpe takes an
   apostrophe with the letters behind it. A mark joins what precedes it. Text must not be at a space or its
   end. */
static const char *token_end(const char *text, TokenizerKind kind) {
    int32_t c = utf8_next(&text);
    Class class = class_of(c, kind);
    if (kind == TOKENIZER_BPE && (c == '\'' || c == 0x2019)) class = LETTER;
    for (int length = 1; *text && length < MAX_RUN; length++) {
        const char *after = text;
        Class next = class_of(utf8_next(&after), kind);
        if (next != MARK && (next != class || class == SINGLE)) break;
        text = after;
    }
    return text;
}

static bool starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/* Writes the token that starts at text to word, escaped and after a space mark if it is spaced; returns where
   it ends. Only a token's first character can need an escape: ▁ and backslash are neither letters nor
   marks. */
static const char *take_word(const char *text, bool spaced, TokenizerKind kind, char word[WORD_BYTES]) {
    const char *end = token_end(text, kind);
    if (spaced) word = stpcpy(word, SPACE);
    if (starts_with(text, SPACE)) {
        word = stpcpy(word, "\\_");
        text += strlen(SPACE);
    } else if (*text == '\\') {
        *word++ = '\\';
    }
    memcpy(word, text, (size_t)(end - text));
    word[end - text] = '\0';
    return end;
}

/* The word at *text (spaced where a space precedes it, or nothing), moving *text behind it. */
static void next_bpe_word(const char **text, bool first, char word[WORD_BYTES]) {
    bool spaced = first || **text == ' ';
    if (**text == ' ') ++*text;
    *text = take_word(*text, spaced, TOKENIZER_BPE, word);
}

static char **split_words(const Bpe *bpe, const char *text) {
    char **pieces = NULL, word[WORD_BYTES];
    for (const char *at = text; *at;) {
        next_bpe_word(&at, at == text, word);
        bpe_apply(bpe, word, &pieces);
    }
    return pieces;
}

static char **split_characters(const char *text) {
    char **pieces = NULL, word[WORD_BYTES];
    while (*text) {
        if (*text == ' ') {
            strcpy(word, SPACE);
            text++;
        } else {
            text = take_word(text, false, TOKENIZER_CHAR, word);
        }
        arrput(pieces, mem_strdup(word));
    }
    return pieces;
}

static char **split_spaces(const char *text) {
    char **pieces = NULL;
    while (*text) {
        size_t n = strcspn(text, " ");
        arrput(pieces, mem_strndup(text, n));
        text += n + (text[n] == ' ');
    }
    return pieces;
}

char **tokenizer_split(const Tokenizer *tokenizer, const char *text) {
    switch (tokenizer->kind) {
    case TOKENIZER_CHAR: return split_characters(text);
    case TOKENIZER_BPE: return split_words(tokenizer->bpe, text);
    case TOKENIZER_NONE: break;
    }
    return split_spaces(text);
}

Bpe *tokenizer_learn(char *const *sentences, int n, int merges) {
    struct {
        char *key;
        long value;
    } *seen = NULL;
    char word[WORD_BYTES];
    sh_new_strdup(seen);
    for (int i = 0; i < n; i++)
        for (const char *at = sentences[i]; *at;) {
            next_bpe_word(&at, at == sentences[i], word);
            ptrdiff_t known = shgeti(seen, word);
            if (known >= 0) seen[known].value++;
            else shput(seen, word, 1);
        }
    size_t distinct = shlenu(seen);
    char **words = mem_alloc(distinct * sizeof *words);
    long *counts = mem_alloc(distinct * sizeof *counts);
    for (size_t i = 0; i < distinct; i++) words[i] = seen[i].key, counts[i] = seen[i].value;
    Bpe *bpe = bpe_learn(words, counts, (int)distinct, merges);
    mem_free(words);
    mem_free(counts);
    shfree(seen);
    return bpe;
}

/* ---- joining ---- */

/* The pieces one behind the other, with the separator between them. */
static char *concatenate(char *const *pieces, int n, const char *separator) {
    size_t size = 1;
    for (int i = 0; i < n; i++) size += strlen(pieces[i]) + strlen(separator);
    char *text = mem_alloc(size), *end = text;
    for (int i = 0; i < n; i++) {
        if (i > 0) end = stpcpy(end, separator);
        end = stpcpy(end, pieces[i]);
    }
    *end = '\0';
    return text;
}

/* Turns space marks and escapes back. A model may write what no text was split into, so spaces at the ends
   and doubled ones are dropped and a backslash that escapes nothing stands for itself. */
static char *unescape(const char *marked) {
    char *text = mem_alloc(2 * strlen(marked) + 1), *end = text; /* \_ grows from 2 bytes to 3 */
    while (*marked) {
        if (starts_with(marked, SPACE)) {
            if (end > text && end[-1] != ' ') *end++ = ' ';
            marked += strlen(SPACE);
        } else if (starts_with(marked, "\\_")) {
            end = stpcpy(end, SPACE);
            marked += 2;
        } else {
            if (starts_with(marked, "\\\\")) marked++;
            *end++ = *marked++;
        }
    }
    if (end > text && end[-1] == ' ') end--;
    *end = '\0';
    return text;
}

char *tokenizer_join(TokenizerKind kind, char *const *pieces, int n) {
    if (kind == TOKENIZER_NONE) return concatenate(pieces, n, " ");
    char *marked = concatenate(pieces, n, "");
    char *text = unescape(marked);
    mem_free(marked);
    return text;
}
