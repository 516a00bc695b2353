#include "core/tape.h"

#include <math.h>
#include <string.h>

enum { MOST_PRODUCTS = 8 };

void tape_init(Tape *tape, Threads *threads, Rng rng) { *tape = (Tape){.threads = threads, .rng = rng}; }

void tape_free(Tape *tape) {
    tape_reset(tape);
    arena_free(&tape->arena);
    arena_free(&tape->panels);
}

void tape_reset(Tape *tape) {
    while (tape->weights) {
        Var *w = tape->weights;
        tape->weights = w->weight->next;
        *w->weight = (Weight){0};
    }
    arena_reset(&tape->arena);
    arena_reset(&tape->panels);
    tape->last = NULL;
    tape->later = NULL;
    tape->spare_size = 0;
}

TapeMark tape_mark(const Tape *tape) { return arena_mark(&tape->arena); }

void tape_rewind(Tape *tape, TapeMark mark) {
    CHECK(!tape->last, "tape_rewind: the tape has records");
    tape->spare_size = 0;
    arena_rewind(&tape->arena, mark);
}

Var *var_new(Tape *tape, int rows, int cols) {
    CHECK(rows >= 0 && cols > 0, "var_new: [%d, %d]", rows, cols);
    Var *var = arena_alloc(&tape->arena, sizeof *var);
    *var = (Var){.rows = rows, .cols = cols};
    var->v = arena_alloc(&tape->arena, (size_t)rows * (size_t)cols * sizeof(real));
    return var;
}

Var *var_place(Tape *tape, Var *out, int rows, int cols) {
    CHECK(!out || (out->rows == rows && out->cols == cols), "a result of [%d, %d] for a place of [%d, %d]", rows, cols,
          out->rows, out->cols);
    return out ? out : var_new(tape, rows, cols);
}

static size_t size_of(const Var *var) { return (size_t)var->rows * (size_t)var->cols; }

static void look(Watch *watch, const char *op, const real *numbers, size_t n, bool back) {
    if (watch->op) return;
    size_t i = 0;
    while (i < n && isfinite(numbers[i])) i++;
    if (i < n) *watch = (Watch){op, (int)(strlen(op) - strlen("_back")), back};
}

void tape_look(const Tape *tape, const char *op, const Var *result) {
    if (tape->watch) look(tape->watch, op, result->v, size_of(result), false);
}

Record *tape_record_op(Tape *tape, Back *back, const char *op, Var *out, Var *in0, Var *in1, Var *in2) {
    if (!tape->recording) return NULL;
    if (out) tape_look(tape, op, out);
    Record *record = arena_alloc(&tape->arena, sizeof *record);
    *record = (Record){.back = back, .op = op, .before = tape->last, .out = out, .in = {in0, in1, in2}};
    return tape->last = record;
}

void tape_give(Tape *tape, real *memory, size_t numbers) {
    if (numbers <= tape->spare_size) return;
    tape->spare = memory;
    tape->spare_size = numbers;
}

real *tape_take(Tape *tape, size_t numbers) {
    enum { LINE = 64 / sizeof(real) };
    size_t lines = (numbers + LINE - 1) / LINE * LINE;
    if (lines > tape->spare_size || !lines) return arena_alloc(&tape->arena, numbers * sizeof(real));
    real *memory = tape->spare;
    tape->spare += lines;
    tape->spare_size -= lines;
    return memory;
}

real *var_grad(Tape *tape, Var *var) {
    if (var->g) return var->g;
    CHECK(!var->weight, "var_grad: a parameter without a gradient: see params_allocate");
    if (var->whole) return var->g = var_grad(tape, var->whole) + (size_t)var->first * (size_t)var->cols;
    return var->g = memset(tape_take(tape, size_of(var)), 0, size_of(var) * sizeof(real));
}

real *var_grad_product(Tape *tape, Var *var, const real **init) {
    if (!var->g && !var->whole && !var->weight) {
        *init = NULL;
        return var->g = tape_take(tape, size_of(var));
    }
    *init = var_grad(tape, var);
    return var->g;
}

real *var_grad_in_place(Var *var) {
    CHECK(!var->g || var->g == var->v, "a matrix that was taken over has a gradient already");
    if (var->whole) {
        CHECK(!var->whole->g || var->whole->g == var->whole->v, "a slice was taken over, but not all of its whole");
        var->whole->g = var->whole->v;
    }
    return var->g = var->v;
}

/* ---- what waits ------------------------------------------------------------------------------------------------ */

struct Later {
    HandBack *hand_back;
    Var *var;
    const void *list;
    Later *before;
};

const void **tape_later(Tape *tape, Var *var, HandBack *hand_back) {
    if (var->whole) var = var->whole;
    if (!var->later) {
        var->later = arena_alloc(&tape->arena, sizeof *var->later);
        *var->later = (Later){hand_back, var, NULL, tape->later};
        tape->later = var->later;
    }
    CHECK(var->later->hand_back == hand_back, "tape_later: two kinds of op on a matrix");
    return &var->later->list;
}

static void hand_back(Tape *tape, Var *var) {
    Later *later = var->later;
    if (!later) return;
    var->later = NULL;
    later->hand_back(tape, later->list);
}

/* ---- weights -------------------------------------------------------------------------------------------------- */

static void meet(Tape *tape, Var *w) {
    if (w->weight->met) return;
    *w->weight = (Weight){.met = true, .next = tape->weights};
    tape->weights = w;
}

/* Where few rows meet a parameter at a time, there will be more of them. */
static bool met_by_few(const Var *w, int rows) {
    enum { MANY = 512 };
    return w->weight && rows < MANY;
}

/* W, or Wᵀ, for a product of m rows. Where there will be more of them it stays packed, until the tape is reset or it is
   read the other way round. Otherwise packing costs little next to the product, and keeping it a lot of memory. */
static Operand operand(Tape *tape, Var *w, bool transposed, int m) {
    Operand b = {.k = transposed ? w->cols : w->rows,
                 .n = transposed ? w->rows : w->cols,
                 .b = w->v,
                 .ld = w->cols,
                 .transposed = transposed};
    if (!w->weight) return b;
    meet(tape, w);
    Weight *weight = w->weight;
    const bool kept = weight->panels && weight->transposed == transposed;
    if (!kept && !met_by_few(w, m)) return b;
    if (!weight->panels) {
        size_t size = packed_size(b.k, b.n), turned = packed_size(b.n, b.k);
        weight->panels = arena_alloc(&tape->panels, (size > turned ? size : turned) * sizeof(real));
    }
    if (!kept) operand_pack(tape->threads, b, weight->panels);
    weight->transposed = transposed;
    b.panels = weight->panels;
    return b;
}

void tape_products(Tape *tape, const TapeProduct *list, int count) {
    Multiplication all[MOST_PRODUCTS];
    CHECK(count <= MOST_PRODUCTS, "tape_products: %d at a time", count);
    for (int i = 0; i < count; i++) {
        const TapeProduct *p = &list[i];
        Operand b = operand(tape, p->W, p->transposed, p->m);
        all[i] = (Multiplication){p->m, p->a, p->lda, b, p->init, p->ld_init, p->c, p->ldc};
    }
    gemm(tape->threads, all, count);
}

bool tape_weight_grad(Tape *tape, Var *w, const real *x, int ldx, const real *dy, int ldy, int rows) {
    if (!met_by_few(w, rows)) {
        Strip strip = {x, dy, ldx, ldy, rows};
        gemm_strips(tape->threads, w->rows, w->cols, &strip, 1, var_grad(tape, w), w->cols);
        return true;
    }
    meet(tape, w);
    Pending *pending = arena_alloc(&tape->arena, sizeof *pending);
    *pending = (Pending){w->weight->pending, x, dy, ldx, ldy, rows};
    w->weight->pending = pending;
    w->weight->pending_count++;
    return false;
}

/* All uses of a weight as one product, from the first step that the backward pass left last. */
static void gather_gradient(Tape *tape, Var *w) {
    int count = w->weight->pending_count, i = 0;
    if (!count) return;
    Strip *strips = arena_alloc(&tape->arena, (size_t)count * sizeof *strips);
    for (const Pending *p = w->weight->pending; p; p = p->before)
        strips[i++] = (Strip){p->x, p->dy, p->ldx, p->ldy, p->rows};
    gemm_strips(tape->threads, w->rows, w->cols, strips, count, var_grad(tape, w), w->cols);
    w->weight->pending = NULL;
    w->weight->pending_count = 0;
}

static bool has_grad(const Var *var) { return var->g || (var->whole && var->whole->g); }

void tape_backward(Tape *tape, Var *loss) {
    CHECK(loss->rows == 1 && loss->cols == 1, "tape_backward: a loss of [%d, %d]", loss->rows, loss->cols);
    var_grad(tape, loss)[0] = 1;
    for (const Record *record = tape->last; record; record = record->before) {
        if (record->out) hand_back(tape, record->out);
        if (tape->watch && record->out && record->out->g)
            look(tape->watch, record->op, record->out->g, size_of(record->out), true);
        if (!record->out || has_grad(record->out)) record->back(tape, record); /* or there is nothing to hand on */
    }
    for (const Later *later = tape->later; later; later = later->before) hand_back(tape, later->var);
    tape->later = NULL;
    for (Var *w = tape->weights; w; w = w->weight->next) gather_gradient(tape, w);
    tape->last = NULL;
}
