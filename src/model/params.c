#include "model/params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALIGN = 16 /* numbers: each parameter begins on a cache line */ };

Var *params_add(Params *params, const char *name, int rows, int cols, Init init, double sd) {
    CHECK(!params->values && rows > 0 && cols > 0, "params_add: %s [%d, %d]", name, rows, cols);
    if (params->count == params->capacity) {
        params->capacity = params->capacity ? 2 * params->capacity : 32;
        params->list = mem_realloc(params->list, (size_t)params->capacity * sizeof *params->list);
    }
    Param *param = params->list[params->count++] = mem_zalloc(sizeof *param);
    snprintf(param->name, sizeof param->name, "%s", name);
    param->init = init;
    param->sd = sd;
    param->var = (Var){.rows = rows, .cols = cols, .weight = &param->weight};
    param->offset = params->size;
    params->size += ((size_t)rows * (size_t)cols + ALIGN - 1) / ALIGN * ALIGN;
    return &param->var;
}

static real *block_new(size_t size) { return memset(mem_alloc_aligned(size * sizeof(real)), 0, size * sizeof(real)); }

void params_allocate(Params *params) {
    params->values = block_new(params->size);
    params->gradients = block_new(params->size);
    for (int i = 0; i < params->count; i++) {
        Var *var = &params->list[i]->var;
        real *own = params->values + params->list[i]->offset;
        if (var->v) memcpy(own, var->v, (size_t)var->rows * (size_t)var->cols * sizeof(real));
        var->v = own;
        var->g = params->gradients + params->list[i]->offset;
    }
}

void param_borrow(Param *param, const real *values) {
    param->var.v = (real *)values;
    param->var.g = NULL;
}

/* Rows of Gaussian numbers made orthonormal, each against those before it (modified Gram-Schmidt). */
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

static void init_normal(Var *var, double sd, Rng *rng) {
    for (size_t i = 0; i < (size_t)var->rows * (size_t)var->cols; i++) var->v[i] = (real)(sd * rng_normal(rng));
}

static void init_ones(Var *var) {
    for (size_t i = 0; i < (size_t)var->rows * (size_t)var->cols; i++) var->v[i] = 1;
}

/* The standard deviation of normal numbers; 0: none are drawn. */
static double deviation(const Param *param, InitScheme scheme) {
    if (scheme == SCHEME_BAHDANAU) return param->init == INIT_ZERO ? 0 : param->sd;
    if (param->init == INIT_EMBEDDING) return 1 / sqrt(param->var.cols);
    return param->var.rows == 1 ? 0 : 1 / sqrt(param->var.rows);
}

static void init_orthogonals(const Param *param, Rng *rng) {
    const Var *var = &param->var;
    const int n = var->rows;
    CHECK(var->cols % n == 0, "orthogonal %s [%d, %d]", param->name, n, var->cols);
    double *q = mem_alloc((size_t)n * (size_t)n * sizeof(double));
    for (int block = 0; block < var->cols / n; block++) {
        init_orthogonal(rng, n, q);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                var->v[(size_t)i * (size_t)var->cols + (size_t)(block * n + j)] =
                    (real)q[(size_t)i * (size_t)n + (size_t)j];
    }
    mem_free(q);
}

void params_init(Params *params, InitScheme scheme, uint64_t seed) {
    CHECK(params->values, "params_init: no memory of their own");
    for (int i = 0; i < params->count; i++) {
        Param *param = params->list[i];
        Rng rng = rng_seed(seed, (uint64_t)i + 1);
        const double sd = deviation(param, scheme);
        if (param->init == INIT_ORTHOGONAL) init_orthogonals(param, &rng);
        else if (param->init == INIT_ONE) init_ones(&param->var);
        else if (sd > 0) init_normal(&param->var, sd, &rng);
    }
}

int init_scheme(const char *name) {
    static const char *const names[] = {"bahdanau", "lecun"};
    for (int scheme = 0; scheme < 2; scheme++)
        if (!strcmp(names[scheme], name)) return scheme;
    return -1;
}

void params_exchange(Params *params, real **values) {
    real *const had = params->values;
    params->values = *values;
    *values = had;
    for (int i = 0; i < params->count; i++) params->list[i]->var.v = params->values + params->list[i]->offset;
}

void params_free(Params *params) {
    for (int i = 0; i < params->count; i++) mem_free(params->list[i]);
    mem_free(params->list);
    mem_free(params->values);
    mem_free(params->gradients);
    *params = (Params){0};
}

size_t params_weights(const Params *params) {
    size_t n = 0;
    for (int i = 0; i < params->count; i++) n += (size_t)params->list[i]->var.rows * (size_t)params->list[i]->var.cols;
    return n;
}
