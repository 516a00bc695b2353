/* ops_additive.c: the scores of additive attention (Bahdanau et al. 2015, §3.1), also with coverage, which tells how
   much of each annotation has been read (Tu et al. 2016, "Modeling Coverage for Neural Machine Translation", §3). */
#include "core/attention_read.h"
#include "core/kernels.h"

#include <string.h>

/* e_bj = va · tanh(q_b + K_j), or with coverage va · tanh(q_b + K_j + β_bj Vb)
   da_bj = de_bj va (1 - tanh²),  dq_b += Σ_j da_bj,  dK_j += da_bj,  dva += Σ_bj de_bj tanh(..);
   with coverage also dβ_bj += da_bj · Vb,  dVb += Σ_bj β_bj da_bj */
typedef struct Scores {
    Spans spans;
    Var *q, *K, *beta, *va, *Vb, *out; /* beta and Vb: NULL without coverage */
    /* Rows [m, n], one for each query: in the backward pass the terms of dva, whose rows are then added in a fixed
       order. With coverage q_b + β_bj Vb, and in the backward pass also da_bj and the terms of dVb. */
    real *dva, *sum, *da, *dVb;
} Scores;

static real *scratch_rows(Tape *tape, const Var *q, size_t matrices) {
    return threads_scratch(tape->threads, SCRATCH_OP, matrices * var_size(q) * sizeof(real));
}

/* Returns q_b + β_bj Vb. */
static const real *covered(const Scores *at, int b, int j) {
    const int n = at->q->cols;
    real *sum = memcpy(var_row(at->q, at->sum, b), var_row(at->q, at->q->v, b), (size_t)n * sizeof(real));
    kernels->axpy(n, sum, var_row(at->beta, at->beta->v, b)[j], at->Vb->v);
    return sum;
}

static void score_rows(void *context, int begin, int end) {
    const Scores *at = context;
    for (int b = begin; b < end; b++) {
        const int start = at->spans.start[spans_sentence(&at->spans, b)], length = spans_length(&at->spans, b);
        const real *q = var_row(at->q, at->q->v, b);
        real *e = var_row(at->out, at->out->v, b);
        for (int j = 0; j < length; j++)
            e[j] = kernels->score(at->q->cols, at->va->v, at->beta ? covered(at, b, j) : q,
                                  var_row(at->K, at->K->v, start + j));
        memset(e + length, 0, (size_t)(at->out->cols - length) * sizeof(real));
    }
}

/* Sets at->out. `op`: the name of the op. */
static void compute_scores(Tape *tape, Scores *at, const char *op) {
    const Var *q = at->q, *K = at->K, *va = at->va;
    CHECK(q->cols == K->cols && va->rows == q->cols && va->cols == 1, "%s: q [%d, %d], K [%d, %d], va [%d, %d]", op,
          q->rows, q->cols, K->rows, K->cols, va->rows, va->cols);
    CHECK(!tape->recording || !at->spans.owner, "%s: spans->owner on a tape that records", op);
    attention_check_spans(tape, op, &at->spans, q->rows, K);
    if (tape->recording) var_check_apart(q, K, op); /* the threads add to the gradients of both */
    at->out = var_new(tape, q->rows, at->spans.longest);
    threads_run(tape->threads, "scores", q->rows, 1, score_rows, at);
}

static Back additive_scores_back;
Var *additive_scores(Tape *tape, Var *q, Var *K, Var *va, const Spans *spans) {
    Scores at = {.spans = *spans, .q = q, .K = K, .va = va};
    compute_scores(tape, &at, "additive_scores");
    record_keep(tape, tape_record(tape, additive_scores_back, at.out, q, K, va), &at, sizeof at);
    return at.out;
}

static void score_gradients(void *context, int begin, int end) {
    const Scores *at = context;
    const int n = at->q->cols;
    const size_t row = (size_t)n * sizeof(real);
    for (int b = begin; b < end; b++) {
        const int start = at->spans.start[b], length = spans_length(&at->spans, b);
        const real *de = var_row(at->out, at->out->g, b), *q = var_row(at->q, at->q->v, b);
        real *dq = var_row(at->q, at->q->g, b), *dva = memset(var_row(at->q, at->dva, b), 0, row);
        real *da = at->beta ? var_row(at->q, at->da, b) : dq;
        if (at->beta) memset(var_row(at->q, at->dVb, b), 0, row);
        for (int j = 0; j < length; j++) {
            if (at->beta) memset(da, 0, row);
            kernels->score_back(n, de[j], at->va->v, at->beta ? covered(at, b, j) : q,
                                var_row(at->K, at->K->v, start + j), dva, da, var_row(at->K, at->K->g, start + j));
            if (!at->beta) continue;
            kernels->add(n, dq, da);
            kernels->axpy(n, var_row(at->q, at->dVb, b), var_row(at->beta, at->beta->v, b)[j], da);
            var_row(at->beta, at->beta->g, b)[j] += kernels->dot(n, da, at->Vb->v);
        }
    }
}

static void add_to(Tape *tape, Var *weight, const Var *q, real *rows) {
    const RowSums sums = tape_row_sums(tape, weight);
    for (int b = 0; b < q->rows; b++) kernels->add(q->cols, row_sum(&sums, b), var_row(q, rows, b));
}

static void additive_scores_back(Tape *tape, const Record *record) {
    Scores at = *(const Scores *)record->extra;
    const size_t size = var_size(at.q);
    var_grad(tape, at.q);
    var_grad(tape, at.K);
    if (at.beta) var_grad(tape, at.beta);
    at.dva = scratch_rows(tape, at.q, 4);
    at.sum = at.dva + size;
    at.da = at.sum + size;
    at.dVb = at.da + size;
    threads_run(tape->threads, "scores", at.q->rows, 1, score_gradients, &at);
    add_to(tape, at.va, at.q, at.dva);
    if (at.Vb) add_to(tape, at.Vb, at.q, at.dVb);
}

static Back coverage_scores_back;
Var *coverage_scores(Tape *tape, Var *q, Var *K, Var *beta, CoverageWeights w, const Spans *spans) {
    CHECK(w.Vb->rows == 1 && w.Vb->cols == q->cols, "coverage_scores: Vb [%d, %d] for %d columns", w.Vb->rows,
          w.Vb->cols, q->cols);
    CHECK(beta->rows == q->rows && beta->cols == spans->longest,
          "coverage_scores: beta [%d, %d] for %d queries of %d positions", beta->rows, beta->cols, q->rows,
          spans->longest);
    Scores at = {.spans = *spans, .q = q, .K = K, .beta = beta, .va = w.va, .Vb = w.Vb};
    at.sum = scratch_rows(tape, q, 1);
    compute_scores(tape, &at, "coverage_scores");
    record_keep(tape, tape_record(tape, coverage_scores_back, at.out, q, K, beta), &at, sizeof at);
    return at.out;
}

static void coverage_scores_back(Tape *tape, const Record *record) { additive_scores_back(tape, record); }
