/* bleu.h: corpus BLEU (Papineni et al. 2002) as sacreBLEU computes it: exponential smoothing, and the tokenisation 13a
   or zh. */
#ifndef TIDE_BLEU_H
#define TIDE_BLEU_H

#include "score/segment.h"

#include <stdbool.h>

typedef struct Bleu {
    double score;        /* 0..100 */
    double precision[4]; /* of n-grams of 1 to 4 tokens, smoothed, in per cent */
    double brevity_penalty;
    long correct[4], total[4];                /* by order, n-grams of the hypotheses: those that match; all of them */
    long hypothesis_length, reference_length; /* in tokens */
} Bleu;

/* All false: the default of sacreBLEU. */
typedef struct BleuOptions {
    bool lowercase; /* ignore case */
    bool chinese;   /* tokenisation zh instead of 13a: every Chinese character is a token */
} BleuOptions;

/* Returns the BLEU of n hypotheses; hypothesis i has one reference, references[i]. */
Bleu bleu_corpus(char *const *hypotheses, char *const *references, int n, BleuOptions options);
/* The same for one or more references of each hypothesis. The length of the reference whose length is closest counts,
   of two the shorter one. */
Bleu bleu_references(char *const *hypotheses, References references, int n, BleuOptions options);

/* The counts of each hypothesis, [n], owned by the caller; *all, if it is not NULL, receives the BLEU of all of them.
 */
Bleu *bleu_sentences(char *const *hypotheses, References references, int n, BleuOptions options, Bleu *all);
/* Adds the counts of one or more hypotheses to *sum. */
void bleu_add(Bleu *sum, const Bleu *counts);
/* Computes precisions, brevity penalty and score from the counts, and returns the score. */
double bleu_compute(Bleu *bleu);

/* Writes the result to buffer, which has `size` bytes, in the format of sacreBLEU: "BLEU = 27.90 82.4/41.4/19.6/9.2 (BP
   = 0.996 ratio = 0.996 hyp_len = 10520 ref_len = 10566)". */
void bleu_format(const Bleu *bleu, char *buffer, int size);
/* The same without "BLEU = 27.90 ". */
void bleu_details(const Bleu *bleu, char *buffer, int size);

/* Return the tokens of a line by the tokenisation 13a or zh of sacreBLEU, separated by single spaces. The caller owns
   the string. */
char *tokenize_13a(const char *line);
char *tokenize_zh(const char *line);

#endif
