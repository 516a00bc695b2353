/* side.h: one language of a model: its tokeniser and its vocabulary; text to ids and back. */
#ifndef TIDE_SIDE_H
#define TIDE_SIDE_H

#include "text/tokenizer.h"
#include "text/vocab.h"

typedef struct Side {
    Tokenizer tokenizer;
    Vocab *vocab;
} Side;

/* Learns merges (bpe only) and a vocabulary of at most `size` pieces (0: all) from n normalised sentences. */
void side_learn(Side *side, TokenizerKind kind, char *const *sentences, int n, int merges, int size);
/* Learns both sides (bpe) of a corpus of n pairs: one list of merges from all its text, a vocabulary for each. */
void sides_learn_jointly(Side *const sides[2], char *const *const sentences[2], int n, int merges, const int sizes[2]);
void side_free(Side *side);

/* The ids of a normalised sentence, </s> last: a stb_ds array. A space mark that the vocabulary does not have is left
   out: who learned from Chinese without spaces reads segmented Chinese as if it had none. */
int *side_encode(const Side *side, const char *sentence);
/* The same of n sentences, in one pass that splits each word once: an array to be released with mem_free, as its
   stb_ds arrays with arrfree. */
int **side_encode_all(const Side *side, char *const *sentences, int n);
/* The pieces that those ids stand for, </s> last, as they are in the sentence, known or not; a space mark that was left
   out stands before the piece behind it. A stb_ds array; release with pieces_free. */
char **side_spell(const Side *side, const char *sentence);
/* The text of n ids; specials other than <unk> are left out. Owned by the caller. */
char *side_decode(const Side *side, const int *ids, int n);
/* The pieces of n ids, specials included, as the vocabulary has them: a stb_ds array of the vocabulary's strings. */
char **side_pieces(const Side *side, const int *ids, int n);

#endif
