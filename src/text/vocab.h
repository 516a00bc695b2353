/* vocab.h: pieces <-> ids. The specials <pad> <unk> <s> </s> have the ids 0 to 3. */
#ifndef TIDE_VOCAB_H
#define TIDE_VOCAB_H

#include "core/base.h"

#include <stdbool.h>

enum { ID_PAD = 0, ID_UNK = 1, ID_BOS = 2, ID_EOS = 3, ID_SPECIALS = 4 };

typedef struct Vocab Vocab;

/* The `size` most frequent pieces, specials included (at least ID_SPECIALS; 0: all); ties in byte order.
   counts[i] belongs to pieces[i], which are distinct. Pieces that look like a special are left out. The
   caller owns the result. */
Vocab *vocab_build(char *const *pieces, const long *counts, int n, int size);
/* From its text form, a piece a line in order of id, specials included. NULL with *err filled if broken
   (specials missing, an empty line, a piece twice, not UTF-8). */
Vocab *vocab_parse(const char *text, const char *path, Err *err);
char *vocab_format(const Vocab *vocab);
void vocab_free(Vocab *vocab);

int vocab_size(const Vocab *vocab);
/* ID_UNK for an unknown piece, and for one that looks like a special: text never means a special. */
int vocab_id(const Vocab *vocab, const char *piece);
const char *vocab_piece(const Vocab *vocab, int id); /* owned by the vocabulary */

bool piece_is_end(const char *piece); /* </s> */
/* How many of n pieces are text: all but </s>, which may be the last. */
int pieces_text_count(char *const *pieces, int n);

#endif
