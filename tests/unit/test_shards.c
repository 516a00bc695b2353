/* The gradient of a batch in shards: it is the sum in the tree of shard_sums.h, with the same bits for any division of
   the shards into parts, any number of threads and any instruction set; and it is close to that of the whole batch. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gradient_product.h"
#include "core/kernels.h"
#include "core/ops.h"
#include "train/update.h"
#include "bfloat16.h"
#include "sets.h"
#include "training.h"

/* ---- gradient_product beside plain loops ---------------------------------------------------------------------------
 */

/* Adds x[first..first+shards-1] in the tree, by its definition. */
static float tree_of(const float *x, int shards) {
    return shards == 1 ? x[0] : tree_of(x, shards / 2) + tree_of(x + shards / 2, shards / 2);
}

typedef struct Case {
    int m, n, shards, steps[16]; /* of each shard */
    bool additions;
} Case;

/* One element of the product, by its definition. */
static float element(const GradientProduct *p, int i, int j) {
    float sums[MOST_SHARDS] = {0};
    for (int s = 0; s < p->shards; s++) {
        Bfloat16Sum rounded = {0};
        for (int k = p->start[s]; k < p->start[s + 1]; k++)
            if (p->format == PANELS_BF16) bfloat16_add(&rounded, p->x[k][i], p->y[k][j]);
            else sums[s] = fmaf(p->x[k][i], p->y[k][j], sums[s]);
        if (p->format == PANELS_BF16) sums[s] = bfloat16_end(&rounded);
        for (int e = p->additions ? p->additions->start[i] : 0; p->additions && e < p->additions->start[i + 1]; e++)
            if (p->additions->shard[e] == s) sums[s] += p->additions->row[e][j];
    }
    return p->c[i * p->n + j] + tree_of(sums, p->shards);
}

static float *random_numbers(Rng *rng, size_t n) {
    float *numbers = mem_alloc(n * sizeof *numbers);
    for (size_t i = 0; i < n; i++) numbers[i] = (float)rng_normal(rng);
    return numbers;
}

static const float **rows_in(const float *numbers, int n, int width) {
    const float **rows = mem_alloc(((size_t)n + 1) * sizeof *rows);
    for (int i = 0; i < n; i++) rows[i] = numbers + (size_t)i * (size_t)width;
    return rows;
}

/* Three additions for every third row: two in the first shard, one in the last. */
static RowAdditions additions_of(const Case *c, const float *numbers, int *start, int *shard, const float **row) {
    int count = 0;
    for (int i = 0; i < c->m; i++) {
        start[i] = count;
        for (int e = 0; e < 3 && i % 3 == 0; e++, count++) {
            shard[count] = e < 2 ? 0 : c->shards - 1;
            row[count] = numbers + (size_t)(e * 7 % 5) * (size_t)c->n;
        }
    }
    start[c->m] = count;
    return (RowAdditions){start, shard, row};
}

static void check_product(const Case *c, PanelFormat format, int threads) {
    Rng rng = rng_seed(5, (uint64_t)c->m);
    int start[MOST_SHARDS + 1] = {0};
    for (int s = 0; s < c->shards; s++) start[s + 1] = start[s] + c->steps[s % 16];
    const int k = start[c->shards];
    const size_t size = (size_t)c->m * (size_t)c->n;
    float *x = random_numbers(&rng, (size_t)(k + 1) * (size_t)c->m), *sum = random_numbers(&rng, size);
    float *y = random_numbers(&rng, (size_t)(k + 5) * (size_t)c->n);
    float *right = mem_alloc(size * sizeof *right);
    const float **xs = rows_in(x, k, c->m), **ys = rows_in(y, k, c->n);
    int *first = mem_alloc((size_t)(c->m + 1) * sizeof *first), *shard = mem_alloc(3 * (size_t)c->m * sizeof *shard);
    const float **row = mem_alloc(3 * (size_t)c->m * sizeof *row);
    const RowAdditions additions = additions_of(c, y, first, shard, row);
    const GradientProduct p = {
        c->m, c->n, c->shards, start, xs, ys, c->additions ? &additions : NULL, .c = sum, .format = format};
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < c->n; j++) right[i * c->n + j] = element(&p, i, j);
    Threads *pool = threads_new(threads);
    if (c->additions && k == 0) shard_additions(pool, c->m, c->n, c->shards, &additions, sum);
    else gradient_product(pool, &p);
    if (memcmp(sum, right, size * sizeof *sum) != 0)
        fail_msg("[%d, %d], %d shards, %d steps, format %d, %s, %d threads", c->m, c->n, c->shards, k, format,
                 kernels->name, threads);
    threads_free(pool);
    void *const all[] = {x, sum, y, right, xs, ys, first, shard, row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

static void the_product_is_a_tree_of_chains(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {1, 1, 1, {1}, false},
        {15, 33, 2, {3, 0}, true},
        {29, 65, 8, {5, 0, 1, 2, 9, 0, 0, 4}, true},
        {400, 70, 4, {300, 1, 20, 513}, false},
        {17, 40, 64, {1, 2, 3, 0}, true},
        {31, 37, 8, {700, 600, 0, 900, 1000, 1, 800, 700}, true}, /* several runs */
        {20, 34, 4, {5000, 100, 2100, 0}, true},                  /* shards that are larger than a run */
        {12, 300, 4, {0}, true},                                  /* additions only */
        {12, 30, 16, {0}, false},
    };
    for (int set = 0; (kernels = distinct_set(set, PANELS_BF16)); set++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int threads = 1; threads <= 3; threads += 2) {
                check_product(&cases[i], PANELS_F32, threads);
                check_product(&cases[i], PANELS_BF16, threads);
            }
    kernels_choose("auto");
}

static void *product_of_shards(void *context) {
    check_product(context, PANELS_F32, 2);
    check_product(context, PANELS_BF16, 2);
    return NULL;
}

/* Threads of musl have stacks of 128 KiB, which the trees of 64 shards exceed. */
static void a_small_stack_is_enough(void **unused) {
    (void)unused;
    Case c = {17, 40, 64, {1, 2, 3, 0}, true};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, product_of_shards, &c), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* ---- the loss in blocks ------------------------------------------------------------------------------------------ */

enum { ROWS = 2500 /* several blocks */, INNER = 20, WORDS = 37, FOUR = 4, WEIGHTS = INNER * WORDS + WORDS };

/* A batch of ROWS rows in FOUR shards, and an output layer. */
typedef struct Output {
    int of[ROWS], rows[ROWS], start[FOUR + 1], targets[ROWS];
    float x[ROWS * INNER], weights[WEIGHTS], gradient[WEIGHTS], dx[ROWS * INNER];
    double nats[ROWS];
} Output;

static void output_draw(Output *o) {
    Rng rng = rng_seed(7, 1);
    for (int i = 0; i < ROWS; i++) {
        o->of[i] = (int)rng_below(&rng, 5) % FOUR; /* shard 0 is twice as large */
        o->targets[i] = (int)rng_below(&rng, WORDS);
    }
    for (int s = 0, at = 0; s < FOUR; s++, o->start[s] = at)
        for (int i = 0; i < ROWS; i++)
            if (o->of[i] == s) o->rows[at++] = i;
    for (int i = 0; i < ROWS * INNER; i++) o->x[i] = (float)rng_normal(&rng);
    for (int i = 0; i < WEIGHTS; i++) o->weights[i] = (float)rng_normal(&rng);
}

/* Adds the gradients of the rows that are listed, or of all rows, to o->gradient; writes dx and nats of these rows. */
static void output_gradient(Output *o, const int *rows, int count, const RowShards *shards, bool transposed,
                            Threads *threads) {
    Tape tape;
    Weight weights[2] = {{.index = 0}, {.index = 1}};
    Var W = {.rows = INNER, .cols = WORDS, .weight = &weights[0]};
    Var b = {.rows = 1, .cols = WORDS, .weight = &weights[1]};
    if (transposed) W.rows = WORDS, W.cols = INNER;
    var_bind(&W, o->weights, o->gradient);
    var_bind(&b, o->weights + (ptrdiff_t)INNER * WORDS, o->gradient + (ptrdiff_t)INNER * WORDS);
    tape_init(&tape, threads, rng_seed(1, 1));
    tape.recording = true;
    tape_shard_rows(&tape, shards);
    Var *x = var_new(&tape, count, INNER);
    int *targets = arena_alloc(&tape.arena, (size_t)count * sizeof *targets);
    double *nats = arena_alloc(&tape.arena, (size_t)count * sizeof *nats);
    for (int i = 0; i < count; i++) {
        const int row = rows ? rows[i] : i;
        memcpy(x->v + (ptrdiff_t)i * INNER, o->x + (ptrdiff_t)row * INNER, INNER * sizeof(float));
        targets[i] = o->targets[row];
    }
    const OutputLayer layer = {x, &W, &b, transposed};
    tape_backward(&tape, linear_cross_entropy(&tape, layer, targets, ROWS, 0.1, nats));
    for (int i = 0; i < count; i++) {
        const int row = rows ? rows[i] : i;
        memcpy(o->dx + (ptrdiff_t)row * INNER, x->g + (ptrdiff_t)i * INNER, INNER * sizeof(float));
        o->nats[row] = nats[i];
    }
    tape_free(&tape);
}

/* The gradient of a batch in shards is the tree of the gradients of the shards, each computed alone. */
static void the_loss_of_shards_is_a_tree(void **unused) {
    (void)unused;
    static Output together, alone, sums[FOUR];
    output_draw(&together);
    alone = together;
    const RowShards shards = {FOUR, together.of, together.start, together.rows};
    for (int threads = 1; threads <= 3; threads += 2)
        for (int transposed = 0; transposed < 2; transposed++) {
            Threads *pool = threads_new(threads);
            memset(together.gradient, 0, sizeof together.gradient);
            output_gradient(&together, NULL, ROWS, &shards, transposed, pool);
            for (int s = 0; s < FOUR; s++) {
                memset(alone.gradient, 0, sizeof alone.gradient);
                output_gradient(&alone, alone.rows + alone.start[s], alone.start[s + 1] - alone.start[s], NULL,
                                transposed, pool);
                memcpy(sums[s].gradient, alone.gradient, sizeof alone.gradient);
            }
            for (int i = 0; i < WEIGHTS; i++) {
                float of_shard[FOUR];
                for (int s = 0; s < FOUR; s++) of_shard[s] = sums[s].gradient[i];
                assert_true(together.gradient[i] == tree_of(of_shard, FOUR));
            }
            assert_memory_equal(together.dx, alone.dx, sizeof alone.dx);
            assert_memory_equal(together.nats, alone.nats, sizeof alone.nats);
            threads_free(pool);
        }
}

/* ---- gradients of models ---------------------------------------------------------------------------------------- */

enum { PAIRS = 45, SHARDS = 8 };

typedef struct Trial {
    Training t;
    Sentences source, target;
    int shard[PAIRS]; /* shard 5 has no pair */
} Trial;

static void trial_begin(Trial *trial, const char *kind, int threads) {
    Rng rng = rng_seed(3, 1);
    training_begin(&trial->t, kind, PAIRS, threads);
    sentences_draw(&trial->source, &rng);
    sentences_draw(&trial->target, &rng);
    for (int i = 0; i < PAIRS; i++) trial->shard[i] = i * 3 % SHARDS == 5 ? 1 : i * 3 % SHARDS;
}

/* Adds the gradient of the pairs of the shards first..first+count-1 (count 0: of all pairs, without shards). */
static void add_gradient(Trial *trial, int first, int count, double *nats) {
    Training *t = &trial->t;
    const int *x[PAIRS], *y[PAIRS];
    int x_length[PAIRS], y_length[PAIRS], index[PAIRS], shard[PAIRS], n = 0;
    for (int i = 0; i < PAIRS; i++) {
        if (count && (trial->shard[i] < first || trial->shard[i] >= first + count)) continue;
        x[n] = trial->source.rows[i];
        y[n] = trial->target.rows[i];
        x_length[n] = trial->source.length[i];
        y_length[n] = trial->target.length[i];
        shard[n] = trial->shard[i] - first;
        index[n++] = i;
    }
    for (int s = 0; s < count; s++) nats[s] = 0;
    if (!n) return;
    tape_reset(&t->tape);
    t->tape.recording = true;
    Batch batch = batch_fold(&t->tape.arena, x, x_length, y, y_length, n, index, BOS);
    if (count) batch_shard(&t->tape.arena, &batch, shard, count);
    Forced forced = model_force(&t->tape, &t->model, &batch, &t->pass);
    const Objective objective = {&batch.target, PAIRS * LONGEST, 0.1, NULL};
    tape_backward(&t->tape, model_loss(&t->tape, &t->model, &forced, objective, nats));
}

/* Returns the gradient [size] of all shards, `together` of them at a time; 0: without shards. The caller releases it.
 */
static real *gradient_of(const char *kind, int together, int threads, double nats[SHARDS], size_t *size) {
    Trial trial;
    GradientTree tree = {0};
    trial_begin(&trial, kind, threads);
    Params *params = &trial.t.model.params;
    for (int first = 0; first < SHARDS; first += together ? together : SHARDS) {
        add_gradient(&trial, first, together, nats + first);
        if (together) gradient_tree_add(&tree, trial.t.threads, params, SHARDS / together);
    }
    *size = params->size;
    real *gradient = memcpy(mem_alloc(*size * sizeof(real)), params->gradients, *size * sizeof(real));
    gradient_tree_free(&tree);
    training_end(&trial.t);
    return gradient;
}

static void check_same(const char *kind, const char *what, const real *right, const real *found, size_t size) {
    if (memcmp(right, found, size * sizeof *right) == 0) return;
    size_t i = 0;
    while (i < size && right[i] == found[i]) i++;
    fail_msg("%s, %s: number %zu is %a, not %a", kind, what, i, (double)found[i], (double)right[i]);
}

static void check_kind(const char *kind) {
    double nats[SHARDS], other[SHARDS], whole[SHARDS];
    size_t size;
    real *right = gradient_of(kind, SHARDS, 1, nats, &size), *plain = gradient_of(kind, 0, 1, whole, &size);
    double square = 0, difference = 0;
    for (size_t i = 0; i < size; i++) {
        square += pow((double)plain[i], 2);
        difference += pow((double)(plain[i] - right[i]), 2);
    }
    assert_true(square > 0 && sqrt(difference / square) < 1e-5);
    for (int together = 1; together < SHARDS; together *= 2) {
        char what[64];
        snprintf(what, sizeof what, "%d of %d shards at a time", together, SHARDS);
        real *found = gradient_of(kind, together, 2, other, &size);
        check_same(kind, what, right, found, size);
        assert_memory_equal(nats, other, sizeof nats);
        mem_free(found);
    }
    for (int set = 0; (kernels = distinct_set(set, PANELS_F32)); set++) {
        real *found = gradient_of(kind, SHARDS, 3, other, &size);
        check_same(kind, kernels->name, right, found, size);
        assert_memory_equal(nats, other, sizeof nats);
        mem_free(found);
    }
    kernels_choose("auto");
    assert_true(fabs(shard_total(nats, SHARDS) - whole[0]) < 1e-6 * whole[0]);
    mem_free(right);
    mem_free(plain);
}

static void any_parts_threads_and_kernels_give_the_same_gradient(void **unused) {
    (void)unused;
    static const char *const all[] = {"additive",       "tied additive", "coverage",        "dot", "general",
                                      "multi-head",     "none",          "deep-bigru",      "gru", "cnn",
                                      "self-attention", "transformer",   "tied transformer"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_kind(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_a_tree_of_chains),
        cmocka_unit_test(a_small_stack_is_enough),
        cmocka_unit_test(the_loss_of_shards_is_a_tree),
        cmocka_unit_test(any_parts_threads_and_kernels_give_the_same_gradient),
    };
    return cmocka_run_group_tests_name("shards", tests, NULL, NULL);
}
