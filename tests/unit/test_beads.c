/* test_beads.c: the dynamic programming over beads against all paths of a small document, and the aligner of sentences
   on documents whose beads are known. */
#include "aligner/beads.h"
#include "aligner/sentence_aligner.h"
#include "core/rng.h"
#include "io/ds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { N = 5, M = 4 };

/* ---- all paths --------------------------------------------------------------------------------------------------- */

/* Scores of all beads of a document of N and M sentences, and what a plain recursion over all paths finds. */
typedef struct Plain {
    double score[N + 1][M + 1][BEADS];
    double sum[N + 1][M + 1][BEADS]; /* Σ exp(score of a path) over the paths with this bead */
    double total;                    /* over all paths */
    double threshold, best;          /* the largest gain of a path */
    float posterior[N + 1][M + 1][BEADS];
    int path[N + M][3], length; /* the current path: the bead and where it ends */
} Plain;

static double plain_score(const void *context, int bead, int i, int j) {
    return ((const Plain *)context)->score[i][j][bead];
}

/* Visits all paths from (i, j) to the end. gain: what beads_best maximises, of the path so far. */
static void visit_paths(Plain *p, int i, int j, double score, double gain) {
    if (i == N && j == M) {
        p->total += exp(score);
        for (int k = 0; k < p->length; k++) p->sum[p->path[k][1]][p->path[k][2]][p->path[k][0]] += exp(score);
        if (gain > p->best) p->best = gain;
        return;
    }
    for (int b = 0; b < BEADS; b++) {
        const int to = i + bead_sizes[b][0], at = j + bead_sizes[b][1];
        if (to > N || at > M) continue;
        memcpy(p->path[p->length++], (int[]){b, to, at}, sizeof *p->path);
        const bool pair = bead_sizes[b][0] && bead_sizes[b][1];
        visit_paths(p, to, at, score + p->score[to][at][b],
                    gain + (pair ? (double)p->posterior[to][at][b] - p->threshold : 0));
        p->length--;
    }
}

typedef struct Found {
    const Band *band;
    float *posterior; /* [cells, BEADS] */
    int visits;
} Found;

static void keep(void *context, int bead, int i, int j, double posterior) {
    Found *f = context;
    f->posterior[band_cell(f->band, i, j) * BEADS + (size_t)bead] = (float)posterior;
    f->visits++;
}

static Band whole_band(void) {
    static const double source[N + 1] = {0, 1, 2, 3, 4, 5}, target[M + 1] = {0, 1, 2, 3, 4};
    const double *const lengths[] = {source, target};
    return band_new((const int[]){N, M}, lengths, 1000);
}

/* The sums, the posteriors and the best path are those of all paths. */
static void check_paths(void **state) {
    (void)state;
    Rng rng = rng_seed(5, 0);
    Band band = whole_band();
    const size_t cells = band_cells(&band);
    assert_int_equal(cells, (N + 1) * (M + 1));
    for (int draw = 0; draw < 20; draw++) {
        Plain p = {.threshold = draw * 0.05};
        for (int i = 0; i <= N; i++)
            for (int j = 0; j <= M; j++)
                for (int b = 0; b < BEADS; b++) p.score[i][j][b] = 6 * (double)rng_uniform(&rng) - 3;
        visit_paths(&p, 0, 0, 0, 0);
        double *alpha = mem_alloc(cells * sizeof *alpha);
        Found f = {&band, mem_zalloc(cells * BEADS * sizeof(float)), 0};
        assert_float_equal(beads_forward(&band, plain_score, &p, alpha), log(p.total), 1e-9);
        Band next;
        beads_backward(&band, plain_score, &p, alpha, keep, &f, 1000, &next);
        assert_int_equal(band_cells(&next), cells);
        for (int i = 0; i <= N; i++)
            for (int j = 0; j <= M; j++)
                for (int b = 0; b < BEADS; b++) {
                    p.posterior[i][j][b] = f.posterior[band_cell(&band, i, j) * BEADS + (size_t)b];
                    assert_float_equal(p.posterior[i][j][b], (float)(p.sum[i][j][b] / p.total), 1e-6F);
                }
        p.best = -INFINITY;
        visit_paths(&p, 0, 0, 0, 0);
        Bead *beads = beads_best(&band, f.posterior, alpha, p.threshold);
        int end[2] = {0, 0};
        double gain = 0;
        for (ptrdiff_t k = 0; k < arrlen(beads); k++) {
            const int *size = bead_sizes[beads[k].kind];
            for (int side = 0; side < 2; side++) assert_int_equal(end[side] += size[side], beads[k].end[side]);
            assert_true(beads[k].probability == p.posterior[end[0]][end[1]][beads[k].kind]);
            if (size[0] && size[1]) gain += (double)beads[k].probability - p.threshold;
        }
        assert_true(end[0] == N && end[1] == M);
        assert_float_equal(gain, p.best, 1e-9);
        arrfree(beads);
        band_free(&next);
        mem_free(alpha);
        mem_free(f.posterior);
    }
    band_free(&band);
}

/* ---- bands ------------------------------------------------------------------------------------------------------- */

/* Whether each cell can be reached from the start, and reaches the end. */
static void check_band(const Band *band) {
    assert_int_equal(band->low[0], 0);
    assert_int_equal(band->high[band->n[0]], band->n[1]);
    for (int i = 1; i <= band->n[0]; i++) {
        assert_true(band->low[i] >= band->low[i - 1] && band->high[i] >= band->high[i - 1]);
        assert_true(band->low[i] <= band->high[i - 1]);
    }
}

/* A band of few cells lies around the diagonal of the lengths; its sums are those of a table without other cells. */
static void check_narrow_bands(void **state) {
    (void)state;
    enum { SENTENCES = 400 };
    double length[2][SENTENCES + 1];
    for (int k = 0; k <= SENTENCES; k++) {
        length[0][k] = k;
        length[1][k] = k < 300 ? k : 300 + 5 * (k - 300); /* the last sentences are long */
    }
    const double *const lengths[] = {length[0], length[1]};
    Band band = band_new((const int[]){SENTENCES, SENTENCES}, lengths, 8000);
    check_band(&band);
    assert_in_range(band_cells(&band), 4000, 8000);
    assert_in_range(band.low[200], 300, 320); /* half of the length is here */
    assert_in_range(band.high[200], 320, 340);
    band_free(&band);
    band = band_new((const int[]){SENTENCES, 1}, lengths, 100);
    check_band(&band);
    band_free(&band);
}

/* Only 1-1 beads: the others score so badly that the next band leaves out cells far from the diagonal. */
static double diagonal_score(const void *context, int bead, int i, int j) {
    (void)context, (void)i, (void)j;
    return bead == BEAD_1_1 ? 0 : -9;
}

static void ignore(void *context, int bead, int i, int j, double posterior) {
    (void)context, (void)bead, (void)i, (void)j, (void)posterior;
}

static void check_next_band(void **state) {
    (void)state;
    enum { SENTENCES = 40 };
    double length[SENTENCES + 1];
    for (int k = 0; k <= SENTENCES; k++) length[k] = k;
    const double *const lengths[] = {length, length};
    Band band = band_new((const int[]){SENTENCES, SENTENCES}, lengths, 1 << 20);
    double *alpha = mem_alloc(band_cells(&band) * sizeof *alpha);
    assert_int_equal(band_cells(&band), (SENTENCES + 1) * (SENTENCES + 1));
    beads_forward(&band, diagonal_score, NULL, alpha);
    /* shifts of 4 sentences need two 1-3 beads and two 3-1 beads: e⁻³⁶, but in many places; 3 are neighbours */
    for (size_t most = 100; most <= 1000; most += 900) { /* the narrowest band, even if it has more cells; the widest */
        Band next;
        beads_backward(&band, diagonal_score, NULL, alpha, ignore, NULL, most, &next);
        check_band(&next);
        assert_int_equal(next.low[20], most == 100 ? 17 : 13);
        assert_int_equal(next.high[20], most == 100 ? 23 : 27);
        band_free(&next);
    }
    mem_free(alpha);
    band_free(&band);
}

enum { FAR = 120 };

/* The best path leaves the diagonal by 30 sentences. */
static int far_path(int i) { return smaller(smaller(2 * i, i + FAR / 4), FAR); }

static double far_score(const void *context, int bead, int i, int j) {
    (void)context, (void)bead;
    return j > far_path(i) ? far_path(i) - j : j - far_path(i);
}

/* A path that leaves the first band is found: where it lies along a side of the band, the next one is wider. */
static void check_wider_bands(void **state) {
    (void)state;
    double length[FAR + 1];
    for (int k = 0; k <= FAR; k++) length[k] = k;
    const double *const lengths[] = {length, length};
    Band band = band_new((const int[]){FAR, FAR}, lengths, (size_t)20 * FAR);
    assert_in_range(band.high[FAR / 2], FAR / 2, far_path(FAR / 2) - 10);
    double *alpha = NULL;
    for (int pass = 0; pass < 4; pass++) {
        alpha = mem_realloc(alpha, band_cells(&band) * sizeof *alpha);
        beads_forward(&band, far_score, NULL, alpha);
        Band next;
        beads_backward(&band, far_score, NULL, alpha, ignore, NULL, (size_t)40 * FAR, &next);
        band_free(&band);
        band = next;
        check_band(&band);
    }
    for (int i = 0; i <= FAR; i++) assert_in_range(far_path(i), band.low[i], band.high[i]);
    assert_in_range(band_cells(&band), FAR, 40 * FAR);
    mem_free(alpha);
    band_free(&band);
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

enum { WORDS = 60, PAIRS = 80, MOST = 2 * PAIRS };

/* A document of words a0, a1, .. and its translation in words b0, b1, .. in the same order, with known beads. */
typedef struct Made {
    char *text[2][MOST];
    int n[2];
    int beads[MOST][2], count; /* the sentences before the end of each bead */
} Made;

static void add_sentence(Made *m, int side, const int *words, int n) {
    char text[512] = "";
    for (int k = 0; k < n; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %c%d", "ab"[side], words[k]);
    m->text[side][m->n[side]++] = mem_strdup(text + 1);
}

/* Each fifth pair: a side is left out, or has two sentences. */
static Made make_document(Rng *rng) {
    Made m = {.count = 0};
    for (int k = 0; k < PAIRS; k++) {
        int words[24];
        const int n = 8 + (int)rng_below(rng, 16), half = n / 2, side = (int)rng_below(rng, 2);
        for (int l = 0; l < n; l++) words[l] = (int)rng_below(rng, WORDS);
        for (int s = 0; s < 2; s++) {
            if (k % 10 == 4 && s == side) continue;
            if (k % 10 == 9 && s == side) {
                add_sentence(&m, s, words, half);
                add_sentence(&m, s, words + half, n - half);
            } else add_sentence(&m, s, words, n);
        }
        memcpy(m.beads[m.count++], m.n, sizeof m.n);
    }
    return m;
}

static void made_free(Made *m) {
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < m->n[s]; k++) mem_free(m->text[s][k]);
}

static Bead *align(char *const *const text[2], const int n[2], int threads) {
    Err err;
    SentenceAligner aligner = {
        .units = {units_new(UNIT_WORD), units_new(UNIT_WORD)}, .threshold = 0.3, .threads = threads_new(threads)};
    Bead *beads = sentences_align(&aligner, text, n, &err);
    for (int s = 0; s < 2; s++) units_free(aligner.units[s]);
    threads_free(aligner.threads);
    return beads;
}

/* Missing sentences and beads 1-2 and 2-1 are found; the bits do not depend on the threads. */
static void check_documents(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        Rng rng = rng_seed(7, seed);
        Made m = make_document(&rng);
        char *const *const text[] = {m.text[0], m.text[1]};
        Bead *beads = align(text, m.n, 1), *others = align(text, m.n, 3);
        int right = 0;
        assert_int_equal(arrlen(beads), arrlen(others));
        for (ptrdiff_t k = 0, at = 0; k < arrlen(beads); k++) {
            assert_memory_equal(&beads[k], &others[k], sizeof *beads);
            while (at < m.count - 1 && m.beads[at][0] + m.beads[at][1] < beads[k].end[0] + beads[k].end[1]) at++;
            right += m.beads[at][0] == beads[k].end[0] && m.beads[at][1] == beads[k].end[1];
        }
        assert_in_range(right, PAIRS - 3, PAIRS);
        arrfree(beads);
        arrfree(others);
        made_free(&m);
    }
}

/* A single sentence, sentences without a letter: all are covered, in order. */
static void check_small_documents(void **state) {
    (void)state;
    char *sentences[] = {"a b c.", "!", "d."};
    char *const *const text[] = {sentences, sentences};
    for (int n = 1; n <= 3; n++)
        for (int m = 1; m <= 3; m++) {
            Bead *beads = align(text, (const int[]){n, m}, 1);
            int end[2] = {0, 0};
            for (ptrdiff_t k = 0; k < arrlen(beads); k++)
                for (int side = 0; side < 2; side++)
                    assert_int_equal(end[side] += bead_sizes[beads[k].kind][side], beads[k].end[side]);
            assert_true(end[0] == n && end[1] == m);
            arrfree(beads);
        }
}

/* Numbers and names, which both languages write alike, tell what belongs together although all lengths are equal. */
static void check_same_texts(void **state) {
    (void)state;
    enum { SENTENCES = 12 };
    for (int missing = 1; missing < SENTENCES; missing += 3) {
        char *text[2][SENTENCES];
        int n[2] = {0, 0};
        for (int k = 0; k < SENTENCES; k++)
            for (int side = 0; side < 2; side++) {
                char sentence[64];
                if (side && k == missing) continue;
                snprintf(sentence, sizeof sentence, "%s%d 1%d Nr%d", side ? "b" : "a", 10 + k, 50 + 3 * k, 100 + k);
                text[side][n[side]++] = mem_strdup(sentence);
            }
        char *const *const texts[] = {text[0], text[1]};
        Bead *beads = align(texts, n, 1);
        assert_int_equal(arrlen(beads), SENTENCES);
        for (int k = 0; k < SENTENCES; k++) assert_int_equal(beads[k].kind, k == missing ? BEAD_1_0 : BEAD_1_1);
        arrfree(beads);
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < n[side]; k++) mem_free(text[side][k]);
    }
}

static int cancel(void *context, long done, long all) {
    (void)context, (void)all;
    return done == 2;
}

static void check_cancel(void **state) {
    (void)state;
    char *sentences[] = {"a b c.", "d."};
    char *const *const text[] = {sentences, sentences};
    Err err;
    SentenceAligner aligner = {.units = {units_new(UNIT_WORD), units_new(UNIT_WORD)}, .progress = cancel};
    aligner.threads = threads_new(1);
    assert_null(sentences_align(&aligner, text, (const int[]){2, 2}, &err));
    assert_string_equal(err.reason, "stopped after pass 2 of 12");
    for (int s = 0; s < 2; s++) units_free(aligner.units[s]);
    threads_free(aligner.threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_paths),      cmocka_unit_test(check_narrow_bands),
        cmocka_unit_test(check_next_band),  cmocka_unit_test(check_wider_bands),
        cmocka_unit_test(check_documents),  cmocka_unit_test(check_small_documents),
        cmocka_unit_test(check_same_texts), cmocka_unit_test(check_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
