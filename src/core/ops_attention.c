/* ops_attention.c: scores, softmax and weighted sum over the positions of a sentence (Bahdanau et al. 2015, §3.1;
   with several heads Vaswani et al. 2017, §3.2). */
#include "core/attention_read.h"
#include "core/kernels.h"

#include <string.h>

/* Copies the spans of an op into the arena, for the op's backward function. */
static const Spans *copy_spans(Tape *tape, const Spans *spans) {
    Spans *copy = arena_alloc(&tape->arena, sizeof *copy);
    *copy = *spans;
    return copy;
}

typedef struct Attend {
    const Spans *spans;
    Var *out, *a, *b; /* the result, and the inputs */
    const real *va;
    real *dva; /* one row for each query; the rows are then added in a fixed order */
} Attend;

Spans spans_one(Tape *tape, int queries, int rows) {
    int *zeros = arena_zalloc(&tape->arena, (size_t)(queries + 1) * sizeof *zeros);
    int *length = arena_alloc(&tape->arena, sizeof *length);
    *length = rows;
    return (Spans){.start = zeros + queries, .length = length, .owner = zeros, .longest = rows};
}

/* e_bj = va · tanh(q_b + K_j)
   da_bj = de_bj va (1 - tanh²),  dq_b += Σ_j da_bj,  dK_j += da_bj,  dva += Σ_bj de_bj tanh(q_b + K_j) */
static void score_rows(void *context, int begin, int end) {
    const Attend *at = context;
    for (int b = begin; b < end; b++) {
        const int start = at->spans->start[spans_sentence(at->spans, b)], length = spans_length(at->spans, b);
        real *e = var_row(at->out, at->out->v, b);
        for (int j = 0; j < length; j++)
            e[j] =
                kernels->score(at->a->cols, at->va, var_row(at->a, at->a->v, b), var_row(at->b, at->b->v, start + j));
        memset(e + length, 0, (size_t)(at->out->cols - length) * sizeof(real));
    }
}

static Back additive_scores_back;
Var *additive_scores(Tape *tape, Var *q, Var *K, Var *va, const Spans *spans) {
    CHECK(q->cols == K->cols && va->rows == q->cols && va->cols == 1,
          "additive_scores: q [%d, %d], K [%d, %d], va [%d, %d]", q->rows, q->cols, K->rows, K->cols, va->rows,
          va->cols);
    CHECK(!tape->recording || !spans->owner, "additive_scores: spans->owner on a tape that records");
    attention_check_spans("additive_scores", spans, q->rows, K);
    Attend at = {.spans = spans, .out = var_new(tape, q->rows, spans->longest), .a = q, .b = K, .va = va->v};
    threads_run(tape->threads, "scores", q->rows, 1, score_rows, &at);
    Record *record = tape_record(tape, additive_scores_back, at.out, q, K, va);
    if (record) record->extra = copy_spans(tape, spans);
    return at.out;
}

static void score_gradients(void *context, int begin, int end) {
    const Attend *at = context;
    const int n = at->a->cols;
    for (int b = begin; b < end; b++) {
        const int start = at->spans->start[b], length = spans_length(at->spans, b);
        const real *de = var_row(at->out, at->out->g, b);
        memset(var_row(at->a, at->dva, b), 0, (size_t)n * sizeof(real));
        for (int j = 0; j < length; j++)
            kernels->score_back(n, de[j], at->va, var_row(at->a, at->a->v, b), var_row(at->b, at->b->v, start + j),
                                var_row(at->a, at->dva, b), var_row(at->a, at->a->g, b),
                                var_row(at->b, at->b->g, start + j));
    }
}

static void additive_scores_back(Tape *tape, const Record *record) {
    Var *q = record->in[0], *K = record->in[1], *va = record->in[2];
    var_grad(tape, record->out);
    var_grad(tape, q);
    var_grad(tape, K);
    Attend at = {.spans = record->extra,
                 .out = record->out,
                 .a = q,
                 .b = K,
                 .va = va->v,
                 .dva = threads_scratch(tape->threads, SCRATCH_OP, var_size(q) * sizeof(real))};
    threads_run(tape->threads, "scores", q->rows, 1, score_gradients, &at);
    const RowSums sums = tape_row_sums(tape, va);
    for (int b = 0; b < q->rows; b++) kernels->add(q->cols, row_sum(&sums, b), var_row(q, at.dva, b));
}

static int heads_of(const Var *e, const Spans *spans) {
    CHECK(spans->longest > 0 && e->cols % spans->longest == 0, "attention: %d columns for heads of %d positions",
          e->cols, spans->longest);
    return e->cols / spans->longest;
}

/* α_bkj = exp(e_bkj) / Σ_i exp(e_bki) for each head k;  de_bk += α_bk∘(dα_bk - α_bk·dα_bk) */
static void softmax_rows(void *context, int begin, int end) {
    const Attend *at = context;
    const int longest = at->spans->longest;
    for (int b = begin; b < end; b++) {
        const int length = spans_length(at->spans, b);
        real *alpha = var_row(at->out, at->out->v, b), *e = var_row(at->a, at->a->v, b);
        CHECK(length > 0 && length <= longest, "softmax_spans: a sentence of %d in %d columns", length, longest);
        memset(alpha, 0, (size_t)at->out->cols * sizeof(real));
        for (int k = 0; k < at->out->cols; k += longest) kernels->softmax(length, alpha + k, e + k);
    }
}

/* The grain is large, because a small softmax is slower with a second thread. */
static void softmax_run(Tape *tape, Work *work, Attend *at) {
    threads_run(tape->threads, "softmax", at->out->rows, 1 + 4096 / at->out->cols, work, at);
}

static Back softmax_spans_back;
Var *softmax_spans(Tape *tape, Var *e, const Spans *spans) {
    heads_of(e, spans);
    Var *alpha = var_new(tape, e->rows, e->cols);
    softmax_run(tape, softmax_rows, &(Attend){.spans = spans, .out = alpha, .a = e});
    Record *record = tape_record(tape, softmax_spans_back, alpha, e, alpha, NULL);
    if (record) record->extra = copy_spans(tape, spans);
    return alpha;
}

static void softmax_gradients(void *context, int begin, int end) {
    const Attend *at = context;
    for (int b = begin; b < end; b++)
        for (int k = 0; k < at->out->cols; k += at->spans->longest)
            kernels->softmax_back(spans_length(at->spans, b), var_row(at->a, at->a->g, b) + k,
                                  var_row(at->out, at->out->v, b) + k, var_row(at->out, at->out->g, b) + k);
}

static void softmax_spans_back(Tape *tape, const Record *record) {
    Attend at = {.spans = record->extra, .out = record->out, .a = record->in[0]};
    var_grad(tape, at.a);
    var_grad(tape, at.out);
    softmax_run(tape, softmax_gradients, &at);
}

/* α_bkj = 1 if e_bkj is the first of the largest scores of head k, else 0. The derivative is 0 almost everywhere, so
   no gradient could train what computes e. */
Var *hardmax_spans(Tape *tape, const Var *e, const Spans *spans) {
    CHECK(!tape->recording, "hardmax_spans: the tape records, but the op has no gradient");
    Var *alpha = zeros(tape, e->rows, e->cols);
    for (int b = 0; b < e->rows; b++)
        for (int k = 0; k < heads_of(e, spans); k++) {
            const real *scores = var_row(e, e->v, b) + head_offset(k, spans->longest);
            int best = 0;
            for (int j = 1; j < spans_length(spans, b); j++)
                if (scores[j] > scores[best]) best = j;
            var_row(alpha, alpha->v, b)[head_offset(k, spans->longest) + best] = 1;
        }
    return alpha;
}

/* y_bj = Σ_k α_bkj / count over heads.count heads k from heads.first on;  dα_bkj += dy_bj / count */
typedef struct HeadMean {
    Var *alpha, *mean;
    Heads heads;
} HeadMean;

static void mean_rows(void *context, int begin, int end) {
    const HeadMean *h = context;
    const int longest = h->mean->cols;
    for (int b = begin; b < end; b++) {
        real *mean = memset(var_row(h->mean, h->mean->v, b), 0, (size_t)longest * sizeof(real));
        for (int k = h->heads.first; k < h->heads.first + h->heads.count; k++)
            kernels->axpy(longest, mean, 1 / (real)h->heads.count,
                          var_row(h->alpha, h->alpha->v, b) + head_offset(k, longest));
    }
}

static void mean_run(Tape *tape, Work *work, HeadMean *h) {
    threads_run(tape->threads, "mean of heads", h->alpha->rows, 1 + 16384 / h->alpha->cols, work, h);
}

static Back mean_heads_back;
Var *mean_heads(Tape *tape, Var *alpha, Heads heads, const Spans *spans) {
    CHECK(heads.first >= 0 && heads.count > 0 && heads.first + heads.count <= heads_of(alpha, spans),
          "heads %d to %d of %d", heads.first, heads.first + heads.count, heads_of(alpha, spans));
    HeadMean *h = arena_alloc(&tape->arena, sizeof *h);
    *h = (HeadMean){alpha, var_new(tape, alpha->rows, spans->longest), heads};
    mean_run(tape, mean_rows, h);
    Record *record = tape_record(tape, mean_heads_back, h->mean, alpha, NULL, NULL);
    if (record) record->extra = h;
    return h->mean;
}

static void mean_gradients(void *context, int begin, int end) {
    const HeadMean *h = context;
    const int longest = h->mean->cols;
    for (int b = begin; b < end; b++)
        for (int k = h->heads.first; k < h->heads.first + h->heads.count; k++)
            kernels->axpy(longest, var_row(h->alpha, h->alpha->g, b) + head_offset(k, longest),
                          1 / (real)h->heads.count, var_row(h->mean, h->mean->g, b));
}

static void mean_heads_back(Tape *tape, const Record *record) {
    HeadMean h = *(const HeadMean *)record->extra;
    var_grad(tape, h.mean);
    var_grad(tape, h.alpha);
    mean_run(tape, mean_gradients, &h);
}

/* ---- dot products and weighted sums ----------------------------------------------------------------------------- */

/* Sets rows[i] to the row of M that query b reads at position j + i of its sentence, at column `column`, for at most
   ATTENTION_BLOCK rows. Returns their number. */
static int rows_of(const AttentionRead *read, int b, int j, int column, const real *rows[ATTENTION_BLOCK]) {
    const Spans *spans = read->spans;
    const int left = spans_length(spans, b) - j, count = left < ATTENTION_BLOCK ? left : ATTENTION_BLOCK;
    for (int i = 0; i < count; i++) {
        const int at = spans->rows ? spans->rows[b][j + i] : spans->start[spans_sentence(spans, b)] + j + i;
        rows[i] = var_row(read->M, read->M->v, at) + column;
    }
    return count;
}

/* weights_bkj += scale x_bk·M_jk for the queries begin..end-1. */
static void add_dots(void *context, int begin, int end) {
    const AttentionRead *read = context;
    const int width = read->M->cols / read->heads, longest = read->spans->longest;
    for (int b = begin; b < end; b++) {
        const int length = spans_length(read->spans, b);
        real *weights = read_weights(read, b);
        if (read->overwrite) memset(weights, 0, read_row_size(read) * sizeof(real));
        for (int k = 0; k < read->heads; k++, weights += longest)
            for (int j = 0; j < length; j += ATTENTION_BLOCK) {
                const real *rows[ATTENTION_BLOCK];
                real sums[ATTENTION_BLOCK];
                int count = rows_of(read, b, j, k * width, rows);
                kernels->dots(width, count, read_x(read, b) + head_offset(k, width), rows, (long)count * read->M->cols,
                              sums);
                for (int i = 0; i < count; i++) weights[j + i] += read->scale * sums[i];
            }
    }
}

/* x_bk += scale Σ_j weights_bkj M_jk for the queries begin..end-1. */
static void add_rows(void *context, int begin, int end) {
    const AttentionRead *read = context;
    const int width = read->M->cols / read->heads;
    for (int b = begin; b < end; b++) {
        const int length = spans_length(read->spans, b);
        const real *weights = read_weights(read, b);
        real *x = read_x(read, b);
        if (read->overwrite) memset(x, 0, (size_t)read->M->cols * sizeof(real));
        for (int k = 0; k < read->heads; k++, weights += read->spans->longest, x += width)
            for (int j = 0; j < length; j += ATTENTION_BLOCK) {
                const real *rows[ATTENTION_BLOCK];
                real scaled[ATTENTION_BLOCK];
                int count = rows_of(read, b, j, k * width, rows);
                for (int i = 0; i < count; i++) scaled[i] = read->scale * weights[j + i];
                kernels->combine(width, count, scaled, rows, (long)count * read->M->cols, x);
            }
    }
}

/* On a tape that records, M must be the result of one op, because its gradient is deferred: see tape_defer_grad. */
static void check_read(const Tape *tape, const char *op, const Spans *spans, int queries, Var *M) {
    const Var *whole = var_whole(M);
    CHECK(!tape->recording || !whole->in_pieces, "%s: several ops wrote the matrix that is read", op);
    attention_check_spans(op, spans, queries, M);
}

/* e_bkj = scale q_bk·K_jk;  dq_bk += scale Σ_j de_bkj K_jk,  dK_jk += scale Σ_b de_bkj q_bk
   (Luong et al. 2015, §3.1; with scale = 1/√width and several heads Vaswani et al. 2017, §3.2) */
static Back dot_scores_back;
Var *dot_scores(Tape *tape, Var *Q, Var *K, int heads, double scale, const Spans *spans) {
    CHECK(heads > 0 && Q->cols == K->cols && K->cols % heads == 0, "dot_scores: Q [%d, %d], K [%d, %d], %d heads",
          Q->rows, Q->cols, K->rows, K->cols, heads);
    check_read(tape, "dot_scores", spans, Q->rows, K);
    Var *e = var_new(tape, Q->rows, heads * spans->longest);
    AttentionRead read = {spans, K, Q->rows, heads, (real)scale, e->v, Q->v, true};
    threads_run(tape->threads, "scores", Q->rows, 1, add_dots, &read);
    Record *record = tape_record(tape, dot_scores_back, e, Q, K, NULL);
    if (!record) return e;
    AttentionRead *extra = arena_alloc(&tape->arena, sizeof *extra);
    *extra = read;
    extra->spans = copy_spans(tape, spans);
    record->extra = extra;
    return e;
}

static void dot_scores_back(Tape *tape, const Record *record) {
    AttentionRead read = *(const AttentionRead *)record->extra;
    Var *e = record->out, *Q = record->in[0];
    read.overwrite = false;
    read.weights = var_grad(tape, e);
    read.x = var_grad(tape, Q);
    threads_run(tape->threads, "scores", Q->rows, 1, add_rows, &read);
    read.x = Q->v;
    attention_read_defer(tape, read);
}

/* c_bk = Σ_j α_bkj H_jk;  dα_bkj += dc_bk·H_jk,  dH_jk += Σ_b α_bkj dc_bk */
static Back weighted_sum_back;
Var *weighted_sum(Tape *tape, Var *alpha, Var *H, const Spans *spans, Var *out) {
    const int heads = heads_of(alpha, spans);
    CHECK(H->cols % heads == 0, "weighted_sum: %d columns for %d heads", H->cols, heads);
    check_read(tape, "weighted_sum", spans, alpha->rows, H);
    Var *c = var_place(tape, out, alpha->rows, H->cols);
    AttentionRead read = {spans, H, alpha->rows, heads, 1, alpha->v, c->v, true};
    threads_run(tape->threads, "weighted sum", alpha->rows, 1, add_rows, &read);
    Record *record = tape_record(tape, weighted_sum_back, c, alpha, H, NULL);
    if (record) record->extra = copy_spans(tape, spans);
    return c;
}

static void weighted_sum_back(Tape *tape, const Record *record) {
    Var *c = record->out, *alpha = record->in[0], *H = record->in[1];
    const Spans *spans = record->extra;
    AttentionRead read = {spans, H, alpha->rows, heads_of(alpha, spans), 1, var_grad(tape, alpha), var_grad(tape, c),
                          false};
    threads_run(tape->threads, "weighted sum", alpha->rows, 1, add_dots, &read);
    read.weights = alpha->v;
    attention_read_defer(tape, read);
}

DotAttention dot_attention(Tape *tape, Var *Q, Var *K, Var *V, double scale, const Spans *spans) {
    Var *e = dot_scores(tape, Q, K, 1, scale, spans), *alpha = softmax_spans(tape, e, spans);
    return (DotAttention){e, alpha, weighted_sum(tape, alpha, V, spans, NULL)};
}
