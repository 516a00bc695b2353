#include "score/chrf.h"

#include <stdio.h>

#include "core/base.h"
#include "io/ds.h"
#include "score/ngrams.h"

/* Returns the characters of a line that are not white space, a stb_ds array. */
static int *characters(const char *line, int lowercase) {
    char *text = segment_copy(line, lowercase);
    int *points = NULL;
    size_t length;
    for (const char *at = text; *at; at += length) {
        int32_t c = segment_char(at, &length);
        if (!segment_space(c)) arrput(points, c);
    }
    mem_free(text);
    return points;
}

/* Returns the n-grams of one hypothesis and its reference. If the reference has no n-grams of an order, the n-grams of
   the hypothesis of this order do not count. */
static Chrf count_pair(const int *hypothesis, int *reference) {
    Chrf chrf = {0};
    ngrams_match(hypothesis, &reference, 1, CHRF_ORDERS, chrf.matches);
    for (int n = 0; n < CHRF_ORDERS; n++) {
        chrf.reference[n] = ngrams_count(arrlen(reference), n + 1);
        if (chrf.reference[n]) chrf.hypothesis[n] = ngrams_count(arrlen(hypothesis), n + 1);
    }
    return chrf;
}

/* F_β = (1 + β²) P R / (β² P + R), β = 2. P and R are means over the orders in which both hypotheses and references
   have n-grams. */
static double f_score(const Chrf *chrf) {
    double precision = 0, recall = 0, beta_squared = 4;
    int orders = 0;
    for (int n = 0; n < CHRF_ORDERS; n++) {
        if (!chrf->hypothesis[n] || !chrf->reference[n]) continue;
        precision += (double)chrf->matches[n] / (double)chrf->hypothesis[n];
        recall += (double)chrf->matches[n] / (double)chrf->reference[n];
        orders++;
    }
    if (precision == 0) return 0; /* no match: recall is 0, too */
    precision /= orders;
    recall /= orders;
    return (1 + beta_squared) * precision * recall / (beta_squared * precision + recall);
}

/* The n-grams of hypothesis i and of its reference with the best score, the first of those. */
static Chrf count_sentence(char *const *hypotheses, References references, int i, int lowercase) {
    Chrf best = {.score = -1};
    int *hypothesis = characters(hypotheses[i], lowercase);
    for (int r = 0; r < references.count; r++) {
        int *reference = characters(references.sets[r][i], lowercase);
        Chrf chrf = count_pair(hypothesis, reference);
        chrf.score = f_score(&chrf);
        if (chrf.score > best.score) best = chrf;
        arrfree(reference);
    }
    arrfree(hypothesis);
    return best;
}

Chrf chrf_references(char *const *hypotheses, References references, int n, int lowercase) {
    Chrf chrf = {0};
    for (int i = 0; i < n; i++) {
        const Chrf one = count_sentence(hypotheses, references, i, lowercase);
        for (int order = 0; order < CHRF_ORDERS; order++) {
            chrf.matches[order] += one.matches[order];
            chrf.hypothesis[order] += one.hypothesis[order];
            chrf.reference[order] += one.reference[order];
        }
    }
    chrf.score = 100 * f_score(&chrf);
    return chrf;
}

Chrf chrf_corpus(char *const *hypotheses, char *const *references, int n, int lowercase) {
    return chrf_references(hypotheses, (References){&references, 1}, n, lowercase);
}

void chrf_format(const Chrf *chrf, char *buffer, int size) {
    snprintf(buffer, (size_t)size, "chrF2 = %.2f", chrf->score);
}
