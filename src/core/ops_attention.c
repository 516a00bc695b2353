/* ops_attention.c: scores, softmax and weighted sum over the positions of a sentence (Bahdanau et al. 2015, §3.1; of
   queries, keys and values: Vaswani et al. 2017, §3.2.1). */
#include "core/kernels.h"
#include "core/ops.h"

#include <string.h>

static real *row(const Var *var, real *matrix, int i) { return matrix + (size_t)i * (size_t)var->cols; }
static int owner(const Spans *spans, int b) { return spans->owner ? spans->owner[b] : b; }

/* The spans of an op, kept in the arena for its way back. */
static const Spans *keep(Tape *tape, const Spans *spans) {
    Spans *copy = arena_alloc(&tape->arena, sizeof *copy);
    *copy = *spans;
    return copy;
}

typedef struct Attend {
    const Spans *spans;
    Var *out, *a, *b; /* what the op makes, and what it reads */
    const real *va;
    real *dva; /* a row a query: summed afterwards in a fixed order */
    real scale;
} Attend;

enum { TOGETHER = 16 /* rows that are read at a time */ };

/* Up to TOGETHER of the n rows from `first` on; returns how many. */
static int rows_of(const Var *H, int first, int n, const real *rows[TOGETHER]) {
    int count = n < TOGETHER ? n : TOGETHER;
    for (int k = 0; k < count; k++) rows[k] = row(H, H->v, first + k);
    return count;
}

Spans spans_one(Tape *tape, int queries, int rows) {
    int *zeros = arena_zalloc(&tape->arena, (size_t)(queries + 1) * sizeof *zeros);
    int *length = arena_alloc(&tape->arena, sizeof *length);
    *length = rows;
    return (Spans){.start = zeros + queries, .length = length, .owner = zeros, .longest = rows};
}

/* to_j += scale Σ_b weight_bj from_b over the queries b of j's sentence, which may be several: threads share the
   columns, so that none writes what another does. */
typedef struct HandOut {
    const Spans *spans;
    const Var *queries; /* for their number and the columns of weight */
    const real *weight, *from;
    real scale, *to;
    int cols; /* of from and to */
} HandOut;

static void hand_out_columns(void *context, int begin, int end, int thread) {
    (void)thread;
    const HandOut *h = context;
    const size_t cols = (size_t)h->cols, longest = (size_t)h->queries->cols;
    for (int b = 0; b < h->queries->rows; b++) {
        int s = owner(h->spans, b);
        real *to = h->to + (size_t)h->spans->start[s] * cols + begin;
        for (int j = 0; j < h->spans->length[s]; j++)
            kernels->axpy(end - begin, to + (size_t)j * cols, h->scale * h->weight[(size_t)b * longest + (size_t)j],
                          h->from + (size_t)b * cols + begin);
    }
}

static void hand_out(Tape *tape, HandOut h) {
    threads_run(tape->threads, "attention", h.cols, 64, hand_out_columns, &h);
}

/* e_bj = va · tanh(q_b + K_j)
   da_bj = de_bj va (1 - tanh²),  dq_b += Σ_j da_bj,  dK_j += da_bj,  dva += Σ_bj de_bj tanh(q_b + K_j) */
static void score_rows(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    for (int b = begin; b < end; b++) {
        int s = owner(at->spans, b), start = at->spans->start[s], length = at->spans->length[s];
        real *e = row(at->out, at->out->v, b);
        for (int j = 0; j < length; j++)
            e[j] = kernels->score(at->a->cols, at->va, row(at->a, at->a->v, b), row(at->b, at->b->v, start + j));
        memset(e + length, 0, (size_t)(at->out->cols - length) * sizeof(real));
    }
}

static Back additive_scores_back;
Var *additive_scores(Tape *tape, Var *q, Var *K, Var *va, const Spans *spans) {
    CHECK(q->cols == K->cols && va->rows == q->cols && va->cols == 1,
          "additive_scores: q [%d, %d], K [%d, %d], va [%d, %d]", q->rows, q->cols, K->rows, K->cols, va->rows,
          va->cols);
    CHECK(!tape->recording || !spans->owner, "additive_scores: owners on a tape that records");
    Attend at = {.spans = spans, .out = var_new(tape, q->rows, spans->longest), .a = q, .b = K, .va = va->v};
    threads_run(tape->threads, "scores", q->rows, 1, score_rows, &at);
    Record *record = tape_record(tape, additive_scores_back, at.out, q, K, va);
    if (record) record->extra = keep(tape, spans);
    return at.out;
}

static void score_gradients(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    const int n = at->a->cols;
    for (int b = begin; b < end; b++) {
        int start = at->spans->start[b], length = at->spans->length[b];
        const real *de = row(at->out, at->out->g, b);
        memset(row(at->a, at->dva, b), 0, (size_t)n * sizeof(real));
        for (int j = 0; j < length; j++)
            kernels->score_back(n, de[j], at->va, row(at->a, at->a->v, b), row(at->b, at->b->v, start + j),
                                row(at->a, at->dva, b), row(at->a, at->a->g, b), row(at->b, at->b->g, start + j));
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
                 .dva = threads_scratch(tape->threads, SCRATCH_OP, (size_t)q->rows * (size_t)q->cols * sizeof(real))};
    threads_run(tape->threads, "scores", q->rows, 1, score_gradients, &at);
    for (int b = 0; b < q->rows; b++) kernels->add(q->cols, var_grad(tape, va), row(q, at.dva, b));
}

/* e_bj = scale q_b·k_j;  dq_b += scale Σ_j de_bj k_j,  dk_j += scale Σ_b de_bj q_b */
static void dot_rows(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    for (int b = begin; b < end; b++) {
        int s = owner(at->spans, b), start = at->spans->start[s], length = at->spans->length[s];
        real *e = row(at->out, at->out->v, b);
        for (int j = 0; j < length; j += TOGETHER) {
            const real *k[TOGETHER];
            int count = rows_of(at->b, start + j, length - j, k);
            kernels->dots(at->b->cols, count, row(at->a, at->a->v, b), k, (long)count * at->b->cols, e + j);
        }
        for (int j = 0; j < length; j++) e[j] *= at->scale;
        memset(e + length, 0, (size_t)(at->out->cols - length) * sizeof(real));
    }
}

typedef struct Scaled {
    Spans spans;
    real scale;
} Scaled;

static Back dot_scores_back;
Var *dot_scores(Tape *tape, Var *Q, Var *K, double scale, const Spans *spans) {
    CHECK(Q->cols == K->cols, "dot_scores: Q [%d, %d], K [%d, %d]", Q->rows, Q->cols, K->rows, K->cols);
    Attend at = {.spans = spans, .out = var_new(tape, Q->rows, spans->longest), .a = Q, .b = K, .scale = (real)scale};
    threads_run(tape->threads, "scores", Q->rows, 1, dot_rows, &at);
    Record *record = tape_record(tape, dot_scores_back, at.out, Q, K, NULL);
    if (!record) return at.out;
    Scaled *scaled = arena_alloc(&tape->arena, sizeof *scaled);
    *scaled = (Scaled){*spans, at.scale};
    record->extra = scaled;
    return at.out;
}

static void query_gradients(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    for (int b = begin; b < end; b++) {
        int s = owner(at->spans, b), start = at->spans->start[s], length = at->spans->length[s];
        const real *de = row(at->out, at->out->g, b);
        for (int j = 0; j < length; j += TOGETHER) {
            const real *k[TOGETHER];
            real weight[TOGETHER];
            int count = rows_of(at->b, start + j, length - j, k);
            for (int i = 0; i < count; i++) weight[i] = at->scale * de[j + i];
            kernels->combine(at->b->cols, count, weight, k, (long)count * at->b->cols, row(at->a, at->a->g, b));
        }
    }
}

static void dot_scores_back(Tape *tape, const Record *record) {
    Var *e = record->out, *Q = record->in[0], *K = record->in[1];
    const Scaled *scaled = record->extra;
    const real *de = var_grad(tape, e);
    var_grad(tape, Q);
    Attend at = {.spans = &scaled->spans, .out = e, .a = Q, .b = K, .scale = scaled->scale};
    threads_run(tape->threads, "scores", Q->rows, 1, query_gradients, &at);
    hand_out(tape, (HandOut){&scaled->spans, e, de, Q->v, scaled->scale, var_grad(tape, K), K->cols});
}

/* α_bj = exp(e_bj) / Σ_k exp(e_bk);  de_b += α_b∘(dα_b - α_b·dα_b) */
static Back softmax_spans_back;
Var *softmax_spans(Tape *tape, Var *e, const Spans *spans) {
    Var *alpha = var_new(tape, e->rows, e->cols);
    for (int b = 0; b < e->rows; b++) {
        int length = spans->length[owner(spans, b)];
        CHECK(length > 0 && length <= e->cols, "softmax_spans: a sentence of %d in %d columns", length, e->cols);
        kernels->softmax(length, row(alpha, alpha->v, b), row(e, e->v, b));
        memset(row(alpha, alpha->v, b) + length, 0, (size_t)(e->cols - length) * sizeof(real));
    }
    Record *record = tape_record(tape, softmax_spans_back, alpha, e, NULL, NULL);
    if (record) record->extra = keep(tape, spans);
    return alpha;
}

static void softmax_spans_back(Tape *tape, const Record *record) {
    Var *alpha = record->out, *e = record->in[0];
    const Spans *spans = record->extra;
    for (int b = 0; b < e->rows; b++)
        kernels->softmax_back(spans->length[owner(spans, b)], row(e, var_grad(tape, e), b), row(alpha, alpha->v, b),
                              row(alpha, var_grad(tape, alpha), b));
}

/* c_b = Σ_j α_bj H_j;  dα_bj += dc_b·H_j,  dH_j += Σ_b α_bj dc_b
   The steps of a decoder all read the same H: what they hand back to it waits, and is added up sentence by sentence.
   Where queries have owners it does not: there are all of a sentence's at once. */
static void sum_rows(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    for (int b = begin; b < end; b++) {
        int s = owner(at->spans, b), start = at->spans->start[s], length = at->spans->length[s];
        real *c = row(at->out, at->out->v, b);
        memset(c, 0, (size_t)at->out->cols * sizeof(real));
        for (int j = 0; j < length; j += TOGETHER) {
            const real *x[TOGETHER];
            int count = rows_of(at->b, start + j, length - j, x);
            kernels->combine(at->b->cols, count, row(at->a, at->a->v, b) + j, x, (long)count * at->b->cols, c);
        }
    }
}

static Back weighted_sum_back;
Var *weighted_sum(Tape *tape, Var *alpha, Var *H, const Spans *spans, Var *out) {
    CHECK(alpha->cols == spans->longest, "weighted_sum: %d weights for %d positions", alpha->cols, spans->longest);
    Attend at = {.spans = spans, .out = var_place(tape, out, alpha->rows, H->cols), .a = alpha, .b = H};
    threads_run(tape->threads, "weighted sum", alpha->rows, 1, sum_rows, &at);
    Record *record = tape_record(tape, weighted_sum_back, at.out, alpha, H, NULL);
    if (record) record->extra = keep(tape, spans);
    return at.out;
}

static void weight_gradients(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    for (int b = begin; b < end; b++) {
        int s = owner(at->spans, b), start = at->spans->start[s], length = at->spans->length[s];
        real *dalpha = row(at->a, at->a->g, b);
        for (int j = 0; j < length; j += TOGETHER) {
            const real *x[TOGETHER];
            real sums[TOGETHER];
            int count = rows_of(at->b, start + j, length - j, x);
            kernels->dots(at->b->cols, count, row(at->out, at->out->g, b), x, (long)count * at->b->cols, sums);
            for (int k = 0; k < count; k++) dalpha[j + k] += sums[k];
        }
    }
}

/* A weighted sum that has gone back but for dH. */
typedef struct Read {
    const struct Read *before;
    const Spans *spans;
    Var *H;
    const Var *alpha, *c;
} Read;

/* Up to TOGETHER reads of sentence b, from *next on, which moves behind them. Returns how many. */
static int reads_of(int b, const Read **next, const Read *reads[TOGETHER]) {
    int count = 0;
    for (; *next && count < TOGETHER; *next = (*next)->before) {
        const Read *read = *next;
        if (b >= read->alpha->rows) continue;
        reads[count++] = read;
    }
    return count;
}

/* dH of the sentences begin..end-1, the latest read first. */
static void read_gradients(void *context, int begin, int end, int thread) {
    (void)thread;
    for (int b = begin; b < end; b++)
        for (const Read *next = context; next;) {
            const Read *reads[TOGETHER];
            const real *dc[TOGETHER];
            int count = reads_of(b, &next, reads), length = count ? reads[0]->spans->length[b] : 0;
            for (int k = 0; k < count; k++) dc[k] = row(reads[k]->c, reads[k]->c->g, b);
            for (int j = 0; j < length; j++) {
                real alpha[TOGETHER];
                for (int k = 0; k < count; k++) alpha[k] = row(reads[k]->alpha, reads[k]->alpha->v, b)[j];
                kernels->combine(reads[0]->H->cols, count, alpha, dc, 0,
                                 row(reads[0]->H, reads[0]->H->g, reads[0]->spans->start[b] + j));
            }
        }
}

static void hand_back_to_H(Tape *tape, const void *reads) {
    int sentences = 0;
    for (const Read *read = reads; read; read = read->before) {
        var_grad(tape, read->H);
        if (read->alpha->rows > sentences) sentences = read->alpha->rows;
    }
    threads_run(tape->threads, "weighted sum", sentences, 1, read_gradients, (void *)reads);
}

static void hand_back_later(Tape *tape, const Record *record) {
    Var *alpha = record->in[0], *H = record->in[1];
    const void **reads = tape_later(tape, H, hand_back_to_H);
    const Read *before = *reads;
    CHECK(!before || (before->H == H && before->spans->start == ((const Spans *)record->extra)->start),
          "weighted_sum: one H with two kinds of spans");
    Read *read = arena_alloc(&tape->arena, sizeof *read);
    *read = (Read){before, record->extra, H, alpha, record->out};
    *reads = read;
}

static void weighted_sum_back(Tape *tape, const Record *record) {
    Var *alpha = record->in[0], *H = record->in[1];
    const Spans *spans = record->extra;
    const real *dc = var_grad(tape, record->out);
    var_grad(tape, alpha);
    Attend at = {.spans = spans, .out = record->out, .a = alpha, .b = H};
    threads_run(tape->threads, "weighted sum", alpha->rows, 1, weight_gradients, &at);
    if (!spans->owner) hand_back_later(tape, record);
    else hand_out(tape, (HandOut){spans, alpha, alpha->v, dc, 1, var_grad(tape, H), H->cols});
}

DotAttention dot_attention(Tape *tape, Var *Q, Var *K, Var *V, double scale, const Spans *spans) {
    Var *e = dot_scores(tape, Q, K, scale, spans), *alpha = softmax_spans(tape, e, spans);
    return (DotAttention){e, alpha, weighted_sum(tape, alpha, V, spans, NULL)};
}
