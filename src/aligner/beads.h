/* beads.h: dynamic programming over the beads of two documents (Gale & Church 1993, §3.2). A bead is some sentences of
   the source that belong to some sentences of the target; the beads of a document cover both sides in order.

   A cell (i, j) is a place: i source sentences and j target sentences are before it. With the score w of each bead, a
   logarithm, the sums over all paths are

     α(i, j) = ln Σ_b exp(α(i − a_b, j − c_b) + w(b, i, j))        β(i, j) = ln Σ_b exp(w(b, i + a_b, j + c_b) + β(..))

   and the posterior of a bead is exp(α + w + β − α(n, m)). Only the cells of a band are computed. */
#ifndef TIDE_BEADS_H
#define TIDE_BEADS_H

#include <stddef.h>

enum { BEADS = 8, MOST_SENTENCES = 3 };
enum { BEAD_1_1, BEAD_1_0, BEAD_0_1 };
/* The numbers of source and target sentences of each kind of bead; 1-1, 1-0 and 0-1 are the first. */
extern const int bead_sizes[BEADS][2];

/* The cells low[i]..high[i] of each row i = 0..n[0]. */
typedef struct Band {
    int n[2];        /* sentences of both sides */
    int *low, *high; /* [n[0] + 1]; both never decrease; low[0] is 0 and high[n[0]] is n[1] */
    size_t *offset;  /* [n[0] + 2] the number of the first cell of each row; the last one: of all cells */
} Band;

/* All cells if they are at most `most`; else an equal number of each row, of some `most` in all, around the line along
   which both sides have the same share of their lengths, which are not 0. length[side][k]: the sum of the lengths of
   the first k sentences. Release with band_free. */
Band band_new(const int n[2], const double *const length[2], size_t most);
void band_free(Band *band);
static inline size_t band_cells(const Band *band) { return band->offset[band->n[0] + 1]; }
static inline int band_has(const Band *band, int i, int j) {
    return i >= 0 && j >= 0 && j >= band->low[i] && j <= band->high[i];
}
static inline size_t band_cell(const Band *band, int i, int j) { return band->offset[i] + (size_t)(j - band->low[i]); }

/* The score of a bead that ends at cell (i, j) and begins in the band. */
typedef double BeadScoreFn(const void *context, int bead, int i, int j);
/* Receives the posterior of the bead that ends at (i, j). */
typedef void BeadFn(void *context, int bead, int i, int j, double posterior);

/* Computes alpha [cells]; returns α(n, m). */
double beads_forward(const Band *band, BeadScoreFn *score, const void *context, double *alpha);
/* Calls `visit` once for each bead in the band; a posterior below e⁻²⁰ is 0. *next, unless it is NULL, receives a band
   of cells whose posterior is at least e^-width, and their neighbours: of the widths 32, 16, 8, 4 the widest band that
   has at most `most` cells, or the last one, even if it has more. Where the posterior is that large at a side of the
   band, the next one is wider there. */
void beads_backward(const Band *band, BeadScoreFn *score, const void *scores, const double *alpha, BeadFn *visit,
                    void *context, size_t most, Band *next);

/* A bead of an alignment. */
typedef struct Bead {
    int kind;
    int end[2];        /* the sentences before its end */
    float probability; /* its posterior */
} Bead;

/* The path with the largest sum of gain(posterior), where the gain is that of beads that have both sides. posteriors:
   [cells, BEADS], of the bead that ends at a cell. best: [cells], overwritten. Returns a stb_ds array in order. */
Bead *beads_best(const Band *band, const float *posteriors, double *best, double threshold);

#endif
