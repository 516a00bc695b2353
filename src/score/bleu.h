/* bleu.h: corpus BLEU (Papineni et al. 2002) as sacreBLEU computes it: exponential smoothing, and 13a tokenisation or
   that for Chinese. */
#ifndef TIDE_BLEU_H
#define TIDE_BLEU_H

#include <stdbool.h>

typedef struct Bleu {
    double score;        /* 0..100 */
    double precision[4]; /* per cent */
    double brevity_penalty;
    long correct[4], total[4];
    long hypothesis_length, reference_length; /* in tokens */
} Bleu;

/* All false: as sacreBLEU does by itself. */
typedef struct BleuOptions {
    bool lowercase; /* compare without case */
    bool chinese;   /* its `zh` tokens instead of `13a`: every Chinese character is one */
} BleuOptions;

/* BLEU of n hypotheses against one reference each. */
Bleu bleu_corpus(char *const *hypotheses, char *const *references, int n, BleuOptions options);

/* "BLEU = 27.90 82.4/41.4/19.6/9.2 (BP = 0.996 ratio = 0.996 hyp_len = 10520 ref_len = 10566)", as sacreBLEU
   prints it, into buffer. */
void bleu_format(const Bleu *bleu, char *buffer, int size);

/* The 13a tokens of a line, separated by single spaces; owned by the caller. */
char *tokenize_13a(const char *line);
/* Its tokens as sacreBLEU's `zh` has them. */
char *tokenize_zh(const char *line);

#endif
