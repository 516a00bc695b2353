/* Promise 1: compares the gradients of every op and of whole models with central differences. core/ and model/ are
   compiled with double. scripts/dev/every-op-is-checked fails the build if an op has no check_OP below. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gradient_check.h"
#include "core/ops.h"
#include "core/tape_op.h"
#include "model/model.h"

/* An op with the shapes of its inputs. */
typedef OpCheck Case;

/* An op on MANY rows splits its work among threads. */
enum { MANY = 300 };

static int size_of(const Var *x) { return x->rows * x->cols; }

/* ---- one op at a time ---------------------------------------------------------------------------------- */

/* The kinds of work that the cases of a check contain. `shared`: in at least one case, threads split every run of this
   kind of work. The work of gemm.c is left out, because test_gemm checks it. */
typedef struct WorkKinds {
    int count;
    struct {
        const char *name;
        bool shared;
    } list[16];
} WorkKinds;

static void collect_work(WorkKinds *kinds, const Threads *threads) {
    int count;
    const Tally *tally = threads_tallies(threads, &count);
    for (; count--; tally++) {
        int i = 0;
        if (!strncmp(tally->name, "pack", 4) || !strcmp(tally->name, "product") ||
            !strcmp(tally->name, "weight gradient"))
            continue;
        while (i < kinds->count && strcmp(kinds->list[i].name, tally->name) != 0) i++;
        assert_true(i < 16);
        if (i == kinds->count) kinds->list[kinds->count++].name = tally->name;
        if (tally->shared == tally->runs) kinds->list[i].shared = true;
    }
}

static void check(const char *name, const Case *cases, size_t count, bool shares) {
    double worst = 0;
    WorkKinds kinds = {0};
    Threads *threads = threads_new(2);
    for (size_t i = 0; i < count; i++) {
        threads_profile(threads, true);
        worst = fmax(worst, gradient_check_op(&cases[i], threads));
        collect_work(&kinds, threads);
    }
    print_message("%-24s largest error %.1e\n", name, worst);
    assert_true(worst < gradient_tolerance());
    assert_true(!shares || kinds.count > 0);
    for (int i = 0; i < kinds.count && shares; i++)
        if (!kinds.list[i].shared)
            fail_msg("%s: no case is large enough that threads share '%s'", name, kinds.list[i].name);
    threads_free(threads);
}
/* CHECK_CASES: each kind of work of the op must be split among threads in at least one case. CHECK_SERIAL: the op does
   not split its work. */
#define CHECK_CASES(name, cases)  check(name, cases, sizeof(cases) / sizeof *(cases), true)
#define CHECK_SERIAL(name, cases) check(name, cases, sizeof(cases) / sizeof *(cases), false)

/* Returns a copy of x, for an op that overwrites its input. */
static Var *copy_of(Tape *tape, Var *x) {
    Var *identity = zeros(tape, x->cols, x->cols);
    for (int i = 0; i < x->cols; i++) identity->v[i * x->cols + i] = 1;
    return linear(tape, x, identity, NULL);
}

/* ---- the ops ------------------------------------------------------------------------------------------- */

static Var *build_linear(Tape *tape, Var *const *in, const void *extra) {
    return linear(tape, in[0], in[1], extra ? in[2] : NULL);
}

static void check_linear(void **unused) {
    (void)unused;
    const int with_bias = 1;
    const Case cases[] = {
        {build_linear, {{3, 5}, {5, 7}}, NULL},
        {build_linear, {{3, 5}, {5, 7}, {1, 7}}, &with_bias},
        {build_linear, {{1, 4}, {4, 3}, {1, 3}}, &with_bias},
        {build_linear, {{5, 1}, {1, 1}, {1, 1}}, &with_bias},
        {build_linear, {{17, 20}, {20, 1100}, {1, 1100}}, &with_bias},
    };
    CHECK_CASES("linear", cases);
}

static Var *build_linear_transposed(Tape *tape, Var *const *in, const void *extra) {
    return linear_transposed(tape, in[0], in[1], extra ? in[2] : NULL);
}

static void check_linear_transposed(void **unused) {
    (void)unused;
    const int with_bias = 1;
    const Case cases[] = {
        {build_linear_transposed, {{3, 5}, {7, 5}}, NULL},
        {build_linear_transposed, {{3, 5}, {7, 5}, {1, 7}}, &with_bias},
        {build_linear_transposed, {{5, 1}, {1, 1}, {1, 1}}, &with_bias},
        {build_linear_transposed, {{17, 20}, {1100, 20}, {1, 1100}}, &with_bias},
    };
    CHECK_CASES("linear_transposed", cases);
}

/* Accumulates twice into a whole matrix; or, if extra is set, once into each of two slices. */
static Var *build_linear_accumulate(Tape *tape, Var *const *in, const void *extra) {
    Var *y = copy_of(tape, in[0]);
    if (!extra) return linear_accumulate(tape, linear_accumulate(tape, y, in[1], in[2]), in[1], in[2]);
    const int first = *(const int *)extra, rest = y->rows - first;
    Var *parts[] = {linear_accumulate(tape, slice(tape, y, 0, first), slice(tape, in[1], 0, first), in[2]),
                    linear_accumulate(tape, slice(tape, y, first, rest), slice(tape, in[1], first, rest), in[2])};
    return vcat(tape, parts, 2);
}

static void check_linear_accumulate(void **unused) {
    (void)unused;
    const int first = 2;
    const Case cases[] = {{build_linear_accumulate, {{3, 7}, {3, 5}, {5, 7}}, NULL},
                          {build_linear_accumulate, {{5, 3}, {5, 4}, {4, 3}}, &first},
                          {build_linear_accumulate, {{1, 1}, {1, 1}, {1, 1}}, NULL},
                          {build_linear_accumulate, {{MANY, 60}, {MANY, 50}, {50, 60}}, NULL}};
    CHECK_SERIAL("linear_accumulate", cases);
}

static const int rows_and_none[] = {3, -1, 0, 0, -1, 2};
static const int some_rows[] = {2, 0, 5, 2, 2, 0}; /* with repetitions; rows 1, 3 and 4 are unused */

/* Returns how many rows to take from x: 6, or MANY if x has MANY rows. Fills many_rows with their indices. */
static int many_rows[MANY];
static int rows_to_take(const Var *x) {
    for (int i = 0; i < MANY; i++) many_rows[i] = i % 7 ? i * i % MANY : -1;
    return x->rows < MANY ? 6 : MANY;
}

static Var *build_gather(Tape *tape, Var *const *in, const void *extra) {
    return gather(tape, in[0], extra, rows_to_take(in[0]));
}

static void check_gather(void **unused) {
    (void)unused;
    const Case cases[] = {
        {build_gather, {{6, 5}}, some_rows},      {build_gather, {{9, 2}}, some_rows},
        {build_gather, {{7, 1}}, some_rows},      {build_gather, {{4, 3}}, rows_and_none},
        {build_gather, {{MANY, 130}}, many_rows},
    };
    CHECK_CASES("gather", cases);
}

static Var *build_im2col(Tape *tape, Var *const *in, const void *extra) {
    return im2col(tape, in[0], extra, 3, rows_to_take(in[0]));
}

static void check_im2col(void **unused) {
    (void)unused;
    static const int *const few[] = {some_rows, rows_and_none, some_rows};
    static const int *const many[] = {many_rows, many_rows, many_rows};
    const Case cases[] = {
        {build_im2col, {{6, 5}}, few}, {build_im2col, {{7, 1}}, few}, {build_im2col, {{MANY, 70}}, many}};
    CHECK_CASES("im2col", cases);
}

static Var *build_gather_hcat(Tape *tape, Var *const *in, const void *extra) {
    return gather_hcat(tape, in[0], in[1], extra, rows_to_take(in[0]));
}

static void check_gather_hcat(void **unused) {
    (void)unused;
    const Case cases[] = {{build_gather_hcat, {{6, 5}, {6, 3}}, some_rows},
                          {build_gather_hcat, {{7, 1}, {8, 2}}, some_rows},
                          {build_gather_hcat, {{MANY, 70}, {MANY, 80}}, many_rows}};
    CHECK_CASES("gather_hcat", cases);
}

/* A matrix, a slice of it and a slice of this slice: all their gradients add up in the gradient of the matrix. */
static Var *build_slice(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    Var *middle = slice(tape, in[0], 1, 4), *nothing = slice(tape, in[0], 2, 0);
    Var *parts[] = {slice(tape, middle, 1, 2), tanh_of(tape, middle), in[0], nothing};
    return vcat(tape, parts, 4);
}

static void check_slice(void **unused) {
    (void)unused;
    const Case cases[] = {{build_slice, {{6, 3}}, NULL}};
    CHECK_SERIAL("slice", cases);
}

static Var *build_vcat(Tape *tape, Var *const *in, const void *extra) { return vcat(tape, in, *(const int *)extra); }

static void check_vcat(void **unused) {
    (void)unused;
    const int one = 1, three = 3;
    const Case cases[] = {{build_vcat, {{3, 4}}, &one},
                          {build_vcat, {{1, 4}, {5, 4}, {2, 4}}, &three},
                          {build_vcat, {{0, 3}, {2, 3}, {0, 3}}, &three}};
    CHECK_SERIAL("vcat", cases);
}

static Var *build_pad_rows(Tape *tape, Var *const *in, const void *extra) {
    return pad_rows(tape, in[0], *(const int *)extra);
}

static void check_pad_rows(void **unused) {
    (void)unused;
    const int rows = 5, more = MANY + 9;
    const Case cases[] = {{build_pad_rows, {{3, 4}}, &rows},
                          {build_pad_rows, {{5, 4}}, &rows},
                          {build_pad_rows, {{1, 1}}, &rows},
                          {build_pad_rows, {{MANY, 130}}, &more}};
    CHECK_CASES("pad_rows", cases);
}

static Var *build_hcat(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return hcat(tape, in[0], in[1]);
}

static void check_hcat(void **unused) {
    (void)unused;
    const Case cases[] = {{build_hcat, {{3, 4}, {3, 7}}, NULL},
                          {build_hcat, {{1, 1}, {1, 5}}, NULL},
                          {build_hcat, {{MANY, 100}, {MANY, 60}}, NULL}};
    CHECK_CASES("hcat", cases);
}

static Var *build_zeros(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    Var *parts[] = {in[0], zeros(tape, 2, in[0]->cols)};
    return tanh_of(tape, vcat(tape, parts, 2));
}

/* zeros has no inputs: it must not disturb the gradients of other ops. */
static void check_zeros(void **unused) {
    (void)unused;
    const Case cases[] = {{build_zeros, {{2, 3}}, NULL}};
    CHECK_SERIAL("zeros", cases);
}

static Var *build_tanh_of(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return tanh_of(tape, in[0]);
}

static void check_tanh_of(void **unused) {
    (void)unused;
    const Case cases[] = {
        {build_tanh_of, {{5, 7}}, NULL}, {build_tanh_of, {{1, 1}}, NULL}, {build_tanh_of, {{MANY, 130}}, NULL}};
    CHECK_CASES("tanh_of", cases);
}

static Var *build_maxout(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return maxout(tape, copy_of(tape, in[0]));
}

static void check_maxout(void **unused) {
    (void)unused;
    const Case cases[] = {
        {build_maxout, {{5, 6}}, NULL}, {build_maxout, {{3, 2}}, NULL}, {build_maxout, {{MANY, 130}}, NULL}};
    CHECK_CASES("maxout", cases);
}

static Var *build_dropout(Tape *tape, Var *const *in, const void *extra) {
    static RowId rows[MANY];
    for (int i = 0; i < MANY; i++) rows[i] = (RowId){i / 3, i % 3};
    return dropout(tape, in[0], (Drop){*(const double *)extra, rows});
}

static Var *build_relu(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return relu(tape, copy_of(tape, in[0]));
}

static void check_relu(void **unused) {
    (void)unused;
    const Case cases[] = {
        {build_relu, {{5, 6}}, NULL}, {build_relu, {{3, 1}}, NULL}, {build_relu, {{MANY, 130}}, NULL}};
    CHECK_CASES("relu", cases);
}

static Var *build_add_scaled(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return add_scaled(tape, add_scaled(tape, in[0], 0.3, in[1]), -2, in[0]);
}

static void check_add_scaled(void **unused) {
    (void)unused;
    const Case cases[] = {{build_add_scaled, {{5, 6}, {5, 6}}, NULL},
                          {build_add_scaled, {{1, 1}, {1, 1}}, NULL},
                          {build_add_scaled, {{MANY, 130}, {MANY, 130}}, NULL}};
    CHECK_CASES("add_scaled", cases);
}

static Var *build_layer_norm(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return layer_norm(tape, in[0], in[1], in[2]);
}

static void check_layer_norm(void **unused) {
    (void)unused;
    const Case cases[] = {{build_layer_norm, {{5, 7}, {1, 7}, {1, 7}}, NULL},
                          {build_layer_norm, {{4, 19}, {1, 19}, {1, 19}}, NULL},
                          {build_layer_norm, {{3, 1}, {1, 1}, {1, 1}}, NULL},
                          {build_layer_norm, {{MANY, 130}, {1, 130}, {1, 130}}, NULL}};
    CHECK_CASES("layer_norm", cases);
}

static Var *build_add_halves(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return add_halves(tape, in[0]);
}

static void check_add_halves(void **unused) {
    (void)unused;
    const Case cases[] = {{build_add_halves, {{5, 6}}, NULL},
                          {build_add_halves, {{1, 2}}, NULL},
                          {build_add_halves, {{MANY, 140}}, NULL}};
    CHECK_CASES("add_halves", cases);
}

static void check_dropout(void **unused) {
    (void)unused;
    const double rates[] = {0, 0.2, 0.9};
    const Case cases[] = {{build_dropout, {{6, 7}}, &rates[0]},
                          {build_dropout, {{6, 7}}, &rates[1]},
                          {build_dropout, {{6, 7}}, &rates[2]},
                          {build_dropout, {{MANY, 130}}, &rates[1]}};
    CHECK_CASES("dropout", cases);
}

static Var *build_gru_step(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return gru_step(tape, (GruStep){copy_of(tape, in[0]), in[1], in[2], in[3], NULL});
}

/* Two steps; one sentence ends after the first step. The second step reads the state of the first. */
static Var *build_gru_steps(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    const int first = in[1]->rows, rest = in[0]->rows - first;
    Var *x = copy_of(tape, in[0]), *all = var_new(tape, first + rest, in[1]->cols);
    Var *h = gru_step(tape, (GruStep){slice(tape, x, 0, first), in[1], in[2], in[3], slice(tape, all, 0, first)});
    Var *states[] = {h, gru_step(tape, (GruStep){slice(tape, x, first, rest), slice(tape, h, 0, rest), in[2], in[3],
                                                 slice(tape, all, first, rest)})};
    return vcat(tape, states, 2); /* the states lie in `all`, one after the other */
}

/* Two independent steps in one call, with different weights and numbers of rows. */
static Var *build_gru_pair(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    const int rows = in[1]->rows;
    Var *x = copy_of(tape, in[0]), *h[2];
    const GruStep steps[] = {{slice(tape, x, 0, rows), in[1], in[2], in[3], NULL},
                             {slice(tape, x, rows, x->rows - rows),
                              slice(tape, copy_of(tape, in[1]), 0, x->rows - rows), in[2], in[4], NULL}};
    gru_steps(tape, steps, 2, h);
    return vcat(tape, h, 2);
}

static void check_gru_step(void **unused) {
    (void)unused;
    const Case cases[] = {{build_gru_step, {{3, 15}, {3, 5}, {5, 10}, {5, 5}}, NULL},
                          {build_gru_step, {{1, 3}, {1, 1}, {1, 2}, {1, 1}}, NULL},
                          {build_gru_steps, {{5, 12}, {3, 4}, {4, 8}, {4, 4}}, NULL},
                          {build_gru_pair, {{5, 12}, {3, 4}, {4, 8}, {4, 4}, {4, 4}}, NULL},
                          {build_gru_step, {{MANY, 60}, {MANY, 20}, {20, 40}, {20, 20}}, NULL}};
    CHECK_CASES("gru_step", cases);
}

/* Sentences of different lengths: in order, not in order, and more sentences than queries. */
static const int in_order[] = {0, 3, 4}, out_of_order[] = {5, 0, 3}, lengths[] = {3, 1, 4}, reversed[] = {3, 2, 2};
static const Spans spans_in_order = {.start = in_order, .length = lengths, .longest = 4},
                   spans_out_of_order = {.start = out_of_order, .length = reversed, .longest = 5};

static Var *build_additive_scores(Tape *tape, Var *const *in, const void *extra) {
    return additive_scores(tape, in[0], in[1], in[2], extra);
}

static void check_additive_scores(void **unused) {
    (void)unused;
    const Case cases[] = {{build_additive_scores, {{3, 5}, {8, 5}, {5, 1}}, &spans_in_order},
                          {build_additive_scores, {{3, 4}, {8, 4}, {4, 1}}, &spans_out_of_order},
                          {build_additive_scores, {{2, 3}, {8, 3}, {3, 1}}, &spans_out_of_order},
                          {build_additive_scores, {{1, 1}, {8, 1}, {1, 1}}, &spans_in_order}};
    CHECK_CASES("additive_scores", cases);
}

static Var *build_coverage_scores(Tape *tape, Var *const *in, const void *extra) {
    return coverage_scores(tape, in[0], in[1], in[2], (CoverageWeights){in[3], in[4]}, extra);
}

static void check_coverage_scores(void **unused) {
    (void)unused;
    const Case cases[] = {{build_coverage_scores, {{3, 5}, {8, 5}, {3, 4}, {5, 1}, {1, 5}}, &spans_in_order},
                          {build_coverage_scores, {{3, 4}, {8, 4}, {3, 5}, {4, 1}, {1, 4}}, &spans_out_of_order},
                          {build_coverage_scores, {{1, 1}, {8, 1}, {1, 4}, {1, 1}, {1, 1}}, &spans_in_order}};
    CHECK_CASES("coverage_scores", cases);
}

/* Several queries for each sentence, not in order. */
static const int owners[] = {2, 0, 0, 1, 2};
static const int visible[] = {4, 1, 2, 1, 3};
static const Spans owned_in_order = {.start = in_order, .length = lengths, .owner = owners, .longest = 4},
                   owned_out_of_order = {.start = out_of_order, .length = reversed, .owner = owners, .longest = 5},
                   visible_in_part = {
                       .start = in_order, .length = lengths, .owner = owners, .visible = visible, .longest = 4};

/* Many queries, few sentences. */
enum { QUERIES = 1100 };
static const Spans *many_queries(void) {
    static int owner[QUERIES];
    static const Spans spans = {.start = in_order, .length = lengths, .owner = owner, .longest = 4};
    for (int i = 0; i < QUERIES; i++) owner[i] = i % 3;
    return &spans;
}

typedef struct Dots {
    const Spans *spans;
    int heads;
    double scale;
} Dots;

static Var *build_dot_scores(Tape *tape, Var *const *in, const void *extra) {
    const Dots *dots = extra;
    return dot_scores(tape, in[0], in[1], dots->heads, dots->scale, dots->spans);
}

static Var *build_dot_attention(Tape *tape, Var *const *in, const void *extra) {
    return dot_attention(tape, in[0], in[1], in[2], 0.5, extra).c;
}

/* Y = softmax(X Xᵀ) X, then the same with Y in place of X: the result of an op is query, key and value at once. */
static Var *build_self_attention(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    const Spans one = spans_one(tape, in[0]->rows, in[0]->rows);
    Var *Y = dot_attention(tape, in[0], in[0], in[0], 1, &one).c;
    return dot_attention(tape, Y, Y, Y, 1, &one).c;
}

/* Swaps the upper and the lower half of the rows. Makes the result of an op that does not split its work. */
static Var *swap_halves(Tape *tape, Var *x) {
    const int half = x->rows / 2;
    Var *parts[] = {slice(tape, x, half, x->rows - half), slice(tape, x, 0, half)};
    return vcat(tape, parts, 2);
}

/* K is the result of an op, and is read four times: as keys by all queries and by fewer, and twice as values. */
static Var *build_dots_and_sums(Tape *tape, Var *const *in, const void *extra) {
    const Dots *dots = extra;
    Var *K = swap_halves(tape, in[1]), *fewer = slice(tape, in[0], 0, 2);
    Var *e = dot_scores(tape, fewer, K, dots->heads, dots->scale, dots->spans);
    Var *alpha = softmax_spans(tape, dot_scores(tape, in[0], K, dots->heads, dots->scale, dots->spans), dots->spans);
    Var *parts[] = {weighted_sum(tape, alpha, K, dots->spans, NULL), weighted_sum(tape, e, K, dots->spans, NULL)};
    return vcat(tape, parts, 2);
}

static void check_dot_scores(void **unused) {
    (void)unused;
    static const Dots one = {&spans_in_order, 1, 1}, scaled = {&spans_out_of_order, 1, 0.5},
                      three = {&spans_out_of_order, 3, 0.7}, owned = {&owned_in_order, 1, 0.3},
                      owned_three = {&owned_out_of_order, 3, 0.3};
    const Case cases[] = {{build_dot_scores, {{3, 5}, {8, 5}}, &one},
                          {build_dot_scores, {{1, 1}, {8, 1}}, &one},
                          {build_dot_scores, {{2, 4}, {8, 4}}, &scaled},
                          {build_dot_scores, {{3, 6}, {8, 6}}, &three},
                          {build_dot_scores, {{5, 3}, {8, 3}}, &owned},
                          {build_dot_scores, {{5, 6}, {8, 6}}, &owned_three},
                          {build_dot_attention, {{3, 4}, {8, 4}, {8, 3}}, &spans_out_of_order},
                          {build_dot_attention, {{5, 2}, {8, 2}, {8, 3}}, &visible_in_part},
                          {build_dot_attention, {{5, 2}, {8, 2}, {8, 3}}, &owned_in_order},
                          {build_dot_attention, {{5, 4}, {8, 4}, {8, 1}}, &owned_out_of_order},
                          {build_dot_attention, {{QUERIES, 4}, {8, 4}, {8, 3}}, many_queries()},
                          {build_self_attention, {{6, 3}}, NULL},
                          {build_self_attention, {{40, 2}}, NULL},
                          {build_dots_and_sums, {{3, 3}, {8, 3}}, &scaled},
                          {build_dots_and_sums, {{3, 6}, {8, 6}}, &three},
                          {build_dots_and_sums, {{5, 6}, {8, 6}}, &owned_three}};
    CHECK_CASES("dot_scores", cases);
}

static Var *build_softmax_spans(Tape *tape, Var *const *in, const void *extra) {
    return softmax_spans(tape, in[0], extra);
}

static void check_softmax_spans(void **unused) {
    (void)unused;
    const Case cases[] = {{build_softmax_spans, {{3, 4}}, &spans_in_order},
                          {build_softmax_spans, {{3, 5}}, &spans_out_of_order},
                          {build_softmax_spans, {{2, 5}}, &spans_out_of_order},
                          {build_softmax_spans, {{5, 5}}, &owned_out_of_order},
                          {build_softmax_spans, {{QUERIES, 8}}, many_queries()},
                          {build_softmax_spans, {{3, 12}}, &spans_in_order}}; /* three heads */
    CHECK_CASES("softmax_spans", cases);
}

static Var *build_mean_heads(Tape *tape, Var *const *in, const void *extra) {
    const Spans *spans = extra;
    return mean_heads(tape, in[0], (Heads){0, in[0]->cols / spans->longest}, spans);
}

static Var *build_one_head(Tape *tape, Var *const *in, const void *extra) {
    return mean_heads(tape, in[0], (Heads){1, 1}, extra);
}

static void check_mean_heads(void **unused) {
    (void)unused;
    const Case cases[] = {{build_mean_heads, {{3, 12}}, &spans_in_order},
                          {build_mean_heads, {{2, 5}}, &spans_out_of_order},
                          {build_mean_heads, {{QUERIES, 24}}, many_queries()},
                          {build_one_head, {{3, 12}}, &spans_in_order}};
    CHECK_CASES("mean_heads", cases);
}

static Var *build_weighted_sum(Tape *tape, Var *const *in, const void *extra) {
    return weighted_sum(tape, in[0], in[1], extra, NULL);
}

/* H is the result of an op, and is read twice: the second time by fewer queries. */
static Var *build_weighted_sums(Tape *tape, Var *const *in, const void *extra) {
    Var *all = swap_halves(tape, in[1]), *fewer = slice(tape, in[0], 0, 2);
    Var *parts[] = {weighted_sum(tape, in[0], all, extra, NULL), weighted_sum(tape, fewer, all, extra, NULL)};
    return vcat(tape, parts, 2);
}

static void check_weighted_sum(void **unused) {
    (void)unused;
    const Case cases[] = {{build_weighted_sum, {{3, 4}, {8, 6}}, &spans_in_order},
                          {build_weighted_sum, {{3, 5}, {8, 1}}, &spans_out_of_order},
                          {build_weighted_sum, {{2, 5}, {8, 3}}, &spans_out_of_order},
                          {build_weighted_sum, {{5, 5}, {8, 3}}, &owned_out_of_order},
                          {build_weighted_sum, {{3, 12}, {8, 6}}, &spans_in_order}, /* three heads */
                          {build_weighted_sums, {{3, 5}, {8, 3}}, &spans_out_of_order}};
    CHECK_CASES("weighted_sum", cases);
}

typedef struct Entropy {
    double smoothing;
    bool transposed;
    int others;              /* number of rows in the other parts of the batch */
    Tape *teacher;           /* the teacher's tape; NULL: there is none */
    bool teacher_transposed; /* the teacher's layer */
} Entropy;

enum { BLOCKS = 2100 /* rows that the loss computes in several blocks */ };

/* A teacher with another inner size. Every third row has none, and some have one with the weight 0. */
static Teacher make_teacher(Tape *tape, int rows, int V, bool transposed) {
    enum { INNER = 3 };
    static int row[BLOCKS];
    static real weight[BLOCKS];
    Rng rng = rng_seed(3, 3);
    int n = 0;
    for (int i = 0; i < rows; i++) {
        row[i] = i % 3 == 2 ? -1 : n++;
        weight[i] = row[i] < 0 || i % 7 == 6 ? 0 : i % 2 ? 1 : 0.25;
    }
    tape_reset(tape);
    const OutputLayer layer = {var_new(tape, n, INNER), transposed ? var_new(tape, V, INNER) : var_new(tape, INNER, V),
                               var_new(tape, 1, V), transposed};
    Var *const drawn[] = {layer.x, layer.W, layer.b};
    for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++)
        for (int i = 0; i < size_of(drawn[k]); i++) drawn[k]->v[i] = (real)rng_normal(&rng);
    return (Teacher){tape, layer, row, weight};
}

/* in: x, W and b. */
static Var *build_cross_entropy(Tape *tape, Var *const *in, const void *extra) {
    static int targets[BLOCKS];
    static double nats[BLOCKS];
    const Entropy *entropy = extra;
    const double smoothing = entropy->smoothing;
    const int rows = in[0]->rows, all = rows + entropy->others, V = in[2]->cols;
    for (int i = 0; i < rows; i++) targets[i] = i * i % V;
    const OutputLayer layer = {in[0], in[1], in[2], entropy->transposed};
    if (!entropy->teacher) return linear_cross_entropy(tape, layer, targets, all, smoothing, nats);
    const Teacher teacher = make_teacher(entropy->teacher, rows, V, entropy->teacher_transposed);
    return distilled_cross_entropy(tape, layer, targets, all, smoothing, &teacher, nats);
}

/* teacher: the tape of one, or NULL. */
static void check_cross_entropy(const char *name, Tape *teacher) {
    const Entropy plain = {.teacher = teacher}, smooth = {0.1, false, 0, teacher, true},
                  tied = {0.1, true, 0, teacher, false}, part = {0.1, false, 7, teacher, false};
    const Case cases[] = {{build_cross_entropy, {{4, 3}, {3, 5}, {1, 5}}, &plain},
                          {build_cross_entropy, {{4, 3}, {3, 7}, {1, 7}}, &smooth},
                          {build_cross_entropy, {{4, 3}, {7, 3}, {1, 7}}, &tied},
                          {build_cross_entropy, {{1, 2}, {2, 5}, {1, 5}}, &part},
                          {build_cross_entropy, {{MANY, 20}, {20, 1100}, {1, 1100}}, &smooth},
                          {build_cross_entropy, {{BLOCKS, 20}, {20, 9}, {1, 9}}, &smooth},
                          {build_cross_entropy, {{BLOCKS, 4}, {9, 4}, {1, 9}}, &tied}};
    CHECK_CASES(name, cases);
}

static void check_linear_cross_entropy(void **unused) {
    (void)unused;
    check_cross_entropy("linear_cross_entropy", NULL);
}

static void check_distilled_cross_entropy(void **unused) {
    (void)unused;
    Threads *threads = threads_new(1);
    Tape tape;
    tape_init(&tape, threads, rng_seed(0, 0));
    check_cross_entropy("distilled_cross_entropy", &tape);
    tape_free(&tape);
    threads_free(threads);
}

/* ---- the check can fail -------------------------------------------------------------------------------- */

/* y = x² with a wrong derivative: its error is twice the tolerance. */
static Back square_wrongly_back;
static Var *square_wrongly(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    Var *y = var_new(tape, in[0]->rows, in[0]->cols);
    for (int i = 0; i < size_of(y); i++) y->v[i] = in[0]->v[i] * in[0]->v[i];
    tape_record(tape, square_wrongly_back, y, in[0], NULL, NULL);
    return y;
}

static void square_wrongly_back(Tape *tape, const Record *record) {
    Var *x = record->in[0], *y = record->out;
    for (int i = 0; i < size_of(y); i++)
        var_grad(tape, x)[i] += 2 * (1 + 4 * gradient_tolerance()) * x->v[i] * var_grad(tape, y)[i];
}

static void a_wrong_backward_is_caught(void **unused) {
    (void)unused;
    const Case wrong = {square_wrongly, {{3, 4}}, NULL};
    Threads *threads = threads_new(1);
    assert_true(gradient_check_op(&wrong, threads) > gradient_tolerance());
    threads_free(threads);
}

typedef struct GuideCase {
    Guide guide;
    GuideCost cost;
} GuideCase;

static Var *build_guided(Tape *tape, Var *const *in, const void *extra) {
    const GuideCase *c = extra;
    Var *e = softmax_spans(tape, in[1], &spans_in_order);
    return guided(tape, guided(tape, in[0], e, c->guide, c->cost, 0.7), e, c->guide, c->cost, 0.1);
}

static void check_guided(void **unused) {
    (void)unused;
    static const int begin[] = {0, 2, 2, 5}, column[] = {0, 2, 0, 1, 3}, none[] = {0, 0, 0, 0};
    static const GuideCase guides[] = {{{begin, column}, GUIDE_CE},
                                       {{begin, column}, GUIDE_MULT},
                                       {{begin, column}, GUIDE_MSE},
                                       {{none, NULL}, GUIDE_CE}};
    const Case cases[] = {{build_guided, {{1, 1}, {3, 4}}, &guides[0]},
                          {build_guided, {{1, 1}, {3, 4}}, &guides[1]},
                          {build_guided, {{1, 1}, {3, 4}}, &guides[2]},
                          {build_guided, {{1, 1}, {3, 4}}, &guides[3]}};
    CHECK_SERIAL("guided", cases);
}

/* ---- the whole model ----------------------------------------------------------------------------------- */

typedef struct Whole {
    Model model;
    Tape tape;
    PassOptions pass;
    double smoothing;
    int times; /* how often the batch repeats the pairs */
    uint64_t draw;
} Whole;

enum { VOCAB = 7 };

/* Returns a batch that repeats four pairs `times` times; sorted by length, their sources and targets have different
   orders. With many repetitions, ops use their code for many rows. If words > 0, every source piece belongs to a
   word. */
static Batch fold(Arena *arena, int times, int words) {
    static const int a[] = {4, 5, 3}, b[] = {6, 3}, c[] = {5, 5, 4, 6, 3}, d[] = {4, 3};
    static const int e[] = {3}, f[] = {4, 6, 5, 3}, g[] = {5, 3}, h[] = {6, 6, 3};
    static const int *const pairs[2][4] = {{a, b, c, d}, {e, f, g, h}}, lengths_of[2][4] = {{3, 2, 5, 2}, {1, 4, 2, 3}};
    const int n = 4 * times, **ids[2];
    int *length[2];
    for (int side = 0; side < 2; side++) {
        ids[side] = arena_alloc(arena, (size_t)n * sizeof *ids[side]);
        length[side] = arena_alloc(arena, (size_t)n * sizeof *length[side]);
        for (int i = 0; i < n; i++) {
            length[side][i] = lengths_of[side][i % 4];
            int *copy = arena_alloc(arena, (size_t)length[side][i] * sizeof *copy);
            for (int k = 0; k < length[side][i]; k++)
                copy[k] = pairs[side][i % 4][k] + (side == 0 && words ? VOCAB * ((i + k) % words) : 0);
            ids[side][i] = copy;
        }
    }
    return batch_fold(arena, ids[0], length[0], ids[1], length[1], n, NULL, 2);
}

static double whole_loss(void *context) {
    Whole *w = context;
    tape_reset(&w->tape);
    memset(w->model.params.gradients, 0, w->model.params.size * sizeof(double));
    w->tape.recording = true;
    w->tape.rng = rng_seed(5, 1);
    Batch batch = fold(&w->tape.arena, w->times, w->model.config.source_words);
    double nats;
    Forced forced = model_force(&w->tape, &w->model, &batch, &w->pass);
    const Objective objective = {&batch.target, batch.target.rows, w->smoothing, NULL};
    Var *loss = model_loss(&w->tape, &w->model, &forced, objective, &nats);
    double value = loss->v[0];
    tape_backward(&w->tape, loss);
    return value;
}

/* Returns the largest error among some numbers of each parameter. The parameters are drawn from N(0, 0.3²), because the
   initial values of appendix B.1 make most gradients tiny. The seed is one for which no maxout or ReLU is so close to
   its kink that a difference crosses it. */
static double whole_error(Whole *w) {
    enum { SAMPLES = 12 };
    const Params *params = &w->model.params;
    Rng rng = rng_seed(w->draw, 1);
    for (size_t i = 0; i < params->size; i++) params->values[i] = 0.3 * rng_normal(&rng);
    whole_loss(w);
    double *gradients = mem_alloc(params->size * sizeof *gradients), worst = 0;
    memcpy(gradients, params->gradients, params->size * sizeof *gradients);
    for (int p = 0; p < params->count; p++)
        for (int sample = 0; sample < SAMPLES; sample++) {
            const Param *param = params->list[p];
            size_t at = param->offset + rng_below(&rng, (uint32_t)size_of(&param->var));
            worst = fmax(worst, gradient_check_number(whole_loss, w, &params->values[at], gradients[at]));
        }
    mem_free(gradients);
    return worst;
}

typedef struct ModelCase {
    const char *arch, *encoder, *attention; /* if NULL: rnnsearch, bigru, additive */
    bool readout_prev, tied, conditional;
    int words;
    double smoothing, dropout;
    int times;     /* 0 means 1 */
    uint64_t draw; /* seed of the parameters; 0 means 11 */
} ModelCase;

static const ModelCase model_cases[] = {
    {.attention = "additive"},
    {.attention = "additive", .readout_prev = true, .smoothing = 0.1},
    {.attention = "additive", .smoothing = 0.1, .dropout = 0.3},
    {.attention = "additive", .smoothing = 0.1, .dropout = 0.3, .words = 3},
    {.attention = "additive", .smoothing = 0.1, .dropout = 0.3, .conditional = true},
    {.attention = "coverage", .readout_prev = true, .conditional = true},
    {.attention = "none", .smoothing = 0.1, .conditional = true},
    {.attention = "none", .smoothing = 0.1},
    {.attention = "none", .readout_prev = true, .dropout = 0.3},
    {.attention = "additive", .smoothing = 0.1, .times = 52},
    {.attention = "none", .readout_prev = true, .times = 52},
    {.attention = "additive", .smoothing = 0.1, .dropout = 0.3, .tied = true},
    {.attention = "additive", .readout_prev = true, .times = 52, .tied = true},
    {.attention = "dot", .readout_prev = true, .smoothing = 0.1, .dropout = 0.3},
    {.attention = "general", .smoothing = 0.1, .dropout = 0.3},
    {.attention = "scaled-dot", .readout_prev = true},
    {.attention = "multi-head", .readout_prev = true},
    {.attention = "multi-head", .smoothing = 0.1, .dropout = 0.3, .tied = true},
    {.encoder = "deep-bigru", .attention = "additive", .smoothing = 0.1, .dropout = 0.3},
    {.attention = "coverage", .smoothing = 0.1, .dropout = 0.3},
    {.encoder = "deep-bigru", .attention = "none"},
    {.encoder = "gru", .attention = "additive", .smoothing = 0.1, .dropout = 0.3},
    {.encoder = "gru", .attention = "dot"},
    {.encoder = "cnn", .attention = "additive", .smoothing = 0.1, .dropout = 0.3},
    {.encoder = "cnn", .attention = "none"},
    {.encoder = "self-attention", .attention = "additive", .smoothing = 0.1, .dropout = 0.3},
    {.encoder = "self-attention", .attention = "dot"},
    {.arch = "transformer", .smoothing = 0.1, .dropout = 0.3, .draw = 12},
    {.arch = "transformer", .tied = true, .draw = 15},
    {.encoder = "gru", .attention = "none", .smoothing = 0.1, .dropout = 0.3},
};

static ModelConfig config_of(const ModelCase *c) {
    return (ModelConfig){.source_vocab = VOCAB,
                         .source_words = c->words,
                         .target_vocab = VOCAB,
                         .arch = arch_named(c->arch ? c->arch : "rnnsearch"),
                         .emb = c->arch ? 4 : 3,
                         .rnn = 4,
                         .att = 6,
                         .maxout = c->tied ? 3 : 2,
                         .encoder = encoder_kind(c->encoder ? c->encoder : "bigru"),
                         .attention = attention_kind(c->attention ? c->attention : "additive"),
                         .readout_prev = c->readout_prev,
                         .tied_embeddings = c->tied,
                         .heads = 2,
                         .depth = 2,
                         .ffn = 5,
                         .window = 3,
                         .conditional = c->conditional,
                         .decoder_depth = 2};
}

/* Checks that the batch uses every word: each row of the embedding has a gradient. */
static void check_words(const Model *model) {
    const Var *E = model->encoder.E_word;
    for (int i = 0; E && i < E->rows; i++) assert_true(var_row(E, E->g, i)[0] != 0);
}

static void check_model(void **unused) {
    (void)unused;
    Threads *threads = threads_new(1);
    for (size_t i = 0; i < sizeof model_cases / sizeof *model_cases; i++) {
        const ModelCase *c = &model_cases[i];
        Whole w = {.smoothing = c->smoothing, .times = c->times ? c->times : 1, .draw = c->draw ? c->draw : 11};
        const ModelConfig config = config_of(c);
        w.pass.dropout = (Dropout){c->dropout, c->dropout, c->dropout};
        model_init(&w.model, &config);
        params_allocate(&w.model.params);
        tape_init(&w.tape, threads, (Rng){0});
        double worst = whole_error(&w);
        check_words(&w.model);
        print_message("%-11s encoder %-14s attention %-10s largest error %.1e\n", w.model.arch->name,
                      w.model.encoder.kind->name, c->attention ? c->attention : "", worst);
        /* a sum of 520 rows has more rounding errors */
        assert_true(worst < (c->times > 1 ? 10 : 1) * gradient_tolerance());
        tape_free(&w.tape);
        model_free(&w.model);
    }
    threads_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_backward_is_caught),
        cmocka_unit_test(check_linear),
        cmocka_unit_test(check_linear_transposed),
        cmocka_unit_test(check_linear_accumulate),
        cmocka_unit_test(check_gather),
        cmocka_unit_test(check_gather_hcat),
        cmocka_unit_test(check_im2col),
        cmocka_unit_test(check_slice),
        cmocka_unit_test(check_vcat),
        cmocka_unit_test(check_pad_rows),
        cmocka_unit_test(check_hcat),
        cmocka_unit_test(check_zeros),
        cmocka_unit_test(check_tanh_of),
        cmocka_unit_test(check_maxout),
        cmocka_unit_test(check_add_halves),
        cmocka_unit_test(check_relu),
        cmocka_unit_test(check_add_scaled),
        cmocka_unit_test(check_layer_norm),
        cmocka_unit_test(check_dropout),
        cmocka_unit_test(check_gru_step),
        cmocka_unit_test(check_additive_scores),
        cmocka_unit_test(check_coverage_scores),
        cmocka_unit_test(check_dot_scores),
        cmocka_unit_test(check_softmax_spans),
        cmocka_unit_test(check_mean_heads),
        cmocka_unit_test(check_weighted_sum),
        cmocka_unit_test(check_linear_cross_entropy),
        cmocka_unit_test(check_distilled_cross_entropy),
        cmocka_unit_test(check_guided),
        cmocka_unit_test(check_model),
    };
    return cmocka_run_group_tests_name("gradients", tests, NULL, NULL);
}
