#include "aligner/bead_scores.h"

#include "core/exact.h"
#include "io/ds.h"
#include "io/utf8.h"
#include "text/side.h"
#include "text/unicode.h"

#include <string.h>

enum {
    MOST_TOKENS = 250, /* of a sentence that the model of words reads */
    BLOCK_ROWS = 16,   /* of the band, which a thread computes at a time */
    FOLDS = 16,        /* see bead_scores.h */
    CLASSES = 6        /* of units: those that occur once, 2 to 3 times, 4 to 7 times, .. */
};
static const double WORST_LENGTH = -6, /* the least score of the lengths */
    DISCOUNT = 0.2,                    /* links of each pair of units that count as chance */
    BACKOFF = 2,                       /* links of each unit to units of the other language in general */
    SAME_TEXT = 2,                     /* links that units with the same letters or digits have from the start */
    MOST_KNOWN = 20,                   /* links of each unit from other text */
    WORD_WEIGHT = 0.8,                 /* IBM Model 1 counts evidence several times: neighbours depend on each other */
    LEAST_COUNT = 0.01, /* a bead whose posterior is smaller gives no links; in long texts the limit is larger: */
    LEAST_EACH = 1.5e-5, MOST_LEAST = 0.3, /* LEAST_EACH for each source sentence, at most MOST_LEAST */
    FIRST_LINKS = 3,                       /* links of each token while only lengths are known; later 1 */
    PRIOR_BEADS = 20;                      /* beads with the probabilities below, beside those of the document */
static const double prior_kinds[BEADS] = {0.74, 0.08, 0.08, 0.04, 0.04, 0.01, 0.005, 0.005};

/* The sentences of one language. */
typedef struct SideText {
    int n;
    double *length;                  /* [n + 1] characters of the first k sentences */
    size_t *end;                     /* [n + 1] tokens of the first k sentences */
    int *unit;                       /* stb_ds array: of each token */
    uint8_t *class;                  /* [units] */
    double *own[MOST_SENTENCES];     /* [n + 1] score of the last 1, 2, 3 sentences before k that needs no other side */
    double *inverse[MOST_SENTENCES]; /* [n + 1] 1 / (4 variance) of their length */
} SideText;

/* The links of one direction: `from` explains `to`. */
typedef struct WordModel {
    int from;              /* SOURCE or TARGET */
    int n_from, n_to;      /* units */
    double *share;         /* [n_to] p(t) */
    PairTable links;       /* expected links of s and t at the last estimate, where they are more than DISCOUNT */
    PairTable fold_links;  /* of these, those in the sentences of a fold; s FOLDS + fold is in the place of s */
    PairTable fold_counts; /* all of them since the last estimate */
    double *total;         /* [n_from, FOLDS] links of s in a fold, since the last estimate */
    PairTable known;       /* links that stay: those of the priors, and of units that both sides write alike */
    double *known_total;   /* [n_from] */
    double class_counts[CLASSES][CLASSES]; /* expected links of units of both classes since the last estimate */
    float class_rest[CLASSES][CLASSES];    /* p(class of t | class of s) / p(class of t) */
    /* [n_from, FOLDS] outside of a fold: 1 / all links; the links of chance times this */
    float *inverse, *rest; /* ρ is rest · class_rest + inverse · links / share */
    float *sentence_rest;  /* [n, FOLDS, CLASSES] Σ rest · class_rest over a sentence, for each class of t */
} WordModel;

struct BeadScores {
    SideText side[2];
    WordModel word[2];            /* forward and reverse */
    double scale, variance;       /* target characters for a source character; of the difference, for a character */
    double kind[BEADS];           /* ln P(kind) */
    double beads[BEADS];          /* counts since the last estimate */
    double sum[2], squares, ones; /* of 1-1 beads: lengths, squared differences, beads */
};

/* ---- lengths ------------------------------------------------------------------------------------------------------
 */

/* Computes `own` and `inverse` of a side from its lengths times `scale`. */
static void side_scores(SideText *side, double scale, double variance) {
    const double mean = scale * side->length[side->n] / side->n;
    double spread = 0.1 * mean * mean;
    for (int k = 0; k < side->n; k++) {
        const double d = scale * (side->length[k + 1] - side->length[k]) - mean;
        spread += d * d / side->n;
    }
    for (int m = 1; m <= MOST_SENTENCES; m++) {
        const double square = exact_log(1 + spread / (m * mean * mean)), center = exact_log(m * mean) - square / 2;
        for (int k = m; k <= side->n; k++) {
            const double x = scale * (side->length[k] - side->length[k - m]), d = exact_log(x) - center;
            const double alone = exact_log(x) + exact_log(square) / 2 + d * d / (2 * square); /* −ln p, without √2π */
            side->own[m - 1][k] = alone / 2 - exact_log(variance * x) / 4;
            side->inverse[m - 1][k] = 1 / (4 * variance * x);
        }
    }
}

static void estimate_lengths(BeadScores *s) {
    if (s->ones > 0.5 && s->sum[SOURCE] > 0) {
        s->scale = s->sum[TARGET] / s->sum[SOURCE];
        const double least = 0.1; /* even sentences of which each one is exactly as long as its partner say no more */
        s->variance = s->squares / s->ones;
        if (s->variance < least) s->variance = least;
    }
    side_scores(&s->side[SOURCE], s->scale, s->variance);
    side_scores(&s->side[TARGET], 1, s->variance);
}

static double length_of(const SideText *side, int sentences, int k) {
    return side->length[k] - side->length[k - sentences];
}

double bead_score_lengths(const void *scores, int bead, int i, int j) {
    const BeadScores *s = scores;
    const int a = bead_sizes[bead][0], c = bead_sizes[bead][1];
    if (!a || !c) return s->kind[bead];
    const double d = length_of(&s->side[TARGET], c, j) - s->scale * length_of(&s->side[SOURCE], a, i);
    const double score = s->side[SOURCE].own[a - 1][i] + s->side[TARGET].own[c - 1][j] -
                         d * d * (s->side[SOURCE].inverse[a - 1][i] + s->side[TARGET].inverse[c - 1][j]);
    return s->kind[bead] + (score > WORST_LENGTH ? score : WORST_LENGTH);
}

/* ---- words: scores ------------------------------------------------------------------------------------------------
 */

/* For one source sentence and a range of target sentences: Σ over the other side of `gain`, for each token. */
typedef struct RowSums {
    int row, from, to; /* source sentence; target sentences from..to - 1 */
    float *forward;    /* for the target tokens of the range */
    float *reverse;    /* [to - from, tokens of the source sentence] */
} RowSums;

/* Scores rows of the band, for one thread at a time. */
typedef struct RowScores {
    const BeadScores *scores;
    const Band *band;
    float *score;
} RowScores;

static int token_count(const SideText *side, int k) { return (int)(side->end[k + 1] - side->end[k]); }
static const int *tokens_of(const SideText *side, int k) { return side->unit + side->end[k]; }

/* ρ(s, t) − rest, from the links outside of a fold. */
static float gain(const WordModel *m, int s, int t, int fold) {
    const float all = pair_table_value(&m->links, (uint32_t)s, (uint32_t)t);
    if (all <= (float)DISCOUNT) return 0;
    const uint32_t own = (uint32_t)(s * FOLDS + fold);
    const float left = all - pair_table_value(&m->fold_links, own, (uint32_t)t) - (float)DISCOUNT;
    return left > 0 ? left * m->inverse[own] / (float)m->share[t] : 0;
}

/* Computes the sums of row `row`, which the beads that end in the next rows need. */
static void row_sums(const BeadScores *s, const Band *band, int row, RowSums *sums) {
    const SideText *source = &s->side[SOURCE], *target = &s->side[TARGET];
    const int ls = token_count(source, row), *us = tokens_of(source, row),
              last = smaller(row + MOST_SENTENCES, source->n);
    sums->row = row;
    sums->from = larger(0, band->low[row + 1] - MOST_SENTENCES);
    sums->to = band->high[last];
    const size_t tokens = target->end[sums->to] - target->end[sums->from];
    sums->forward = mem_realloc(sums->forward, tokens * sizeof(float));
    sums->reverse = mem_realloc(sums->reverse, (size_t)(sums->to - sums->from) * (size_t)ls * sizeof(float));
    float *forward = sums->forward, *reverse = sums->reverse;
    memset(forward, 0, tokens * sizeof *forward);
    memset(reverse, 0, (size_t)(sums->to - sums->from) * (size_t)ls * sizeof *reverse);
    for (int q = sums->from; q < sums->to; q++) {
        const int lt = token_count(target, q), *ut = tokens_of(target, q);
        for (int k = 0; k < lt; k++)
            for (int l = 0; l < ls; l++) {
                forward[k] += gain(&s->word[0], us[l], ut[k], row % FOLDS);
                reverse[l] += gain(&s->word[1], ut[k], us[l], row % FOLDS);
            }
        forward += lt;
        reverse += ls;
    }
}

/* A product of many numbers, as a logarithm. */
typedef struct LogProduct {
    double product, log;
} LogProduct;

static void log_multiply(LogProduct *p, double x) {
    p->product *= x;
    if (p->product < 1e100 && p->product > 1e-100) return;
    p->log += exact_log(p->product);
    p->product = 1;
}

/* Adds what all units of a sentence say about units of each class. */
static void add_rests(const WordModel *m, int sentence, int fold, double base[CLASSES]) {
    const float *rests = m->sentence_rest + ((size_t)sentence * FOLDS + (size_t)fold) * CLASSES;
    for (int c = 0; c < CLASSES; c++) base[c] += (double)rests[c];
}

/* ln p(t | s) / p(t) of a bead that ends at (i, j), from the sums of its source sentences. */
static double forward_score(const BeadScores *s, const RowSums *const rows[], int a, int c, int j) {
    const SideText *source = &s->side[SOURCE], *target = &s->side[TARGET];
    LogProduct product = {1, 0};
    double length = 1, base[CLASSES];
    for (int k = 0; k < CLASSES; k++) base[k] = 1;
    for (int p = 0; p < a; p++) {
        add_rests(&s->word[0], rows[p]->row, rows[p]->row % FOLDS, base);
        length += token_count(source, rows[p]->row);
    }
    for (size_t k = target->end[j - c]; k < target->end[j]; k++) {
        double x = base[target->class[target->unit[k]]];
        for (int p = 0; p < a; p++) x += rows[p]->forward[k - target->end[rows[p]->from]];
        log_multiply(&product, x / length);
    }
    return product.log + exact_log(product.product);
}

/* ln p(s | t) / p(s). */
static double reverse_score(const BeadScores *s, const RowSums *const rows[], int a, int c, int j) {
    const SideText *source = &s->side[SOURCE], *target = &s->side[TARGET];
    LogProduct product = {1, 0};
    const double length = 1 + (double)(target->end[j] - target->end[j - c]);
    for (int p = 0; p < a; p++) {
        const int ls = token_count(source, rows[p]->row);
        double base[CLASSES];
        for (int k = 0; k < CLASSES; k++) base[k] = 1;
        for (int q = j - c; q < j; q++) add_rests(&s->word[1], q, rows[p]->row % FOLDS, base);
        for (int l = 0; l < ls; l++) {
            double x = base[source->class[tokens_of(source, rows[p]->row)[l]]];
            for (int q = j - c; q < j; q++) x += rows[p]->reverse[(q - rows[p]->from) * ls + l];
            log_multiply(&product, x / length);
        }
    }
    return product.log + exact_log(product.product);
}

/* Scores the beads that end in row i. recent[k % MOST_SENTENCES]: the sums of source sentence k. */
static void score_row(const RowScores *w, int i, const RowSums recent[MOST_SENTENCES]) {
    for (int j = w->band->low[i]; j <= w->band->high[i]; j++)
        for (int b = 0; b < BEADS; b++) {
            const int a = bead_sizes[b][0], c = bead_sizes[b][1];
            const RowSums *rows[MOST_SENTENCES];
            if (!band_has(w->band, i - a, j - c)) continue;
            double score = bead_score_lengths(w->scores, b, i, j);
            for (int p = 0; p < a; p++) rows[p] = &recent[(i - a + p) % MOST_SENTENCES];
            if (a && c)
                score += WORD_WEIGHT / 2 *
                         (forward_score(w->scores, rows, a, c, j) + reverse_score(w->scores, rows, a, c, j));
            w->score[band_cell(w->band, i, j) * BEADS + (size_t)b] = (float)score;
        }
}

static void score_rows(void *context, int begin, int end) {
    const RowScores *w = context;
    RowSums recent[MOST_SENTENCES] = {{0}};
    for (int row = larger(0, begin - MOST_SENTENCES); row < begin - 1; row++)
        row_sums(w->scores, w->band, row, &recent[row % MOST_SENTENCES]);
    for (int i = begin; i < end; i++) {
        if (i) row_sums(w->scores, w->band, i - 1, &recent[(i - 1) % MOST_SENTENCES]);
        score_row(w, i, recent);
    }
    for (int k = 0; k < MOST_SENTENCES; k++) {
        mem_free(recent[k].forward);
        mem_free(recent[k].reverse);
    }
}

void bead_scores_words(const BeadScores *scores, const Band *band, Threads *threads, float *score) {
    RowScores work = {scores, band, score};
    threads_run(threads, "beads", band->n[0] + 1, BLOCK_ROWS, score_rows, &work);
}

/* ---- words: estimates ---------------------------------------------------------------------------------------------
 */

static void add_to(PairTable *table, int left, int right, float count) {
    pair_table_add(table, (uint32_t)left, (uint32_t)right)->count += count;
}

enum { MOST_IN_BEAD = MOST_SENTENCES * MOST_TOKENS };

/* The tokens of a bead on one side. */
typedef struct Tokens {
    const int *unit;
    const uint8_t *class; /* of units */
    int n;
} Tokens;

/* Adds the expected links of one direction in a bead. folds: of each source token. */
static void count_links(WordModel *m, const Tokens *from, const Tokens *to, const uint8_t *folds, double posterior) {
    const int n = from->n;
    float rho[MOST_IN_BEAD];
    for (int k = 0; k < to->n; k++) {
        const int t = to->unit[k];
        double sum = 1;
        for (int l = 0; l < n; l++) {
            const int s = from->unit[l], fold = folds[m->from == SOURCE ? l : k];
            rho[l] = m->rest[s * FOLDS + fold] * m->class_rest[from->class[s]][to->class[t]] + gain(m, s, t, fold);
            sum += rho[l];
        }
        for (int l = 0; l < n; l++) {
            const int s = from->unit[l], own = s * FOLDS + folds[m->from == SOURCE ? l : k];
            const double count = posterior * rho[l] / sum;
            add_to(&m->fold_counts, own, t, (float)count);
            m->total[own] += count;
            m->class_counts[from->class[s]][to->class[t]] += count;
        }
    }
}

/* Adds the links of a bead that ends at (end[SOURCE], end[TARGET]). */
static void count_words(BeadScores *s, const int size[2], const int end[2], double posterior) {
    uint8_t folds[MOST_IN_BEAD] = {0};
    Tokens tokens[2];
    for (int k = 0; k < 2; k++) {
        const SideText *side = &s->side[k];
        const size_t begin = side->end[end[k] - size[k]];
        tokens[k] = (Tokens){side->unit + begin, side->class, (int)(side->end[end[k]] - begin)};
    }
    for (int k = end[SOURCE] - size[SOURCE], n = 0; k < end[SOURCE]; k++)
        for (int l = token_count(&s->side[SOURCE], k); l > 0; l--) folds[n++] = (uint8_t)(k % FOLDS);
    for (int k = 0; k < 2; k++) count_links(&s->word[k], &tokens[k], &tokens[!k], folds, posterior);
}

/* The least posterior of a bead that gives links. A long text has enough beads that are sure, and memory for no others.
 */
static double least_count(const BeadScores *s) {
    const double least = LEAST_EACH * s->side[SOURCE].n;
    return least < LEAST_COUNT ? LEAST_COUNT : least < MOST_LEAST ? least : MOST_LEAST;
}

void bead_scores_count(void *scores, int bead, int i, int j, double posterior) {
    BeadScores *s = scores;
    s->beads[bead] += posterior;
    if (bead != BEAD_1_1) return;
    const double x = length_of(&s->side[SOURCE], 1, i), y = length_of(&s->side[TARGET], 1, j), d = y - s->scale * x;
    s->ones += posterior;
    s->sum[SOURCE] += posterior * x;
    s->sum[TARGET] += posterior * y;
    s->squares += posterior * d * d * (1 / (s->scale * x) + 1 / y) / 2;
}

/* Counts a bead with `each` links of a token. */
static void count_with(BeadScores *s, int bead, int i, int j, double posterior, double each) {
    const int *size = bead_sizes[bead], end[2] = {i, j};
    bead_scores_count(s, bead, i, j, posterior);
    if (size[0] && size[1] && posterior >= least_count(s)) count_words(s, size, end, each * posterior);
}

void bead_scores_count_first_words(void *scores, int bead, int i, int j, double posterior) {
    count_with(scores, bead, i, j, posterior, FIRST_LINKS);
}
void bead_scores_count_words(void *scores, int bead, int i, int j, double posterior) {
    count_with(scores, bead, i, j, posterior, 1);
}

/* Computes p(class of t | class of s) / p(class of t), with some links as if the classes were independent. */
static void estimate_classes(WordModel *m, const SideText *to) {
    const double prior = 20;
    double share[CLASSES] = {0};
    for (int t = 0; t < m->n_to; t++) share[to->class[t]] += m->share[t];
    for (int c = 0; c < CLASSES; c++) {
        double all = prior;
        for (int d = 0; d < CLASSES; d++) all += m->class_counts[c][d];
        for (int d = 0; d < CLASSES; d++)
            m->class_rest[c][d] = share[d] > 0 ? (float)((m->class_counts[c][d] / share[d] + prior) / all) : 1;
    }
    memset(m->class_counts, 0, sizeof m->class_counts);
}

/* Σ rest over each sentence. */
static void sum_rests(WordModel *m, const SideText *from) {
    memset(m->sentence_rest, 0, (size_t)from->n * FOLDS * CLASSES * sizeof *m->sentence_rest);
    for (int k = 0; k < from->n; k++)
        for (size_t l = from->end[k]; l < from->end[k + 1]; l++)
            for (int f = 0; f < FOLDS; f++)
                for (int c = 0; c < CLASSES; c++)
                    m->sentence_rest[(k * FOLDS + f) * CLASSES + c] +=
                        m->rest[from->unit[l] * FOLDS + f] * m->class_rest[from->class[from->unit[l]]][c];
}

/* What the discount takes from a count. */
static double discount_of(float count) { return count < (float)DISCOUNT ? count : DISCOUNT; }

/* Computes `rest` and `inverse` from the links: outside of each fold, what is discounted goes to the rest. */
static void estimate_rests(WordModel *m) {
    for (int s = 0; s < m->n_from * FOLDS; s++) m->rest[s] = (float)BACKOFF;
    for (size_t slot = 0; slot <= m->links.mask; slot++) {
        const PairEntry *pair = &m->links.slots[slot];
        if (pair->left == NO_PAIR) continue;
        for (size_t f = 0; f < FOLDS; f++) m->rest[(size_t)pair->left * FOLDS + f] += (float)discount_of(pair->count);
    }
    for (size_t slot = 0; slot <= m->fold_links.mask; slot++) {
        const PairEntry *pair = &m->fold_links.slots[slot];
        if (pair->left == NO_PAIR) continue;
        const float all = pair_table_value(&m->links, pair->left / FOLDS, pair->right);
        m->rest[pair->left] += (float)(discount_of(all - pair->count) - discount_of(all));
    }
    for (int s = 0; s < m->n_from; s++) {
        double all = BACKOFF + m->known_total[s];
        for (int f = 0; f < FOLDS; f++) all += m->total[s * FOLDS + f];
        for (int f = 0; f < FOLDS; f++) {
            const double outside = all - m->total[s * FOLDS + f];
            m->inverse[s * FOLDS + f] = (float)(1 / outside);
            m->rest[s * FOLDS + f] *= m->inverse[s * FOLDS + f];
        }
    }
}

/* Adds the counts of all folds. */
static void add_folds(PairTable *sum, const PairTable *table) {
    for (size_t slot = 0; slot <= table->mask; slot++) {
        const PairEntry *pair = &table->slots[slot];
        if (pair->left != NO_PAIR) add_to(sum, (int)(pair->left / FOLDS), (int)pair->right, pair->count);
    }
}

/* Keeps the pairs whose links in all folds are more than the discount: the others, which are most, give no gain. folds:
   of the left numbers in the table. */
static void keep_gains(PairTable *table, const PairTable *links, uint32_t folds) {
    PairTable kept = pair_table_new();
    for (size_t slot = 0; slot <= table->mask; slot++) {
        const PairEntry *pair = &table->slots[slot];
        if (pair->left != NO_PAIR && pair_table_value(links, pair->left / folds, pair->right) > (float)DISCOUNT)
            add_to(&kept, (int)pair->left, (int)pair->right, pair->count);
    }
    pair_table_free(table);
    *table = kept;
}

/* Makes the counts the links, and computes what ρ needs. The counts become 0. */
static void estimate_words(WordModel *m, const SideText *from, const SideText *to) {
    pair_table_free(&m->links);
    pair_table_free(&m->fold_links);
    m->links = pair_table_new();
    m->fold_links = m->fold_counts;
    m->fold_counts = pair_table_new();
    add_folds(&m->links, &m->fold_links);
    estimate_rests(m);
    estimate_classes(m, to);
    keep_gains(&m->fold_links, &m->links, FOLDS);
    keep_gains(&m->links, &m->links, 1);
    for (size_t slot = 0; slot <= m->known.mask; slot++) {
        const PairEntry *pair = &m->known.slots[slot];
        if (pair->left != NO_PAIR) add_to(&m->links, (int)pair->left, (int)pair->right, pair->count + (float)DISCOUNT);
    }
    sum_rests(m, from);
    memset(m->total, 0, (size_t)m->n_from * FOLDS * sizeof *m->total);
}

static void estimate_kinds(BeadScores *s) {
    double all = PRIOR_BEADS;
    for (int b = 0; b < BEADS; b++) all += s->beads[b];
    for (int b = 0; b < BEADS; b++) s->kind[b] = exact_log((s->beads[b] + PRIOR_BEADS * prior_kinds[b]) / all);
}

void bead_scores_estimate(BeadScores *s, bool words) {
    estimate_kinds(s);
    estimate_lengths(s);
    memset(s->beads, 0, sizeof s->beads);
    s->sum[0] = s->sum[1] = s->squares = s->ones = 0;
    for (int k = 0; k < 2 && words; k++) estimate_words(&s->word[k], &s->side[k], &s->side[!k]);
}

/* ---- the document -------------------------------------------------------------------------------------------------
 */

static void side_init(SideText *side, char *const *text, int n, Units *units) {
    const size_t places = (size_t)n + 1;
    *side =
        (SideText){.n = n, .length = mem_zalloc(places * sizeof(double)), .end = mem_zalloc(places * sizeof(size_t))};
    for (int m = 0; m < MOST_SENTENCES; m++) {
        side->own[m] = mem_zalloc(places * sizeof(double));
        side->inverse[m] = mem_zalloc(places * sizeof(double));
    }
    for (int k = 0; k < n; k++) {
        Token *tokens = units_encode(units, text[k]);
        for (ptrdiff_t l = 0; l < arrlen(tokens) && l < MOST_TOKENS; l++) arrput(side->unit, tokens[l].unit);
        side->length[k + 1] = side->length[k] + (double)utf8_count(text[k]);
        side->end[k + 1] = arrlenu(side->unit);
        arrfree(tokens);
    }
}

/* Finds the class of each unit of a side. */
static void find_classes(SideText *side, int units) {
    int *count = mem_zalloc((size_t)units * sizeof *count);
    side->class = mem_zalloc((size_t)units);
    for (ptrdiff_t k = 0; k < arrlen(side->unit); k++) count[side->unit[k]]++;
    for (int k = 0; k < units; k++)
        for (int c = count[k]; c > 1 && side->class[k] < CLASSES - 1; c /= 2) side->class[k]++;
    mem_free(count);
}

static void word_model_init(WordModel *m, int from, const SideText sides[2], Units *const units[2]) {
    const SideText *to = &sides[!from];
    *m = (WordModel){from,
                     units_count(units[from]),
                     units_count(units[!from]),
                     .links = pair_table_new(),
                     .fold_counts = pair_table_new(),
                     .fold_links = pair_table_new(),
                     .known = pair_table_new()};
    const size_t n = (size_t)m->n_from;
    m->share = mem_zalloc((size_t)m->n_to * sizeof(double));
    m->total = mem_zalloc(n * FOLDS * sizeof(double));
    m->known_total = mem_zalloc(n * sizeof(double));
    m->inverse = mem_zalloc(n * FOLDS * sizeof(float));
    m->rest = mem_zalloc(n * FOLDS * sizeof(float));
    m->sentence_rest = mem_zalloc((size_t)sides[from].n * FOLDS * CLASSES * sizeof(float));
    for (ptrdiff_t k = 0; k < arrlen(to->unit); k++) m->share[to->unit[k]] += 1 / (double)arrlen(to->unit);
}

static void add_known(WordModel *m, int from, int to, float count) {
    add_to(&m->known, from, to, count);
    m->known_total[from] += count;
}

/* Whether a unit of this side occurs in the document. */
static bool occurs(const BeadScores *s, int side, int unit) { return s->word[!side].share[unit] > 0; }

/* Whether a text has a letter or a digit. */
static bool is_word(const char *text) {
    while (*text) {
        const int32_t c = utf8_next(&text);
        if (is_letter(c) || is_han(c) || is_digit(c)) return true;
    }
    return false;
}

/* Links the units that have the same text: numbers, names, and all words that the other language has not translated. */
static void link_same_texts(BeadScores *s, Units *const units[2]) {
    for (int unit = 1; unit < s->word[0].n_from; unit++) {
        const char *text = units_text(units[SOURCE], unit);
        const int other = string_table_find(&units[TARGET]->texts, text, strlen(text));
        if (other < 0 || !occurs(s, SOURCE, unit) || !occurs(s, TARGET, other) || !is_word(text)) continue;
        add_known(&s->word[0], unit, other, (float)SAME_TEXT);
        add_known(&s->word[1], other, unit, (float)SAME_TEXT);
    }
}

/* Takes over the links of other text between units of the document. However often a unit occurred there, its links
   weigh less than MOST_KNOWN: this document may use it in another way. */
static void link_known(BeadScores *s, int from, const LinkCounts *prior) {
    for (size_t slot = 0; slot <= prior->pairs.mask; slot++) {
        const PairEntry *pair = &prior->pairs.slots[slot];
        if (pair->left == NO_PAIR || pair->left == NULL_UNIT || !occurs(s, from, (int)pair->left) ||
            !occurs(s, !from, (int)pair->right))
            continue;
        add_known(&s->word[from], (int)pair->left, (int)pair->right,
                  (float)(pair->count * MOST_KNOWN / (MOST_KNOWN + prior->total[pair->left])));
    }
}

BeadScores *bead_scores_new(char *const *const text[2], const int n[2], Units *const units[2],
                            const LinkCounts *prior) {
    BeadScores *s = mem_zalloc(sizeof *s);
    for (int k = 0; k < 2; k++) {
        side_init(&s->side[k], text[k], n[k], units[k]);
        find_classes(&s->side[k], units_count(units[k]));
    }
    for (int k = 0; k < 2; k++) { word_model_init(&s->word[k], k, s->side, units); }
    for (int k = 0; k < 2 && prior; k++) link_known(s, k, &prior[k]);
    link_same_texts(s, units);
    s->scale = s->side[TARGET].length[n[TARGET]] / s->side[SOURCE].length[n[SOURCE]];
    s->variance = 0.06 * s->side[TARGET].length[n[TARGET]] / n[TARGET];
    bead_scores_estimate(s, true);
    return s;
}

const double *bead_scores_length(const BeadScores *s, int side) { return s->side[side].length; }

void bead_scores_free(BeadScores *s) {
    for (int k = 0; k < 2; k++) {
        SideText *side = &s->side[k];
        WordModel *m = &s->word[k];
        mem_free(side->length);
        mem_free(side->end);
        arrfree(side->unit);
        mem_free(side->class);
        for (int i = 0; i < MOST_SENTENCES; i++) {
            mem_free(side->own[i]);
            mem_free(side->inverse[i]);
        }
        mem_free(m->share);
        mem_free(m->total);
        mem_free(m->known_total);
        mem_free(m->inverse);
        mem_free(m->rest);
        mem_free(m->sentence_rest);
        PairTable *const tables[] = {&m->links, &m->fold_links, &m->fold_counts, &m->known};
        for (int i = 0; i < 4; i++) pair_table_free(tables[i]);
    }
    mem_free(s);
}
