/* ops_loss.c: the output layer, softmax and cross-entropy as one op. */
#include "core/exact.h"
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

#include <string.h>

Var *output_logits(Tape *tape, OutputLayer l, ColumnSets *sets, const int *owner) {
    if (sets) return linear_columns(tape, l.x, l.W, l.transposed, l.b, sets, owner);
    return l.transposed ? linear_transposed(tape, l.x, l.W, l.b) : linear(tape, l.x, l.W, l.b);
}

void output_parts(Tape *tape, OutputLayer l, UsePart *use, void *context) {
    CHECK(!tape->recording, "output_parts: the tape records");
    const Operand weight = tape_operand(tape, l.W, l.transposed, 1); /* 1: with panels */
    const Product logits = {l.x->rows, l.x->v, l.x->cols, weight, l.b ? l.b->v : NULL, 0, NULL, 0};
    gemm_parts(tape->threads, &logits, use, context);
}

/* y = x W + b, or x Wᵀ + b      x [m, k], W [k, V] or [V, k], b [1, V], y [m, V]
   p = softmax(y), targets t, label smoothing ε (Szegedy et al. 2016), mean over R rows:
   loss = 1/R Σ_i (1 - ε)(-ln p_i,t_i) + ε/V Σ_j (-ln p_ij),   -ln p_ij = ln Σ_v exp y_iv - y_ij
   dy_ij = 1/R (p_ij - ε/V - (1 - ε)[j = t_i])
   With a teacher's probabilities q_i = softmax(z_i), both targets are mixed (Kim & Rush 2016, section 3.1):
   loss = 1/R Σ_i (1 - λ_i)(as above) + λ_i Σ_j q_ij (-ln p_ij)
   dy_ij = 1/R (p_ij - (1 - λ_i)(ε/V + (1 - ε)[j = t_i]) - λ_i q_ij)
   dx = dy Wᵀ,  dW += xᵀ dy,  db += the column sums of dy
   The logits y are the largest matrix of a training. They exist for a block of rows at a time: the forward pass
   computes a block, writes dy over it and computes all gradients from it. So dloss must be 1. Only if dW must wait for
   other uses of W, there is one block with all rows, and it stays. */
enum { BLOCK = 2048 /* rows, at most; large, because each block packs W twice */ };

typedef struct Entropy {
    Tape *tape;
    OutputLayer layer;
    const int *targets;
    int rows; /* R */
    real epsilon;
    double *nats, *smooth; /* of each row: -ln p_t, and mean_j -ln p_j */
    const Teacher *teacher;
    double *taught; /* of each row that has a teacher: the cross-entropy with it, Σ_j q_j (-ln p_j) */
    /* of a block: the rows of the teacher's x that are needed, and their logits z. Row z_row[i] belongs to step first +
       i; -1: none */
    real *teacher_x, *z;
    int *z_row;
    /* With shards, step i of a sum is row order[i]: the rows of shard 0, of shard 1, ..; NULL: row i. Then x and dx of
       a block are copies of its rows. */
    const int *order;
    real *x, *dx;          /* [m, k] dx: NULL without a gradient; x: NULL without an order, then the rows of layer.x */
    real *logits;          /* [rows of a block, V] */
    const real **xs, **ys; /* [m] the rows of x and dy of each step, for dW */
    RowSums bias;
    int first, count; /* the steps of the block */
} Entropy;

static int vocabulary(const OutputLayer *l) { return l->transposed ? l->W->rows : l->W->cols; }
static real weight_of(const Entropy *en, int row) { return en->teacher ? en->teacher->weight[row] : 0; }
static int row_of(const Entropy *en, int step) { return en->order ? en->order[step] : step; }
static real *logits_of(const Entropy *en, int step) {
    return en->logits + (size_t)(step - en->first) * (size_t)vocabulary(&en->layer);
}

/* The teacher's logits of a step, or NULL. */
static real *teacher_logits(const Entropy *en, int step) {
    const int row = en->teacher ? en->z_row[step - en->first] : -1;
    return row < 0 ? NULL : en->z + (size_t)row * (size_t)vocabulary(&en->layer);
}

static void entropy_rows(void *context, int begin, int end) {
    const Entropy *en = context;
    const int V = vocabulary(&en->layer);
    const real scale = 1 / (real)en->rows;
    for (int step = en->first + begin; step < en->first + end; step++) {
        const int i = row_of(en, step), t = en->targets[i];
        real *y = logits_of(en, step), *q = teacher_logits(en, step), sum, q_sum = 1, weight = weight_of(en, i);
        double mean = en->epsilon > 0 ? (double)kernels->sum(V, y) / V : 0, target = y[t], taught = 0;
        if (q) {
            kernels->exp_sum(V, q, &q_sum, q);
            taught = (double)kernels->dot(V, q, y) / (double)q_sum;
        }
        double log_sum = kernels->exp_sum(V, y, &sum, en->dx ? y : NULL);
        log_sum += exact_log(sum);
        en->nats[i] = log_sum - target;
        en->smooth[i] = en->epsilon > 0 ? log_sum - mean : 0;
        en->taught[i] = log_sum - taught;
        if (!en->dx) continue;
        kernels->softmax_gradient(V, y, sum, scale, (1 - weight) * en->epsilon / (real)V);
        y[t] -= scale * (1 - weight) * (1 - en->epsilon);
        if (q) kernels->axpy(V, y, -scale * weight / q_sum, q);
    }
}

static void add_bias(void *context, int begin, int end) {
    const Entropy *en = context;
    for (int step = en->first; step < en->first + en->count; step++)
        kernels->add(end - begin, row_sum(&en->bias, row_of(en, step)) + begin, logits_of(en, step) + begin);
}

/* db and dx of a block. */
static void block_gradients(Entropy *en) {
    const OutputLayer *l = &en->layer;
    const int V = vocabulary(l), k = l->x->cols;
    real *dx = en->x ? en->x : en->dx + (size_t)en->first * (size_t)k; /* the rows of x are not needed any more */
    if (l->b) threads_run(en->tape->threads, "bias", V, 1024, add_bias, en);
    const Operand weight = tape_operand(en->tape, l->W, !l->transposed, en->count);
    gemm(en->tape->threads, &(Product){en->count, en->logits, V, weight, NULL, 0, dx, k}, 1);
    for (int i = 0; en->x && i < en->count; i++)
        memcpy(var_row(l->x, en->dx, row_of(en, en->first + i)), dx + (size_t)i * (size_t)k, (size_t)k * sizeof(real));
}

/* Computes the teacher's logits of a block. */
static void compute_teacher(Entropy *en) {
    const Teacher *t = en->teacher;
    const OutputLayer *l = &t->layer;
    const int V = vocabulary(l), k = l->x->cols;
    int rows = 0;
    for (int i = 0; i < en->count; i++) {
        const int row = t->row[row_of(en, en->first + i)];
        en->z_row[i] = row < 0 ? -1 : rows;
        if (row < 0) continue;
        memcpy(en->teacher_x + (size_t)rows++ * (size_t)k, var_row(l->x, l->x->v, row), (size_t)k * sizeof(real));
    }
    if (!rows) return;
    const Operand weight = tape_operand(t->tape, l->W, l->transposed, rows);
    const real *bias = l->b ? l->b->v : NULL;
    gemm(en->tape->threads, &(Product){rows, en->teacher_x, k, weight, bias, 0, en->z, V}, 1);
}

/* Computes the steps begin..end-1: logits, nats and, if the tape records, all gradients but dW. */
static void compute_block(void *context, int begin, int end) {
    Entropy *en = context;
    const OutputLayer *l = &en->layer;
    const int V = vocabulary(l), k = l->x->cols;
    en->first = begin;
    en->count = end - begin;
    for (int i = 0; en->x && i < en->count; i++)
        memcpy(en->x + (size_t)i * (size_t)k, var_row(l->x, l->x->v, row_of(en, begin + i)), (size_t)k * sizeof(real));
    const real *x = en->x ? en->x : var_row(l->x, l->x->v, begin), *bias = l->b ? l->b->v : NULL;
    const Operand weight = tape_operand(en->tape, l->W, l->transposed, en->count);
    gemm(en->tape->threads, &(Product){en->count, x, k, weight, bias, 0, en->logits, V}, 1);
    if (en->teacher) compute_teacher(en);
    threads_run(en->tape->threads, "softmax and loss", en->count, 1 + 16384 / V, entropy_rows, en);
    if (!en->dx) return;
    block_gradients(en);
    for (int step = begin; en->ys && step < end; step++) en->ys[step] = logits_of(en, step);
}

static void check_layer(const OutputLayer *l, const char *op) {
    const int k = l->transposed ? l->W->cols : l->W->rows, V = vocabulary(l);
    CHECK(l->x->cols == k, "%s: a product of [%d, %d] by [%d, %d]", op, l->x->rows, l->x->cols, k, V);
    CHECK(!l->b || (l->b->cols == V && l->b->rows == 1), "a bias of [%d, %d] for %d columns", l->b->rows, l->b->cols,
          V);
}

static void check_teacher(const OutputLayer *l, const Teacher *t) {
    const int V = vocabulary(l), teacher = vocabulary(&t->layer), rows = t->layer.x->rows;
    check_layer(&t->layer, "distilled_cross_entropy");
    CHECK(!t->tape->recording, "distilled_cross_entropy: the teacher's tape records");
    CHECK(teacher == V, "distilled_cross_entropy: a teacher with %d columns for %d", teacher, V);
    for (int i = 0; i < l->x->rows; i++) {
        CHECK(t->row[i] >= -1 && t->row[i] < rows, "distilled_cross_entropy: the teacher's row %d of %d", t->row[i],
              rows);
        CHECK(t->row[i] >= 0 ? t->weight[i] >= 0 && t->weight[i] <= 1 : t->weight[i] == 0,
              "distilled_cross_entropy: a teacher with the weight %g", (double)t->weight[i]);
    }
}

static void check_arguments(const OutputLayer *l, const int *targets, int rows) {
    const int V = vocabulary(l), m = l->x->rows;
    check_layer(l, "linear_cross_entropy");
    CHECK(m > 0 && rows >= m, "linear_cross_entropy: %d rows, but a mean over %d rows", m, rows);
    for (int i = 0; i < m; i++)
        CHECK(targets[i] >= 0 && targets[i] < V, "linear_cross_entropy: target %d of %d", targets[i], V);
}

static void compute_without_gradient(Entropy *en, int block) {
    const int m = en->layer.x->rows;
    for (int first = 0; first < m; first += block) compute_block(en, first, first + block < m ? first + block : m);
}

/* Takes the memory for the teacher's rows of a block. */
static void take_teacher(Entropy *en, int block) {
    Arena *arena = &en->tape->arena;
    const size_t rows = (size_t)block;
    if (!en->teacher) return;
    en->z = arena_alloc(arena, rows * (size_t)vocabulary(&en->layer) * sizeof(real));
    en->z_row = arena_alloc(arena, rows * sizeof(int));
    en->teacher_x = arena_alloc(arena, rows * (size_t)en->teacher->layer.x->cols * sizeof(real));
}

/* All gradients; W's waits for other uses of W. */
static void compute_whole(Entropy *en) {
    Arena *arena = &en->tape->arena;
    const Var *x = en->layer.x;
    const int V = vocabulary(&en->layer), m = x->rows;
    const ArenaMark mark = arena_mark(arena);
    take_teacher(en, m);
    compute_block(en, 0, m);
    arena_rewind(arena, mark);
    if (en->layer.transposed) tape_weight_defer(en->tape, en->layer.W, en->logits, V, x->v, x->cols, m);
    else tape_weight_defer(en->tape, en->layer.W, x->v, x->cols, en->logits, V, m);
}

/* All gradients, block by block. */
static void compute_blocks(Entropy *en, int block) {
    Arena *arena = &en->tape->arena;
    const RowShards *shards = en->tape->shards;
    const Var *x = en->layer.x;
    const int whole[] = {0, x->rows};
    en->xs = arena_alloc(arena, (size_t)x->rows * sizeof *en->xs);
    en->ys = arena_alloc(arena, (size_t)x->rows * sizeof *en->ys);
    if (shards) {
        en->order = shards->rows;
        en->x = arena_alloc(arena, (size_t)block * (size_t)x->cols * sizeof(real));
    }
    for (int step = 0; step < x->rows; step++) en->xs[step] = var_row(x, x->v, row_of(en, step));
    GradientProduct product = {.shards = shards ? shards->count : 0,
                               .start = shards ? shards->start : whole,
                               .x = en->layer.transposed ? en->ys : en->xs,
                               .y = en->layer.transposed ? en->xs : en->ys,
                               .needed = compute_block,
                               .context = en,
                               .most = block};
    tape_weight_product(en->tape, en->layer.W, &product);
}

static Back linear_cross_entropy_back;
Var *distilled_cross_entropy(Tape *tape, OutputLayer layer, const int *targets, int rows, double smoothing,
                             const Teacher *teacher, double *nats) {
    Arena *arena = &tape->arena;
    const int m = layer.x->rows, V = vocabulary(&layer), blocks = (m + BLOCK - 1) / BLOCK;
    check_arguments(&layer, targets, rows);
    if (teacher) check_teacher(&layer, teacher);
    const bool gradient = tape->recording, keep = gradient && tape_weight_waits(tape, layer.W, m);
    const int block = keep ? m : (m + blocks - 1) / blocks;
    Var *loss = var_new(tape, 1, 1);
    Entropy en = {.tape = tape,
                  .layer = layer,
                  .targets = targets,
                  .rows = rows,
                  .epsilon = (real)smoothing,
                  .nats = nats,
                  .teacher = teacher};
    en.smooth = arena_alloc(arena, (size_t)m * sizeof(double));
    en.taught = arena_alloc(arena, (size_t)m * sizeof(double));
    if (gradient) en.dx = arena_alloc(arena, var_size(layer.x) * sizeof(real));
    if (gradient && layer.b) en.bias = tape_row_sums(tape, layer.b);
    if (gradient) var_grad(tape, layer.W); /* before the mark: it may allocate */
    const ArenaMark mark = arena_mark(arena);
    en.logits = arena_alloc(arena, (size_t)block * (size_t)V * sizeof(real));
    if (!keep) take_teacher(&en, block);
    if (keep) compute_whole(&en);
    else if (gradient) compute_blocks(&en, block);
    else compute_without_gradient(&en, block);
    double plain = 0, smooth = 0, taught = 0;
    for (int i = 0; i < m; i++) {
        const double weight = (double)weight_of(&en, i);
        plain += (1 - weight) * nats[i];
        smooth += (1 - weight) * en.smooth[i];
        taught += weight * en.taught[i];
    }
    if (!keep) arena_rewind(arena, mark);
    loss->v[0] = (real)(((1 - smoothing) * plain + smoothing * smooth + taught) / rows);
    Record *record = tape_record(tape, linear_cross_entropy_back, loss, layer.x, layer.W, layer.b);
    if (record) record->extra = en.dx;
    return loss;
}

Var *linear_cross_entropy(Tape *tape, OutputLayer layer, const int *targets, int rows, double smoothing, double *nats) {
    return distilled_cross_entropy(tape, layer, targets, rows, smoothing, NULL, nats);
}

static void linear_cross_entropy_back(Tape *tape, const Record *record) {
    const real dloss = record->out->g[0];
    CHECK(dloss == 1, "linear_cross_entropy: the gradient of the loss is %g, not 1", (double)dloss);
    var_add_grad(tape, record->in[0], (real *)record->extra);
}
