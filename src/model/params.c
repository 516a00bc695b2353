#include "model/params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char init_names[] = "lecun|bahdanau";

enum { LINE = 64 /* each parameter begins at a cache line */, ALIGN = LINE / sizeof(float) /* in numbers */ };

Var *params_add(Params *params, const char *name, int rows, int cols, Init init, double sd) {
    CHECK(!params->values && !params->shared && rows > 0 && cols > 0, "params_add: %s [%d, %d]", name, rows, cols);
    if (params->count == params->capacity) {
        params->capacity = params->capacity ? 2 * params->capacity : 32;
        params->list = mem_realloc(params->list, (size_t)params->capacity * sizeof *params->list);
    }
    Param *param = params->list[params->count++] = mem_zalloc(sizeof *param);
    const int length = snprintf(param->name, sizeof param->name, "%s", name);
    CHECK(length < (int)sizeof param->name, "params_add: the name %s is too long", name);
    param->init = init;
    param->sd = sd;
    param->weight.index = params->count - 1;
    param->var = (Var){.rows = rows, .cols = cols, .weight = &param->weight};
    param->offset = params->size;
    params->size += ((size_t)rows * (size_t)cols + ALIGN - 1) / ALIGN * ALIGN;
    return &param->var;
}

Var *params_add_part(Params *params, const char *module, const char *name, int rows, int cols, Init init, double sd) {
    char full[64];
    snprintf(full, sizeof full, "%s.%s", module, name);
    return params_add(params, full, rows, cols, init, sd);
}

Var *params_add_table(Params *params, const char *name, int rows, int cols, Init init, double sd) {
    Var *var = params_add(params, name, rows, cols, init, sd);
    params->list[params->count - 1]->table = true;
    return var;
}

static real *block_new(size_t size) { return memset(mem_alloc_aligned(size * sizeof(real)), 0, size * sizeof(real)); }

real *params_values(const Params *params, const Param *param) {
    CHECK(params->values, "params_values: %s belongs to a read-only model", param->name);
    return params->values + param->offset;
}

/* Binds every Var to its part of the blocks of values and gradients. */
static void bind_all(Params *params) {
    for (int i = 0; i < params->count; i++) {
        Param *param = params->list[i];
        var_bind(&param->var, params_values(params, param), params->gradients + param->offset);
    }
}

void params_allocate(Params *params) {
    CHECK(!params->values && !params->shared, "params_allocate: the parameters have memory already");
    params->values = block_new(params->size);
    params->gradients = block_new(params->size);
    bind_all(params);
}

static SegmentKind kind_of(const Param *param) {
    if (param->table) return SEGMENT_TABLE;
    return param->var.rows == 1 || param->var.cols == 1 ? SEGMENT_VECTOR : SEGMENT_MATRIX;
}

void params_optimizer(const Params *params, const OptimizerKind *kind, Optimizer *optimizer) {
    Segment *segments = mem_alloc((size_t)params->count * sizeof *segments);
    for (int i = 0; i < params->count; i++) {
        const Param *param = params->list[i];
        segments[i] = (Segment){param->offset, param->var.rows, param->var.cols, kind_of(param)};
    }
    optimizer_init(optimizer, kind, segments, params->count, params->size);
    mem_free(segments);
}

/* Whether ops other than matrix products read the values: they read vectors and the rows of tables. */
static bool keeps_values(const Param *param) { return kind_of(param) != SEGMENT_MATRIX; }

void param_use_int8(Param *param, bool scales_of_rows) {
    const int k = param->table ? param->var.cols : param->var.rows;
    param->int8 = kind_of(param) != SEGMENT_VECTOR && scales_of_rows == param->table && k <= GEMM_I8_MOST_K;
}

static PanelFormat format_of(const Param *param) { return param->int8 ? PANELS_I8 : PANELS_F32; }

static size_t aligned(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

/* The bytes of the scales of a table of int8, which are ahead of its integers. */
static size_t scales_size(const Param *param) {
    return param->int8 && param->table ? aligned((size_t)param->var.rows * sizeof(float)) : 0;
}

/* The bytes of a parameter in the block of a read-only model. */
static size_t shared_size(const Param *param) {
    const Var *var = &param->var;
    if (!keeps_values(param)) return aligned(packed_size(format_of(param), var->rows, var->cols));
    return scales_size(param) + aligned(var_size(var) * (param->int8 ? sizeof(int8_t) : sizeof(real)));
}

void params_share(Params *params) {
    CHECK(!params->values && !params->shared, "params_share: the parameters have memory already");
    size_t size = 0, at = 0;
    for (int i = 0; i < params->count; i++) size += shared_size(params->list[i]);
    params->shared = mem_alloc_aligned(size);
    for (int i = 0; i < params->count; at += shared_size(params->list[i]), i++) {
        Param *param = params->list[i];
        const bool keep = keeps_values(param);
        void *memory = params->shared + at, *values = (char *)memory + scales_size(param);
        weight_share(&param->weight, format_of(param), param->var.rows, param->var.cols, values, keep,
                     scales_size(param) > 0 ? memory : NULL);
        var_bind(&param->var, keep && !param->int8 ? values : NULL, NULL);
    }
}

void param_write(Param *param, size_t first, const void *values, const float *scales, size_t n) {
    const Var *var = &param->var;
    const size_t cols = (size_t)var->cols, size = param->int8 ? sizeof(int8_t) : sizeof(real);
    CHECK(first <= var_size(var) && n <= var_size(var) - first && param->int8 == (scales != NULL),
          "param_write: %zu+%zu of %s", first, n, param->name);
    if (!param->weight.shared || keeps_values(param)) {
        char *to = param->int8 ? (void *)param->weight.values : (void *)var_values(var);
        CHECK(to, "param_write: %s has no memory", param->name);
        memcpy(to + first * size, values, n * size);
        if (scales) memcpy((float *)param->weight.packed[1].scales, scales, (size_t)var->rows * sizeof *scales);
        return;
    }
    CHECK(first % cols == 0 && n % cols == 0, "param_write: %s needs whole rows", param->name);
    operand_pack_rows(param->weight.packed[0], (int)(first / cols), values, scales, (int)(n / cols));
}

/* Fills q [n, n] with normal numbers and makes its rows orthonormal (modified Gram-Schmidt). */
static void init_orthogonal(Rng *rng, int n, double *q) {
    for (int i = 0; i < n; i++) {
        double *row = q + (size_t)i * (size_t)n, square = 0;
        for (int j = 0; j < n; j++) row[j] = rng_normal(rng);
        for (int k = 0; k < i; k++) {
            const double *before = q + (size_t)k * (size_t)n;
            double dot = 0;
            for (int j = 0; j < n; j++) dot += row[j] * before[j];
            for (int j = 0; j < n; j++) row[j] -= dot * before[j];
        }
        for (int j = 0; j < n; j++) square += row[j] * row[j];
        for (int j = 0; j < n; j++) row[j] /= sqrt(square);
    }
}

static void init_normal(real *values, size_t n, double sd, Rng *rng) {
    for (size_t i = 0; i < n; i++) values[i] = (real)(sd * rng_normal(rng));
}

/* Returns the standard deviation of normally distributed initial values; 0: the values stay zero. */
static double deviation(const Param *param, InitScheme scheme) {
    if (scheme == SCHEME_BAHDANAU) return param->init == INIT_ZERO ? 0 : param->sd;
    if (param->init == INIT_EMBEDDING) return 1 / sqrt(param->var.cols);
    return param->var.rows == 1 ? 0 : 1 / sqrt(param->var.rows);
}

static void init_orthogonals(const Param *param, real *values, Rng *rng) {
    const Var *var = &param->var;
    const int n = var->rows;
    CHECK(var->cols % n == 0, "params_init: %s [%d, %d] cannot be orthogonal", param->name, n, var->cols);
    double *q = mem_alloc((size_t)n * (size_t)n * sizeof(double));
    for (int block = 0; block < var->cols / n; block++) {
        init_orthogonal(rng, n, q);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                values[(size_t)i * (size_t)var->cols + (size_t)(block * n + j)] =
                    (real)q[(size_t)i * (size_t)n + (size_t)j];
    }
    mem_free(q);
}

void params_init(Params *params, InitScheme scheme, uint64_t seed) {
    CHECK(params->values, "params_init: params_allocate comes first");
    for (int i = 0; i < params->count; i++) {
        Param *param = params->list[i];
        Rng rng = rng_seed(seed, (uint64_t)i + 1);
        const double sd = deviation(param, scheme);
        real *values = params_values(params, param);
        if (param->init == INIT_ORTHOGONAL) init_orthogonals(param, values, &rng);
        else if (param->init == INIT_ONE)
            for (size_t k = 0; k < var_size(&param->var); k++) values[k] = 1;
        else if (sd > 0) init_normal(values, var_size(&param->var), sd, &rng);
    }
}

void params_exchange(Params *params, real **values) {
    real *const had = params->values;
    params->values = *values;
    *values = had;
    bind_all(params);
}

void params_free(Params *params) {
    for (int i = 0; i < params->count; i++) {
        if (params->shared) weight_free(&params->list[i]->weight);
        mem_free(params->list[i]);
    }
    mem_free(params->list);
    mem_free(params->shared);
    mem_free(params->values);
    mem_free(params->gradients);
    *params = (Params){0};
}

size_t params_weights(const Params *params) {
    size_t n = 0;
    for (int i = 0; i < params->count; i++) n += var_size(&params->list[i]->var);
    return n;
}
