#include "model/position.h"
#include "core/exact.h"
#include "core/ops.h"

#include <math.h>
#include <string.h>

/* Returns the rows P(first), P(first + 1), ... [n, m]. */
static const real *table(Tape *tape, int first, int n, int m) {
    real *rows = arena_alloc(&tape->arena, (size_t)n * (size_t)m * sizeof *rows);
    for (int k = 0; k < m; k++) {
        const int pair = k - k % 2;
        const double rate = exact_exp(-exact_log(10000) * pair / m);
        for (int t = 0; t < n; t++) {
            const double angle = (first + t) * rate;
            rows[(size_t)t * (size_t)m + (size_t)k] = (real)(k % 2 ? exact_cos(angle) : exact_sin(angle));
        }
    }
    return rows;
}

/* The initial embeddings are N(0, 1 / m). The factor √m makes them as large as P. */
Var *add_positional_encoding(Tape *tape, Var *x, const int *position) {
    const size_t m = (size_t)x->cols;
    int first = position[0], last = first;
    for (int i = 1; i < x->rows; i++) {
        if (position[i] < first) first = position[i];
        if (position[i] > last) last = position[i];
    }
    const real *rows = table(tape, first, last - first + 1, x->cols);
    real *P = arena_alloc(&tape->arena, (size_t)x->rows * m * sizeof *P);
    for (int i = 0; i < x->rows; i++)
        memcpy(P + (size_t)i * m, rows + (size_t)(position[i] - first) * m, m * sizeof *P);
    return add_scaled(tape, var_constant(tape, x->rows, x->cols, P), sqrt(x->cols), x);
}
