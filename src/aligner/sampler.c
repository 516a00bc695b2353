#include "aligner/sampler.h"

#include <string.h>

/* The parameters of the Dirichlet priors. LEXICAL_MASS is the sum over the target units. */
#define LEXICAL_MASS     30.0
#define JUMP_PRIOR       0.5
#define FERTILITY_PRIOR  0.5
#define NULL_PROBABILITY 0.2
#define TAIL_FERTILITY   0.5 /* ratio of the probabilities of n + 1 and n links beyond the counted ones */

enum { NO_LINK = -1, ORIGIN = MOST_UNITS + 1 /* index of the jump 0 */ };

struct Sampler {
    const Bitext *bitext;
    int source;
    const LinkCounts *prior;
    Rng rng;
    Stage stage;
    LinkCounts counts;
    int16_t *link;                         /* [target tokens of the bitext] source position, or NO_LINK */
    double smoothing;                      /* prior count of a pair */
    double *inverse;                       /* [n_source] 1 / (links of a source unit and their prior) */
    double jump[2 * ORIGIN + 1];           /* probability of jump d at ORIGIN + d */
    float (*fertility_ratio)[FERTILITIES]; /* [n_source] p(k + 1) / p(k) */
};

/* A pair while its links are drawn. */
typedef struct Sentence {
    int n, m; /* source and target tokens */
    const int *source, *target;
    int16_t *link;              /* [m] */
    int fertility[MOST_UNITS];  /* [n] links of each source token */
    int next[MOST_UNITS + 1];   /* [m + 1] source position of the first link at target position j or later; n: none */
    uint64_t found[MOST_UNITS]; /* of pair_table_find, for each source position and the current target token */
    double sum[MOST_UNITS + 1]; /* weights of the source positions, then of the null unit, added up */
} Sentence;

/* ---- a new sampler -------------------------------------------------------------------------------------------- */

static int unit_at(const Sentence *q, int position) { return position == NO_LINK ? NULL_UNIT : q->source[position]; }

/* Sets everything but the arrays of fixed size. */
static void sentence_start(const Sampler *s, long pair, Sentence *q) {
    const BitextSide *source = &s->bitext->side[s->source], *target = &s->bitext->side[!s->source];
    q->n = bitext_length(source, pair);
    q->m = bitext_length(target, pair);
    q->source = source->unit + bitext_begin(source, pair);
    q->target = target->unit + bitext_begin(target, pair);
    q->link = s->link + bitext_begin(target, pair);
}

/* Adds a link, or removes one: count -1. */
static void count_link(Sampler *s, int source, int target, float count) {
    link_counts_add(&s->counts, source, target, count);
    s->inverse[source] = 1 / (s->counts.total[source] + LEXICAL_MASS);
}

static void draw_first_links(Sampler *s) {
    Sentence q;
    for (long pair = 0; pair < bitext_pairs(s->bitext); pair++) {
        sentence_start(s, pair, &q);
        for (int j = 0; j < q.m; j++) {
            const double u = rng_uniform(&s->rng) * (1 + NULL_PROBABILITY);
            q.link[j] = u < 1 ? (int16_t)(u * q.n) : NO_LINK;
            count_link(s, unit_at(&q, q.link[j]), q.target[j], 1);
        }
    }
}

Sampler *sampler_new(const Bitext *bitext, int source, const LinkCounts *prior, Rng rng) {
    Sampler *s = mem_alloc(sizeof *s);
    const BitextSide *target = &bitext->side[!source];
    const int n_source = units_count(bitext->side[source].units);
    *s = (Sampler){.bitext = bitext, .source = source, .prior = prior, .rng = rng};
    s->counts = prior ? link_counts_copy(prior) : link_counts_new(n_source);
    link_counts_reserve(&s->counts, n_source);
    s->link = mem_alloc(bitext_begin(target, bitext_pairs(bitext)) * sizeof *s->link);
    s->smoothing = LEXICAL_MASS / units_count(target->units);
    s->inverse = mem_alloc((size_t)s->counts.n_source * sizeof *s->inverse);
    for (int i = 0; i < s->counts.n_source; i++) s->inverse[i] = 1 / (s->counts.total[i] + LEXICAL_MASS);
    s->fertility_ratio = mem_zalloc((size_t)s->counts.n_source * sizeof *s->fertility_ratio);
    draw_first_links(s);
    return s;
}

void sampler_free(Sampler *s) {
    if (!s) return;
    link_counts_free(&s->counts);
    mem_free(s->link);
    mem_free(s->inverse);
    mem_free(s->fertility_ratio);
    mem_free(s);
}

const LinkCounts *sampler_counts(const Sampler *s) { return &s->counts; }

/* ---- a sweep -------------------------------------------------------------------------------------------------- */

static void compute_jumps(Sampler *s) {
    double all = 0;
    for (int i = 0; i < JUMPS; i++) all += s->counts.jump[i] + JUMP_PRIOR;
    for (int jump = -ORIGIN; jump <= ORIGIN; jump++)
        s->jump[ORIGIN + jump] = (s->counts.jump[jump_index(0, jump)] + JUMP_PRIOR) / all;
}

static void compute_fertilities(Sampler *s) {
    for (int unit = 0; unit < s->counts.n_source; unit++) {
        const float *count = s->counts.fertility[unit];
        float *ratio = s->fertility_ratio[unit];
        for (int k = 0; k + 1 < FERTILITIES; k++)
            ratio[k] = (float)(((double)count[k + 1] + FERTILITY_PRIOR) / ((double)count[k] + FERTILITY_PRIOR));
        ratio[FERTILITIES - 1] = ratio[FERTILITIES - 2] * (float)TAIL_FERTILITY;
    }
}

void sampler_start_sweep(Sampler *s, Stage stage) {
    s->stage = stage;
    compute_jumps(s);
    compute_fertilities(s);
    memset(s->counts.jump, 0, sizeof s->counts.jump);
    memset(s->counts.fertility, 0, (size_t)s->counts.n_source * sizeof *s->counts.fertility);
    if (!s->prior) return;
    memcpy(s->counts.jump, s->prior->jump, sizeof s->counts.jump);
    memcpy(s->counts.fertility, s->prior->fertility, (size_t)s->prior->n_source * sizeof *s->counts.fertility);
}

/* Fills q->sum for target position j. previous, next: source positions of the links before and after it. */
static void weigh(const Sampler *s, Sentence *q, int j, int previous, int next) {
    const double *from = s->jump + ORIGIN - previous, *to = s->jump + ORIGIN + next;
    const uint32_t target = (uint32_t)q->target[j];
    const double linked = 1 - NULL_PROBABILITY;
    const PairTable *pairs = &s->counts.pairs;
    double sum = 0;
    for (int i = 0; i < q->n; i++) q->found[i] = pair_table_find(pairs, (uint32_t)q->source[i], target);
    for (int i = 0; i < q->n; i++) {
        const int unit = q->source[i];
        const double count = (double)pair_table_count(pairs, q->found[i], (uint32_t)unit, target);
        double weight = (count + s->smoothing) * s->inverse[unit] * linked;
        if (s->stage == STAGE_WORDS) weight /= q->n;
        else weight *= from[i] * to[-i];
        if (s->stage == STAGE_FERTILITY) weight *= (double)s->fertility_ratio[unit][fertility_index(q->fertility[i])];
        q->sum[i] = sum += weight;
    }
    double none =
        ((double)pair_table_value(pairs, NULL_UNIT, target) + s->smoothing) * s->inverse[NULL_UNIT] * NULL_PROBABILITY;
    if (s->stage != STAGE_WORDS) none *= from[next];
    q->sum[q->n] = sum + none;
}

/* Draws a source position, or NO_LINK, with the weights of q->sum. */
static int draw(Sampler *s, const Sentence *q) {
    const double at = rng_uniform(&s->rng) * q->sum[q->n];
    int i = 0;
    while (i < q->n && q->sum[i] <= at) i++;
    return i < q->n ? i : NO_LINK;
}

/* Adds the probabilities of the source positions to a row of the posterior. */
static void add_probabilities(const Sentence *q, float *row, double share) {
    double before = 0;
    for (int i = 0; i < q->n; i++) {
        row[i] += (float)((q->sum[i] - before) / q->sum[q->n] * share);
        before = q->sum[i];
    }
}

static void count_fertility(Sentence *q) {
    memset(q->fertility, 0, (size_t)q->n * sizeof *q->fertility);
    for (int j = 0; j < q->m; j++)
        if (q->link[j] != NO_LINK) q->fertility[q->link[j]]++;
}

static void find_next(Sentence *q) {
    q->next[q->m] = q->n;
    for (int j = q->m - 1; j >= 0; j--) q->next[j] = q->link[j] == NO_LINK ? q->next[j + 1] : q->link[j];
}

/* Draws all links of a pair again. posterior [m, n]; NULL: none. */
static void pass(Sampler *s, Sentence *q, float *posterior, double share) {
    int previous = -1;
    find_next(q);
    for (int j = 0; j < q->m; j++) {
        const int old = q->link[j];
        count_link(s, unit_at(q, old), q->target[j], -1);
        if (old != NO_LINK) q->fertility[old]--;
        weigh(s, q, j, previous, q->next[j + 1]);
        if (posterior) add_probabilities(q, posterior + (size_t)j * (size_t)q->n, share);
        const int drawn = draw(s, q);
        count_link(s, unit_at(q, drawn), q->target[j], 1);
        q->link[j] = (int16_t)drawn;
        if (drawn == NO_LINK) continue;
        q->fertility[drawn]++;
        previous = drawn;
    }
}

/* Counts the jumps and fertilities of a pair, for the next sweep. */
static void count_pair(Sampler *s, const Sentence *q) {
    int previous = -1;
    for (int j = 0; j < q->m; j++) {
        if (q->link[j] == NO_LINK) continue;
        s->counts.jump[jump_index(previous, q->link[j])]++;
        previous = q->link[j];
    }
    s->counts.jump[jump_index(previous, q->n)]++;
    for (int i = 0; i < q->n; i++) s->counts.fertility[q->source[i]][fertility_index(q->fertility[i])]++;
}

void sampler_run(Sampler *s, long first, long last, int passes, float *posterior) {
    Sentence q;
    for (long pair = first; pair < last; pair++) {
        sentence_start(s, pair, &q);
        const size_t cells = (size_t)q.n * (size_t)q.m;
        if (posterior) memset(posterior, 0, cells * sizeof *posterior);
        count_fertility(&q);
        for (int k = 0; k < passes; k++) pass(s, &q, posterior, 1.0 / passes);
        count_pair(s, &q);
        if (posterior) posterior += cells;
    }
}
