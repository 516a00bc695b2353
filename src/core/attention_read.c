/* attention_read.c: the deferred gradient of the matrix M that an attention reads: dM_jk += Σ scale weights_bkj x_bk
   over the queries b of all reads of M. It loads each row of dM once for many queries. */
#include "core/attention_read.h"
#include "core/kernels.h"

#include <limits.h>

void attention_check_lengths(const char *op, const Spans *spans, int queries) {
    for (int b = 0; b < queries; b++) {
        const int length = spans_length(spans, b);
        CHECK(length > 0 && length <= spans->longest, "%s: a span of %d rows, but longest is %d", op, length,
              spans->longest);
    }
}

/* Checks what the gradient needs, which threads compute sentence by sentence. */
static void check_sentences(Tape *tape, const char *op, const Spans *spans, int queries, int rows) {
    const ArenaMark mark = arena_mark(&tape->arena);
    int *of = arena_zalloc(&tape->arena, (size_t)rows * sizeof *of); /* 1 + the sentence of each row; 0: none */
    for (int b = 0; b < queries; b++) {
        const int s = spans_sentence(spans, b), start = spans->start[s], length = spans->length[s];
        CHECK(spans_length(spans, b) <= length && length <= rows - start, "%s: query %d reads %d rows of %d from %d on",
              op, b, spans_length(spans, b), length, start);
        if (of[start] == s + 1) continue; /* another query of the sentence */
        for (int i = start; i < start + length; i++) {
            CHECK(!of[i], "%s: sentences %d and %d have row %d in common", op, of[i] - 1, s, i);
            of[i] = s + 1;
        }
    }
    arena_rewind(&tape->arena, mark);
}

void attention_check_spans(Tape *tape, const char *op, const Spans *spans, int queries, const Var *M) {
    attention_check_lengths(op, spans, queries);
    for (int b = 0; b < queries; b++) {
        const int length = spans_length(spans, b);
        if (spans->rows) {
            for (int j = 0; j < length; j++)
                CHECK(spans->rows[b][j] >= 0 && spans->rows[b][j] < M->rows, "%s: row %d of %d", op, spans->rows[b][j],
                      M->rows);
            continue;
        }
        CHECK(spans_sentence(spans, b) >= 0, "%s: sentence %d", op, spans_sentence(spans, b));
        const int start = spans->start[spans_sentence(spans, b)];
        CHECK(start >= 0 && start <= M->rows - length, "%s: rows %d to %d of %d", op, start, start + length - 1,
              M->rows);
    }
    CHECK(!tape->recording || !spans->rows, "%s: lists of rows on a tape that records", op);
    if (tape->recording) check_sentences(tape, op, spans, queries, M->rows);
}

/* A list of reads, the newest first. */
typedef struct DeferredRead {
    const struct DeferredRead *before;
    AttentionRead read;
} DeferredRead;

/* Consecutive reads in the list that read the same rows of the same sentences: from `latest` to before `end`. */
typedef struct DeferredReads {
    const DeferredRead *latest, *end;
} DeferredReads;

/* A query: its weights, row b of x, and its scale. */
typedef struct Query {
    const real *weights, *x;
    real scale;
} Query;

/* A position in a list of reads: query next_query of the read `at`. Earlier reads follow. */
typedef struct ReadCursor {
    const DeferredRead *at;
    int next_query;
} ReadCursor;

/* Returns the first query of sentence s from query b on; read->queries if there is none. */
static int query_of(const AttentionRead *read, int s, int b) {
    if (!read->spans->owner) return b <= s && s < read->queries ? s : read->queries;
    while (b < read->queries && read->spans->owner[b] != s) b++;
    return b;
}

/* Copies the next queries of sentence s, at most ATTENTION_BLOCK, to `list` and advances the cursor. Returns their
   number; 0 at the end. */
static int take_queries(int s, ReadCursor *cursor, const DeferredRead *end, Query list[ATTENTION_BLOCK]) {
    int count = 0;
    while (cursor->at != end && count < ATTENTION_BLOCK) {
        const AttentionRead *read = &cursor->at->read;
        const int b = query_of(read, s, cursor->next_query);
        if (b < read->queries) {
            list[count++] = (Query){read_weights(read, b), read_x(read, b), read->scale};
            cursor->next_query = b + 1;
        } else *cursor = (ReadCursor){cursor->at->before, 0};
    }
    return count;
}

/* dM_jk += Σ_b scale weights_bkj x_bk over all queries b of sentence s, for the rows j = begin..end-1 of the
   sentence. */
static void add_products(const DeferredReads *reads, int s, int begin, int end) {
    const AttentionRead *any = &reads->latest->read;
    const int start = any->spans->start[s], longest = any->spans->longest, width = any->M->cols / any->heads;
    Query queries[ATTENTION_BLOCK];
    ReadCursor cursor = {reads->latest, 0};
    for (int count; (count = take_queries(s, &cursor, reads->end, queries)) > 0;)
        for (int k = 0; k < any->heads; k++) {
            const real *x[ATTENTION_BLOCK];
            for (int i = 0; i < count; i++) x[i] = queries[i].x + head_offset(k, width);
            for (int j = begin; j < end; j++) {
                real weights[ATTENTION_BLOCK];
                for (int i = 0; i < count; i++)
                    weights[i] = queries[i].scale * queries[i].weights[head_offset(k, longest) + j];
                kernels->combine(width, count, weights, x, 0,
                                 var_row(any->M, any->M->g, start + j) + head_offset(k, width));
            }
        }
}

/* Item i is row i % longest of sentence i / longest. */
static void add_items(void *context, int begin, int end) {
    const DeferredReads *reads = context;
    const Spans *spans = reads->latest->read.spans;
    for (int i = begin, n; i < end; i += n) {
        const int s = i / spans->longest, j = i % spans->longest, length = spans->length[s];
        n = spans->longest - j < end - i ? spans->longest - j : end - i;
        if (j < length) add_products(reads, s, j, j + n < length ? j + n : length);
    }
}

static bool same_rows(const AttentionRead *a, const AttentionRead *b) {
    return a->M == b->M && a->heads == b->heads && a->spans->start == b->spans->start &&
           a->spans->length == b->spans->length && a->spans->longest == b->spans->longest;
}

/* Deferred gradient: runs once, after the last consumer of M and before its producer. */
static void add_deferred_reads(Tape *tape, const void *list) {
    DeferredReads reads = {.end = list};
    while ((reads.latest = reads.end)) {
        const AttentionRead *latest = &reads.latest->read;
        int sentences = 0;
        for (; reads.end && same_rows(&reads.end->read, latest); reads.end = reads.end->before)
            for (int b = 0; b < reads.end->read.queries; b++) {
                const int s = spans_sentence(reads.end->read.spans, b);
                if (s >= sentences) sentences = s + 1;
            }
        var_grad(tape, latest->M);
        const size_t items = (size_t)sentences * (size_t)latest->spans->longest;
        CHECK(items <= INT_MAX, "attention: %d sentences of up to %d rows", sentences, latest->spans->longest);
        threads_run(tape->threads, "weighted sum", (int)items, 8, add_items, &reads);
    }
}

void attention_read_defer(Tape *tape, AttentionRead read) {
    const void **list = tape_defer_grad(tape, read.M, add_deferred_reads);
    DeferredRead *deferred = arena_alloc(&tape->arena, sizeof *deferred);
    *deferred = (DeferredRead){*list, read};
    *list = deferred;
}
