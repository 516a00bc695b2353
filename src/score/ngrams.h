/* ngrams.h: counts the n-grams of a hypothesis that match its reference. */
#ifndef TIDE_NGRAMS_H
#define TIDE_NGRAMS_H

/* Returns the number of n-grams of an order in a sequence of this length. */
long ngrams_count(long length, int order);

/* Adds to matches[n - 1], for n from 1 to `orders`, the number of n-grams of the hypothesis that match an n-gram of the
   references, [count]. An n-gram matches at most as often as the reference that has it most often (clipping). The
   sequences are stb_ds arrays of the ids of tokens or of characters. */
void ngrams_match(const int *hypothesis, int *const *references, int count, int orders, long *matches);

#endif
