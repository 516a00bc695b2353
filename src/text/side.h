/* side.h: one language of a model, with its tokeniser and its vocabulary: converts text to ids and back. */
#ifndef TIDE_SIDE_H
#define TIDE_SIDE_H

#include "text/tokenizer.h"
#include "text/vocab.h"

enum { SOURCE, TARGET }; /* the two sides of a corpus and of a model */

typedef struct Side Side;
struct Side {
    Tokenizer tokenizer;
    Vocab *vocab;
    Side *subwords; /* owned; encodes the same text in BPE pieces, for the source factor of side_encode; NULL: no source
                       factor */
};

/* Learns a vocabulary of at most `size` pieces (0: no limit) and, for TOKENIZER_BPE, at most `merges` merges from words
   that words_count counted for `kind`. For TOKENIZER_BPE the vocabulary is open: it contains every character and the
   result of every merge that occurs in the words, characters first, so that only characters that do not occur are
   unknown (if `size` leaves room for all characters). Frees `words`. */
void side_learn(Side *side, TokenizerKind kind, WordCounts words, int merges, int size);
/* Learns two TOKENIZER_BPE sides: one list of merges from the words of both, and a vocabulary for each. Frees the
   words. */
void sides_learn_jointly(Side *const sides[2], WordCounts words[2], int merges, const int sizes[2]);
/* Adds a source factor to a side of characters: learns side->subwords with at most `merges` merges from words that
   words_count counted for TOKENIZER_BPE. Frees `words`. Returns what side_check_subwords returns. */
int side_learn_subwords(Side *side, WordCounts words, int merges, Err *err);
void side_free(Side *side);

/* The ids of a normalised sentence, then </s>: a stb_ds array that the caller owns. A space mark that is not in the
   vocabulary is omitted, so that a side that learned from Chinese without spaces also reads segmented Chinese. If the
   side has subwords, each id has a source factor: id = piece + n_pieces × subword; the subword is the one that contains
   the last character of the piece. */
int *side_encode(const Side *side, const char *sentence);
/* side_encode for many sentences: the cache keeps the pieces of each word, so that a word is split once. */
typedef struct SideCache SideCache;
SideCache *side_cache(const Side *side);
int *side_cache_encode(SideCache *cache, const char *sentence);
/* From here on, sentences end in this id, a tag of the vocabulary, and not in </s>. */
void side_cache_end(SideCache *cache, int id);
void side_cache_free(SideCache *cache);
/* side_encode for n sentences: an array of stb_ds arrays. Release with side_ids_free. */
int **side_encode_all(const Side *side, char *const *sentences, int n);
void side_ids_free(int **ids, int n);
/* The piece of an id, without the source factor. */
int side_piece(const Side *side, int id);
/* Checks that n_pieces × n_subwords fits into an int. Returns 0, or -1 with *err filled. */
int side_check_subwords(const Side *side, const char *path, Err *err);
/* Checks that each of n sentences, the lines of `path`, has at most `most` pieces. Returns 0, or -1 with *err
   filled. */
int side_check_lengths(const Side *side, char *const *sentences, int n, int most, const char *path, Err *err);
/* The fraction of pieces that are <unk> in the first 1000 of n sentences; 0 if there are no pieces. */
double side_unknown(const Side *side, char *const *sentences, int n);
/* Appends the pieces of a word from words_next to the stb_ds array *pieces; release them with strings_free. */
void side_split_word(const Side *side, const Words *words, char ***pieces);
/* Splits a normalised sentence into the pieces that side_encode looks up, with all space marks. With TOKENIZER_BPE, a
   piece that is not in the vocabulary is split into the two pieces of its merge, until the parts are in the vocabulary
   or are characters. The result is a stb_ds array; release with strings_free. */
char **side_split(const Side *side, const char *sentence);
/* The text of the piece of each id that side_encode returns, </s> last; an unknown piece is written as in the sentence.
   An omitted space mark is put before the next piece. Returns a stb_ds array; release with strings_free. */
char **side_spell(const Side *side, const char *sentence);
/* The id of a piece; -1 with *err's reason filled if the vocabulary lacks it. */
int side_piece_id(const Side *side, const char *piece, Err *err);
/* The ids of the pieces of a sentence as a model wrote them, which may have <unk>: a stb_ds array that ends in </s>,
   even if the pieces do not. Returns NULL, with the reason in *err, if the vocabulary lacks a piece or if pieces follow
   </s>. */
int *side_piece_ids(const Side *side, char *const *pieces, int n, Err *err);
/* The text of n ids without source factor; specials other than <unk> are omitted. The caller owns the text. */
char *side_decode(const Side *side, const int *ids, int n);
/* The pieces of n ids without source factor, specials included: a stb_ds array of strings that the vocabulary owns. */
char **side_pieces(const Side *side, const int *ids, int n);

#endif
