/* side.h: one language of a model: its tokeniser and its vocabulary; text to ids and back. */
#ifndef TIDE_SIDE_H
#define TIDE_SIDE_H

#include "text/tokenizer.h"
#include "text/vocab.h"

typedef struct Side Side;
struct Side {
    Tokenizer tokenizer;
    Vocab *vocab;
    Side *subwords; /* the same text in larger pieces, for side_encode to tell of; NULL: none. Owned */
};

/* Learns merges (bpe only) and a vocabulary of at most `size` pieces (0: all) from words counted for that kind. Takes
   the counts over. */
void side_learn(Side *side, TokenizerKind kind, WordCount *words, int merges, int size);
/* Learns both sides (bpe): one list of merges from all their words, a vocabulary for each. Takes the counts over. */
void sides_learn_jointly(Side *const sides[2], WordCount *const words[2], int merges, const int sizes[2]);
/* Has a side that was learned by character tell of larger pieces, too: what so many merges make of words counted for
   TOKENIZER_BPE. Takes the counts over. Returns as side_check_subwords does. */
int side_learn_subwords(Side *side, WordCount *words, int merges, Err *err);
void side_free(Side *side);

/* The ids of a normalised sentence, </s> last: a stb_ds array. A space mark that the vocabulary does not have is left
   out: who learned from Chinese without spaces reads segmented Chinese as if it had none. Where the side has
   larger pieces, an id tells a piece and the larger one that it ends in: piece + n larger, for a vocabulary of n. */
int *side_encode(const Side *side, const char *sentence);
/* The same of many sentences, each word of which is split once: what it came to is remembered. */
typedef struct SideCache SideCache;
SideCache *side_cache(const Side *side);
int *side_cache_encode(SideCache *cache, const char *sentence);
void side_cache_free(SideCache *cache);
/* The same of n sentences at once: an array to be released with mem_free, as its stb_ds arrays with arrfree. */
int **side_encode_all(const Side *side, char *const *sentences, int n);
/* Releases them. */
void side_ids_free(int **ids, int n);
/* The piece that an id tells. */
int side_piece(const Side *side, int id);
/* Whether pieces and larger ones are so few that ids can tell them apart; else -1 with *err filled. */
int side_check_subwords(const Side *side, const char *path, Err *err);
/* Checks that none of n sentences, the lines of `path`, has more than `most` pieces; else -1 with *err filled. */
int side_check_lengths(const Side *side, char *const *sentences, int n, int most, const char *path, Err *err);
/* The share of pieces that the vocabulary does not have, in the first thousand of n sentences. */
double side_unknown(const Side *side, char *const *sentences, int n);
/* The pieces that those ids stand for, </s> last, as they are in the sentence, known or not; a space mark that was left
   out stands before the piece behind it. A stb_ds array; release with pieces_free. */
char **side_spell(const Side *side, const char *sentence);
/* The text of n ids; specials other than <unk> are left out. Owned by the caller. */
char *side_decode(const Side *side, const int *ids, int n);
/* The pieces of n ids, specials included, as the vocabulary has them: a stb_ds array of the vocabulary's strings. */
char **side_pieces(const Side *side, const int *ids, int n);

#endif
