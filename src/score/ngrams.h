/* ngrams.h: the n-grams that a hypothesis shares with its reference. */
#ifndef TIDE_NGRAMS_H
#define TIDE_NGRAMS_H

/* How many n-grams of an order a sequence of this length has. */
long ngrams_count(long length, int order);

/* Adds to matches[n - 1], for n from 1 to `orders`, how many n-grams of the hypothesis are the reference's; each of the
   reference's is matched once at most, which is what clipping means. The sequences, of words or of characters as
   numbers, are stb_ds arrays. */
void ngrams_match(const int *hypothesis, const int *reference, int orders, long *matches);

#endif
