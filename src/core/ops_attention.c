/* ops_attention.c: scores, softmax and weighted sum over the positions of a sentence (Bahdanau et al. 2015, §3.1;
   with several heads Vaswani et al. 2017, §3.2). */
#include "core/attention_read.h"
#include "core/kernels.h"

#include <string.h>

Spans spans_one(Tape *tape, int queries, int rows) {
    int *zeros = arena_zalloc(&tape->arena, (size_t)(queries + 1) * sizeof *zeros);
    int *length = arena_alloc(&tape->arena, sizeof *length);
    *length = rows;
    return (Spans){.start = zeros + queries, .length = length, .owner = zeros, .longest = rows};
}

static int heads_of(const Var *e, const Spans *spans) {
    CHECK(spans->longest > 0 && e->cols % spans->longest == 0, "attention: %d columns for heads of %d positions",
          e->cols, spans->longest);
    return e->cols / spans->longest;
}

/* α_bkj = exp(e_bkj) / Σ_i exp(e_bki) for each head k;  de_bk += α_bk∘(dα_bk - α_bk·dα_bk) */
static void softmax_rows(void *context, int begin, int end) {
    const Record *op = context;
    const Spans *spans = op->extra;
    const Var *e = op->in[0], *alpha = op->out;
    for (int b = begin; b < end; b++) {
        const int length = spans_length(spans, b), longest = spans->longest;
        real *to = var_row(alpha, alpha->v, b), *from = var_row(e, e->v, b);
        memset(to, 0, (size_t)alpha->cols * sizeof(real));
        for (int k = 0; k < alpha->cols; k += longest) kernels->softmax(length, to + k, from + k);
    }
}

enum { SOFTMAX_GRAIN = 4096 /* with fewer numbers for a thread, a second thread makes the softmax slower */ };

static Back softmax_spans_back;
Var *softmax_spans(Tape *tape, Var *e, const Spans *spans) {
    heads_of(e, spans);
    attention_check_lengths("softmax_spans", spans, e->rows);
    Var *alpha = var_new(tape, e->rows, e->cols);
    tape_rows(tape, "softmax", alpha, SOFTMAX_GRAIN, softmax_rows, &(Record){.out = alpha, .in = {e}, .extra = spans});
    record_keep(tape, tape_record(tape, softmax_spans_back, alpha, e, alpha, NULL), spans, sizeof *spans);
    return alpha;
}

static void softmax_gradients(void *context, int begin, int end) {
    const Record *op = context;
    const Spans *spans = op->extra;
    const Var *e = op->in[0], *alpha = op->out;
    for (int b = begin; b < end; b++)
        for (int k = 0; k < alpha->cols; k += spans->longest)
            kernels->softmax_back(spans_length(spans, b), var_row(e, e->g, b) + k, var_row(alpha, alpha->v, b) + k,
                                  var_row(alpha, alpha->g, b) + k);
}

static void softmax_spans_back(Tape *tape, const Record *record) {
    tape_rows_gradients(tape, "softmax", record, SOFTMAX_GRAIN, softmax_gradients);
}

/* α_bkj = 1 if e_bkj is the first of the largest scores of head k, else 0. The derivative is 0 almost everywhere, so
   no gradient could train what computes e. */
Var *hardmax_spans(Tape *tape, const Var *e, const Spans *spans) {
    CHECK(!tape->recording, "hardmax_spans: the tape records, but the op has no gradient");
    attention_check_lengths("hardmax_spans", spans, e->rows);
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
static void mean_rows(void *context, int begin, int end) {
    const Record *op = context;
    const Heads *heads = op->extra;
    const Var *alpha = op->in[0], *mean = op->out;
    for (int b = begin; b < end; b++) {
        real *y = memset(var_row(mean, mean->v, b), 0, (size_t)mean->cols * sizeof(real));
        for (int k = heads->first; k < heads->first + heads->count; k++)
            kernels->axpy(mean->cols, y, 1 / (real)heads->count,
                          var_row(alpha, alpha->v, b) + head_offset(k, mean->cols));
    }
}

enum { MEAN_GRAIN = 1 << 14 };

static Back mean_heads_back;
Var *mean_heads(Tape *tape, Var *alpha, Heads heads, const Spans *spans) {
    CHECK(heads.first >= 0 && heads.count > 0 && heads.count <= heads_of(alpha, spans) - heads.first,
          "mean_heads: %d heads from %d on, of %d", heads.count, heads.first, heads_of(alpha, spans));
    Var *mean = var_new(tape, alpha->rows, spans->longest);
    Record op = {.out = mean, .in = {alpha}, .extra = &heads};
    tape_rows(tape, "mean of heads", alpha, MEAN_GRAIN, mean_rows, &op);
    record_keep(tape, tape_record(tape, mean_heads_back, mean, alpha, NULL, NULL), &heads, sizeof heads);
    return mean;
}

static void mean_gradients(void *context, int begin, int end) {
    const Record *op = context;
    const Heads *heads = op->extra;
    const Var *alpha = op->in[0], *mean = op->out;
    for (int b = begin; b < end; b++)
        for (int k = heads->first; k < heads->first + heads->count; k++)
            kernels->axpy(mean->cols, var_row(alpha, alpha->g, b) + head_offset(k, mean->cols), 1 / (real)heads->count,
                          var_row(mean, mean->g, b));
}

static void mean_heads_back(Tape *tape, const Record *record) {
    var_grad(tape, record->in[0]);
    tape_rows(tape, "mean of heads", record->in[0], MEAN_GRAIN, mean_gradients, (void *)record);
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
static void check_read(Tape *tape, const char *op, const Spans *spans, int queries, Var *M) {
    CHECK(!tape->recording || var_whole(M)->computed != COMPUTED_IN_PIECES,
          "%s: several ops wrote the matrix that is read", op);
    attention_check_spans(tape, op, spans, queries, M);
}

/* e_bkj = scale q_bk·K_jk;  dq_bk += scale Σ_j de_bkj K_jk,  dK_jk += scale Σ_b de_bkj q_bk
   (Luong et al. 2015, §3.1; with scale = 1/√width and several heads Vaswani et al. 2017, §3.2) */
typedef struct DotScores {
    Spans spans;
    int heads;
    real scale;
} DotScores;

static Back dot_scores_back;
Var *dot_scores(Tape *tape, Var *Q, Var *K, int heads, double scale, const Spans *spans) {
    CHECK(heads > 0 && Q->cols == K->cols && K->cols % heads == 0, "dot_scores: Q [%d, %d], K [%d, %d], %d heads",
          Q->rows, Q->cols, K->rows, K->cols, heads);
    check_read(tape, "dot_scores", spans, Q->rows, K);
    Var *e = var_new(tape, Q->rows, heads * spans->longest);
    AttentionRead read = {spans, K, Q->rows, heads, (real)scale, e->v, Q->v, true};
    threads_run(tape->threads, "scores", Q->rows, 1, add_dots, &read);
    const DotScores extra = {*spans, heads, (real)scale};
    record_keep(tape, tape_record(tape, dot_scores_back, e, Q, K, NULL), &extra, sizeof extra);
    return e;
}

static void dot_scores_back(Tape *tape, const Record *record) {
    const DotScores *s = record->extra;
    Var *Q = record->in[0], *K = record->in[1];
    AttentionRead read = {&s->spans, K, Q->rows, s->heads, s->scale, record->out->g, var_grad(tape, Q), false};
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
    Var *c = var_place(tape, out, alpha->rows, H->cols, "weighted_sum");
    var_check_apart(c, alpha, "weighted_sum");
    var_check_apart(c, H, "weighted_sum");
    AttentionRead read = {spans, H, alpha->rows, heads, 1, alpha->v, c->v, true};
    threads_run(tape->threads, "weighted sum", alpha->rows, 1, add_rows, &read);
    record_keep(tape, tape_record(tape, weighted_sum_back, c, alpha, H, NULL), spans, sizeof *spans);
    return c;
}

static void weighted_sum_back(Tape *tape, const Record *record) {
    Var *alpha = record->in[0], *H = record->in[1];
    const Spans *spans = record->extra;
    const int heads = heads_of(alpha, spans);
    AttentionRead read = {spans, H, alpha->rows, heads, 1, var_grad(tape, alpha), record->out->g, false};
    threads_run(tape->threads, "weighted sum", alpha->rows, 1, add_dots, &read);
    read.weights = alpha->v;
    attention_read_defer(tape, read);
}

DotAttention dot_attention(Tape *tape, Var *Q, Var *K, Var *V, double scale, const Spans *spans) {
    Var *e = dot_scores(tape, Q, K, 1, scale, spans), *alpha = softmax_spans(tape, e, spans);
    return (DotAttention){e, alpha, weighted_sum(tape, alpha, V, spans, NULL)};
}
