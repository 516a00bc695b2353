/* bpe.h: byte pair encoding on characters (Sennrich, Haddow & Birch 2016). No merge crosses the end of a word. */
#ifndef TIDE_BPE_H
#define TIDE_BPE_H

#include "core/base.h"

#include <stdbool.h>

typedef struct Bpe Bpe; /* the list of merges; the rank of a merge is its position in it */

/* Learns at most `merges` merges from n words with their counts. Repeats: merge the most frequent pair of adjacent
   pieces into one piece (ties: first in byte order), until no pair occurs more than once. Pair counts are updated
   incrementally. The caller owns the result. */
Bpe *bpe_learn(char *const *words, const long *counts, int n, int merges);

/* Parses the text form: one merge per line, two pieces with one space between them. `path` is for errors. The caller
   owns the result. NULL with *err filled if a line has another form, is not valid UTF-8 or repeats a merge. */
Bpe *bpe_parse(const char *text, const char *path, Err *err);
/* The text form. The caller owns it. */
char *bpe_format(const Bpe *bpe);
int bpe_merges(const Bpe *bpe);
/* A copy that the caller owns. */
Bpe *bpe_copy(const Bpe *bpe);
void bpe_free(Bpe *bpe);

/* Splits a word (valid UTF-8) into pieces: while adjacent pieces can be merged, applies the merge of lowest rank at
   every place in the word. Appends the pieces (mem_strdup) to the stb_ds array *pieces. Time is quadratic in the length
   of the word; the tokeniser limits that length. Only reads *bpe: threads may share it. */
void bpe_apply(const Bpe *bpe, const char *word, char ***pieces);
/* Appends the characters of a word and the result of each merge that bpe_apply applies to it (mem_strdup). */
void bpe_steps(const Bpe *bpe, const char *word, char ***pieces);
/* Undoes the merge of lowest rank that makes the piece: parts receives its two pieces, which *bpe owns. False if no
   merge makes the piece. */
bool bpe_undo(const Bpe *bpe, const char *piece, const char *parts[2]);

#endif
