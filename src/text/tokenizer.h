/* tokenizer.h: from normalised text to pieces and back. Lossless: joining the pieces gives the text again.

   "▁" (U+2581) stands for a space. In the bpe tokeniser it leads the word that follows the space, and the
   first word of a sentence has one too; in the char tokeniser it is a piece of its own and there is none at
   the start. A literal ▁ or backslash in the text is escaped with a backslash (\_ and \\). A combining mark
   belongs to the character before it. Runs longer than 100 characters are cut there. A placeholder
   (placeholder.h) is a piece, never part of one: before it the space mark is a piece of its own in bpe too, so
   that the placeholder's piece is the same everywhere. The kind "none" neither marks nor escapes, and knows no
   placeholders. */
#ifndef TIDE_TOKENIZER_H
#define TIDE_TOKENIZER_H

#include "text/bpe.h"

#include <stdbool.h>

typedef enum {
    TOKENIZER_CHAR, /* a piece is a Han character, a run of letters, a run of digits or a single symbol */
    TOKENIZER_BPE,  /* words (letter runs, digit runs, apostrophe + letters, single symbols) split by merges */
    TOKENIZER_NONE  /* the text is already tokenised: pieces are what stands between spaces */
} TokenizerKind;
/* Their names, separated by '|', in this order. */
extern const char tokenizer_names[];

typedef struct Tokenizer {
    TokenizerKind kind;
    Bpe *bpe; /* owned; NULL unless TOKENIZER_BPE */
} Tokenizer;

/* Splits text (normalised) into pieces: a stb_ds array of strings, NULL if the text is empty; release with
   pieces_free. Only reads the tokeniser: threads may share one. */
char **tokenizer_split(const Tokenizer *tokenizer, const char *text);
/* The text that the pieces came from; owned by the caller. The inverse of tokenizer_split; takes any other
   pieces too, such as a model may write, and never gives doubled spaces or spaces at the ends (but for
   "none"). */
char *tokenizer_join(TokenizerKind kind, char *const *pieces, int n);
void pieces_free(char **pieces);

#define SPACE_MARK "▁"
bool piece_is_spaced(const char *piece); /* begins with the mark of a space */
/* The text of marked and escaped pieces that stand one behind the other; owned by the caller. A backslash that escapes
   nothing stands for itself. No space is at the start; with `single` none is at the end or beside another, as a model
   may write what no text was split into. */
char *pieces_unmark(const char *marked, bool single);

/* A walk over the words of a normalised text: what no merge crosses. Begin with words_start. */
typedef struct Words {
    TokenizerKind kind;
    const char *rest; /* of the text */
    char *word;       /* the word at hand, with space mark and escapes; owned, NULL before the first */
    bool whole;       /* it is a piece as it stands, and merges do not apply */
    size_t room;      /* bytes at word */
} Words;

Words words_start(TokenizerKind kind, const char *text);
bool words_next(Words *words); /* false at the end */
void words_end(Words *words);

/* Appends the pieces of a word to a stb_ds array; they are released as those of tokenizer_split. */
void tokenizer_split_word(const Tokenizer *tokenizer, const char *word, bool whole, char ***pieces);

typedef struct WordCount {
    char *key;
    long count;
    bool whole;
} WordCount;

/* Counts the words of a normalised sentence: adds to a stb_ds map, NULL at first; release with words_free. */
void words_count(WordCount **counts, TokenizerKind kind, const char *sentence);
void words_free(WordCount *counts);

/* Learns one list of merges, for a TOKENIZER_BPE, from the words of n texts. */
Bpe *merges_learn(WordCount *const *counts, int n, int merges);

#endif
