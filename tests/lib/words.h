/* words.h: counts words and learns BPE merges from sentences in memory. */
#ifndef TIDE_TESTS_WORDS_H
#define TIDE_TESTS_WORDS_H

#include "text/tokenizer.h"

/* Returns the counts of the words of n normalised sentences; release with words_free. */
static inline WordCounts words_of(TokenizerKind kind, char *const *sentences, int n) {
    WordCounts words = {0};
    for (int i = 0; i < n; i++) words_count(&words, kind, sentences[i]);
    return words;
}

/* Returns at most `merges` merges learned from n normalised sentences; release with bpe_free. */
static inline Bpe *merges_of(char *const *sentences, int n, int merges) {
    WordCounts words = words_of(TOKENIZER_BPE, sentences, n);
    Bpe *bpe = merges_learn(&words, 1, merges);
    words_free(&words);
    return bpe;
}

#endif
