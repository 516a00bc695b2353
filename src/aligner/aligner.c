#include "aligner/aligner.h"

#include "aligner/sampler.h"

enum {
    LAST_PASSES = 4,     /* times that the links of a pair are drawn in the last sweep */
    MOST_CELLS = 1 << 20 /* pairs of tokens in a block, unless a block is one pair */
};

typedef struct Aligner {
    const Bitext *bitext;
    const LinkCounts *prior; /* [2]; NULL: none */
    const AlignerOptions *options;
    Threads *threads;
    ProgressFn *progress; /* NULL: none */
    AlignedFn *aligned;
    void *context;      /* of both */
    int n;              /* samplers; the direction of sampler k is k % 2 */
    Sampler **samplers; /* [n] */
    float **posterior;  /* [n] of the current block, in the last sweep */
    size_t room;        /* floats in each of them */
    long first, last;   /* the current block of pairs: first..last - 1 */
    bool is_last;       /* the last sweep */
} Aligner;

/* ---- work of the threads, one sampler for each item ------------------------------------------------------------- */

static void create_samplers(void *context, int begin, int end) {
    Aligner *a = context;
    for (int k = begin; k < end; k++)
        a->samplers[k] =
            sampler_new(a->bitext, k % 2, a->prior ? &a->prior[k % 2] : NULL, rng_seed(a->options->seed, (uint64_t)k));
}

static void run_samplers(void *context, int begin, int end) {
    Aligner *a = context;
    for (int k = begin; k < end; k++) {
        if (a->is_last) a->posterior[k] = mem_realloc(a->posterior[k], a->room * sizeof(float));
        sampler_run(a->samplers[k], a->first, a->last, a->is_last ? LAST_PASSES : 1, a->posterior[k]);
    }
}

/* ---- sweeps ----------------------------------------------------------------------------------------------------- */

/* Sets a->first and a->last to the next block. Returns its number of cells; 0 at the end. */
static size_t next_block(Aligner *a) {
    const long pairs = bitext_pairs(a->bitext);
    size_t cells = 0;
    a->first = a->last;
    for (; a->last < pairs; a->last++) {
        const size_t more = bitext_cells(a->bitext, a->last);
        if (a->last > a->first && cells + more > MOST_CELLS) break;
        cells += more;
    }
    return cells;
}

/* Replaces the posteriors of the first two samplers, one of each direction, by the means over all samplers. */
static void average_posteriors(Aligner *a, size_t cells) {
    const float share = 1 / (float)a->options->samplers;
    for (int direction = 0; direction < 2; direction++) {
        float *mean = a->posterior[direction];
        for (int k = direction + 2; k < a->n; k += 2)
            for (size_t i = 0; i < cells; i++) mean[i] += a->posterior[k][i];
        for (size_t i = 0; i < cells; i++) mean[i] *= share;
    }
}

static int report_pairs(const Aligner *a, Err *err) {
    const BitextSide *side = a->bitext->side;
    size_t at = 0;
    for (long pair = a->first; pair < a->last; pair++) {
        const int source = bitext_length(&side[SOURCE], pair), target = bitext_length(&side[TARGET], pair);
        const PairAlignment alignment = {a->bitext, pair, {source, target}, a->posterior[0] + at, a->posterior[1] + at};
        if (a->aligned(a->context, &alignment, err)) return -1;
        at += bitext_cells(a->bitext, pair);
    }
    return 0;
}

static Stage stage_of(const AlignerOptions *options, int sweep) {
    const int fifth = options->sweeps / 5;
    return sweep < fifth ? STAGE_WORDS : sweep < 2 * fifth ? STAGE_JUMPS : STAGE_FERTILITY;
}

static int run_sweep(Aligner *a, int sweep, Err *err) {
    const long pairs = bitext_pairs(a->bitext);
    a->last = 0;
    a->is_last = sweep == a->options->sweeps - 1;
    for (int k = 0; k < a->n; k++) sampler_start_sweep(a->samplers[k], stage_of(a->options, sweep));
    for (size_t cells; (cells = next_block(a)) > 0;) {
        if (cells > a->room) a->room = cells;
        threads_run(a->threads, "sampling", a->n, 1, run_samplers, a);
        if (a->is_last) average_posteriors(a, cells);
        if (a->is_last && report_pairs(a, err)) return -1;
        if (a->progress && a->progress(a->context, sweep * pairs + a->last, a->options->sweeps * pairs))
            return err_set(err, NULL, 0, "stopped in sweep %d", sweep + 1);
    }
    return 0;
}

static void average_counts(const Aligner *a, LinkCounts learned[2]) {
    for (int direction = 0; direction < 2; direction++) {
        learned[direction] = link_counts_new(units_count(a->bitext->side[direction].units));
        for (int k = direction; k < a->n; k += 2)
            link_counts_add_all(&learned[direction], sampler_counts(a->samplers[k]), 1 / (float)a->options->samplers);
    }
}

int aligner_run(const Bitext *bitext, const LinkCounts prior[2], const AlignerOptions *options, Threads *threads,
                ProgressFn *progress, AlignedFn *aligned, void *context, LinkCounts learned[2], Err *err) {
    Aligner a = {bitext, prior, options, threads, progress, aligned, context, .n = 2 * options->samplers};
    int status = 0;
    CHECK(options->samplers > 0 && options->sweeps > 0, "%d samplers, %d sweeps", options->samplers, options->sweeps);
    a.samplers = mem_zalloc((size_t)a.n * sizeof *a.samplers);
    a.posterior = mem_zalloc((size_t)a.n * sizeof *a.posterior);
    threads_run(threads, "sampling", a.n, 1, create_samplers, &a);
    for (int sweep = 0; sweep < options->sweeps && !status; sweep++) status = run_sweep(&a, sweep, err);
    if (learned) {
        learned[0] = learned[1] = (LinkCounts){0};
        if (!status) average_counts(&a, learned);
    }
    for (int k = 0; k < a.n; k++) {
        sampler_free(a.samplers[k]);
        mem_free(a.posterior[k]);
    }
    mem_free(a.samplers);
    mem_free(a.posterior);
    return status;
}
