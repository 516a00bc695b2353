/* kernels.c: the kernels, in the vectors of simd.h and in plain loops that the compiler vectorises. The file is
   compiled once for each instruction set, with another name of the table (KERNELS). With -ffp-contract=off the
   compiler makes a fused multiply-add only from v_fma, so all sets compute the same bits. */
#include "core/kernels.h"
#include "core/base.h"
#include "core/simd.h"

/* NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places within a tile or a row */

#if VW == 16
enum { TILE_ROWS = 14 }; /* 28 accumulators, 2 registers of b, 1 of a: 31 of 32 */
#elif VW == 8
enum { TILE_ROWS = 6 }; /* 12 + 2 + 1 of 16 */
#elif defined(TIDE_NEON)
enum { TILE_ROWS = 12 }; /* 24 + 2 + a few of a, of 32 */
#else
enum { TILE_ROWS = 4 };
#endif
enum {
    TILE_VECTORS = 2,
    TILE_COLS = TILE_VECTORS * VW,
    PREFETCH_ROWS = 12 /* distance of prefetching, in rows of b */
};

/* ---- matrix product ------------------------------------------------------------------------------------------- */

/* Computes one tile of full width. `rows` is a constant in each inlined copy, so that acc is in registers. */
INLINE void tile(const int rows, int k, const real *a, const real *b, const real *init, int ld_init, real *c, int ld_c,
                 const real *prefetch, int prefetch_step) {
    vreal acc[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < TILE_VECTORS; j++)
            acc[i][j] = init ? v_load(init + (size_t)i * (size_t)ld_init + j * VW) : v_splat(0);
    for (int p = 0; p < k; p++, a += rows, b += TILE_COLS, prefetch += prefetch_step) {
        vreal b0 = v_load(b), b1 = v_load(b + VW);
        __builtin_prefetch(prefetch, 0, 2);
        __builtin_prefetch(b + PREFETCH_ROWS * TILE_COLS);
        __builtin_prefetch(b + PREFETCH_ROWS * TILE_COLS + VW);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            vreal ai = v_splat(a[i]);
            acc[i][0] = v_fma(ai, b0, acc[i][0]);
            acc[i][1] = v_fma(ai, b1, acc[i][1]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < TILE_VECTORS; j++) v_store(c + (size_t)i * (size_t)ld_c + j * VW, acc[i][j]);
}

static void tile_of(int rows, int k, const real *a, const real *b, const real *init, int ld_init, real *c, int ld_c,
                    const real *prefetch, int prefetch_step) {
    switch (rows) {
#define TILE(n)                                                                                                        \
    case (n):                                                                                                          \
        if ((n) <= TILE_ROWS)                                                                                          \
            tile((n) < TILE_ROWS ? (n) : TILE_ROWS, k, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);         \
        return;
        TILE(1)
        TILE(2) TILE(3) TILE(4) TILE(5) TILE(6) TILE(7) TILE(8) TILE(9) TILE(10) TILE(11) TILE(12) TILE(13) TILE(14)
#undef TILE
    }
    CHECK(0, "gemm_tile: %d rows", rows);
}

static void gemm_tile(int rows, int cols, int k, const real *a, const real *b, const real *init, int ld_init, real *c,
                      int ld_c, const real *prefetch, int prefetch_step) {
    if (cols == TILE_COLS) {
        tile_of(rows, k, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);
        return;
    }
    real buffer[TILE_ROWS * TILE_COLS] = {0};
    for (int i = 0; init && i < rows; i++)
        memcpy(buffer + i * TILE_COLS, init + (size_t)i * (size_t)ld_init, (size_t)cols * sizeof(real));
    tile_of(rows, k, a, b, buffer, TILE_COLS, buffer, TILE_COLS, prefetch, prefetch_step);
    for (int i = 0; i < rows; i++)
        memcpy(c + (size_t)i * (size_t)ld_c, buffer + i * TILE_COLS, (size_t)cols * sizeof(real));
}

/* pack_transposed transposes blocks of 4 x 4 in registers, over ranges of k that stay in the L1 cache. */
typedef real four __attribute__((vector_size(4 * sizeof(real))));

INLINE void transpose_block(real *to, int width, const real *from, int ld) {
    four r[4], t[4];
    for (int j = 0; j < 4; j++) memcpy(&r[j], from + (size_t)j * (size_t)ld, sizeof r[j]);
    for (int j = 0; j < 2; j++) {
        t[2 * j] = __builtin_shufflevector(r[2 * j], r[2 * j + 1], 0, 4, 1, 5);
        t[2 * j + 1] = __builtin_shufflevector(r[2 * j], r[2 * j + 1], 2, 6, 3, 7);
    }
    for (int j = 0; j < 4; j++) {
        r[j] = j % 2 ? __builtin_shufflevector(t[j / 2], t[j / 2 + 2], 2, 3, 6, 7)
                     : __builtin_shufflevector(t[j / 2], t[j / 2 + 2], 0, 1, 4, 5);
        memcpy(to + j * width, &r[j], sizeof r[j]);
    }
}

/* With a constant width, the compiler replaces memcpy by a few moves. */
INLINE void copy_rows(real *restrict panel, const int width, const real *restrict source, int ld, int k) {
    for (int p = 0; p < k; p++, panel += width, source += ld) {
        const real *next = source + (size_t)PREFETCH_ROWS * (size_t)ld; /* hardware prefetchers miss this stride */
        __builtin_prefetch(next);
        __builtin_prefetch(next + width - 1);
        memcpy(panel, source, (size_t)width * sizeof(real));
    }
}

static void pack_rows(real *restrict panel, int width, const real *restrict source, int ld, int cols, int k) {
    if (cols < width) {
        for (int p = 0; p < k; p++, panel += width, source += ld)
            for (int j = 0; j < width; j++) panel[j] = j < cols ? source[j] : 0;
        return;
    }
    if (width == TILE_COLS) copy_rows(panel, TILE_COLS, source, ld, k);
    else if (width == TILE_ROWS) copy_rows(panel, TILE_ROWS, source, ld, k);
    else if (width == TILE_ROWS - 1) copy_rows(panel, TILE_ROWS - 1, source, ld, k);
    else copy_rows(panel, width, source, ld, k);
}

INLINE void copy_list(real *restrict panel, const int width, const real *const *rows, int col, int k) {
    for (int p = 0; p < k; p++, panel += width) {
        const real *next = rows[p + PREFETCH_ROWS < k ? p + PREFETCH_ROWS : k - 1] + col;
        __builtin_prefetch(next);
        __builtin_prefetch(next + width - 1);
        memcpy(panel, rows[p] + col, (size_t)width * sizeof(real));
    }
}

static void pack_list(real *restrict panel, int width, const real *const *rows, int col, int cols, int k) {
    if (cols < width) {
        for (int p = 0; p < k; p++, panel += width)
            for (int j = 0; j < width; j++) panel[j] = j < cols ? rows[p][col + j] : 0;
        return;
    }
    if (width == TILE_COLS) copy_list(panel, TILE_COLS, rows, col, k);
    else if (width == TILE_ROWS) copy_list(panel, TILE_ROWS, rows, col, k);
    else if (width == TILE_ROWS - 1) copy_list(panel, TILE_ROWS - 1, rows, col, k);
    else copy_list(panel, width, rows, col, k);
}

static void pack_transposed(real *restrict panel, int width, const real *restrict source, int ld, int rows, int k) {
    enum { STRETCH = 32 };
    for (int p0 = 0; p0 < k; p0 += STRETCH) {
        int p1 = p0 + STRETCH < k ? p0 + STRETCH : k, j = 0;
        for (; j + 4 <= rows; j += 4) {
            const real *from = source + (size_t)j * (size_t)ld;
            int p = p0;
            for (; p + 4 <= p1; p += 4) transpose_block(panel + p * width + j, width, from + p, ld);
            for (; p < p1; p++)
                for (int i = 0; i < 4; i++) panel[p * width + j + i] = from[(size_t)i * (size_t)ld + (size_t)p];
        }
        for (; j < width; j++)
            for (int p = p0; p < p1; p++)
                panel[p * width + j] = j < rows ? source[(size_t)j * (size_t)ld + (size_t)p] : 0;
    }
}

/* ---- rows ----------------------------------------------------------------------------------------------------- */

static void add(int n, real *restrict y, const real *restrict x) {
    for (int i = 0; i < n; i++) y[i] += x[i];
}

static void axpy(int n, real *restrict y, real a, const real *restrict x) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
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

/* ---- readout, dropout ----------------------------------------------------------------------------------------- */

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

/* ---- the limit ------------------------------------------------------------------------------------------------ */

static real fma_rounds(long rounds, real x) {
    vreal acc[TILE_ROWS][TILE_VECTORS], a = v_splat(x), b = v_splat(1 - x);
#pragma GCC unroll 16
    for (int i = 0; i < TILE_ROWS; i++) { /* all different: otherwise the compiler would merge the chains */
        acc[i][0] = v_splat((real)i);
        acc[i][1] = v_splat((real)(i + TILE_ROWS));
    }
    for (long round = 0; round < rounds; round++)
#pragma GCC unroll 16
        for (int i = 0; i < TILE_ROWS; i++) {
            acc[i][0] = v_fma(a, acc[i][0], b);
            acc[i][1] = v_fma(a, acc[i][1], b);
        }
    vreal sum = v_splat(0);
    for (int i = 0; i < TILE_ROWS; i++) sum += acc[i][0] + acc[i][1];
    return sum[0];
}

#define TEXT_OF(name)  #name
#define NAME_OF(table) TEXT_OF(table)
const Kernels KERNELS = {
    .name = &NAME_OF(KERNELS)[sizeof "kernels_" - 1],
    .tile_rows = TILE_ROWS,
    .tile_cols = TILE_COLS,
    .gemm_tile = gemm_tile,
    .pack_rows = pack_rows,
    .pack_list = pack_list,
    .pack_transposed = pack_transposed,
    .add = add,
    .axpy = axpy,
    .blend = blend,
    .dot = dot,
    .dots = dots,
    .sum = sum,
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
    .dropout = dropout,
    .sgd = sgd,
    .adam = adam,
    .adadelta = adadelta,
    .fma_rounds = fma_rounds,
};

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
