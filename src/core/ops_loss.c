/* ops_loss.c: softmax and cross-entropy as one op. */
#include "core/exact.h"
#include "core/kernels.h"
#include "core/ops.h"
#include "core/tape_op.h"

/* p = softmax(x) [m, V], targets y, label smoothing ε (Szegedy et al. 2016), mean over R rows:
   loss = 1/R Σ_i (1 - ε)(-ln p_i,y_i) + ε/V Σ_k (-ln p_ik),   -ln p_ik = ln Σ_j exp x_ij - x_ik
   dx_ik = 1/R (p_ik - ε/V - (1 - ε)[k = y_i])
   The forward pass overwrites the logits with their gradient, because no other op reads the logits. */
typedef struct Entropy {
    Var *logits;
    const int *targets;
    int rows; /* R */
    real epsilon;
    double *nats, *smooth; /* of each row: -ln p_y, and mean_k -ln p_k */
    bool gradient;
} Entropy;

static void entropy_rows(void *context, int begin, int end) {
    const Entropy *en = context;
    const int V = en->logits->cols;
    const real scale = 1 / (real)en->rows;
    for (int i = begin; i < end; i++) {
        real *x = en->logits->v + (size_t)i * (size_t)V, sum;
        int y = en->targets[i];
        CHECK(y >= 0 && y < V, "cross_entropy: target %d of %d", y, V);
        double mean = en->epsilon > 0 ? (double)kernels->sum(V, x) / V : 0, target = x[y];
        double log_sum = kernels->exp_sum(V, x, &sum, en->gradient ? x : NULL);
        log_sum += exact_log(sum);
        en->nats[i] = log_sum - target;
        en->smooth[i] = en->epsilon > 0 ? log_sum - mean : 0;
        if (!en->gradient) continue;
        kernels->softmax_gradient(V, x, sum, scale, en->epsilon / (real)V);
        x[y] -= scale * (1 - en->epsilon);
    }
}

static Back cross_entropy_back;
Var *cross_entropy(Tape *tape, Var *logits, const int *targets, int rows, double smoothing, double *nats) {
    const int m = logits->rows;
    CHECK(m > 0 && rows >= m, "cross_entropy: logits of %d rows, but a mean over %d rows", m, rows);
    if (tape->recording) tape_consume(tape, logits, "cross_entropy");
    Entropy en = {logits,
                  targets,
                  rows,
                  (real)smoothing,
                  arena_alloc(&tape->arena, (size_t)m * sizeof(double)),
                  arena_alloc(&tape->arena, (size_t)m * sizeof(double)),
                  tape->recording};
    threads_run(tape->threads, "softmax and loss", m, 1 + 16384 / logits->cols, entropy_rows, &en);
    const RowShards *shards = tape->shards;
    double plain = 0, smooth = 0;
    for (int s = 0; s < (shards ? shards->count : 1); s++) nats[s] = 0;
    for (int i = 0; i < m; i++) {
        nats[shards ? shards->of[i] : 0] += en.nats[i];
        plain += en.nats[i];
        smooth += en.smooth[i];
    }
    Var *loss = var_new(tape, 1, 1);
    loss->v[0] = (real)(((1 - smoothing) * plain + smoothing * smooth) / rows);
    Record *record = tape_record(tape, cross_entropy_back, loss, NULL, NULL, NULL);
    if (record) record->extra = logits;
    return loss;
}

void cross_entropy_rows(Tape *tape, Var *logits, const int *targets, double *nats) {
    CHECK(!tape->recording, "cross_entropy_rows: the tape records");
    double *smooth = arena_alloc(&tape->arena, (size_t)logits->rows * sizeof *smooth);
    Entropy en = {logits, targets, logits->rows, 0, nats, smooth, false};
    threads_run(tape->threads, "softmax and loss", logits->rows, 1 + 16384 / logits->cols, entropy_rows, &en);
}

static void cross_entropy_back(Tape *tape, const Record *record) {
    Var *logits = (Var *)record->extra;
    const real dloss = var_grad(tape, record->out)[0];
    if (!logits->g && !logits->whole && dloss == 1) {
        logits->g = logits->v; /* avoids a copy of the largest matrix */
        logits->last_read = true;
    } else
        for (int i = 0; i < logits->rows; i++)
            kernels->axpy(logits->cols, var_row(logits, var_grad(tape, logits), i), dloss,
                          var_row(logits, logits->v, i));
}
