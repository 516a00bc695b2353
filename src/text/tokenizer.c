#include "text/tokenizer.h"

#include "io/ds.h"
#include "text/codes.h"
#include "text/placeholder.h"
#include "text/unicode.h"
#include "text/vocab.h"

#include <limits.h>
#include <string.h>

enum { MAX_RUN = 100 }; /* limit on the characters of a token, because bpe_apply takes quadratic time */

const char tokenizer_names[] = "char|bpe|none";

TokenizerKind tokenizer_usual(const char *language) {
    return chinese_language(language) ? TOKENIZER_CHAR : TOKENIZER_BPE;
}

bool piece_is_spaced(const char *piece) { return starts_with(piece, SPACE_MARK); }

/* ---- words ---- */

typedef enum { LETTER, DIGIT, MARK, SINGLE } Class;

static Class class_of(int32_t c, TokenizerKind kind) {
    if (c < 0x80) return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? LETTER : c >= '0' && c <= '9' ? DIGIT : SINGLE;
    if (is_han(c)) return kind == TOKENIZER_BPE ? LETTER : SINGLE;
    if (is_mark(c)) return MARK;
    if (is_digit(c)) return DIGIT;
    return is_letter(c) ? LETTER : SINGLE;
}

/* The end of the token that starts at text, which is not at a space or at its end. A token is a run of letters or of
   digits, or a single character; in bpe an apostrophe and the letters after it are one token. A combining mark belongs
   to the character before it. */
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

static char *room_for(Words *words, size_t bytes) {
    if (!words->word || words->room < bytes) words->word = mem_realloc(words->word, words->room = 2 * bytes);
    return words->word;
}

/* Sets the current word to the escaped token [text, end), after a space mark if it is spaced. */
static void put_token(Words *words, bool spaced, const char *text, const char *end) {
    char *to = room_for(words, strlen(SPACE_MARK) + 2 * (size_t)(end - text) + 1);
    if (spaced) to = stpcpy(to, SPACE_MARK);
    while (text < end) {
        if (starts_with(text, SPACE_MARK)) {
            to = stpcpy(to, "\\_");
            text += strlen(SPACE_MARK);
        } else {
            if (*text == '\\') *to++ = '\\';
            *to++ = *text++;
        }
    }
    *to = '\0';
}

static void next_token(Words *words) {
    const char *text = words->rest;
    bool bpe = words->kind == TOKENIZER_BPE, spaced = *text == ' ' || (bpe && words->word == NULL);
    text += *text == ' ';
    size_t placeholder = placeholder_length(text);
    words->whole = !bpe || placeholder > 0;
    if (spaced && words->whole) { /* only the space mark; the token comes next */
        strcpy(room_for(words, sizeof SPACE_MARK), SPACE_MARK);
        words->rest = text;
        return;
    }
    words->rest = placeholder > 0 ? text + placeholder : token_end(text, words->kind);
    put_token(words, spaced, text, words->rest);
}

static void next_between_spaces(Words *words) {
    size_t n = strcspn(words->rest, " ");
    char *word = room_for(words, n + 1);
    memcpy(word, words->rest, n);
    word[n] = '\0';
    words->rest += n + (words->rest[n] == ' ');
}

Words words_start(TokenizerKind kind, const char *text) { return (Words){.kind = kind, .rest = text, .whole = true}; }

bool words_next(Words *words) {
    if (!*words->rest) return false;
    if (words->kind == TOKENIZER_NONE) next_between_spaces(words);
    else next_token(words);
    return true;
}

void words_end(Words *words) { mem_free(words->word); }

void words_count(WordCounts *counts, TokenizerKind kind, const char *sentence) {
    Words words = words_start(kind, sentence);
    while (words_next(&words)) {
        const int word = string_table_add(&counts->words, words.word, strlen(words.word));
        if (word == arrlen(counts->counts)) arrput(counts->counts, ((WordCount){0, words.whole}));
        counts->counts[word].count++;
    }
    words_end(&words);
}

void words_free(WordCounts *counts) {
    string_table_free(&counts->words);
    arrfree(counts->counts);
}

/* ---- pieces ---- */

void tokenizer_split_word(const Tokenizer *tokenizer, const char *word, bool whole, char ***pieces) {
    if (whole) arrput(*pieces, mem_strdup(word));
    else bpe_apply(tokenizer->bpe, word, pieces);
}

char **tokenizer_split(const Tokenizer *tokenizer, const char *text) {
    char **pieces = NULL;
    Words words = words_start(tokenizer->kind, text);
    while (words_next(&words)) tokenizer_split_word(tokenizer, words.word, words.whole, &pieces);
    words_end(&words);
    return pieces;
}

Bpe *merges_learn(const WordCounts *counts, int n, int merges) {
    char **words = NULL;
    long *numbers = NULL;
    for (int i = 0; i < n; i++)
        for (ptrdiff_t k = 0; k < arrlen(counts[i].counts); k++) {
            if (counts[i].counts[k].whole) continue;
            arrput(words, counts[i].words.strings[k]);
            arrput(numbers, counts[i].counts[k].count);
        }
    CHECK(arrlen(words) <= INT_MAX, "%td words to learn merges from", arrlen(words));
    Bpe *bpe = bpe_learn(words, numbers, (int)arrlen(words), merges);
    arrfree(words);
    arrfree(numbers);
    return bpe;
}

/* ---- joining ---- */

/* Concatenates the pieces with the separator between them. */
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

char *pieces_unmark(const char *marked, bool single) {
    char *text = mem_alloc(2 * strlen(marked) + 1), *end = text; /* \_ grows from 2 bytes to 3 */
    while (*marked) {
        if (starts_with(marked, SPACE_MARK)) {
            if (end > text && (!single || end[-1] != ' ')) *end++ = ' ';
            marked += strlen(SPACE_MARK);
        } else if (starts_with(marked, "\\_")) {
            end = stpcpy(end, SPACE_MARK);
            marked += 2;
        } else {
            if (starts_with(marked, "\\\\")) marked++;
            *end++ = *marked++;
        }
    }
    if (single && end > text && end[-1] == ' ') end--;
    *end = '\0';
    return text;
}

char *tokenizer_join(TokenizerKind kind, char *const *pieces, int n) {
    if (kind == TOKENIZER_NONE) return concatenate(pieces, n, " ");
    char *marked = concatenate(pieces, n, "");
    char *text = pieces_unmark(marked, true);
    mem_free(marked);
    return text;
}

/* ---- words of pieces ---- */

int *pieces_words(char *const *pieces, int n, int *count, char ***words) {
    int *word_of = mem_alloc((size_t)n * sizeof *word_of);
    const int text = pieces_text_count(pieces, n);
    bool spaces = false;
    for (int i = 0; i < n; i++) spaces = spaces || piece_is_spaced(pieces[i]);
    if (words) *words = mem_alloc((size_t)n * sizeof **words);
    *count = 0;
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; spaces && end < text && !piece_is_spaced(pieces[end]);) end++;
        for (int k = i; k < end; k++) word_of[k] = *count;
        if (words)
            (*words)[*count] = spaces ? tokenizer_join(TOKENIZER_CHAR, pieces + i, end - i) : mem_strdup(pieces[i]);
        (*count)++;
    }
    return word_of;
}
