#include "train/reached.h"

#include <math.h>
#include <stdio.h>

/* BLEU of the better of tiny and small on the last 500 sentences of Tatoeba's dev set: docs/guide.md, "The size of the
   corpus". */
static const struct {
    long pairs;
    double bleu;
} measured[] = {{1000, 2.9}, {3000, 10.3}, {10000, 21.3}, {20000, 27.6}, {37623, 32.6}};
enum { MEASURED = sizeof measured / sizeof *measured };

/* A straight line between two measurements, by the logarithm of the size. */
static double bleu_of(long pairs) {
    int k = 1;
    while (k < MEASURED - 1 && measured[k].pairs < pairs) k++;
    const double from = log((double)measured[k - 1].pairs), to = log((double)measured[k].pairs);
    const double part = (log((double)pairs) - from) / (to - from);
    return measured[k - 1].bleu + part * (measured[k].bleu - measured[k - 1].bleu);
}

void reached_describe(char *text, size_t size, long pairs) {
    const long least = measured[0].pairs, most = measured[MEASURED - 1].pairs;
    const char *than = pairs < least ? "less than " : pairs > most ? "more than " : "about ";
    const double bleu = bleu_of(pairs < least ? least : pairs > most ? most : pairs);
    char more[64] = "";
    if (pairs < most) {
        const long next = pairs < least ? 3 * least : pairs < most / 3 ? 3 * pairs : most;
        snprintf(more, sizeof more, ", %ld about %.0f", next, bleu_of(next));
    }
    snprintf(
        text, size,
        "for comparison: %ld pairs of everyday sentences (Tatoeba) reach a BLEU of %s%.0f%s; text with fewer words "
        "reaches more. %s: docs/guide.md",
        pairs, than, bleu, more,
        pairs < most ? "More pairs help most" : "A longer training and English text without translations help");
}
