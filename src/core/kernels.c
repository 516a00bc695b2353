/* kernels.c: the kernels of rows, in the vectors of simd.h and in plain loops that the compiler vectorises. The file is
   compiled once for each instruction set, with another name of the table (TABLE). With -ffp-contract=off the compiler
   makes a fused multiply-add only from v_fma, so all sets compute the same bits. */
#include "core/kernels.h"
#include "core/base.h"
#include "core/simd.h"

/* NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places within a tile or a row */

/* ---- rows ----------------------------------------------------------------------------------------------------- */

static void add(int n, real *restrict y, const real *restrict x) {
    for (int i = 0; i < n; i++) y[i] += x[i];
}

static void axpy(int n, real *restrict y, real a, const real *restrict x) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}

static void divide(int n, real *y, real d) {
    for (int i = 0; i < n; i++) y[i] /= d;
}

static void blend(int n, real *restrict y, real a, const real *restrict x) {
    for (int i = 0; i < n; i++) y[i] += a * (x[i] - y[i]);
}

INLINE void lanes_add(Lanes *lanes, int vector, vreal x) { lanes->v[vector % LANE_VECTORS] += x; }

static real dot(int n, const real *x, const real *y) {
    Lanes lanes = {0};
    for (int i = 0, j = 0; i < n; i += VW, j++) lanes_add(&lanes, j, v_load_n(x + i, n - i) * v_load_n(y + i, n - i));
    return lanes_sum(&lanes);
}

/* Computes four sums at a time: they are independent, so the CPU overlaps them. */
static void dots(int n, int count, const real *x, const real *const *y, long prefetch, real *sums) {
    for (int k = 0; k < count; k += 4) {
        Lanes lanes[4] = {0};
        const int some = count - k < 4 ? count - k : 4;
        const real *rows[4];
        for (int row = 0; row < 4; row++) rows[row] = y[row < some ? k + row : k];
        for (int i = 0, j = 0; i < n; i += VW, j++) {
            vreal xi = v_load_n(x + i, n - i);
#pragma GCC unroll 4
            for (int row = 0; row < 4; row++) {
                __builtin_prefetch(rows[row] + prefetch + i, 0, 2);
                lanes_add(&lanes[row], j, xi * v_load_n(rows[row] + i, n - i));
            }
        }
        for (int row = 0; row < some; row++) sums[k + row] = lanes_sum(&lanes[row]);
    }
}

static real sum(int n, const real *x) {
    Lanes lanes = {0};
    for (int i = 0, j = 0; i < n; i += VW, j++) lanes_add(&lanes, j, v_load_n(x + i, n - i));
    return lanes_sum(&lanes);
}

/* Skips blocks without such a number. */
static int next_above(int n, const real *x, int from, real limit) {
    enum { BLOCK = 32 };
    int i = from;
    for (; i + BLOCK <= n; i += BLOCK) {
        vword above = {0};
        for (int k = 0; k < BLOCK; k += VW) above |= ~(v_load(x + i + k) <= limit);
        if (v_any(above)) break;
    }
    while (i < n && x[i] <= limit) i++;
    return i;
}

static void tanh_rows(int n, real *y, const real *x) {
    for (int i = 0; i < n; i += VW) v_store_n(y + i, v_tanh(v_load_n(x + i, n - i)), n - i);
}

static void tanh_back(int n, real *restrict dx, const real *restrict y, const real *restrict dy) {
    for (int i = 0; i < n; i++) dx[i] += dy[i] * (1 - y[i] * y[i]);
}

/* ---- GRU ------------------------------------------------------------------------------------------------------ */

static void gru_gates(int n, real *x, const real *h, real *rh) {
    for (int i = 0; i < n; i += VW) {
        int left = n - i;
        vreal z = v_sigmoid(v_load_n(x + i, left)), r = v_sigmoid(v_load_n(x + n + i, left));
        v_store_n(rh + i, r * v_load_n(h + i, left), left);
        v_store_n(x + i, z, left);
        v_store_n(x + n + i, r, left);
    }
}

static void gru_state(int n, real *x, const real *h, real *out) {
    for (int i = 0; i < n; i += VW) {
        int left = n - i;
        vreal c = v_tanh(v_load_n(x + 2 * n + i, left)), z = v_load_n(x + i, left), before = v_load_n(h + i, left);
        v_store_n(x + 2 * n + i, c, left);
        v_store_n(out + i, (1 - z) * before + z * c, left);
    }
}

static void gru_state_back(int n, const real *restrict dout, real *restrict x, const real *restrict h,
                           real *restrict dh) {
    for (int i = 0; i < n; i++) {
        real z = x[i], c = x[2 * n + i], d = dout[i];
        x[i] = d * (c - h[i]) * z * (1 - z);
        x[2 * n + i] = d * z * (1 - c * c);
        dh[i] += d * (1 - z);
    }
}

static void gru_gates_back(int n, const real *restrict drh, real *restrict x, const real *restrict h, real *restrict dh,
                           real *restrict rh) {
    for (int i = 0; i < n; i++) {
        real r = x[n + i];
        x[n + i] = drh[i] * h[i] * r * (1 - r);
        dh[i] += drh[i] * r;
        rh[i] = r * h[i];
    }
}

/* ---- attention ------------------------------------------------------------------------------------------------ */

INLINE vreal score_terms(int left, const real *va, const real *q, const real *k) {
    return v_load_n(va, left) * v_tanh(v_load_n(q, left) + v_load_n(k, left));
}

/* Computes two SIMD vectors at a time: they are independent, so the CPU overlaps them. */
static real score(int n, const real *va, const real *q, const real *k) {
    Lanes lanes = {0};
    int i = 0, j = 0;
    for (; i + 2 * VW <= n; i += 2 * VW, j += 2) {
        __builtin_prefetch(k + n + i);
        __builtin_prefetch(k + n + i + VW);
        vreal a = score_terms(VW, va + i, q + i, k + i), b = score_terms(VW, va + i + VW, q + i + VW, k + i + VW);
        lanes_add(&lanes, j, a);
        lanes_add(&lanes, j + 1, b);
    }
    for (; i < n; i += VW, j++) lanes_add(&lanes, j, score_terms(n - i, va + i, q + i, k + i));
    return lanes_sum(&lanes);
}

INLINE void score_back_part(int left, real de, const real *va, const real *q, const real *k, real *dva, real *dq,
                            real *dk) {
    vreal t = v_tanh(v_load_n(q, left) + v_load_n(k, left)), da = de * v_load_n(va, left) * (1 - t * t);
    v_store_n(dva, v_load_n(dva, left) + de * t, left);
    v_store_n(dq, v_load_n(dq, left) + da, left);
    v_store_n(dk, v_load_n(dk, left) + da, left);
}

static void score_back(int n, real de, const real *va, const real *q, const real *k, real *restrict dva,
                       real *restrict dq, real *restrict dk) {
    int i = 0;
    for (; i + VW <= n; i += VW) {
        __builtin_prefetch(k + n + i);
        __builtin_prefetch(dk + n + i, 1);
        score_back_part(VW, de, va + i, q + i, k + i, dva + i, dq + i, dk + i);
    }
    if (i < n) score_back_part(n - i, de, va + i, q + i, k + i, dva + i, dq + i, dk + i);
}

static void combine(int n, int count, const real *weight, const real *const *x, long prefetch, real *y) {
    for (int i = 0; i < n; i += VW) {
        vreal sum = v_load_n(y + i, n - i);
        for (int j = 0; j < count; j++) {
            __builtin_prefetch(x[j] + prefetch + i, 0, 2);
            sum = v_fma(v_splat(weight[j]), v_load_n(x[j] + i, n - i), sum);
        }
        v_store_n(y + i, sum, n - i);
    }
}

/* ---- softmax -------------------------------------------------------------------------------------------------- */

static real maximum(int n, const real *x) {
    vreal most = v_splat(x[0]);
    int i = 0;
    for (; i + VW <= n; i += VW) most = v_max(v_load(x + i), most);
    real max = x[0];
    for (int lane = 0; lane < VW; lane++) max = most[lane] > max ? most[lane] : max;
    for (; i < n; i++) max = x[i] > max ? x[i] : max;
    return max;
}

static real exp_sum(int n, const real *x, real *total, real *e) {
    real max = maximum(n, x);
    Lanes lanes = {0};
    for (int i = 0, j = 0; i < n; i += VW, j++) {
        vreal term = v_first_n(v_exp(v_load_n(x + i, n - i) - max), n - i);
        if (e) v_store_n(e + i, term, n - i);
        lanes_add(&lanes, j, term);
    }
    *total = lanes_sum(&lanes);
    return max;
}

static void softmax(int n, real *y, const real *x) {
    real total;
    exp_sum(n, x, &total, y);
    for (int i = 0; i < n; i++) y[i] /= total;
}

static void softmax_back(int n, real *restrict dx, const real *restrict y, const real *restrict dy) {
    real mean = dot(n, y, dy);
    for (int i = 0; i < n; i++) dx[i] += y[i] * (dy[i] - mean);
}

static void softmax_gradient(int n, real *e, real total, real scale, real floor) {
    for (int i = 0; i < n; i++) e[i] = scale * (e[i] / total - floor);
}

/* ---- layer normalisation -------------------------------------------------------------------------------------- */

INLINE real root(real x) { return sizeof(real) == sizeof(float) ? (real)sqrtf((float)x) : (real)sqrt(x); }

INLINE vreal normalised(const real *x, const Moments *m, int left) { return (v_load_n(x, left) - m->mean) * m->scale; }

static void layer_norm(int n, real *y, const real *x, const real *gain, const real *bias, Moments *moments) {
    const real mean = sum(n, x) / (real)n, epsilon = (real)1e-5; /* for rows whose numbers are all equal */
    Lanes squares = {0};
    for (int i = 0, j = 0; i < n; i += VW, j++) {
        vreal d = v_first_n(v_load_n(x + i, n - i) - mean, n - i);
        lanes_add(&squares, j, d * d);
    }
    const Moments m = {mean, 1 / root(lanes_sum(&squares) / (real)n + epsilon)};
    for (int i = 0; i < n; i += VW)
        v_store_n(y + i, v_load_n(gain + i, n - i) * normalised(x + i, &m, n - i) + v_load_n(bias + i, n - i), n - i);
    *moments = m;
}

static void layer_norm_back(int n, real *dx, const real *dy, const real *x, const real *gain, const Moments *moments) {
    const Moments m = *moments;
    Lanes sum_d = {0}, sum_dx = {0};
    for (int i = 0, j = 0; i < n; i += VW, j++) {
        vreal d = v_load_n(dy + i, n - i) * v_load_n(gain + i, n - i);
        lanes_add(&sum_d, j, d);
        lanes_add(&sum_dx, j, d * normalised(x + i, &m, n - i));
    }
    const real mean_d = lanes_sum(&sum_d) / (real)n, mean_dx = lanes_sum(&sum_dx) / (real)n;
    for (int i = 0; i < n; i += VW) {
        vreal d = v_load_n(dy + i, n - i) * v_load_n(gain + i, n - i);
        vreal part = m.scale * (d - mean_d - mean_dx * normalised(x + i, &m, n - i));
        v_store_n(dx + i, v_load_n(dx + i, n - i) + part, n - i);
    }
}

static void layer_norm_gain(int n, real *restrict dgain, const real *restrict dy, const real *restrict x,
                            const Moments *moments) {
    const Moments m = *moments;
    for (int i = 0; i < n; i++) dgain[i] += dy[i] * ((x[i] - m.mean) * m.scale);
}

/* ---- readout, ReLU, dropout ----------------------------------------------------------------------------------- */

static void maxout(int n, real *restrict y, const real *restrict x) {
    for (int i = 0; i < n; i++) y[i] = x[2 * i] >= x[2 * i + 1] ? x[2 * i] : x[2 * i + 1];
}

static void maxout_back(int n, real *restrict x, const real *restrict dy) {
    for (int i = 0; i < n; i++) {
        int first = x[2 * i] >= x[2 * i + 1];
        x[2 * i] = first ? dy[i] : 0;
        x[2 * i + 1] = first ? 0 : dy[i];
    }
}

static void relu(int n, real *x) {
    for (int i = 0; i < n; i++) x[i] = x[i] > 0 ? x[i] : 0;
}

static void relu_back(int n, real *restrict dy, const real *restrict y) {
    for (int i = 0; i < n; i++) dy[i] = y[i] > 0 ? dy[i] : 0;
}

/* A pseudorandom number for each x: an integer hash with two multiplications. */
INLINE uint32_t hash(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

static void dropout(int n, real *restrict y, const real *restrict x, uint32_t key, real keep, int accumulate) {
    const uint32_t limit = (uint32_t)(keep * 0x1p24f);
    const real scale = 1 / keep;
    for (int i = 0; i < n; i++) {
        uint32_t draw = hash((uint32_t)i * 0x9e3779b9u ^ key) >> 8;
        real kept = draw < limit ? x[i] * scale : 0;
        y[i] = accumulate ? y[i] + kept : kept;
    }
}

/* ---- optimisers ----------------------------------------------------------------------------------------------- */

static void sgd(int n, const UpdateRule *rule, real *restrict w, real *restrict g, real *slot0, real *slot1) {
    (void)slot0;
    (void)slot1;
    const real rate = rule->rate * rule->gradient_scale;
    for (int i = 0; i < n; i++) {
        w[i] -= rate * g[i];
        g[i] = 0;
    }
}

/* The moments of rare words decay to subnormal numbers, which are slow on CPUs. Smaller moments than this become 0. */
static const real tiny = (real)1e-35;

static void adam(int n, const UpdateRule *rule, real *restrict w, real *restrict g, real *restrict m,
                 real *restrict v) {
    const UpdateRule r = *rule;
    for (int i = 0; i < n; i++) {
        real d = g[i] * r.gradient_scale;
        real mi = r.decay1 * m[i] + (1 - r.decay1) * d, vi = r.decay2 * v[i] + (1 - r.decay2) * (d * d);
        m[i] = mi > -tiny && mi < tiny ? 0 : mi;
        v[i] = vi < tiny ? 0 : vi;
        w[i] -= r.rate * (m[i] * r.correction1) / (root(v[i] * r.correction2) + r.epsilon);
        g[i] = 0;
    }
}

static void adadelta(int n, const UpdateRule *rule, real *restrict w, real *restrict g, real *restrict g2,
                     real *restrict dx2) {
    const UpdateRule r = *rule;
    for (int i = 0; i < n; i++) {
        real d = g[i] * r.gradient_scale;
        real square = r.decay1 * g2[i] + (1 - r.decay1) * (d * d);
        g2[i] = square < tiny ? 0 : square;
        real step = root(dx2[i] + r.epsilon) / root(g2[i] + r.epsilon) * d;
        square = r.decay1 * dx2[i] + (1 - r.decay1) * (step * step);
        dx2[i] = square < tiny ? 0 : square;
        w[i] -= r.rate * step;
        g[i] = 0;
    }
}

const Kernels TABLE = {
    .add = add,
    .axpy = axpy,
    .divide = divide,
    .blend = blend,
    .dot = dot,
    .dots = dots,
    .sum = sum,
    .next_above = next_above,
    .tanh = tanh_rows,
    .tanh_back = tanh_back,
    .gru_gates = gru_gates,
    .gru_state = gru_state,
    .gru_state_back = gru_state_back,
    .gru_gates_back = gru_gates_back,
    .score = score,
    .score_back = score_back,
    .combine = combine,
    .softmax = softmax,
    .softmax_back = softmax_back,
    .exp_sum = exp_sum,
    .softmax_gradient = softmax_gradient,
    .layer_norm = layer_norm,
    .layer_norm_back = layer_norm_back,
    .layer_norm_gain = layer_norm_gain,
    .maxout = maxout,
    .maxout_back = maxout_back,
    .relu = relu,
    .relu_back = relu_back,
    .dropout = dropout,
    .sgd = sgd,
    .adam = adam,
    .adadelta = adadelta,
};

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
