/* tokenizer.h: splits normalised text into pieces, and joins pieces to text. Lossless: joining the pieces of a text
   gives the text.

   "▁" (U+2581) is the space mark. In the bpe tokeniser it is the start of a word that follows a space, and of the first
   word of a sentence; in the char tokeniser it is a piece by itself, and there is none at the start of a sentence. A
   backslash escapes a ▁ or a backslash of the text (\_ and \\). A combining mark belongs to the character before it. A
   run of letters or digits is split after 100 characters. A placeholder (placeholder.h) is always one piece; before it,
   the space mark is a piece by itself in the bpe tokeniser too, so that the piece of the placeholder is the same
   everywhere. The kind "none" has no space marks, no escapes and no placeholders. */
#ifndef TIDE_TOKENIZER_H
#define TIDE_TOKENIZER_H

#include "io/string_table.h"
#include "text/bpe.h"

#include <stdbool.h>

typedef enum {
    TOKENIZER_CHAR, /* a piece is a Han character, a run of letters, a run of digits or a single symbol */
    TOKENIZER_BPE,  /* a word (run of letters, run of digits, apostrophe + letters, single symbol) is split by merges */
    TOKENIZER_NONE, /* the text is already tokenised: a piece is the text between two spaces */
    TOKENIZER_UNSET /* has no name: none is chosen yet */
} TokenizerKind;
/* The names of the kinds, separated by '|', in the order of the enum. */
extern const char tokenizer_names[];
/* The usual kind for a language: TOKENIZER_CHAR for Chinese, TOKENIZER_BPE for others. Japanese is one of these,
   because TOKENIZER_CHAR does not divide kana. */
TokenizerKind tokenizer_usual(const char *language);

typedef struct Tokenizer {
    TokenizerKind kind;
    Bpe *bpe; /* owned; NULL unless TOKENIZER_BPE */
} Tokenizer;

/* Splits normalised text into pieces: a stb_ds array of strings, NULL for empty text; release with strings_free. Only
   reads the tokeniser: threads may share it. */
char **tokenizer_split(const Tokenizer *tokenizer, const char *text);
/* The inverse of tokenizer_split: joins n pieces to a text, which the caller owns. Also accepts pieces that are not
   from tokenizer_split, such as the output of a model; even then the text has no double spaces and no spaces at its
   ends (except for "none"). */
char *tokenizer_join(TokenizerKind kind, char *const *pieces, int n);

#define SPACE_MARK "▁"
bool piece_is_spaced(const char *piece); /* starts with a space mark */
/* Converts concatenated pieces to text: space marks become spaces, and escapes are removed. The caller owns the text. A
   backslash that escapes nothing stays. The text does not start with a space; with `single`, it does not end with one
   either and has no double spaces (the output of a model may have such). */
char *pieces_unmark(const char *marked, bool single);

/* Groups n pieces into words. Returns the word number (from 0) of each piece: [n], owned by the caller. A word
   begins at a piece with a space mark; if no piece has one, each piece is a word. </s> is always a word. *count
   receives the number of words. Unless `words` is NULL, *words receives their texts: [count], array and strings
   owned by the caller. */
int *pieces_words(char *const *pieces, int n, int *count, char ***words);

/* Iterates over the words of a normalised text; no merge crosses the end of a word. Start with words_start. */
typedef struct Words {
    TokenizerKind kind;
    const char *rest; /* the rest of the text */
    char *word;       /* the current word with space mark and escapes; owned, NULL before the first */
    bool whole;       /* the word is one piece: merges do not apply */
    size_t room;      /* bytes allocated at word */
} Words;

Words words_start(TokenizerKind kind, const char *text);
bool words_next(Words *words); /* goes to the next word; false at the end */
void words_end(Words *words);

/* Appends the pieces of a word from words_next to the stb_ds array *pieces; release them with strings_free. */
void tokenizer_split_word(const Tokenizer *tokenizer, const char *word, bool whole, char ***pieces);

typedef struct WordCount {
    long count;
    bool whole;
} WordCount;

/* Words and their counts; empty if all zeros. */
typedef struct WordCounts {
    StringTable words;
    WordCount *counts; /* stb_ds array: of each word */
} WordCounts;

/* Adds the words of a normalised sentence; release with words_free. */
void words_count(WordCounts *counts, TokenizerKind kind, const char *sentence);
void words_free(WordCounts *counts);

/* Learns one list of at most `merges` merges from the words of n counts. The caller owns the result. */
Bpe *merges_learn(const WordCounts *counts, int n, int merges);

#endif
