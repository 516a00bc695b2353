/* ops_gru.c: one step of the gated recurrent unit (Cho et al. 2014; Bahdanau et al. 2015, appendix A.1.1). */
#include "core/kernels.h"
#include "core/ops.h"

/* z, r = σ(x_zr + h Uzr)                 x = [x_z, x_r, x_h] [m, 3n]: W x + b, and in the decoder C c, of each gate
   h̃ = tanh(x_h + (r∘h) U)
   h' = (1 - z)∘h + z∘h̃

   dz = dh'∘(h̃ - h),  dh̃ = dh'∘z,  dh += dh'∘(1 - z)
   da_h = dh̃∘(1 - h̃²),  d(r∘h) = da_h Uᵀ,  dr = d(r∘h)∘h,  dh += d(r∘h)∘r
   da_z = dz∘z∘(1 - z),  da_r = dr∘r∘(1 - r),  dh += [da_z, da_r] Uzrᵀ
   dx = da,  dUzr += hᵀ [da_z, da_r],  dU += (r∘h)ᵀ da_h

   z, r and h̃ take the place of x, and on the way back da takes theirs: x is used up, and dx costs no memory. */
typedef struct Gru {
    Var *x, *h, *out;
    real *rh, *drh, *dh; /* r∘h [m, n], made anew on the way back, and the gradients of it and of h */
} Gru;

static real *row(const Var *var, real *matrix, int i) { return matrix + (size_t)i * (size_t)var->cols; }
static int grain(int n) { return 1 + 4096 / n; }

static void gates(void *context, int begin, int end, int thread) {
    (void)thread;
    const Gru *g = context;
    for (int i = begin; i < end; i++)
        kernels->gru_gates(g->h->cols, row(g->x, g->x->v, i), row(g->h, g->h->v, i), row(g->h, g->rh, i));
}

static void state(void *context, int begin, int end, int thread) {
    (void)thread;
    const Gru *g = context;
    for (int i = begin; i < end; i++)
        kernels->gru_state(g->h->cols, row(g->x, g->x->v, i), row(g->h, g->h->v, i), row(g->out, g->out->v, i));
}

static Back gru_step_back;
Var *gru_step(Tape *tape, Var *x, Var *h, Var *Uzr, Var *U, Var *out) {
    const int m = h->rows, n = h->cols;
    CHECK(x->rows == m && x->cols == 3 * n, "gru_step: x [%d, %d] for h [%d, %d]", x->rows, x->cols, m, n);
    CHECK(Uzr->rows == n && Uzr->cols == 2 * n && U->rows == n && U->cols == n,
          "gru_step: Uzr [%d, %d], U [%d, %d] for %d units", Uzr->rows, Uzr->cols, U->rows, U->cols, n);
    Gru *g = arena_alloc(&tape->arena, sizeof *g);
    *g = (Gru){.x = x,
               .h = h,
               .out = var_place(tape, out, m, n),
               .rh = threads_scratch(tape->threads, SCRATCH_OP, (size_t)m * (size_t)n * sizeof(real))};
    tape_product(tape, m, h->v, n, Uzr, false, x->v, 3 * n, x->v, 3 * n);
    threads_run(tape->threads, "GRU", m, grain(n), gates, g);
    tape_product(tape, m, g->rh, n, U, false, x->v + 2 * n, 3 * n, x->v + 2 * n, 3 * n);
    threads_run(tape->threads, "GRU", m, grain(n), state, g);
    Record *record = tape_record(tape, gru_step_back, g->out, Uzr, U, NULL);
    if (record) record->extra = g;
    return g->out;
}

static void state_gradient(void *context, int begin, int end, int thread) {
    (void)thread;
    const Gru *g = context;
    for (int i = begin; i < end; i++)
        kernels->gru_state_back(g->h->cols, row(g->out, g->out->g, i), row(g->x, g->x->v, i), row(g->h, g->h->v, i),
                                row(g->h, g->dh, i));
}

static void gates_gradient(void *context, int begin, int end, int thread) {
    (void)thread;
    const Gru *g = context;
    for (int i = begin; i < end; i++)
        kernels->gru_gates_back(g->h->cols, row(g->h, g->drh, i), row(g->x, g->x->v, i), row(g->h, g->h->v, i),
                                row(g->h, g->dh, i), row(g->h, g->rh, i));
}

static void gru_step_back(Tape *tape, const Record *record) {
    Gru g = *(const Gru *)record->extra;
    Var *Uzr = record->in[0], *U = record->in[1];
    const int m = g.h->rows, n = g.h->cols;
    g.drh = threads_scratch(tape->threads, SCRATCH_OP, (size_t)m * (size_t)n * sizeof(real));
    g.rh = tape_take(tape, (size_t)m * (size_t)n);
    g.dh = var_grad(tape, g.h);
    var_grad(tape, g.out);
    threads_run(tape->threads, "GRU", m, grain(n), state_gradient, &g);
    const real *da = var_grad_in_place(g.x);
    tape_product(tape, m, da + 2 * n, 3 * n, U, true, NULL, 0, g.drh, n);
    threads_run(tape->threads, "GRU", m, grain(n), gates_gradient, &g);
    tape_product(tape, m, da, 3 * n, Uzr, true, g.dh, n, g.dh, n);
    tape_weight_grad(tape, Uzr, g.h->v, n, da, 3 * n, m);
    tape_weight_grad(tape, U, g.rh, n, da + 2 * n, 3 * n, m);
}
