/* tokenizer.h: from normalised text to pieces and back. Lossless: joining the pieces gives the text again.

   "▁" (U+2581) stands for a space. In the bpe tokeniser it leads the word that follows the space, and the first
   word of a sentence has one too; in the char tokeniser it is a piece of its own and there is none at the start.
   A literal ▁ or backslash in the text is escaped with a backslash (\_ and \\). */
#ifndef TIDE_TOKENIZER_H
#define TIDE_TOKENIZER_H

#include "text/bpe.h"

typedef enum {
    TOKENIZER_CHAR, /* each Han character a piece; runs of letters or digits one piece; all else by character */
    TOKENIZER_BPE,  /* words (letter runs, digit runs, apostrophe + letters, single symbols) split by merges */
    TOKENIZER_NONE  /* the text is already tokenised: pieces are what stands between spaces */
} TokenizerKind;

typedef struct Tokenizer {
    TokenizerKind kind;
    Bpe *bpe; /* owned; NULL unless TOKENIZER_BPE */
} Tokenizer;

/* "char", "bpe", "none" and back; tokenizer_kind returns -1 for any other name. */
int tokenizer_kind(const char *name);
const char *tokenizer_name(TokenizerKind kind);

/* Splits text (normalised) into pieces: a stb_ds array of strings; release with pieces_free. */
char **tokenizer_split(const Tokenizer *tokenizer, const char *text);
/* The text that the pieces came from; owned by the caller. The inverse of tokenizer_split. */
char *tokenizer_join(TokenizerKind kind, char *const *pieces, int n);
void pieces_free(char **pieces);

/* Learns the merges for a TOKENIZER_BPE from n normalised sentences. */
Bpe *tokenizer_learn(char *const *sentences, int n, int merges);

#endif
