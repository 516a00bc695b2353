#include "core/gradient_product.h"
#include "core/tape_op.h"

#include <math.h>
#include <string.h>

/* A weight gradient that is not computed yet: xᵀ dy for one use of the weight. */
typedef struct Pending Pending;
struct Pending {
    Pending *before;
    const real *x, *dy;
    int ldx, ldy, rows;
    const RowShards *shards;
};

/* Rows that are not yet added to the gradient of a table. */
typedef struct PendingRows PendingRows;
struct PendingRows {
    PendingRows *before;
    const int *index;
    const real *dy;
    int ld, n;
    const RowShards *shards;
};

struct WeightUse {
    Var *w;                 /* NULL: not used since the last reset */
    Operand packed;         /* W or Wᵀ with panels: the one that was read last */
    Pending *pending;       /* gradients to compute as one product, the newest first */
    int shards;             /* number of shards of the batch; 0: the batch has no shards */
    int reads;              /* records of ops that read W, if the batch has shards */
    bool complete;          /* tape_weight_product computed the gradient: no later op may read W */
    real *shard_sums;       /* [shards, size of W] of a vector */
    PendingRows *additions; /* to the rows of a table, the newest first */
    int addition_count;
    int before; /* 1 + the index of the next older weight in `uses`; 0: none */
};

void tape_init(Tape *tape, Threads *threads, Rng rng) { *tape = (Tape){.threads = threads, .rng = rng}; }

void tape_free(Tape *tape) {
    tape_reset(tape);
    arena_free(&tape->arena);
    arena_free(&tape->panels);
    mem_free(tape->uses);
    tape->uses = NULL;
    tape->use_capacity = 0;
}

void tape_reset(Tape *tape) {
    while (tape->last_used) {
        WeightUse *use = &tape->uses[tape->last_used - 1];
        tape->last_used = use->before;
        *use = (WeightUse){0};
    }
    arena_reset(&tape->arena);
    arena_reset(&tape->panels);
    tape->last = NULL;
    tape->deferred = NULL;
    tape->dropouts = 0;
    tape->shards = NULL;
    tape->products = PANELS_F32;
}

void tape_shard_rows(Tape *tape, const RowShards *shards) {
    CHECK(!shards || !tape->shards || shards->count == tape->shards->count, "tape_shard_rows: %d and %d shards",
          tape->shards->count, shards->count);
    tape->shards = shards;
}

TapeMark tape_mark(const Tape *tape) { return arena_mark(&tape->arena); }

void tape_rewind(Tape *tape, TapeMark mark) {
    CHECK(!tape->last, "tape_rewind: the tape has records");
    arena_rewind(&tape->arena, mark);
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

static Var *var_without_values(Arena *arena, int rows, int cols) {
    CHECK(rows >= 0 && cols > 0, "a matrix of [%d, %d]", rows, cols);
    Var *var = arena_alloc(arena, sizeof *var);
    *var = (Var){.rows = rows, .cols = cols};
    return var;
}

Var *var_in(Arena *arena, int rows, int cols) {
    Var *var = var_without_values(arena, rows, cols);
    var->v = arena_alloc(arena, var_size(var) * sizeof(real));
    return var;
}

Var *var_new(Tape *tape, int rows, int cols) { return var_in(&tape->arena, rows, cols); }

Var *var_constant(Tape *tape, int rows, int cols, const real *values) {
    Var *var = var_without_values(&tape->arena, rows, cols);
    var->v = (real *)values;
    var->constant = true;
    return var;
}

void var_bind(Var *var, real *values, real *gradient) {
    var->v = values;
    var->g = gradient;
}

const real *var_values(const Var *var) { return var->v; }

const real *var_row_values(const Var *var, int row) {
    CHECK(row >= 0 && row < var->rows, "row %d of [%d, %d]", row, var->rows, var->cols);
    return var->v + (size_t)row * (size_t)var->cols;
}

void var_copy_rows(Var *to, int first, const Var *from, const int *index, int n) {
    CHECK(to->cols == from->cols && first >= 0 && n >= 0 && first + n <= to->rows,
          "var_copy_rows: %d rows of [%d, %d] to row %d of [%d, %d]", n, from->rows, from->cols, first, to->rows,
          to->cols);
    const size_t cols = (size_t)to->cols;
    for (int i = 0; i < n; i++)
        memcpy(to->v + (size_t)(first + i) * cols, var_row_values(from, index ? index[i] : i), cols * sizeof(real));
}

void var_check_apart(const Var *a, const Var *b, const char *op) {
    CHECK(!a->v || !b->v || a->v + var_size(a) <= b->v || b->v + var_size(b) <= a->v,
          "%s: a matrix [%d, %d] has rows of another one, [%d, %d]", op, a->rows, a->cols, b->rows, b->cols);
}

/* ---- arguments that an op overwrites --------------------------------------------------------------------------- */

static bool is_consumed(Var *x) {
    const int *consumed = var_whole(x)->consumed;
    for (int i = 0; consumed && i < x->rows; i++)
        if (consumed[x->first + i]) return true;
    return false;
}

static void check_owned(const Var *whole, const char *op) {
    CHECK(!whole->weight && !whole->constant, "%s overwrites a %s", op, whole->weight ? "parameter" : "constant");
}

void tape_overwrite(const Tape *tape, Var *x, const char *op) {
    const Var *whole = var_whole(x);
    check_owned(whole, op);
    if (!tape->recording) return;
    CHECK(!whole->read, "%s overwrites a matrix that another op reads", op);
    CHECK(!is_consumed(x), "%s overwrites a matrix that another op consumed", op);
}

Var *var_place(Tape *tape, Var *out, int rows, int cols, const char *op) {
    if (!out) return var_new(tape, rows, cols);
    Var *whole = var_whole(out);
    CHECK(out->rows == rows && out->cols == cols, "%s: a result of [%d, %d], but out is [%d, %d]", op, rows, cols,
          out->rows, out->cols);
    check_owned(whole, op);
    if (!tape->recording) return out;
    CHECK(!is_consumed(out), "%s overwrites a matrix that another op consumed", op);
    if (!whole->placed) {
        CHECK(!whole->read && !whole->computed, "%s overwrites a matrix that another op %s", op,
              whole->read ? "reads" : "computed");
        whole->placed = arena_zalloc(&tape->arena, (size_t)whole->rows * sizeof *whole->placed);
    }
    for (int i = out->first; i < out->first + rows; i++) {
        CHECK(!whole->placed[i], "%s overwrites row %d of a matrix, which another op computed or reads", op, i);
        whole->placed[i] = 1;
    }
    if (out != whole) whole->computed = COMPUTED_IN_PIECES;
    return out;
}

void tape_consume(Tape *tape, Var *x, const char *op) {
    tape_overwrite(tape, x, op);
    if (!tape->recording) return;
    Var *whole = var_whole(x);
    if (!whole->consumed) whole->consumed = arena_zalloc(&tape->arena, (size_t)whole->rows * sizeof(int));
    for (int i = 0; i < x->rows; i++) whole->consumed[x->first + i] = 1;
    whole->consumed_rows += x->rows;
}

void tape_read(const Tape *tape, Var *var, const char *op) {
    if (!tape->recording || var->weight) return;
    CHECK(!is_consumed(var), "%s reads a matrix that another op consumed", op);
    Var *whole = var_whole(var);
    whole->read = true;
    for (int i = 0; i < var->rows && whole->placed; i++) whole->placed[var->first + i] = 1;
}

/* ---- weights -------------------------------------------------------------------------------------------------- */

/* Returns the WeightUse of a weight that is a parameter. */
static WeightUse *use_of(Tape *tape, Var *w) {
    const int index = w->weight->index;
    if (index >= tape->use_capacity) {
        const int capacity = index + 32;
        tape->uses = mem_realloc(tape->uses, (size_t)capacity * sizeof *tape->uses);
        memset(tape->uses + tape->use_capacity, 0, (size_t)(capacity - tape->use_capacity) * sizeof *tape->uses);
        tape->use_capacity = capacity;
    }
    WeightUse *use = &tape->uses[index];
    CHECK(!use->w || use->w == w, "weight %d: two models use one tape between resets", index);
    if (use->w) return use;
    *use = (WeightUse){.w = w, .before = tape->last_used};
    tape->last_used = index + 1;
    return use;
}

/* ---- records --------------------------------------------------------------------------------------------------- */

static void find_nonfinite(Watch *watch, const char *op, const real *numbers, size_t n, bool back) {
    if (watch->op) return;
    size_t i = 0;
    while (i < n && isfinite(numbers[i])) i++;
    if (i < n) *watch = (Watch){op, (int)(strlen(op) - strlen("_back")), back};
}

void tape_check_finite(const Tape *tape, const char *op, const Var *result) {
    if (tape->watch) find_nonfinite(tape->watch, op, result->v, var_size(result), false);
}

Record *tape_record_op(Tape *tape, Back *back, const char *op, Var *out, Var *in0, Var *in1, Var *in2) {
    if (!tape->recording) return NULL;
    if (out) {
        tape_check_finite(tape, op, out);
        Var *whole = var_whole(out);
        if (!whole->computed) whole->computed = COMPUTED;
    }
    Var *const in[] = {in0, in1, in2};
    for (int i = 0; i < 3; i++)
        if (in[i]) tape_read(tape, in[i], op);
    Record *record = arena_alloc(&tape->arena, sizeof *record);
    *record = (Record){
        .back = back, .op = op, .before = tape->last, .out = out, .in = {in0, in1, in2}, .shards = tape->shards};
    for (int i = 0; i < 3 && tape->shards; i++)
        if (in[i] && in[i]->weight) use_of(tape, in[i])->reads++;
    return tape->last = record;
}

real *var_grad(Tape *tape, Var *var) {
    if (var->g) return var->g;
    CHECK(!var->weight, "var_grad: a parameter without a gradient: see params_allocate");
    if (var->whole) return var->g = var_grad(tape, var->whole) + (size_t)var->first * (size_t)var->cols;
    return var->g = arena_zalloc(&tape->arena, var_size(var) * sizeof(real));
}

real *var_grad_product(Tape *tape, Var *var, const real **init) {
    if (!var->g && !var->whole && !var->weight) {
        *init = NULL;
        return var->g = arena_alloc(&tape->arena, var_size(var) * sizeof(real));
    }
    *init = var_grad(tape, var);
    return var->g;
}

void var_add_grad(Tape *tape, Var *var, real *gradient) {
    if (!var->g && !var->whole && !var->weight) var->g = gradient;
    else shard_add(tape->threads, var_size(var), var_grad(tape, var), gradient);
}

real *var_grad_in_place(Var *var) {
    Var *whole = var_whole(var);
    CHECK(whole->consumed_rows == whole->rows, "%d of %d rows of a matrix were consumed", whole->consumed_rows,
          whole->rows);
    CHECK(!whole->g || whole->g == whole->v, "a consumed matrix has a gradient already");
    whole->g = whole->v;
    return var->g = var->v;
}

/* ---- deferred gradients ---------------------------------------------------------------------------------------- */

struct DeferredGrad {
    DeferredGradFn *run;
    Var *var;
    const void *list;
    DeferredGrad *before;
};

const void **tape_defer_grad(Tape *tape, Var *var, DeferredGradFn *run) {
    var = var_whole(var);
    if (!var->deferred) {
        var->deferred = arena_alloc(&tape->arena, sizeof *var->deferred);
        *var->deferred = (DeferredGrad){run, var, NULL, tape->deferred};
        tape->deferred = var->deferred;
    }
    CHECK(var->computed != COMPUTED_IN_PIECES, "tape_defer_grad: several ops wrote the matrix");
    CHECK(var->deferred->run == run, "tape_defer_grad: two functions for the gradient of a matrix");
    return &var->deferred->list;
}

static void run_deferred(Tape *tape, Var *var) {
    DeferredGrad *deferred = var->deferred;
    if (!deferred) return;
    var->deferred = NULL;
    deferred->run(tape, deferred->list);
}

/* ---- products with weights ------------------------------------------------------------------------------------- */

/* True for a product of few rows. Such products are usually steps of a recurrence, so the weight will be used again. */
static bool is_few(int rows) {
    enum { MANY = 512 };
    return rows < MANY;
}

/* If m is large, packing takes little time compared to the product, and the panels would take much memory. */
Operand tape_operand(Tape *tape, Var *w, bool transposed, int m) {
    if (w->weight && w->weight->shared) return weight_operand(w->weight, tape->threads, transposed, tape->products);
    Operand b = {.k = transposed ? w->cols : w->rows,
                 .n = transposed ? w->rows : w->cols,
                 .b = w->v,
                 .ld = w->cols,
                 .transposed = transposed};
    if (!w->weight) return b;
    b.format = tape->products;
    Operand *packed = &use_of(tape, w)->packed;
    const bool kept = packed->panels && packed->transposed == transposed;
    CHECK(!packed->panels || packed->format == b.format, "weight %d: the tape has other products than before",
          w->weight->index);
    if (kept) return *packed;
    if (!is_few(m)) return b;
    if (!packed->panels) {
        size_t size = packed_size(b.format, b.k, b.n), transposed_size = packed_size(b.format, b.n, b.k);
        packed->panels = arena_alloc(&tape->panels, size > transposed_size ? size : transposed_size);
    }
    return *packed = operand_pack(tape->threads, b, packed->panels);
}

/* The format of the products that are the gradient of w. */
static PanelFormat products_of(const Tape *tape, const Var *w) { return w->weight ? tape->products : PANELS_F32; }

/* ---- gradients of weights --------------------------------------------------------------------------------------- */

/* A gradient is one chain over all uses of the weight; with shards, one for each shard. So it waits until the last use
   is known, but for two cases. Without shards, a product of many rows is computed at once. With shards, it is if no
   other op reads the weight; the number of rows must not decide, because it depends on the shards that the tape has. */
static bool waits(Tape *tape, Var *w, int rows, int own_reads) {
    if (!w->weight) return false;
    return tape->shards ? use_of(tape, w)->reads != own_reads : is_few(rows);
}

bool tape_weight_waits(Tape *tape, Var *w, int rows) { return waits(tape, w, rows, 0); }

void tape_weight_defer(Tape *tape, Var *w, const real *x, int ldx, const real *dy, int ldy, int rows) {
    WeightUse *use = use_of(tape, w);
    Pending *pending = arena_alloc(&tape->arena, sizeof *pending);
    *pending = (Pending){use->pending, x, dy, ldx, ldy, rows, tape->shards};
    use->pending = pending;
}

void tape_weight_product(Tape *tape, Var *w, GradientProduct *product) {
    product->m = w->rows;
    product->n = w->cols;
    product->c = var_grad(tape, w);
    product->format = products_of(tape, w);
    gradient_product(tape->threads, product);
    if (tape->shards && w->weight) use_of(tape, w)->complete = true;
}

RowSums tape_row_sums(Tape *tape, Var *var) {
    const int n = (int)var_size(var);
    if (!tape->shards || !var->weight) return (RowSums){var_grad(tape, var), NULL, n};
    WeightUse *use = use_of(tape, var);
    if (!use->shard_sums)
        use->shard_sums = arena_zalloc(&tape->arena, (size_t)tape->shards->count * (size_t)n * sizeof(real));
    use->shards = tape->shards->count;
    return (RowSums){use->shard_sums, tape->shards->of, n};
}

bool tape_table_grad(Tape *tape, Var *x, const int *index, const real *dy, int ld, int n) {
    if (!tape->shards || !x->weight) return false;
    WeightUse *use = use_of(tape, x);
    PendingRows *rows = arena_alloc(&tape->arena, sizeof *rows);
    *rows = (PendingRows){use->additions, index, dy, ld, n, tape->shards};
    use->additions = rows;
    use->addition_count += n;
    use->shards = tape->shards->count;
    return true;
}

/* The number of rows of a shard among the first n. */
static int shard_rows(const RowShards *shards, int shard, int n) {
    const int *rows = shards->rows + shards->start[shard];
    int low = 0, high = shards->start[shard + 1] - shards->start[shard];
    while (low < high) {
        const int middle = (low + high) / 2;
        if (rows[middle] < n) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Lists the additions to a table by row, then by shard, then in the order of the forward pass. */
static RowAdditions list_additions(Tape *tape, const WeightUse *use) {
    const size_t count = (size_t)use->addition_count, rows = (size_t)use->w->rows;
    int *start = arena_zalloc(&tape->arena, (rows + 2) * sizeof *start);
    int *shard = arena_alloc(&tape->arena, count * sizeof *shard);
    const real **row = arena_alloc(&tape->arena, count * sizeof *row);
    for (const PendingRows *p = use->additions; p; p = p->before)
        for (int i = 0; i < p->n; i++)
            if (p->index[i] >= 0) start[p->index[i] + 2]++;
    for (size_t i = 2; i < rows + 2; i++) start[i] += start[i - 1];
    for (int s = 0; s < use->shards; s++)
        for (const PendingRows *p = use->additions; p; p = p->before) {
            const int *members = p->shards->rows + p->shards->start[s], n = shard_rows(p->shards, s, p->n);
            for (int k = 0; k < n; k++) {
                const int i = members[k];
                if (p->index[i] < 0) continue;
                const int at = start[p->index[i] + 1]++;
                shard[at] = s;
                row[at] = p->dy + (size_t)i * (size_t)p->ld;
            }
        }
    return (RowAdditions){start, shard, row};
}

/* Adds the gradient of the listed uses of a weight. The steps are those of shard 0, then of shard 1, ..; within a
   shard, or without shards, they have the order of the forward pass, because the backward pass added the first use
   last. */
static void add_gradient(Tape *tape, Var *w, const Pending *list, const RowAdditions *additions) {
    const int shards = list->shards ? list->shards->count : 0, sums = shards ? shards : 1;
    size_t steps = 0, at = 0;
    for (const Pending *p = list; p; p = p->before) steps += (size_t)p->rows;
    int start[MOST_SHARDS + 1] = {0};
    const real **x = threads_scratch(tape->threads, SCRATCH_STEPS, 2 * steps * sizeof *x), **dy = x + steps;
    for (int s = 0; s < sums; s++) {
        for (const Pending *p = list; p; p = p->before) {
            const int *rows = shards ? p->shards->rows + p->shards->start[s] : NULL;
            const int n = shards ? shard_rows(p->shards, s, p->rows) : p->rows;
            for (int k = 0; k < n; k++, at++) {
                const size_t row = (size_t)(rows ? rows[k] : k);
                x[at] = p->x + row * (size_t)p->ldx;
                dy[at] = p->dy + row * (size_t)p->ldy;
            }
        }
        start[s + 1] = (int)at;
    }
    CHECK(at == steps, "a weight gradient of %zu rows, of which %zu have a shard", steps, at);
    gradient_product(tape->threads, &(GradientProduct){.m = w->rows,
                                                       .n = w->cols,
                                                       .shards = shards,
                                                       .start = start,
                                                       .x = x,
                                                       .y = dy,
                                                       .additions = additions,
                                                       .c = var_grad(tape, w),
                                                       .format = products_of(tape, w)});
}

void tape_weight_grad(Tape *tape, Var *w, const real *x, int ldx, const real *dy, int ldy, int rows) {
    const Pending now = {NULL, x, dy, ldx, ldy, rows, w->weight ? tape->shards : NULL};
    if (waits(tape, w, rows, 1)) tape_weight_defer(tape, w, x, ldx, dy, ldy, rows);
    else add_gradient(tape, w, &now, NULL);
}

/* Adds what waits for the end of the backward pass to the gradient of a weight. */
static void finish_gradient(Tape *tape, WeightUse *use) {
    Var *w = use->w;
    RowAdditions additions;
    CHECK(!use->complete || (!use->pending && !use->additions), "weight %d: an op read it after tape_weight_product",
          w->weight->index);
    if (use->additions) additions = list_additions(tape, use);
    if (use->pending) add_gradient(tape, w, use->pending, use->additions ? &additions : NULL);
    else if (use->additions) shard_additions(tape->threads, w->rows, w->cols, use->shards, &additions, w->g);
    if (use->shard_sums) shard_vectors((int)var_size(w), use->shards, use->shard_sums, w->g);
    use->pending = NULL;
    use->additions = NULL;
    use->shard_sums = NULL;
}

static bool has_grad(const Var *var) { return var->g || (var->whole && var->whole->g); }

void tape_backward(Tape *tape, Var *loss) {
    CHECK(loss->rows == 1 && loss->cols == 1, "tape_backward: a loss of [%d, %d]", loss->rows, loss->cols);
    var_grad(tape, loss)[0] = 1;
    for (const Record *record = tape->last; record; record = record->before) {
        if (record->out) run_deferred(tape, record->out);
        if (tape->watch && record->out && record->out->g)
            find_nonfinite(tape->watch, record->op, record->out->g, var_size(record->out), true);
        tape->shards = record->shards;
        if (record->out && !has_grad(record->out)) continue; /* the gradient is 0 */
        if (record->out) var_grad(tape, record->out);
        record->back(tape, record);
    }
    for (const DeferredGrad *deferred = tape->deferred; deferred; deferred = deferred->before)
        run_deferred(tape, deferred->var);
    tape->deferred = NULL;
    for (int i = tape->last_used; i; i = tape->uses[i - 1].before) finish_gradient(tape, &tape->uses[i - 1]);
    tape->last = NULL;
}
