#include "translate/candidates.h"
#include "core/exact.h"
#include "core/kernels.h"
#include "io/ds.h"

#include <math.h>

/* Inserts a word into best[], which has room for `count` words, sorted; the last one is dropped. On a tie the earlier
   one stays first. */
static void keep_best(WordCandidate *best, int count, WordCandidate word) {
    int at = count - 1;
    for (; at > 0 && word.probability > best[at - 1].probability; at--) best[at] = best[at - 1];
    best[at] = word;
}

double word_probability(double logit, double log_sum) {
    return exact_exp(fmax(logit - log_sum, -600)); /* exact_exp takes no numbers below -700 */
}

void words_best(const real *x, int V, double log_sum, const int *banned, int banned_count, int count,
                WordCandidate *best) {
    for (int k = 0; k < count; k++) best[k] = (WordCandidate){-1, -INFINITY};
    for (int id = -1; (id = kernels->next_above(V, x, id + 1, (real)best[count - 1].probability)) < V;) {
        bool allowed = true;
        for (int k = 0; k < banned_count && allowed; k++) allowed = banned[k] != id;
        if (allowed) keep_best(best, count, (WordCandidate){id, x[id]}); /* the logit takes the probability's place */
    }
    for (int k = 0; k < count; k++)
        best[k].probability = best[k].id < 0 ? 0 : word_probability(best[k].probability, log_sum);
}

void session_candidates(Session *session, const Translations *t, int i, const Hypothesis *h, const BeamOptions *options,
                        int count, WordCandidate *candidates) {
    Tape *tape = &session->tape;
    const int *source = t->source[i], length = (int)arrlen(source);
    session_begin(session);
    TapeMark mark = tape_mark(tape);
    const Batch pair = batch_fold(&tape->arena, &source, &length, &h->ids, &h->length, 1, NULL, options->bos);
    const Var *mean = session_logits(session, &pair, options->attention);
    for (int row = 0; row < h->length; row++) {
        const real *x = var_row_values(mean, row);
        words_best(x, mean->cols, logits_log_sum(mean->cols, x), options->banned, options->banned_count, count,
                   candidates + (ptrdiff_t)row * count);
    }
    tape_rewind(tape, mark);
}
