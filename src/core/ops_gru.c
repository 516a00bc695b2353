/* ops_gru.c: one step of the gated recurrent unit (Cho et al. 2014; Bahdanau et al. 2015, appendix A.1.1). */
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

/* z, r = σ(x_zr + h Uzr)             x = [x_z, x_r, x_h] [m, 3n]: W x + b for each gate, in the decoder also + C c
   h̃ = tanh(x_h + (r∘h) U)
   h' = (1 - z)∘h + z∘h̃

   dz = dh'∘(h̃ - h),  dh̃ = dh'∘z,  dh += dh'∘(1 - z)
   da_h = dh̃∘(1 - h̃²),  d(r∘h) = da_h Uᵀ,  dr = d(r∘h)∘h,  dh += d(r∘h)∘r
   da_z = dz∘z∘(1 - z),  da_r = dr∘r∘(1 - r),  dh += [da_z, da_r] Uzrᵀ
   dx = da,  dUzr += hᵀ [da_z, da_r],  dU += (r∘h)ᵀ da_h

   z, r and h̃ overwrite x, and the backward pass overwrites them with da. So x is consumed, and dx needs no memory. The
   backward pass also overwrites dh', which nothing else reads, with r∘h. */
typedef struct Gru {
    GruStep step;
    int m, n;
    real *rh, *drh, *dh; /* r∘h [m, n], computed again in the backward pass; the gradients of r∘h and of h */
} Gru;

/* What row i of a step computes. */
typedef void GruRow(const Gru *g, int i);

/* Steps that are computed together, for example both directions of an encoder. The threads share the rows of all
   steps. */
enum { MOST = 2 };
typedef struct Steps {
    int count;
    Gru list[MOST];
    GruRow *row; /* the current work */
} Steps;

static void some_rows(void *context, int begin, int end) {
    const Steps *steps = context;
    for (int at = begin; at < end; at++) {
        const Gru *g = steps->list;
        int i = at;
        for (; i >= g->m; g++) i -= g->m;
        steps->row(g, i);
    }
}

static void rows_run(Tape *tape, GruRow *row, Steps *steps) {
    int rows = 0;
    for (int k = 0; k < steps->count; k++) rows += steps->list[k].m;
    steps->row = row;
    threads_run(tape->threads, "GRU", rows, 1 + 4096 / steps->list->n, some_rows, steps);
}

static void gates(const Gru *g, int i) {
    const Var *x = g->step.x, *h = g->step.h;
    kernels->gru_gates(g->n, var_row(x, x->v, i), var_row(h, h->v, i), var_row(h, g->rh, i));
}

static void state(const Gru *g, int i) {
    const Var *x = g->step.x, *h = g->step.h, *out = g->step.out;
    kernels->gru_state(g->n, var_row(x, x->v, i), var_row(h, h->v, i), var_row(out, out->v, i));
}

static void check_shapes(const GruStep *s) {
    const int m = s->h->rows, n = s->h->cols;
    CHECK(s->x->rows == m && s->x->cols == 3 * n, "gru_step: x [%d, %d] for h [%d, %d]", s->x->rows, s->x->cols, m, n);
    CHECK(s->Uzr->rows == n && s->Uzr->cols == 2 * n && s->U->rows == n && s->U->cols == n,
          "gru_step: Uzr [%d, %d], U [%d, %d] for %d units", s->Uzr->rows, s->Uzr->cols, s->U->rows, s->U->cols, n);
}

/* Sets rh and drh of each step to one matrix in scratch memory: the forward pass uses it as rh, the backward pass as
   drh. */
static void set_scratch(Tape *tape, Steps *steps) {
    size_t numbers = 0, at = 0;
    for (int k = 0; k < steps->count; k++) numbers += (size_t)steps->list[k].m * (size_t)steps->list[k].n;
    real *scratch = threads_scratch(tape->threads, SCRATCH_OP, numbers * sizeof(real));
    for (Gru *g = steps->list; g < steps->list + steps->count; at += (size_t)g->m * (size_t)g->n, g++)
        g->rh = g->drh = scratch + at;
}

/* The step consumes x and reads the other matrices. */
static void read_step(Tape *tape, const GruStep *s) {
    tape_consume(tape, s->x, "gru_step");
    Var *const read[] = {s->h, s->Uzr, s->U};
    for (int i = 0; i < 3; i++) tape_read(tape, read[i], "gru_step");
}

/* Checks that no step writes, here or in the backward function, to a matrix that another step reads or writes. */
static void check_apart(const GruStep *list, int count, Var *const *h) {
    for (int k = 0; k < count; k++)
        for (int j = 0; j < count; j++) {
            var_check_apart(h[k], list[j].x, "gru_step");
            var_check_apart(h[k], list[j].h, "gru_step");
            if (j >= k) continue;
            var_check_apart(h[k], h[j], "gru_step");
            var_check_apart(list[k].x, list[j].x, "gru_step");
            var_check_apart(list[k].h, list[j].h, "gru_step");
        }
}

static Back gru_step_back;
void gru_steps(Tape *tape, const GruStep *list, int count, Var **h) {
    CHECK(count >= 1 && count <= MOST, "gru_steps: %d at a time", count);
    Steps steps = {.count = count};
    Product gates_in[MOST], state_in[MOST];
    for (int k = 0; k < count; k++) {
        check_shapes(&list[k]);
        read_step(tape, &list[k]);
    }
    for (int k = 0; k < count; k++) {
        const int m = list[k].h->rows, n = list[k].h->cols;
        steps.list[k] = (Gru){list[k], m, n, NULL, NULL, NULL};
        steps.list[k].step.out = h[k] = var_place(tape, list[k].out, m, n, "gru_step");
    }
    check_apart(list, count, h);
    set_scratch(tape, &steps);
    for (int k = 0; k < count; k++) {
        const Gru *g = &steps.list[k];
        const int n = g->n;
        real *x = g->step.x->v;
        gates_in[k] =
            (Product){g->m, g->step.h->v, n, tape_operand(tape, g->step.Uzr, false, g->m), x, 3 * n, x, 3 * n};
        state_in[k] =
            (Product){g->m, g->rh, n, tape_operand(tape, g->step.U, false, g->m), x + 2L * n, 3 * n, x + 2L * n, 3 * n};
    }
    gemm(tape->threads, gates_in, count);
    rows_run(tape, gates, &steps);
    gemm(tape->threads, state_in, count);
    rows_run(tape, state, &steps);
    for (int k = 0; k < count; k++) {
        tape_check_finite(tape, "gru_step_back", h[k]);
        var_whole(h[k])->computed = COMPUTED_IN_PIECES;
    }
    record_keep(tape, tape_record(tape, gru_step_back, NULL, NULL, NULL, NULL), &steps, sizeof steps);
}

Var *gru_step(Tape *tape, GruStep step) {
    Var *h;
    gru_steps(tape, &step, 1, &h);
    return h;
}

static void state_gradient(const Gru *g, int i) {
    const Var *x = g->step.x, *h = g->step.h, *out = g->step.out;
    kernels->gru_state_back(g->n, var_row(out, out->g, i), var_row(x, x->v, i), var_row(h, h->v, i),
                            var_row(h, g->dh, i));
}

static void gates_gradient(const Gru *g, int i) {
    const Var *x = g->step.x, *h = g->step.h;
    kernels->gru_gates_back(g->n, var_row(h, g->drh, i), var_row(x, x->v, i), var_row(h, h->v, i), var_row(h, g->dh, i),
                            var_row(h, g->rh, i));
}

static void gru_step_back(Tape *tape, const Record *record) {
    Steps steps = *(const Steps *)record->extra;
    Product to_rh[MOST], to_h[MOST];
    set_scratch(tape, &steps);
    for (int k = 0; k < steps.count; k++) {
        Gru *g = &steps.list[k];
        const int n = g->n;
        g->dh = var_grad(tape, g->step.h);
        g->rh = var_grad(tape, g->step.out);
        const real *da = var_grad_in_place(g->step.x);
        to_rh[k] = (Product){g->m, da + 2L * n, 3 * n, tape_operand(tape, g->step.U, true, g->m), NULL, 0, g->drh, n};
        to_h[k] = (Product){g->m, da, 3 * n, tape_operand(tape, g->step.Uzr, true, g->m), g->dh, n, g->dh, n};
    }
    rows_run(tape, state_gradient, &steps);
    gemm(tape->threads, to_rh, steps.count);
    rows_run(tape, gates_gradient, &steps);
    gemm(tape->threads, to_h, steps.count);
    for (int k = 0; k < steps.count; k++) {
        const Gru *g = &steps.list[k];
        const int n = g->n;
        const real *da = g->step.x->g;
        tape_weight_grad(tape, g->step.Uzr, g->step.h->v, n, da, 3 * n, g->m);
        tape_weight_grad(tape, g->step.U, g->rh, n, da + 2L * n, 3 * n, g->m);
    }
}
