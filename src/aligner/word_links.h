/* word_links.h: from the link probabilities of tokens to links of words or of tokens. */
#ifndef TIDE_WORD_LINKS_H
#define TIDE_WORD_LINKS_H

#include "aligner/aligner.h"
#include "aligner/links.h"

typedef struct LinkOptions {
    Symmetrization kind;
    double threshold; /* of the soft kinds */
} LinkOptions;

/* The links of tokens, counted from 0: a stb_ds array in order of target, then source. The kinds of links_symmetrize
   link each token to its most probable counterpart, unless the null unit is more probable. */
Link *token_links(const PairAlignment *alignment, LinkOptions options);
/* The links of words, as token_links. Words are those of Token. The weight of a word in a distribution is the sum over
   its tokens; the distribution of a word is the mean over its tokens. */
Link *word_links(const PairAlignment *alignment, LinkOptions options);

#endif
