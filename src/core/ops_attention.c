/* ops_attention.c: scores, softmax and weighted sum over the positions of a sentence (Bahdanau et al. 2015, §3.1; of
   queries, keys and values: Vaswani et al. 2017, §3.2.1). */
#include "core/kernels.h"
#include "core/ops.h"

#include <string.h>

static real *row(const Var *var, real *matrix, int i) { return matrix + (size_t)i * (size_t)var->cols; }
/* Where head k begins in a row of heads that are so wide. */
static ptrdiff_t head(int k, int width) { return (ptrdiff_t)k * width; }
static int owner(const Spans *spans, int b) { return spans->owner ? spans->owner[b] : b; }
static int length_of(const Spans *spans, int b) {
    return spans->seen ? spans->seen[b] : spans->length[owner(spans, b)];
}

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
} Attend;

Spans spans_one(Tape *tape, int queries, int rows) {
    int *zeros = arena_zalloc(&tape->arena, (size_t)(queries + 1) * sizeof *zeros);
    int *length = arena_alloc(&tape->arena, sizeof *length);
    *length = rows;
    return (Spans){.start = zeros + queries, .length = length, .owner = zeros, .longest = rows};
}

/* e_bj = va · tanh(q_b + K_j)
   da_bj = de_bj va (1 - tanh²),  dq_b += Σ_j da_bj,  dK_j += da_bj,  dva += Σ_bj de_bj tanh(q_b + K_j) */
static void score_rows(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    for (int b = begin; b < end; b++) {
        const int start = at->spans->start[owner(at->spans, b)], length = length_of(at->spans, b);
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
        const int start = at->spans->start[b], length = length_of(at->spans, b);
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

static int heads_of(const Var *e, const Spans *spans) {
    CHECK(spans->longest > 0 && e->cols % spans->longest == 0, "attention: %d columns for heads of %d positions",
          e->cols, spans->longest);
    return e->cols / spans->longest;
}

/* α_bkj = exp(e_bkj) / Σ_i exp(e_bki) for each head k;  de_bk += α_bk∘(dα_bk - α_bk·dα_bk) */
static void softmax_rows(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    const int longest = at->spans->longest;
    for (int b = begin; b < end; b++) {
        const int length = length_of(at->spans, b);
        real *alpha = row(at->out, at->out->v, b), *e = row(at->a, at->a->v, b);
        CHECK(length > 0 && length <= longest, "softmax_spans: a sentence of %d in %d columns", length, longest);
        memset(alpha, 0, (size_t)at->out->cols * sizeof(real));
        for (int k = 0; k < at->out->cols; k += longest) kernels->softmax(length, alpha + k, e + k);
    }
}

/* Few numbers are not worth a second thread. */
static void softmax_run(Tape *tape, Work *work, Attend *at) {
    threads_run(tape->threads, "softmax", at->out->rows, 1 + 4096 / at->out->cols, work, at);
}

static Back softmax_spans_back;
Var *softmax_spans(Tape *tape, Var *e, const Spans *spans) {
    heads_of(e, spans);
    Var *alpha = var_new(tape, e->rows, e->cols);
    softmax_run(tape, softmax_rows, &(Attend){.spans = spans, .out = alpha, .a = e});
    Record *record = tape_record(tape, softmax_spans_back, alpha, e, NULL, NULL);
    if (record) record->extra = keep(tape, spans);
    return alpha;
}

static void softmax_gradients(void *context, int begin, int end, int thread) {
    (void)thread;
    const Attend *at = context;
    for (int b = begin; b < end; b++)
        for (int k = 0; k < at->out->cols; k += at->spans->longest)
            kernels->softmax_back(length_of(at->spans, b), row(at->a, at->a->g, b) + k, row(at->out, at->out->v, b) + k,
                                  row(at->out, at->out->g, b) + k);
}

static void softmax_spans_back(Tape *tape, const Record *record) {
    Attend at = {.spans = record->extra, .out = record->out, .a = record->in[0]};
    var_grad(tape, at.a);
    var_grad(tape, at.out);
    softmax_run(tape, softmax_gradients, &at);
}

/* α_bkj = 1 where e_bkj is the first of head k's largest, else 0. A small change of e changes nothing, or jumps: the
   derivative is 0 wherever there is one, so that nothing could be learnt through it. */
Var *hardmax_spans(Tape *tape, const Var *e, const Spans *spans) {
    CHECK(!tape->recording, "hardmax_spans: it has no gradient");
    Var *alpha = zeros(tape, e->rows, e->cols);
    for (int b = 0; b < e->rows; b++)
        for (int k = 0; k < heads_of(e, spans); k++) {
            const real *scores = row(e, e->v, b) + head(k, spans->longest);
            int best = 0;
            for (int j = 1; j < length_of(spans, b); j++)
                if (scores[j] > scores[best]) best = j;
            row(alpha, alpha->v, b)[k * spans->longest + best] = 1;
        }
    return alpha;
}

/* y_bj = Σ_k α_bkj / count over the heads k that are asked for;  dα_bkj += dy_bj / count */
static Back mean_heads_back;
Var *mean_heads(Tape *tape, Var *alpha, Heads heads, const Spans *spans) {
    CHECK(heads.first >= 0 && heads.count > 0 && heads.first + heads.count <= heads_of(alpha, spans),
          "heads %d to %d of %d", heads.first, heads.first + heads.count, heads_of(alpha, spans));
    Var *mean = zeros(tape, alpha->rows, spans->longest);
    for (int b = 0; b < alpha->rows; b++)
        for (int k = heads.first; k < heads.first + heads.count; k++)
            kernels->axpy(spans->longest, row(mean, mean->v, b), 1 / (real)heads.count,
                          row(alpha, alpha->v, b) + head(k, spans->longest));
    Record *record = tape_record(tape, mean_heads_back, mean, alpha, NULL, NULL);
    if (!record) return mean;
    Heads *extra = arena_alloc(&tape->arena, sizeof *extra);
    *extra = heads;
    record->extra = extra;
    return mean;
}

static void mean_heads_back(Tape *tape, const Record *record) {
    Var *mean = record->out, *alpha = record->in[0];
    const Heads heads = *(const Heads *)record->extra;
    for (int b = 0; b < alpha->rows; b++)
        for (int k = heads.first; k < heads.first + heads.count; k++)
            kernels->axpy(mean->cols, row(alpha, var_grad(tape, alpha), b) + head(k, mean->cols), 1 / (real)heads.count,
                          row(mean, var_grad(tape, mean), b));
}

/* ---- scores as dot products, and sums --------------------------------------------------------------------------- */

/* What queries b have to do with the rows j of their sentences in M, for each head k, which has a block of columns.
   Three sums, of which each is the others' derivative:
   weights_bkj += scale x_bk·M_jk,  x_bk += scale Σ_j weights_bkj M_jk,  M_jk += scale Σ_b weights_bkj x_bk */
typedef struct Look {
    const Spans *spans;
    Var *M; /* [rows, n] */
    int queries, heads;
    real scale;
    real *weights, *x; /* [queries, heads longest], [queries, n] */
    bool anew;         /* what is added to is zero at first */
} Look;

enum { TOGETHER = 16 /* rows that are combined at a time */ };

static real *weights_at(const Look *look, int b) {
    return look->weights + (size_t)b * (size_t)(look->heads * look->spans->longest);
}
static real *x_at(const Look *look, int b) { return look->x + (size_t)b * (size_t)look->M->cols; }

/* Up to TOGETHER of the rows of M that query b sees, from its j-th on, at a column; returns how many. */
static int rows_of(const Look *look, int b, int j, int column, const real *rows[TOGETHER]) {
    const Spans *spans = look->spans;
    const int left = length_of(spans, b) - j, count = left < TOGETHER ? left : TOGETHER;
    for (int i = 0; i < count; i++) {
        const int at = spans->rows ? spans->rows[b][j + i] : spans->start[owner(spans, b)] + j + i;
        rows[i] = row(look->M, look->M->v, at) + column;
    }
    return count;
}

static void add_dots(void *context, int begin, int end, int thread) {
    (void)thread;
    const Look *look = context;
    const int width = look->M->cols / look->heads, longest = look->spans->longest;
    for (int b = begin; b < end; b++) {
        const int length = length_of(look->spans, b);
        real *weights = weights_at(look, b);
        if (look->anew) memset(weights, 0, (size_t)(look->heads * longest) * sizeof(real));
        for (int k = 0; k < look->heads; k++, weights += longest)
            for (int j = 0; j < length; j += TOGETHER) {
                const real *rows[TOGETHER];
                real sums[TOGETHER];
                int count = rows_of(look, b, j, k * width, rows);
                kernels->dots(width, count, x_at(look, b) + head(k, width), rows, (long)count * look->M->cols, sums);
                for (int i = 0; i < count; i++) weights[j + i] += look->scale * sums[i];
            }
    }
}

static void add_rows(void *context, int begin, int end, int thread) {
    (void)thread;
    const Look *look = context;
    const int width = look->M->cols / look->heads;
    for (int b = begin; b < end; b++) {
        const int length = length_of(look->spans, b);
        const real *weights = weights_at(look, b);
        real *x = x_at(look, b);
        if (look->anew) memset(x, 0, (size_t)look->M->cols * sizeof(real));
        for (int k = 0; k < look->heads; k++, weights += look->spans->longest, x += width)
            for (int j = 0; j < length; j += TOGETHER) {
                const real *rows[TOGETHER];
                real scaled[TOGETHER];
                int count = rows_of(look, b, j, k * width, rows);
                for (int i = 0; i < count; i++) scaled[i] = look->scale * weights[j + i];
                kernels->combine(width, count, scaled, rows, (long)count * look->M->cols, x);
            }
    }
}

/* The steps of a decoder all look at the same M: what they hand back to it waits, and is added up row by row. */
typedef struct Waiting {
    const struct Waiting *before;
    Look look;
} Waiting;

/* Looks at the same rows of the same sentences, the latest first; and behind them, where a walk along them ends. */
typedef struct Looks {
    const Waiting *latest, *end;
} Looks;

typedef struct Walk {
    const Waiting *waiting;
    int next; /* query of that look */
} Walk;

typedef struct Query {
    const real *weights, *x;
    real scale;
} Query;

/* The next of look's queries, from b on, that sentence s is asked; behind the last where there is none. */
static int query_of(const Look *look, int s, int b) {
    if (!look->spans->owner) return b <= s && s < look->queries ? s : look->queries;
    while (b < look->queries && look->spans->owner[b] != s) b++;
    return b;
}

/* Up to TOGETHER of the queries of sentence s; returns how many, 0 when all have been seen. */
static int queries_of(int s, Walk *walk, const Waiting *end, Query list[TOGETHER]) {
    int count = 0;
    while (walk->waiting != end && count < TOGETHER) {
        const Look *look = &walk->waiting->look;
        const int b = query_of(look, s, walk->next);
        if (b < look->queries) {
            list[count++] = (Query){weights_at(look, b), x_at(look, b), look->scale};
            walk->next = b + 1;
        } else *walk = (Walk){walk->waiting->before, 0};
    }
    return count;
}

/* dM_jk += Σ_b scale weights_bkj x_bk over all queries of sentence s, for its rows begin..end-1. */
static void add_products(const Looks *looks, int s, int begin, int end) {
    const Look *any = &looks->latest->look;
    const int start = any->spans->start[s], longest = any->spans->longest, width = any->M->cols / any->heads;
    Query queries[TOGETHER];
    Walk walk = {looks->latest, 0};
    for (int count; (count = queries_of(s, &walk, looks->end, queries)) > 0;)
        for (int k = 0; k < any->heads; k++) {
            const real *x[TOGETHER];
            for (int i = 0; i < count; i++) x[i] = queries[i].x + head(k, width);
            for (int j = begin; j < end; j++) {
                real weights[TOGETHER];
                for (int i = 0; i < count; i++) weights[i] = queries[i].scale * queries[i].weights[k * longest + j];
                kernels->combine(width, count, weights, x, 0, row(any->M, any->M->g, start + j) + head(k, width));
            }
        }
}

/* Item i is row i % longest of sentence i / longest. */
static void hand_back_part(void *context, int begin, int end, int thread) {
    (void)thread;
    const Looks *looks = context;
    const Spans *spans = looks->latest->look.spans;
    for (int i = begin, n; i < end; i += n) {
        const int s = i / spans->longest, j = i % spans->longest, length = spans->length[s];
        n = spans->longest - j < end - i ? spans->longest - j : end - i;
        if (j < length) add_products(looks, s, j, j + n < length ? j + n : length);
    }
}

static bool alike(const Look *a, const Look *b) {
    return a->M == b->M && a->heads == b->heads && a->spans->start == b->spans->start &&
           a->spans->length == b->spans->length && a->spans->longest == b->spans->longest;
}

static void hand_back_looks(Tape *tape, const void *list) {
    Looks looks = {.end = list};
    while ((looks.latest = looks.end)) {
        const Look *latest = &looks.latest->look;
        int sentences = 0;
        for (; looks.end && alike(&looks.end->look, latest); looks.end = looks.end->before)
            for (int b = 0; b < looks.end->look.queries; b++) {
                const int s = owner(looks.end->look.spans, b);
                if (s >= sentences) sentences = s + 1;
            }
        var_grad(tape, latest->M);
        threads_run(tape->threads, "weighted sum", sentences * latest->spans->longest, 8, hand_back_part, &looks);
    }
}

static void hand_back_later(Tape *tape, Look look) {
    const void **list = tape_later(tape, look.M, hand_back_looks);
    Waiting *waiting = arena_alloc(&tape->arena, sizeof *waiting);
    *waiting = (Waiting){*list, look};
    *list = waiting;
}

/* e_bkj = scale q_bk·K_jk;  dq_bk += scale Σ_j de_bkj K_jk,  dK_jk += scale Σ_b de_bkj q_bk
   (Luong et al. 2015, §3.1; with scale = 1/√width and several heads Vaswani et al. 2017, §3.2) */
static Back dot_scores_back;
Var *dot_scores(Tape *tape, Var *Q, Var *K, int heads, double scale, const Spans *spans) {
    CHECK(heads > 0 && Q->cols == K->cols && K->cols % heads == 0, "dot_scores: Q [%d, %d], K [%d, %d], %d heads",
          Q->rows, Q->cols, K->rows, K->cols, heads);
    Var *e = var_new(tape, Q->rows, heads * spans->longest);
    Look look = {spans, K, Q->rows, heads, (real)scale, e->v, Q->v, true};
    threads_run(tape->threads, "scores", Q->rows, 1, add_dots, &look);
    Record *record = tape_record(tape, dot_scores_back, e, Q, K, NULL);
    if (!record) return e;
    Look *extra = arena_alloc(&tape->arena, sizeof *extra);
    *extra = look;
    extra->spans = keep(tape, spans);
    record->extra = extra;
    return e;
}

static void dot_scores_back(Tape *tape, const Record *record) {
    Look look = *(const Look *)record->extra;
    Var *e = record->out, *Q = record->in[0];
    look.anew = false;
    look.weights = var_grad(tape, e);
    look.x = var_grad(tape, Q);
    threads_run(tape->threads, "scores", Q->rows, 1, add_rows, &look);
    look.x = Q->v;
    hand_back_later(tape, look);
}

/* c_bk = Σ_j α_bkj H_jk;  dα_bkj += dc_bk·H_jk,  dH_jk += Σ_b α_bkj dc_bk */
static Back weighted_sum_back;
Var *weighted_sum(Tape *tape, Var *alpha, Var *H, const Spans *spans, Var *out) {
    const int heads = heads_of(alpha, spans);
    CHECK(H->cols % heads == 0, "weighted_sum: %d columns for %d heads", H->cols, heads);
    Var *c = var_place(tape, out, alpha->rows, H->cols);
    Look look = {spans, H, alpha->rows, heads, 1, alpha->v, c->v, true};
    threads_run(tape->threads, "weighted sum", alpha->rows, 1, add_rows, &look);
    Record *record = tape_record(tape, weighted_sum_back, c, alpha, H, NULL);
    if (record) record->extra = keep(tape, spans);
    return c;
}

static void weighted_sum_back(Tape *tape, const Record *record) {
    Var *c = record->out, *alpha = record->in[0], *H = record->in[1];
    const Spans *spans = record->extra;
    Look look = {spans, H, alpha->rows, heads_of(alpha, spans), 1, var_grad(tape, alpha), var_grad(tape, c), false};
    threads_run(tape->threads, "weighted sum", alpha->rows, 1, add_dots, &look);
    look.weights = alpha->v;
    hand_back_later(tape, look);
}

DotAttention dot_attention(Tape *tape, Var *Q, Var *K, Var *V, double scale, const Spans *spans) {
    Var *e = dot_scores(tape, Q, K, 1, scale, spans), *alpha = softmax_spans(tape, e, spans);
    return (DotAttention){e, alpha, weighted_sum(tape, alpha, V, spans, NULL)};
}
