/* vocab.h: converts pieces to ids and back. The specials <pad> <unk> <s> </s> have the ids 0 to 3. */
#ifndef TIDE_VOCAB_H
#define TIDE_VOCAB_H

#include "core/base.h"

#include <stdbool.h>

enum { ID_PAD = 0, ID_UNK = 1, ID_BOS = 2, ID_EOS = 3, ID_SPECIALS = 4 };

typedef struct Vocab Vocab;

/* Builds a vocabulary of the specials and the most frequent pieces, at most `size` in all (at least ID_SPECIALS; 0: no
   limit); ties in byte order. With `characters`, pieces of one character come before all others. pieces[i] are distinct
   and have the counts counts[i]. A piece with the text of a special is omitted. The caller owns the result. */
Vocab *vocab_build(char *const *pieces, const long *counts, int n, int size, bool characters);
/* Parses the text form: one piece per line in the order of ids, specials included. `path` is for errors. The caller
   owns the result. NULL with *err filled if specials are missing, a line is empty or not valid UTF-8, or a piece is
   repeated. */
Vocab *vocab_parse(const char *text, const char *path, Err *err);
char *vocab_format(const Vocab *vocab);

/* A tag tells a model from which training set a sentence comes (Caswell et al. 2019): it is an id for the end of a
   source sentence, in the place of </s>, and no text gives it, because its entry begins with a space. vocab_add_tag
   adds it, unless it is there; vocab_tag returns its id, -1 if there is none. */
void vocab_add_tag(Vocab *vocab, const char *name);
int vocab_tag(const Vocab *vocab, const char *name);
/* The names of all tags: a stb_ds array, NULL if there are none; the names are owned by the vocabulary. */
const char **vocab_tags(const Vocab *vocab);
/* Checks the name of a tag: 1 to 100 bytes of valid UTF-8 without white space. Returns 0, or -1 with *err filled. */
int tag_check(const char *name, Err *err);
void vocab_free(Vocab *vocab);

int vocab_size(const Vocab *vocab);
/* The id of a piece; ID_UNK for an unknown piece and for one with the text of a special, so that text never gives a
   special. */
int vocab_id(const Vocab *vocab, const char *piece);
bool vocab_has(const Vocab *vocab, const char *piece); /* whether vocab_id gives another id than ID_UNK */
const char *vocab_piece(const Vocab *vocab, int id);   /* owned by the vocabulary */

bool piece_is_end(const char *piece); /* </s> */
/* The number of pieces that are text: n, or n - 1 if the last piece is </s>. */
int pieces_text_count(char *const *pieces, int n);

#endif
