#include "train/exchange.h"
#include "core/shard_sums.h"

#include <string.h>

/* ---- slices ----------------------------------------------------------------------------------------------------- */

/* Numbers at..at+n-1 of the flat arrays: a row of a table, or a whole other parameter, as far as it is in a slice. */
typedef struct Piece {
    size_t at, n;
    bool row;
} Piece;

/* The pieces of the slice from..to-1, one after the other. */
typedef struct Cursor {
    const Optimizer *optimizer;
    size_t from, to;
    int segment;
    long row;
} Cursor;

static Cursor cursor_at(const Exchange *x, int rank) {
    const int count = ranks_count(x->ranks);
    return (Cursor){x->optimizer, optimizer_slice_begin(x->optimizer, rank, count),
                    optimizer_slice_begin(x->optimizer, rank + 1, count), 0, 0};
}

/* Sets *piece to the next piece and returns true; false at the end. */
static bool next_piece(Cursor *c, Piece *piece) {
    for (; c->segment < c->optimizer->segment_count; c->segment++, c->row = 0) {
        const Segment *s = &c->optimizer->segments[c->segment];
        const bool table = s->kind == SEGMENT_TABLE;
        const size_t rows = table ? (size_t)s->rows : 1;
        const size_t size = table ? (size_t)s->cols : (size_t)s->rows * (size_t)s->cols;
        if (table && c->row == 0 && c->from > s->offset) c->row = (long)((c->from - s->offset) / size);
        for (; c->row < (long)rows; c->row++) {
            const size_t begin = s->offset + (size_t)c->row * size, end = begin + size;
            const size_t first = begin > c->from ? begin : c->from, last = end < c->to ? end : c->to;
            if (begin >= c->to) break;
            if (first >= last) continue;
            *piece = (Piece){first, last - first, table};
            c->row++;
            return true;
        }
    }
    return false;
}

/* The number of rows of tables in a slice. */
static size_t rows_in(Cursor c) {
    size_t rows = 0;
    for (Piece p; next_piece(&c, &p);) rows += p.row;
    return rows;
}

/* A message starts with one bit for each row of a table: whether the row follows; at least one word. */
static size_t words_for(size_t rows) { return rows / 32 + 1; }

static size_t capacity(const Exchange *x, int rank) {
    const Cursor c = cursor_at(x, rank);
    return (words_for(rows_in(c)) + (c.to - c.from)) * sizeof(uint32_t);
}

static bool is_zero(const real *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) return false;
    return true;
}

/* Writes the slice of a rank to a message and returns its bytes. Rows of tables that equal those of `before`, the same
   slice earlier, are left out; NULL: rows of zeros are left out, unless `all`. `array` is a slice, too. */
static size_t pack(const Exchange *x, int rank, const real *slice, const real *before, bool all, uint32_t *message) {
    Cursor c = cursor_at(x, rank);
    const size_t words = words_for(rows_in(c));
    size_t row = 0;
    uint32_t *to = message + words;
    memset(message, 0, words * sizeof *message);
    for (Piece p; next_piece(&c, &p);) {
        const real *from = slice + (p.at - c.from);
        if (p.row) {
            const bool same =
                before ? memcmp(from, before + (p.at - c.from), p.n * sizeof *from) == 0 : !all && is_zero(from, p.n);
            if (!same) message[row / 32] |= 1u << row % 32;
            row++;
            if (same) continue;
        }
        memcpy(to, from, p.n * sizeof *from);
        to += p.n;
    }
    return (size_t)(to - message) * sizeof *message;
}

/* Reads a message into the slice of a rank. Rows that are not in the message do not change. */
static int unpack(const Exchange *x, int rank, const RankMessage *message, real *slice, Err *err) {
    Cursor c = cursor_at(x, rank);
    const size_t words = words_for(rows_in(c));
    const uint32_t *bits = message->data, *from = bits + words, *end = bits + message->bytes / sizeof *bits;
    size_t row = 0;
    for (Piece p; next_piece(&c, &p);) {
        if (p.row) {
            const bool there = bits[row / 32] >> row % 32 & 1;
            row++;
            if (!there) continue;
        }
        if (from + p.n > end) return err_set(err, NULL, 0, "a message of another rank is too short");
        memcpy(slice + (p.at - c.from), from, p.n * sizeof *slice);
        from += p.n;
    }
    return 0;
}

/* ---- an exchange ------------------------------------------------------------------------------------------------ */

_Static_assert(sizeof(real) == sizeof(uint32_t), "messages have 4-byte words");

void exchange_init(Exchange *x, Ranks *ranks, Threads *threads, Optimizer *optimizer) {
    const int count = ranks_count(ranks), own = ranks_own(ranks);
    *x = (Exchange){.ranks = ranks, .threads = threads, .optimizer = optimizer};
    if (count == 1) return;
    optimizer_keep_slice(optimizer, own, count);
    size_t most = 0;
    for (int r = 0; r < count; r++)
        if (capacity(x, r) > most) most = capacity(x, r);
    most = (most + 63) / 64 * 64;
    x->out = mem_zalloc(2 * (size_t)count * sizeof *x->out);
    x->in = x->out + count;
    x->bytes = 2 * (size_t)count * most;
    x->memory = mem_alloc_aligned(x->bytes);
    for (int r = 0; r < 2 * count; r++) x->out[r].data = (char *)x->memory + (size_t)r * most;
}

void exchange_free(Exchange *x) {
    mem_free(x->out);
    mem_free(x->memory);
    *x = (Exchange){0};
}

static bool alone(const Exchange *x) { return ranks_count(x->ranks) == 1; }

int exchange_gradients(Exchange *x, real *gradient, Err *err) {
    if (alone(x)) return 0;
    const int count = ranks_count(x->ranks), own = ranks_own(x->ranks);
    const Optimizer *o = x->optimizer;
    const size_t size = o->to - o->from;
    for (int r = 0; r < count; r++) {
        if (r != own) x->out[r].bytes = pack(x, r, gradient + cursor_at(x, r).from, NULL, false, x->out[r].data);
        x->in[r].bytes = capacity(x, own);
    }
    if (ranks_exchange(x->ranks, x->out, x->in, false, err)) return -1;
    /* The messages have been sent; their space receives the gradients of the other ranks. */
    real **slices = mem_alloc((size_t)count * sizeof *slices);
    int status = 0;
    for (int r = 0; r < count && !status; r++) {
        slices[r] = r == own ? gradient + o->from : x->out[r].data;
        if (r == own) continue;
        memset(slices[r], 0, size * sizeof *gradient);
        status = unpack(x, own, &x->in[r], slices[r], err);
    }
    for (int half = 1; half < count && !status; half *= 2)
        for (int r = 0; r < count; r += 2 * half) shard_add(x->threads, size, slices[r], slices[r + half]);
    if (!status && own > 0) memcpy(gradient + o->from, slices[0], size * sizeof *gradient);
    memset(gradient, 0, o->from * sizeof *gradient);
    memset(gradient + o->to, 0, (o->size - o->to) * sizeof *gradient);
    mem_free(slices);
    return status;
}

int exchange_squares(Exchange *x, Err *err) {
    if (alone(x)) return 0;
    const int count = ranks_count(x->ranks), blocks = optimizer_blocks(x->optimizer), most = blocks / count + 1;
    double *squares = x->optimizer->squares, *all = mem_zalloc((size_t)(count + 1) * (size_t)most * sizeof *all);
    double *own = all + (ptrdiff_t)count * most;
    for (int r = ranks_own(x->ranks), b = part_offset(blocks, count, r), k = 0; b < part_offset(blocks, count, r + 1);)
        own[k++] = squares[b++];
    const int status = ranks_gather(x->ranks, own, all, (size_t)most * sizeof *all, false, err);
    for (int r = 0; r < count && !status; r++)
        for (int b = part_offset(blocks, count, r), k = 0; b < part_offset(blocks, count, r + 1);)
            squares[b++] = all[r * most + k++];
    mem_free(all);
    return status;
}

/* The own slice of the weights before the update: a rank sends no message to itself. */
static real *before_update(const Exchange *x) { return x->out[ranks_own(x->ranks)].data; }

void exchange_remember(Exchange *x, const real *weights) {
    const Optimizer *o = x->optimizer;
    if (!alone(x)) memcpy(before_update(x), weights + o->from, (o->to - o->from) * sizeof *weights);
}

/* Sends a slice to all ranks, or to rank 0 only; `before` as for pack. */
static int share(Exchange *x, const real *slice, const real *before, real *whole, bool everywhere, Err *err) {
    const int count = ranks_count(x->ranks), own = ranks_own(x->ranks);
    RankMessage *out = mem_alloc((size_t)count * sizeof *out);
    const size_t bytes = pack(x, own, slice, before, true, x->in[own].data);
    for (int r = 0; r < count; r++) out[r] = (RankMessage){x->in[own].data, everywhere || r == 0 ? bytes : 0};
    for (int r = 0; r < count; r++) x->in[r].bytes = everywhere || own == 0 ? capacity(x, r) : 0;
    int status = ranks_exchange(x->ranks, out, x->in, !before, err);
    for (int r = 0; r < count && !status && (everywhere || own == 0); r++)
        if (r != own) status = unpack(x, r, &x->in[r], whole + cursor_at(x, r).from, err);
    mem_free(out);
    return status;
}

int exchange_weights(Exchange *x, real *weights, Err *err) {
    if (alone(x)) return 0;
    return share(x, weights + x->optimizer->from, before_update(x), weights, true, err);
}

int exchange_collect(Exchange *x, real **array, bool everywhere, Err *err) {
    const Optimizer *o = x->optimizer;
    const real *slice = *array;
    const size_t bytes = (everywhere || ranks_own(x->ranks) == 0 ? o->size : o->to) * sizeof *slice;
    if (!slice || alone(x)) return 0;
    *array = memset(mem_alloc_aligned(bytes), 0, bytes); /* zero between the parameters */
    memcpy(*array + o->from, slice, (o->to - o->from) * sizeof *slice);
    return share(x, slice, NULL, *array, everywhere, err);
}
