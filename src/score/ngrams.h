/* ngrams.h: counts the n-grams of a hypothesis that match its reference. */
#ifndef TIDE_NGRAMS_H
#define TIDE_NGRAMS_H

/* Returns the number of n-grams of an order in a sequence of this length. */
long ngrams_count(long length, int order);

/* Adds to matches[n - 1], for n from 1 to `orders`, the number of n-grams of the hypothesis that match an n-gram of the
   reference. An n-gram of the reference matches at most once (clipping). The sequences are stb_ds arrays of the ids of
   tokens or of characters. */
void ngrams_match(const int *hypothesis, const int *reference, int orders, long *matches);

#endif
