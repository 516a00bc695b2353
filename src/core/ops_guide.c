/* ops_guide.c: guided attention: a loss that trains the attention with known alignment links (Chen et al. 2016,
   "Guided Alignment Training for Topic-Aware Neural Machine Translation", §3). */
#include "core/exact.h"
#include "core/ops.h"
#include "core/tape_op.h"

/* g_bj = 1/n_b for the n_b columns j that row b is linked to, else 0; ε = 1e-6
   ce:   cost_b = -Σ_j g_bj ln(α_bj + ε)         dα_bj = -g_bj / (α_bj + ε)
   mult: cost_b = -ln(Σ_j g_bj α_bj + ε)         dα_bj = -g_bj / (Σ_k g_bk α_bk + ε)
   mse:  cost_b = ½ Σ_j (α_bj - g_bj)²           dα_bj = α_bj - g_bj
   result = loss + scale Σ_b cost_b              dloss += dresult,  dα += scale dresult dcost */
static const real epsilon = (real)1e-6;

/* A row of α that has links. The derivative times `scale` is added to dalpha; NULL in the forward pass. */
typedef struct Row {
    int cols, n;
    const real *alpha;
    const int *column; /* [n] */
    real share, scale, *dalpha;
} Row;

static double row_ce(const Row *r) {
    double sum = 0;
    for (int k = 0; k < r->n; k++) {
        const int j = r->column[k];
        const real a = r->alpha[j] + epsilon;
        sum -= (double)r->share * exact_log((double)a);
        if (r->dalpha) r->dalpha[j] -= r->scale * r->share / a;
    }
    return sum;
}

static double row_mult(const Row *r) {
    real sum = epsilon;
    for (int k = 0; k < r->n; k++) sum += r->share * r->alpha[r->column[k]];
    for (int k = 0; k < r->n && r->dalpha; k++) r->dalpha[r->column[k]] -= r->scale * r->share / sum;
    return -exact_log((double)sum);
}

/* First the cost without links, ½ Σ_j α_j², then the difference that the links make: g = share at linked columns. */
static double row_mse(const Row *r) {
    double sum = 0;
    for (int j = 0; j < r->cols; j++) {
        sum += (double)(r->alpha[j] * r->alpha[j]) / 2;
        if (r->dalpha) r->dalpha[j] += r->scale * r->alpha[j];
    }
    for (int k = 0; k < r->n; k++) {
        sum += (double)(r->share * (r->share / 2 - r->alpha[r->column[k]]));
        if (r->dalpha) r->dalpha[r->column[k]] -= r->scale * r->share;
    }
    return sum;
}

typedef struct GuideExtra {
    Guide guide;
    GuideCost cost;
    real scale;
} GuideExtra;

/* Returns Σ cost. Adds the derivative times `scale` to dalpha, if dalpha is not NULL. */
static double cost_of(const GuideExtra *x, const Var *alpha, real scale, real *dalpha) {
    static double (*const costs[])(const Row *) = {[GUIDE_CE] = row_ce, [GUIDE_MULT] = row_mult, [GUIDE_MSE] = row_mse};
    double sum = 0;
    for (int b = 0; b < alpha->rows; b++) {
        const size_t at = (size_t)b * (size_t)alpha->cols;
        const int begin = x->guide.begin[b], n = x->guide.begin[b + 1] - begin;
        if (n == 0) continue;
        sum += costs[x->cost](&(Row){alpha->cols, n, alpha->v + at, x->guide.column + begin, 1 / (real)n, scale,
                                     dalpha ? dalpha + at : NULL});
    }
    return sum;
}

static Back guided_back;
Var *guided(Tape *tape, Var *loss, Var *alpha, Guide guide, GuideCost cost, double scale) {
    CHECK(loss->rows == 1 && loss->cols == 1, "guided: a loss of [%d, %d]", loss->rows, loss->cols);
    for (int k = guide.begin[0]; k < guide.begin[alpha->rows]; k++)
        CHECK(guide.column[k] >= 0 && guide.column[k] < alpha->cols, "guided: column %d of %d", guide.column[k],
              alpha->cols);
    const GuideExtra extra = {guide, cost, (real)scale};
    Var *sum = var_new(tape, 1, 1);
    sum->v[0] = loss->v[0] + (real)(scale * cost_of(&extra, alpha, 0, NULL));
    record_keep(tape, tape_record(tape, guided_back, sum, loss, alpha, NULL), &extra, sizeof extra);
    return sum;
}

static void guided_back(Tape *tape, const Record *record) {
    Var *loss = record->in[0], *alpha = record->in[1];
    const GuideExtra *extra = record->extra;
    const real d = record->out->g[0];
    var_grad(tape, loss)[0] += d;
    cost_of(extra, alpha, d * extra->scale, var_grad(tape, alpha));
}
