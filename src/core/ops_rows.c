/* ops_rows.c: ops that copy rows or columns. */
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

#include <string.h>

enum { GRAIN = 1 << 14, GRAIN_COLUMNS = 64 };

/* Threads share the columns, because several rows may be added to the same row. */
static void columns_run(Tape *tape, int rows, int cols, Work *work, void *context) {
    const int grain = 1 + GRAIN / (rows + 1);
    threads_run(tape->threads, "rows", cols, grain > GRAIN_COLUMNS ? grain : GRAIN_COLUMNS, work, context);
}

/* y_i = x[index_i], 0 if index_i is -1      x [m, k], y [n, k]; with x = E the embedding of words
   dx[index_i] += dy_i, for the rows in the index only. Threads share columns: the index may have a row twice. */
typedef struct Gather {
    Var *x, *y;
    int first; /* the column of y that receives column 0 of x */
    const int *index;
} Gather;

static void gather_rows(void *context, int begin, int end) {
    const Gather *g = context;
    const size_t bytes = (size_t)g->x->cols * sizeof(real);
    for (int i = begin; i < end; i++) {
        real *to = var_row(g->y, g->y->v, i) + g->first;
        if (g->index[i] < 0) memset(to, 0, bytes);
        else if (g->x->v) memcpy(to, var_row(g->x, g->x->v, g->index[i]), bytes);
        else weight_row(g->x->weight, g->index[i], to);
    }
}

static void gather_columns(void *context, int begin, int end) {
    const Gather *g = context;
    for (int i = 0; i < g->y->rows; i++)
        if (g->index[i] >= 0)
            kernels->add(end - begin, var_row(g->x, g->x->g, g->index[i]) + begin,
                         var_row(g->y, g->y->g, i) + g->first + begin);
}

static void gather_into(Tape *tape, Gather g) {
    for (int i = 0; i < g.y->rows; i++)
        CHECK(g.index[i] >= -1 && g.index[i] < g.x->rows, "gather: row %d of %d", g.index[i], g.x->rows);
    threads_run(tape->threads, "rows", g.y->rows, 1 + GRAIN / g.x->cols, gather_rows, &g);
}

static void gather_gradient(Tape *tape, Gather g) {
    if (tape_table_grad(tape, g.x, g.index, g.y->g + g.first, g.y->cols, g.y->rows)) return;
    var_grad(tape, g.x);
    columns_run(tape, g.y->rows, g.x->cols, gather_columns, &g);
}

static Back gather_back;
Var *gather(Tape *tape, Var *x, const int *index, int n) {
    Var *y = var_new(tape, n, x->cols);
    gather_into(tape, (Gather){x, y, 0, index});
    Record *record = tape_record(tape, gather_back, y, x, NULL, NULL);
    if (record) record->extra = index;
    return y;
}

static void gather_back(Tape *tape, const Record *record) {
    gather_gradient(tape, (Gather){record->in[0], record->out, 0, record->extra});
}

/* y_i = [a[index_i], b[index_i]];  da[index_i] += the left columns of dy_i, db[index_i] += the right columns */
static Back gather_hcat_back;
Var *gather_hcat(Tape *tape, Var *a, Var *b, const int *index, int n) {
    Var *y = var_new(tape, n, a->cols + b->cols);
    gather_into(tape, (Gather){a, y, 0, index});
    gather_into(tape, (Gather){b, y, a->cols, index});
    Record *record = tape_record(tape, gather_hcat_back, y, a, b, NULL);
    if (record) record->extra = index;
    return y;
}

static void gather_hcat_back(Tape *tape, const Record *record) {
    Var *a = record->in[0], *b = record->in[1];
    gather_gradient(tape, (Gather){a, record->out, 0, record->extra});
    gather_gradient(tape, (Gather){b, record->out, a->cols, record->extra});
}

/* y_i = [x[index_0[i]], x[index_1[i]], ...];  dx[index_o[i]] += block o of the columns of dy_i */
static Back im2col_back;
Var *im2col(Tape *tape, Var *x, const int *const *index, int k, int n) {
    Var *y = var_new(tape, n, k * x->cols);
    for (int o = 0; o < k; o++) gather_into(tape, (Gather){x, y, o * x->cols, index[o]});
    Record *record = tape_record(tape, im2col_back, y, x, NULL, NULL);
    if (record) record->extra = index;
    return y;
}

static void im2col_back(Tape *tape, const Record *record) {
    Var *x = record->in[0], *y = record->out;
    const int *const *index = record->extra;
    for (int o = 0; o < y->cols / x->cols; o++) gather_gradient(tape, (Gather){x, y, o * x->cols, index[o]});
}

/* A slice has no record, because it shares the values and the gradient of the whole matrix. */
Var *slice(Tape *tape, Var *x, int first, int n) {
    CHECK(first >= 0 && n >= 0 && n <= x->rows - first, "slice: rows %d+%d of %d", first, n, x->rows);
    if (first == 0 && n == x->rows) return x;
    Var *y = arena_alloc(&tape->arena, sizeof *y);
    Var *whole = var_whole(x);
    *y = (Var){.rows = n, .cols = x->cols, .v = var_row(x, x->v, first), .whole = whole, .first = x->first + first};
    return y;
}

/* y = [x_0; x_1; ...];  dx_k += the rows of dy that x_k became */
static Back vcat_back;

/* True if the matrices are slices that are together all of one matrix, in its order. */
static bool covers_whole(Var *const *x, int n) {
    int rows = 0;
    for (int k = 0; k < n; rows += x[k++]->rows)
        if (!x[k]->whole || x[k]->whole != x[0]->whole || x[k]->first != rows) return false;
    return rows == x[0]->whole->rows;
}

Var *vcat(Tape *tape, Var *const *x, int n) {
    int rows = 0;
    CHECK(n > 0, "vcat: %d matrices", n);
    if (n == 1) return x[0];
    if (covers_whole(x, n)) return x[0]->whole;
    for (int k = 0; k < n; k++) {
        CHECK(x[k]->cols == x[0]->cols, "vcat: %d and %d columns", x[0]->cols, x[k]->cols);
        rows += x[k]->rows;
    }
    Var *y = var_new(tape, rows, x[0]->cols);
    real *to = y->v;
    for (int k = 0; k < n; k++, to += var_size(x[k - 1])) memcpy(to, x[k]->v, var_size(x[k]) * sizeof(real));
    for (int k = 0; k < n; k++) tape_read(tape, x[k], "vcat");
    record_keep(tape, tape_record(tape, vcat_back, y, NULL, NULL, NULL), x, (size_t)n * sizeof *x);
    return y;
}

static void vcat_back(Tape *tape, const Record *record) {
    Var *y = record->out, *const *x = record->extra;
    const real *dy = y->g, *end = dy + var_size(y);
    for (; dy < end; x++)
        for (int i = 0; i < (*x)->rows; i++, dy += y->cols)
            kernels->add(y->cols, var_row(*x, var_grad(tape, *x), i), dy);
}

/* y = [x; 0];  dx += the upper rows of dy
   Without rows to add, y is x, and the gradients of y's consumers are added to dx one by one. With shards, y is always
   a copy: whether there are rows to add depends on other shards, and the order of the sums must not. */
static void padded_rows(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    const size_t bytes = (size_t)x->cols * sizeof(real);
    for (int i = begin; i < end; i++)
        if (i < x->rows) memcpy(var_row(y, y->v, i), var_row(x, x->v, i), bytes);
        else memset(var_row(y, y->v, i), 0, bytes);
}

static Back pad_rows_back;
Var *pad_rows(Tape *tape, Var *x, int n) {
    CHECK(n >= x->rows, "pad_rows: %d rows to %d", x->rows, n);
    if (n == x->rows && !tape->shards) return x;
    Var *y = var_new(tape, n, x->cols);
    tape_rows(tape, "rows", y, GRAIN, padded_rows, &(Record){.out = y, .in = {x}});
    tape_record(tape, pad_rows_back, y, x, NULL, NULL);
    return y;
}

static void padded_gradients(void *context, int begin, int end) {
    const Var *x = ((const Record *)context)->in[0], *y = ((const Record *)context)->out;
    for (int i = begin; i < end; i++) kernels->add(x->cols, var_row(x, x->g, i), var_row(y, y->g, i));
}

static void pad_rows_back(Tape *tape, const Record *record) {
    var_grad(tape, record->in[0]);
    tape_rows(tape, "rows", record->in[0], GRAIN, padded_gradients, (void *)record);
}

/* y = [a, b];  da += the left columns of dy, db += the right columns
   Threads share the columns of da and db, because a and b may be slices that have rows in common. */
static void hcat_rows(void *context, int begin, int end) {
    const Record *op = context;
    const Var *a = op->in[0], *b = op->in[1], *y = op->out;
    for (int i = begin; i < end; i++) {
        memcpy(var_row(y, y->v, i), var_row(a, a->v, i), (size_t)a->cols * sizeof(real));
        memcpy(var_row(y, y->v, i) + a->cols, var_row(b, b->v, i), (size_t)b->cols * sizeof(real));
    }
}

static Back hcat_back;
Var *hcat(Tape *tape, Var *a, Var *b) {
    CHECK(a->rows == b->rows, "hcat: %d and %d rows", a->rows, b->rows);
    Var *y = var_new(tape, a->rows, a->cols + b->cols);
    tape_rows(tape, "rows", y, GRAIN, hcat_rows, &(Record){.out = y, .in = {a, b}});
    tape_record(tape, hcat_back, y, a, b, NULL);
    return y;
}

/* Adds a row dy to a row dx of the gradient of x, in the columns begin..end-1 as far as x has them. */
static void add_columns(const Var *x, real *dx, const real *dy, int begin, int end) {
    if (end > x->cols) end = x->cols;
    if (begin < end) kernels->add(end - begin, dx + begin, dy + begin);
}

static void hcat_columns(void *context, int begin, int end) {
    const Record *op = context;
    const Var *a = op->in[0], *b = op->in[1], *y = op->out;
    for (int i = 0; i < y->rows; i++) {
        const real *dy = var_row(y, y->g, i);
        add_columns(a, var_row(a, a->g, i), dy, begin, end);
        add_columns(b, var_row(b, b->g, i), dy + a->cols, begin, end);
    }
}

static void hcat_back(Tape *tape, const Record *record) {
    Var *a = record->in[0], *b = record->in[1];
    var_grad(tape, a);
    var_grad(tape, b);
    columns_run(tape, a->rows, a->cols > b->cols ? a->cols : b->cols, hcat_columns, (void *)record);
}

Var *zeros(Tape *tape, int rows, int cols) {
    Var *y = var_new(tape, rows, cols);
    memset(y->v, 0, var_size(y) * sizeof(real));
    return y;
}
