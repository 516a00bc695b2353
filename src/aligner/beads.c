#include "aligner/beads.h"

#include "core/exact.h"
#include "io/ds.h"

#include <math.h>
#include <string.h>

const int bead_sizes[BEADS][2] = {{1, 1}, {1, 0}, {0, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 3}, {3, 1}};

/* ---- the band ---------------------------------------------------------------------------------------------------- */

static Band band_alloc(const int n[2]) {
    const size_t rows = (size_t)n[0] + 1;
    return (Band){{n[0], n[1]},
                  mem_alloc(rows * sizeof(int)),
                  mem_alloc(rows * sizeof(int)),
                  mem_alloc((rows + 1) * sizeof(size_t))};
}

void band_free(Band *band) {
    mem_free(band->low);
    mem_free(band->high);
    mem_free(band->offset);
    *band = (Band){0};
}

/* Makes the limits of the rows monotonic, so that each cell can be reached, and counts the cells. */
static void band_close(Band *band) {
    const int n = band->n[0];
    size_t cells = 0;
    band->low[0] = 0;
    band->high[n] = band->n[1];
    for (int i = 1; i <= n; i++) {
        band->high[i] = larger(band->high[i], band->high[i - 1]);
        band->low[i] = smaller(band->low[i], band->high[i - 1]);
    }
    for (int i = n - 1; i >= 0; i--) band->low[i] = smaller(band->low[i], band->low[i + 1]);
    for (int i = 0; i <= n; i++) {
        band->offset[i] = cells;
        cells += (size_t)(band->high[i] - band->low[i]) + 1;
    }
    band->offset[n + 1] = cells;
}

Band band_new(const int n[2], const double *const length[2], size_t most) {
    Band band = band_alloc(n);
    const size_t each = most / ((size_t)n[0] + 1);
    const int half = each > (size_t)n[1] ? n[1] : (int)(each / 2);
    const double scale = length[1][n[1]] / length[0][n[0]];
    for (int i = 0, j = 0; i <= n[0]; i++) {
        while (j < n[1] && length[1][j] < scale * length[0][i]) j++;
        band.low[i] = larger(0, j - half);
        band.high[i] = smaller(n[1], j + half);
    }
    band_close(&band);
    return band;
}

/* ---- sums over all paths ----------------------------------------------------------------------------------------- */

/* ln Σ exp x over n numbers, without those that are too small to matter. */
static double log_sum(const double *x, int n) {
    double most = -INFINITY, sum = 0;
    for (int k = 0; k < n; k++)
        if (x[k] > most) most = x[k];
    if (most == -INFINITY) return most;
    for (int k = 0; k < n; k++) {
        if (x[k] == most) sum += 1;
        else if (x[k] > most - 40) sum += exact_exp(x[k] - most);
    }
    return sum == 1 ? most : most + exact_log(sum);
}

double beads_forward(const Band *band, BeadScoreFn *score, const void *context, double *alpha) {
    for (int i = 0; i <= band->n[0]; i++)
        for (int j = band->low[i]; j <= band->high[i]; j++) {
            double in[BEADS];
            int n = 0;
            if (i == 0 && j == 0) in[n++] = 0;
            for (int b = 0; b < BEADS; b++) {
                const int from = i - bead_sizes[b][0], at = j - bead_sizes[b][1];
                if (band_has(band, from, at)) in[n++] = alpha[band_cell(band, from, at)] + score(context, b, i, j);
            }
            alpha[band_cell(band, i, j)] = log_sum(in, n);
        }
    return alpha[band_cells(band) - 1];
}

enum { WIDTHS = 4 };
static const double widths[WIDTHS] = {32, 16, 8, 4};

typedef struct Backward {
    const Band *band;
    BeadScoreFn *score;
    const void *scores;
    const double *alpha;
    BeadFn *visit;
    void *context;
    double total;
    double *beta[MOST_SENTENCES + 1]; /* [n[1] + 1] each: row i is beta[i % (MOST_SENTENCES + 1)] */
} Backward;

/* Computes β(i, j), and the posteriors of the beads that begin there. */
static double backward_cell(const Backward *w, int i, int j, double alpha) {
    double out[BEADS];
    int n = 0, kind[BEADS];
    if (i == w->band->n[0] && j == w->band->n[1]) return 0;
    for (int b = 0; b < BEADS; b++) {
        const int to = i + bead_sizes[b][0], at = j + bead_sizes[b][1];
        if (to > w->band->n[0] || !band_has(w->band, to, at)) continue;
        kind[n] = b;
        out[n++] = w->score(w->scores, b, to, at) + w->beta[to % (MOST_SENTENCES + 1)][at];
    }
    const double rest = alpha - w->total;
    for (int k = 0; k < n; k++) {
        const int b = kind[k];
        const double posterior = out[k] + rest;
        w->visit(w->context, b, i + bead_sizes[b][0], j + bead_sizes[b][1],
                 posterior < -20 ? 0 : exact_exp(posterior < 0 ? posterior : 0));
    }
    return log_sum(out, n);
}

static Band band_empty(const int n[2]) {
    Band band = band_alloc(n);
    for (int i = 0; i <= n[0]; i++) {
        band.low[i] = n[1];
        band.high[i] = 0;
    }
    return band;
}

/* Widens the kept bands by a cell of posterior e^x. */
static void keep_cell(Band kept[WIDTHS], int i, int j, double x) {
    for (int k = 0; k < WIDTHS && x >= -widths[k]; k++) {
        kept[k].low[i] = smaller(kept[k].low[i], j);
        kept[k].high[i] = larger(kept[k].high[i], j);
    }
}

/* Adds the neighbours of the cells of a band. Where it touches a side of the band `within` from which it was made, the
   path may go on outside: there it gets half of the width of `within` more. */
static void band_grow(Band *band, const Band *within) {
    for (int i = 0; i <= band->n[0]; i++) {
        const int low = within->low[i], high = within->high[i], more = (high - low) / 2;
        const int below = band->low[i] - low < MOST_SENTENCES ? more : 0;
        const int above = high - band->high[i] < MOST_SENTENCES ? more : 0;
        band->low[i] = larger(0, band->low[i] - MOST_SENTENCES - below);
        band->high[i] = smaller(band->n[1], band->high[i] + MOST_SENTENCES + above);
    }
    band_close(band);
}

static Band choose_band(Band kept[WIDTHS], const Band *within, size_t most) {
    int chosen = WIDTHS - 1;
    for (int k = WIDTHS - 1; k >= 0; k--) {
        band_grow(&kept[k], within);
        if (band_cells(&kept[k]) <= most) chosen = k;
    }
    for (int k = 0; k < WIDTHS; k++)
        if (k != chosen) band_free(&kept[k]);
    return kept[chosen];
}

void beads_backward(const Band *band, BeadScoreFn *score, const void *scores, const double *alpha, BeadFn *visit,
                    void *context, size_t most, Band *next) {
    Backward w = {.band = band,
                  .score = score,
                  .scores = scores,
                  .alpha = alpha,
                  .visit = visit,
                  .context = context,
                  .total = alpha[band_cells(band) - 1]};
    const size_t row = (size_t)band->n[1] + 1;
    double *beta = mem_alloc((MOST_SENTENCES + 1) * row * sizeof *beta);
    for (int k = 0; k <= MOST_SENTENCES; k++) w.beta[k] = beta + (size_t)k * row;
    Band kept[WIDTHS];
    for (int k = 0; k < WIDTHS && next; k++) kept[k] = band_empty(band->n);
    for (int i = band->n[0]; i >= 0; i--)
        for (int j = band->high[i]; j >= band->low[i]; j--) {
            const double a = alpha[band_cell(band, i, j)], b = backward_cell(&w, i, j, a);
            w.beta[i % (MOST_SENTENCES + 1)][j] = b;
            if (next) keep_cell(kept, i, j, a + b - w.total);
        }
    mem_free(beta);
    if (next) *next = choose_band(kept, band, most);
}

/* ---- the best path ----------------------------------------------------------------------------------------------- */

/* What a bead gains. A sentence without a partner gains nothing. */
static double gain(int bead, float posterior, double threshold) {
    return bead_sizes[bead][0] && bead_sizes[bead][1] ? posterior - threshold : 0;
}

/* The bead that ends at (i, j) on the best path to it. */
static int best_bead(const Band *band, const float *posteriors, const double *best, int i, int j, double threshold,
                     double *sum) {
    int chosen = -1;
    for (int b = 0; b < BEADS; b++) {
        const int from = i - bead_sizes[b][0], at = j - bead_sizes[b][1];
        if (!band_has(band, from, at)) continue;
        const float posterior = posteriors[band_cell(band, i, j) * BEADS + (size_t)b];
        const double x = best[band_cell(band, from, at)] + gain(b, posterior, threshold);
        if (chosen >= 0 && x <= *sum) continue;
        chosen = b;
        *sum = x;
    }
    return chosen;
}

Bead *beads_best(const Band *band, const float *posteriors, double *best, double threshold) {
    Bead *beads = NULL;
    double sum;
    for (int i = 0; i <= band->n[0]; i++)
        for (int j = band->low[i]; j <= band->high[i]; j++) {
            sum = i || j ? -INFINITY : 0;
            best_bead(band, posteriors, best, i, j, threshold, &sum);
            best[band_cell(band, i, j)] = sum;
        }
    for (int i = band->n[0], j = band->n[1]; i || j;) {
        const int b = best_bead(band, posteriors, best, i, j, threshold, &sum);
        arrput(beads, ((Bead){b, {i, j}, posteriors[band_cell(band, i, j) * BEADS + (size_t)b]}));
        i -= bead_sizes[b][0];
        j -= bead_sizes[b][1];
    }
    for (ptrdiff_t k = 0, last = arrlen(beads) - 1; k < last; k++, last--) {
        const Bead swapped = beads[k];
        beads[k] = beads[last];
        beads[last] = swapped;
    }
    return beads;
}
