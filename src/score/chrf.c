#include "score/chrf.h"

#include <stdio.h>

#include "core/base.h"
#include "text/ds.h"
#include "score/ngrams.h"
#include "score/segment.h"

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

/* Adds the n-grams of one hypothesis and its reference. If the reference has no n-grams of an order, the n-grams of the
   hypothesis of this order do not count. */
static void count_pair(Chrf *chrf, const int *hypothesis, const int *reference) {
    ngrams_match(hypothesis, reference, CHRF_ORDERS, chrf->matches);
    for (int n = 0; n < CHRF_ORDERS; n++) {
        long in_reference = ngrams_count(arrlen(reference), n + 1);
        chrf->reference[n] += in_reference;
        if (in_reference) chrf->hypothesis[n] += ngrams_count(arrlen(hypothesis), n + 1);
    }
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

Chrf chrf_corpus(char *const *hypotheses, char *const *references, int n, int lowercase) {
    Chrf chrf = {0};
    for (int i = 0; i < n; i++) {
        int *hypothesis = characters(hypotheses[i], lowercase), *reference = characters(references[i], lowercase);
        count_pair(&chrf, hypothesis, reference);
        arrfree(hypothesis);
        arrfree(reference);
    }
    chrf.score = 100 * f_score(&chrf);
    return chrf;
}

void chrf_format(const Chrf *chrf, char *buffer, int size) {
    snprintf(buffer, (size_t)size, "chrF2 = %.2f", chrf->score);
}
