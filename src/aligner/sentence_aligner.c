#include "aligner/sentence_aligner.h"

#include "aligner/bead_scores.h"
#include "io/ds.h"

enum { LENGTH_PASSES = 3, WORD_PASSES = 8, PASSES = LENGTH_PASSES + WORD_PASSES + 1 };

/* The state between passes. */
typedef struct Passes {
    BeadScores *scores;
    Band band;
    double *alpha; /* [cells] */
    float *score;  /* [cells, BEADS]; in the last pass, receives the posteriors */
} Passes;

static double stored_score(const void *context, int bead, int i, int j) {
    const Passes *w = context;
    return w->score[band_cell(&w->band, i, j) * BEADS + (size_t)bead];
}

/* Keeps the posterior of a bead in the place of its score, which is not needed any more. */
static void keep_posterior(void *context, int bead, int i, int j, double posterior) {
    Passes *w = context;
    w->score[band_cell(&w->band, i, j) * BEADS + (size_t)bead] = (float)posterior;
}

/* Computes alpha of the band, by words also the scores. */
static void forward(Passes *w, bool by_words, Threads *threads) {
    const size_t cells = band_cells(&w->band);
    w->alpha = mem_realloc(w->alpha, cells * sizeof *w->alpha);
    if (by_words) {
        w->score = mem_realloc(w->score, cells * BEADS * sizeof *w->score);
        bead_scores_words(w->scores, &w->band, threads, w->score);
        beads_forward(&w->band, stored_score, w, w->alpha);
    } else beads_forward(&w->band, bead_score_lengths, w->scores, w->alpha);
}

/* One pass over the band: from lengths only, or also from words. Leaves the estimates and the band for the next pass.
 */
static void pass(Passes *w, bool by_words, bool next_by_words, Threads *threads) {
    Band next;
    BeadFn *count = by_words ? bead_scores_count_words : bead_scores_count_first_words;
    forward(w, by_words, threads);
    beads_backward(&w->band, by_words ? stored_score : bead_score_lengths, by_words ? (const void *)w : w->scores,
                   w->alpha, next_by_words ? count : bead_scores_count, w->scores,
                   next_by_words ? MOST_WORD_CELLS : MOST_LENGTH_CELLS, &next);
    band_free(&w->band);
    w->band = next;
    bead_scores_estimate(w->scores, next_by_words);
}

/* The last pass: the beads whose posteriors have the largest sum. */
static Bead *choose_beads(Passes *w, Threads *threads, double threshold) {
    forward(w, true, threads);
    beads_backward(&w->band, stored_score, w, w->alpha, keep_posterior, w, 0, NULL);
    return beads_best(&w->band, w->score, w->alpha, threshold);
}

Bead *sentences_align(const SentenceAligner *aligner, char *const *const text[2], const int n[2], Err *err) {
    Passes w = {.scores = bead_scores_new(text, n, aligner->units, aligner->prior)};
    const double *const lengths[] = {bead_scores_length(w.scores, 0), bead_scores_length(w.scores, 1)};
    Bead *beads = NULL;
    int status = 0;
    w.band = band_new(n, lengths, MOST_LENGTH_CELLS);
    for (int k = 0; k < PASSES - 1 && !status; k++) {
        pass(&w, k >= LENGTH_PASSES, k + 1 >= LENGTH_PASSES, aligner->threads);
        if (aligner->progress && aligner->progress(aligner->context, k + 1, PASSES))
            status = err_set(err, NULL, 0, "stopped after pass %d of %d", k + 1, PASSES);
    }
    if (!status) beads = choose_beads(&w, aligner->threads, aligner->threshold);
    bead_scores_free(w.scores);
    band_free(&w.band);
    mem_free(w.alpha);
    mem_free(w.score);
    return beads;
}
