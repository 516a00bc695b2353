/* bpe.h: byte pair encoding on characters (Sennrich, Haddow & Birch 2016), merges within words only. */
#ifndef TIDE_BPE_H
#define TIDE_BPE_H

#include "core/base.h"

typedef struct Bpe Bpe; /* an ordered list of merges, with an index from pair to rank */

/* Learns at most `merges` merges from n words with their counts: again and again the pair of
   adjacent pieces that is most frequent becomes one piece (ties: the pair whose text comes first in byte
   order), until no pair occurs twice. Pair counts are kept incrementally. The caller owns the result. */
Bpe *bpe_learn(char *const *words, const long *counts, int n, int merges);

/* From its text form: a merge a line, two pieces with a space between. NULL with *err filled if a line is not
   that, is not UTF-8 or repeats a merge. */
Bpe *bpe_parse(const char *text, const char *path, Err *err);
/* The text form; owned by the caller. */
char *bpe_format(const Bpe *bpe);
int bpe_merges(const Bpe *bpe);
/* Owned by the caller, too. */
Bpe *bpe_copy(const Bpe *bpe);
void bpe_free(Bpe *bpe);

/* Splits a word (UTF-8) into pieces and appends them (mem_strdup'ed) to the stb_ds array *pieces: as long as
   two neighbours can be merged, the earliest learned merge is done wherever it applies. Takes time quadratic
   in the length of the word, which the tokeniser bounds. Only reads the Bpe: threads may share one. */
void bpe_apply(const Bpe *bpe, const char *word, char ***pieces);

#endif
