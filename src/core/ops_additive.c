/* ops_coverage.c: the scores of an attention that knows how much of each annotation has been read (Tu et al. 2016,
   "Modeling Coverage for Neural Machine Translation", §3). */
#include "core/attention_read.h"
#include "core/kernels.h"

#include <string.h>

/* e_bj = va · tanh(q_b + K_j + β_bj Vb)
   da_bj = de_bj va (1 - tanh²),  dq_b += Σ_j da_bj,  dK_j += da_bj,  dβ_bj += da_bj · Vb,
   dva += Σ_bj de_bj tanh(q_b + K_j + β_bj Vb),  dVb += Σ_bj β_bj da_bj */
typedef struct Coverage {
    Spans spans;
    Var *q, *K, *beta, *va, *Vb, *out;
    /* Rows [m, n], one for each query: q_b + β_bj Vb; and in the backward pass also da_bj, and the terms of dva and
       dVb, whose rows are then added in a fixed order. */
    real *sum, *da, *dva, *dVb;
} Coverage;

/* Returns q_b + β_bj Vb. */
static const real *covered(const Coverage *at, int b, int j) {
    const int n = at->q->cols;
    real *sum = memcpy(var_row(at->q, at->sum, b), var_row(at->q, at->q->v, b), (size_t)n * sizeof(real));
    kernels->axpy(n, sum, var_row(at->beta, at->beta->v, b)[j], at->Vb->v);
    return sum;
}

static void score_rows(void *context, int begin, int end) {
    const Coverage *at = context;
    for (int b = begin; b < end; b++) {
        const int start = at->spans.start[spans_sentence(&at->spans, b)], length = spans_length(&at->spans, b);
        real *e = var_row(at->out, at->out->v, b);
        for (int j = 0; j < length; j++)
            e[j] = kernels->score(at->q->cols, at->va->v, covered(at, b, j), var_row(at->K, at->K->v, start + j));
        memset(e + length, 0, (size_t)(at->out->cols - length) * sizeof(real));
    }
}

static real *scratch_rows(Tape *tape, const Var *q, size_t matrices) {
    return threads_scratch(tape->threads, SCRATCH_OP, matrices * var_size(q) * sizeof(real));
}

static Back coverage_scores_back;
Var *coverage_scores(Tape *tape, Var *q, Var *K, Var *beta, CoverageWeights w, const Spans *spans) {
    CHECK(q->cols == K->cols && w.va->rows == q->cols && w.va->cols == 1 && w.Vb->rows == 1 && w.Vb->cols == q->cols,
          "coverage_scores: q [%d, %d], K [%d, %d], va [%d, %d], Vb [%d, %d]", q->rows, q->cols, K->rows, K->cols,
          w.va->rows, w.va->cols, w.Vb->rows, w.Vb->cols);
    CHECK(beta->rows == q->rows && beta->cols == spans->longest,
          "coverage_scores: beta [%d, %d] for %d queries of %d positions", beta->rows, beta->cols, q->rows,
          spans->longest);
    CHECK(!tape->recording || !spans->owner, "coverage_scores: spans->owner on a tape that records");
    attention_check_spans("coverage_scores", spans, q->rows, K);
    Coverage *at = arena_alloc(&tape->arena, sizeof *at);
    *at = (Coverage){.spans = *spans, .q = q, .K = K, .beta = beta, .va = w.va, .Vb = w.Vb};
    at->out = var_new(tape, q->rows, spans->longest);
    at->sum = scratch_rows(tape, q, 1);
    threads_run(tape->threads, "scores", q->rows, 1, score_rows, at);
    Record *record = tape_record(tape, coverage_scores_back, at->out, q, K, beta);
    if (record) record->extra = at;
    return at->out;
}

static void score_gradients(void *context, int begin, int end) {
    const Coverage *at = context;
    const int n = at->q->cols;
    const size_t row = (size_t)n * sizeof(real);
    for (int b = begin; b < end; b++) {
        const int start = at->spans.start[b], length = spans_length(&at->spans, b);
        const real *de = var_row(at->out, at->out->g, b), *beta = var_row(at->beta, at->beta->v, b);
        real *da = var_row(at->q, at->da, b), *dva = memset(var_row(at->q, at->dva, b), 0, row),
             *dVb = memset(var_row(at->q, at->dVb, b), 0, row);
        for (int j = 0; j < length; j++) {
            memset(da, 0, row);
            kernels->score_back(n, de[j], at->va->v, covered(at, b, j), var_row(at->K, at->K->v, start + j), dva, da,
                                var_row(at->K, at->K->g, start + j));
            kernels->add(n, var_row(at->q, at->q->g, b), da);
            kernels->axpy(n, dVb, beta[j], da);
            var_row(at->beta, at->beta->g, b)[j] += kernels->dot(n, da, at->Vb->v);
        }
    }
}

static void add_to(Tape *tape, Var *weight, const Var *q, real *rows) {
    const RowSums sums = tape_row_sums(tape, weight);
    for (int b = 0; b < q->rows; b++) kernels->add(q->cols, row_sum(&sums, b), var_row(q, rows, b));
}

static void coverage_scores_back(Tape *tape, const Record *record) {
    Coverage at = *(const Coverage *)record->extra;
    var_grad(tape, at.out);
    var_grad(tape, at.q);
    var_grad(tape, at.K);
    var_grad(tape, at.beta);
    at.sum = scratch_rows(tape, at.q, 4);
    at.da = at.sum + var_size(at.q);
    at.dva = at.da + var_size(at.q);
    at.dVb = at.dva + var_size(at.q);
    threads_run(tape->threads, "scores", at.q->rows, 1, score_gradients, &at);
    add_to(tape, at.va, at.q, at.dva);
    add_to(tape, at.Vb, at.q, at.dVb);
}
