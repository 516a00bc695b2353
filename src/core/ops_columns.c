/* ops_columns.c: the product with a few columns of a weight, other columns for each set of rows. */
#include "core/ops.h"
#include "core/tape_op.h"

#include <string.h>

/* The operand and the bias of each set. */
struct GatheredColumns {
    Operand *operand; /* [count] */
    real **bias;      /* [count]; NULL: none */
};

typedef struct Gathering {
    ColumnSets *sets;
    Operand all;
    const Var *bias;
    void **memory; /* [count] */
} Gathering;

static void gather_some(void *context, int begin, int end) {
    const Gathering *g = context;
    const GatheredColumns *to = g->sets->gathered;
    for (int i = begin; i < end; i++) {
        const ColumnSet *set = &g->sets->list[i];
        to->operand[i] = operand_gather(g->all, set->ids, set->count, g->memory[i]);
        for (int j = 0; g->bias && j < set->count; j++) to->bias[i][j] = g->bias->v[set->ids[j]];
    }
}

static void gather_all(Tape *tape, ColumnSets *sets, Var *W, bool transposed, const Var *bias) {
    Arena *arena = &sets->arena;
    const size_t n = (size_t)sets->count;
    Gathering g = {sets, tape_operand(tape, W, transposed, 1), bias, arena_alloc(arena, n * sizeof(void *))};
    sets->gathered = arena_alloc(arena, sizeof *sets->gathered);
    *sets->gathered =
        (GatheredColumns){arena_alloc(arena, n * sizeof(Operand)), arena_zalloc(arena, n * sizeof(real *))};
    for (size_t i = 0; i < n; i++) {
        const int count = sets->list[i].count;
        g.memory[i] = arena_alloc(arena, packed_size(g.all.format, g.all.k, count));
        if (bias) sets->gathered->bias[i] = arena_alloc(arena, (size_t)count * sizeof(real));
    }
    threads_run(tape->threads, "gather", sets->count, 1, gather_some, &g);
}

/* Checks the sets and their column numbers. n: the number of columns of the weight; owner [rows]: the sets of the rows.
 */
static void check_sets(const ColumnSets *sets, int n, const int *owner, int rows) {
    for (int i = 0; i < rows; i++)
        CHECK(owner[i] >= 0 && owner[i] < sets->count, "linear_columns: set %d of %d", owner[i], sets->count);
    for (const ColumnSet *set = sets->list; !sets->gathered && set < sets->list + sets->count; set++) {
        CHECK(set->count > 0 && set->count <= sets->widest, "linear_columns: a set of %d columns, but widest is %d",
              set->count, sets->widest);
        for (int k = 0; k < set->count; k++)
            CHECK(set->ids[k] >= 0 && set->ids[k] < n, "linear_columns: column %d of %d", set->ids[k], n);
    }
}

/* y_i = x_i W' + b', where W' and b' have the columns of the set of row i      x [m, k], W [k, n], b [1, n], or Wᵀ
   without a gradient: for decoding */
Var *linear_columns(Tape *tape, Var *x, Var *W, bool transposed, Var *b, ColumnSets *sets, const int *owner) {
    const int k = transposed ? W->cols : W->rows, n = transposed ? W->rows : W->cols;
    CHECK(!tape->recording, "linear_columns: the tape records");
    CHECK(!b || (b->rows == 1 && b->cols == n), "linear_columns: a bias of [%d, %d]", b->rows, b->cols);
    CHECK(x->cols == k, "linear_columns: a product of %d columns by %d rows", x->cols, k);
    CHECK(W->weight, "linear_columns: [%d, %d] is not a parameter", W->rows, W->cols);
    check_sets(sets, n, owner, x->rows);
    if (!sets->gathered) gather_all(tape, sets, W, transposed, b);
    Var *y = var_new(tape, x->rows, sets->widest);
    Product *list = arena_alloc(&tape->arena, (size_t)x->rows * sizeof *list);
    int count = 0;
    for (int row = 0, rows; row < x->rows; row += rows) {
        const int set = owner[row];
        for (rows = 1; row + rows < x->rows && owner[row + rows] == set; rows++) {}
        list[count++] = (Product){.m = rows,
                                  .a = var_row(x, x->v, row),
                                  .lda = x->cols,
                                  .b = sets->gathered->operand[set],
                                  .init = sets->gathered->bias[set],
                                  .c = var_row(y, y->v, row),
                                  .ldc = y->cols};
    }
    gemm(tape->threads, list, count);
    return y;
}

void column_sets_free(ColumnSets *sets) { arena_free(&sets->arena); }
