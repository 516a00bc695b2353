#include "model/position.h"
#include "core/exact.h"
#include "core/ops.h"

#include <math.h>
#include <string.h>

static void position_row(real *row, int m, int t) {
    for (int k = 0; k < m; k++) {
        const double angle = t * exact_exp(-exact_log(10000) * (k / 2 * 2) / m);
        row[k] = (real)(k % 2 ? exact_cos(angle) : exact_sin(angle));
    }
}

/* P(0), P(1), ... [positions, m] */
static const real *table(Tape *tape, int positions, int m) {
    real *rows = arena_alloc(&tape->arena, (size_t)positions * (size_t)m * sizeof *rows);
    for (int t = 0; t < positions; t++) position_row(rows + (size_t)t * (size_t)m, m, t);
    return rows;
}

/* Embeddings are drawn from N(0, 1/m); times √m they are as large as P. */
Var *positioned(Tape *tape, Var *x, const int *position) {
    const size_t m = (size_t)x->cols;
    int positions = 0;
    for (int i = 0; i < x->rows; i++)
        if (position[i] >= positions) positions = position[i] + 1;
    const real *rows = table(tape, positions, x->cols);
    Var *P = var_new(tape, x->rows, x->cols);
    for (int i = 0; i < x->rows; i++) memcpy(P->v + (size_t)i * m, rows + (size_t)position[i] * m, m * sizeof *rows);
    return add_scaled(tape, P, sqrt(x->cols), x);
}
