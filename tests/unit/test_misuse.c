/* test_misuse.c: a use of an op that violates its requirements fails with a line that names the op. In a scope it ends
   the scope, also if the pool has several threads; without one, it ends the program. Without this check each use here
   would silently give a wrong value or gradient, or end the host of the library. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ops.h"
#include "core/scope.h"
#include "core/tape_op.h"

typedef void Misuse(Tape *tape);

enum { THREADS = 3 };

static void run(Misuse *misuse, bool recording) {
    Threads *threads = threads_new(THREADS);
    Tape tape;
    tape_init(&tape, threads, (Rng){1});
    tape.recording = recording;
    misuse(&tape);
    tape_free(&tape);
    threads_free(threads);
}

typedef struct Use {
    Misuse *misuse;
    bool recording;
} Use;

static void run_use(void *context) {
    const Use *use = context;
    run(use->misuse, use->recording);
}

/* Runs the misuse in a scope, as the library does for its host. The scope must fail with a line that contains `text`;
   a check that failed in another thread than this one would end the program. */
static void fails(Misuse *misuse, bool recording, const char *text) {
    char reason[512] = "";
    Scope scope = {0};
    const ScopeEnd end = scope_run(&scope, run_use, &(Use){misuse, recording}, reason, sizeof reason);
    scope_release(&scope);
    if (end != SCOPE_FAILED || !strstr(reason, text)) fail_msg("instead of '%s': %d, '%s'", text, (int)end, reason);
}

/* ---- arguments that an op overwrites -------------------------------------------------------------------------- */

enum { N = 3 };

static Var *ones(Tape *tape, int rows, int cols) {
    Var *x = zeros(tape, rows, cols);
    for (size_t i = 0; i < var_size(x); i++) x->v[i] = 1;
    return x;
}

/* x [N, 3N], h [N, N] */
static Var *step(Tape *tape, Var *x, Var *h) {
    return gru_step(tape, (GruStep){x, h, ones(tape, h->cols, 2 * h->cols), ones(tape, h->cols, h->cols), NULL});
}

static Var *entropy(Tape *tape, Var *x) {
    static const int targets[N] = {0};
    static double nats[N];
    return linear_cross_entropy(tape, (OutputLayer){.x = x, .W = ones(tape, x->cols, 2)}, targets, N, 0, nats);
}

static void consume(Tape *tape, const char *op, Var *x) {
    if (!strcmp(op, "relu")) relu(tape, x);
    if (!strcmp(op, "maxout")) maxout(tape, x);
    if (!strcmp(op, "gru_step")) step(tape, x, ones(tape, N, x->cols / 3));
    if (!strcmp(op, "linear_accumulate")) linear_accumulate(tape, x, ones(tape, N, N), ones(tape, N, x->cols));
}

static const char *const consumers[] = {"relu", "maxout", "gru_step", "linear_accumulate"};
static const char *op; /* the tested op */
enum { CONSUMERS = sizeof consumers / sizeof *consumers, WIDE = 6 * N };

static void parameter(Tape *tape) {
    static Weight weight;
    Var *x = ones(tape, N, WIDE);
    x->weight = &weight;
    consume(tape, op, x);
}

static void rows_of_a_parameter(Tape *tape) {
    static Weight weight;
    Var *x = ones(tape, 2 * N, WIDE);
    x->weight = &weight;
    consume(tape, op, slice(tape, x, 1, N));
}

static void constant(Tape *tape) {
    static const real numbers[N * WIDE];
    consume(tape, op, var_constant(tape, N, WIDE, numbers));
}

static void read_before(Tape *tape) {
    Var *x = ones(tape, N, WIDE);
    tanh_of(tape, x);
    consume(tape, op, x);
}

static void rows_read_before(Tape *tape) {
    Var *x = ones(tape, 2 * N, WIDE);
    tanh_of(tape, slice(tape, x, 0, 2));
    consume(tape, op, slice(tape, x, 1, N));
}

static void read_by_its_producer(Tape *tape) { consume(tape, op, tanh_of(tape, ones(tape, N, WIDE))); }

static void read_by_vcat(Tape *tape) {
    Var *x = ones(tape, N, WIDE);
    vcat(tape, (Var *[]){x, x}, 2);
    consume(tape, op, x);
}

static void state_of_a_step(Tape *tape) {
    Var *h = ones(tape, N, WIDE);
    step(tape, ones(tape, N, 3 * WIDE), h);
    consume(tape, op, h);
}

static void twice(Tape *tape) {
    Var *x = ones(tape, N, WIDE);
    maxout(tape, x);
    consume(tape, op, x);
}

/* The misuse fails with a line about the tested op. */
static void op_fails(Misuse *misuse, bool recording, const char *rest) {
    char text[128];
    snprintf(text, sizeof text, "%s%s", op, rest);
    fails(misuse, recording, text);
}

static void values_in_use_are_not_overwritten(void **unused) {
    (void)unused;
    for (int i = 0; i < CONSUMERS; i++) {
        op = consumers[i];
        op_fails(parameter, true, " overwrites a parameter");
        op_fails(rows_of_a_parameter, true, " overwrites a parameter");
        op_fails(parameter, false, " overwrites a parameter");
        op_fails(constant, true, " overwrites a constant");
        op_fails(read_before, true, " overwrites a matrix that another op reads");
        op_fails(rows_read_before, true, " overwrites a matrix that another op reads");
        op_fails(read_by_its_producer, true, " overwrites a matrix that another op reads");
        op_fails(read_by_vcat, true, " overwrites a matrix that another op reads");
        op_fails(state_of_a_step, true, " overwrites a matrix that another op reads");
        op_fails(twice, true, " overwrites a matrix that another op consumed");
    }
}

static void consumed(Tape *tape) {
    Var *x = ones(tape, N, WIDE);
    consume(tape, op, x);
    tanh_of(tape, x);
}

static void rows_consumed(Tape *tape) {
    Var *x = ones(tape, 2 * N, WIDE);
    consume(tape, op, slice(tape, x, 0, N));
    tanh_of(tape, slice(tape, x, N - 1, 2));
}

static void what_is_consumed_is_not_read(void **unused) {
    (void)unused;
    for (int i = 1; i < CONSUMERS; i++) {
        op = consumers[i];
        if (!strcmp(op, "linear_accumulate")) continue; /* its result is its argument */
        fails(consumed, true, "tanh_of_back reads a matrix that another op consumed");
        fails(rows_consumed, true, "tanh_of_back reads a matrix that another op consumed");
    }
}

/* If only a part of x is consumed, the gradient of the other rows would be their values. */
static void a_part_is_consumed(Tape *tape) {
    Var *x = linear(tape, ones(tape, 2 * N, N), ones(tape, N, WIDE), NULL);
    Var *y = strcmp(op, "maxout") != 0 ? step(tape, slice(tape, x, 0, N), ones(tape, N, WIDE / 3))
                                       : maxout(tape, slice(tape, x, 0, N));
    tape_backward(tape, entropy(tape, y));
}

static void all_rows_are_consumed(void **unused) {
    (void)unused;
    op = "maxout";
    fails(a_part_is_consumed, true, "3 of 6 rows of a matrix were consumed");
    op = "gru_step";
    fails(a_part_is_consumed, true, "3 of 6 rows of a matrix were consumed");
}

/* ---- the loss -------------------------------------------------------------------------------------------- */

static void a_loss_with_a_factor(Tape *tape) {
    Var *loss = entropy(tape, ones(tape, N, N));
    tape_backward(tape, add_scaled(tape, zeros(tape, 1, 1), 2, loss));
}

static Var *weight_read_after_the_loss(Tape *tape) {
    static Weight weight;
    static int of[N], start[] = {0, N}, rows[N], targets[N];
    static double nats[N];
    const RowShards shards = {1, of, start, rows};
    for (int i = 0; i < N; i++) rows[i] = i;
    Var *W = ones(tape, N, N), *x = ones(tape, N, N);
    W->weight = &weight;
    W->g = ones(tape, N, N)->v;
    tape_shard_rows(tape, &shards);
    Var *loss = linear_cross_entropy(tape, (OutputLayer){.x = x, .W = W}, targets, N, 0, nats);
    return add_scaled(tape, loss, 1, entropy(tape, linear(tape, x, W, NULL)));
}

static void a_weight_read_after_the_loss(Tape *tape) { tape_backward(tape, weight_read_after_the_loss(tape)); }

static void the_gradient_of_the_loss_is_one(void **unused) {
    (void)unused;
    fails(a_loss_with_a_factor, true, "the gradient of the loss is 2, not 1");
    fails(a_weight_read_after_the_loss, true, "an op read it after tape_weight_product");
}

/* ---- attention ------------------------------------------------------------------------------------------------ */

static Spans one_each(void) {
    static const int start[] = {0, 1, 2}, length[] = {1, 1, 1};
    return (Spans){.start = start, .length = length, .longest = 1};
}

static Var *K_of_pieces(Tape *tape) {
    const Spans each = one_each();
    Var *K = var_new(tape, 2 * N, N), *H = ones(tape, N, N), *alpha = softmax_spans(tape, ones(tape, N, 1), &each);
    for (int i = 0; i < 2; i++) weighted_sum(tape, alpha, H, &each, slice(tape, K, i * N, N));
    return K;
}

static void scores_of_pieces(Tape *tape) {
    const Spans each = one_each();
    dot_scores(tape, ones(tape, N, N), K_of_pieces(tape), 1, 1, &each);
}

static void sum_of_pieces(Tape *tape) {
    const Spans each = one_each();
    weighted_sum(tape, ones(tape, N, 1), slice(tape, K_of_pieces(tape), 1, N), &each, NULL);
}

static void scores_of_states(Tape *tape) {
    const Spans each = one_each();
    dot_scores(tape, ones(tape, N, N), step(tape, ones(tape, N, 3 * N), ones(tape, N, N)), 1, 1, &each);
}

static void keys_have_one_producer(void **unused) {
    (void)unused;
    fails(scores_of_pieces, true, "dot_scores: several ops wrote the matrix that is read");
    fails(sum_of_pieces, true, "weighted_sum: several ops wrote the matrix that is read");
    fails(scores_of_states, true, "dot_scores: several ops wrote the matrix that is read");
    run(scores_of_pieces, false); /* allowed if the tape does not record */
}

static const Spans *spans; /* the tested spans */

static void additive(Tape *tape) { additive_scores(tape, ones(tape, 2, N), ones(tape, 4, N), ones(tape, N, 1), spans); }
static void cover(Tape *tape, int columns) {
    const CoverageWeights weights = {ones(tape, N, 1), ones(tape, 1, N)};
    coverage_scores(tape, ones(tape, 2, N), ones(tape, 4, N), ones(tape, 2, columns), weights, spans);
}
static void coverage(Tape *tape) { cover(tape, spans->longest); }
static void narrow_coverage(Tape *tape) { cover(tape, spans->longest - 1); }
static void dots(Tape *tape) { dot_scores(tape, ones(tape, 2, N), ones(tape, 4, N), 1, 1, spans); }
static void sums(Tape *tape) { weighted_sum(tape, ones(tape, 2, spans->longest), ones(tape, 4, N), spans, NULL); }

static void spans_lie_within_the_rows(void **unused) {
    (void)unused;
    static const int start[] = {0, 2}, length[] = {2, 3}, negative[] = {0, -1}, none[] = {2, 0}, two[] = {2, 2};
    static const int last[] = {3, 4}, first[] = {0, 1}, *const rows[] = {first, last};
    const Spans beyond = {.start = start, .length = length, .longest = 3},
                before = {.start = negative, .length = two, .longest = 2},
                empty = {.start = start, .length = none, .longest = 2},
                too_long = {.start = start, .length = two, .longest = 1},
                listed = {.visible = two, .rows = rows, .longest = 2};
    const struct {
        const Spans *spans;
        const char *text;
    } cases[] = {{&beyond, "rows 2 to 4 of 4"},
                 {&before, "rows -1 to 0 of 4"},
                 {&empty, "a span of 0 rows, but longest is 2"},
                 {&too_long, "a span of 2 rows, but longest is 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int recording = 0; recording < 2; recording++) {
            spans = cases[i].spans;
            fails(additive, recording, cases[i].text);
            fails(coverage, recording, cases[i].text);
            fails(dots, recording, cases[i].text);
            fails(sums, recording, cases[i].text);
        }
    static const Spans right = {.start = start, .length = two, .longest = 2};
    spans = &right;
    run(coverage, true);
    fails(narrow_coverage, true, "coverage_scores: beta [2, 1] for 2 queries of 2 positions");
    spans = &listed;
    fails(dots, false, "row 4 of 4");
    fails(sums, false, "row 4 of 4");
}

/* ---- guided attention ----------------------------------------------------------------------------------------- */

static const int *columns; /* the tested columns */

static void guide_by(Tape *tape, Var *loss) {
    static const int begin[] = {0, 1, 2};
    guided(tape, loss, ones(tape, 2, N), (Guide){begin, columns}, GUIDE_CE, 1);
}

static void guide(Tape *tape) { guide_by(tape, ones(tape, 1, 1)); }
static void guide_a_row(Tape *tape) { guide_by(tape, ones(tape, 1, 2)); }

static void guides_name_columns(void **unused) {
    (void)unused;
    static const int right[] = {0, N - 1}, beyond[] = {0, N}, before[] = {-1, 0};
    columns = right;
    run(guide, true);
    fails(guide_a_row, true, "guided: a loss of [1, 2]");
    columns = beyond;
    fails(guide, true, "guided: column 3 of 3");
    columns = before;
    fails(guide, true, "guided: column -1 of 3");
}

/* ---- results in a given matrix --------------------------------------------------------------------------------- */

static Var *sum_into(Tape *tape, Var *out) {
    const Spans each = one_each();
    return weighted_sum(tape, softmax_spans(tape, ones(tape, N, 1), &each), ones(tape, N, N), &each, out);
}

static Var *step_into(Tape *tape, Var *x, Var *h, Var *out) {
    return gru_step(tape, (GruStep){x, h, ones(tape, N, 2 * N), ones(tape, N, N), out});
}

static Var *step_to(Tape *tape, Var *out) { return step_into(tape, ones(tape, N, 3 * N), ones(tape, N, N), out); }

static Var *(*result_to)(Tape *tape, Var *out); /* the tested op */

static void result_twice(Tape *tape) {
    Var *all = var_new(tape, 2 * N, N);
    result_to(tape, slice(tape, all, 0, N));
    result_to(tape, slice(tape, all, 1, N));
}
static void result_over_what_is_read(Tape *tape) {
    Var *all = ones(tape, 2 * N, N);
    tanh_of(tape, slice(tape, all, 0, N));
    result_to(tape, slice(tape, all, 1, N));
}
static void result_over_what_a_step_reads(Tape *tape) {
    Var *all = var_new(tape, 3 * N, N), *h = result_to(tape, slice(tape, all, 0, N));
    step_into(tape, ones(tape, N, 3 * N), h, slice(tape, all, N, N));
    result_to(tape, h);
}
static void result_over_a_result(Tape *tape) {
    result_to(tape, linear(tape, ones(tape, N, N), ones(tape, N, N), NULL));
}
static void result_over_a_state(Tape *tape) { result_to(tape, step_to(tape, NULL)); }
static void result_over_what_is_consumed(Tape *tape) {
    Var *x = ones(tape, N, 2 * N);
    maxout(tape, x);
    result_to(tape, &(Var){.rows = N, .cols = N, .v = x->v, .whole = x});
}
static void result_over_a_parameter(Tape *tape) {
    static Weight weight;
    Var *x = ones(tape, N, N);
    x->weight = &weight;
    result_to(tape, x);
}
static void result_over_a_constant(Tape *tape) {
    static const real numbers[N * N];
    result_to(tape, var_constant(tape, N, N, numbers));
}
static void result_of_another_shape(Tape *tape) { result_to(tape, ones(tape, N, N + 1)); }

static void results_have_rows_of_their_own(void **unused) {
    (void)unused;
    static Var *(*const ops[])(Tape *, Var *) = {sum_into, step_to};
    static const char *const names[] = {"weighted_sum", "gru_step"};
    for (int i = 0; i < 2; i++) {
        result_to = ops[i];
        op = names[i];
        op_fails(result_twice, true, " overwrites row 1 of a matrix, which another op computed or reads");
        op_fails(result_over_what_is_read, true, " overwrites a matrix that another op reads");
        op_fails(result_over_what_a_step_reads, true,
                 " overwrites row 0 of a matrix, which another op computed or reads");
        op_fails(result_over_a_result, true, " overwrites a matrix that another op computed");
        op_fails(result_over_a_state, true, " overwrites a matrix that another op computed");
        op_fails(result_over_what_is_consumed, true, " overwrites a matrix that another op consumed");
        for (int recording = 0; recording < 2; recording++) {
            op_fails(result_over_a_parameter, recording, " overwrites a parameter");
            op_fails(result_over_a_constant, recording, " overwrites a constant");
            op_fails(result_of_another_shape, recording, ": a result of [3, 3], but out is [3, 4]");
        }
        run(result_twice, false); /* allowed if the tape does not record */
    }
}

static void sum_onto_its_factor(Tape *tape) {
    Var *y = ones(tape, N, N);
    linear_accumulate(tape, y, y, ones(tape, N, N));
}
static void sum_onto_rows_of_its_factor(Tape *tape) {
    Var *all = ones(tape, 2 * N, N);
    linear_accumulate(tape, slice(tape, all, 0, N), slice(tape, all, 1, N), ones(tape, N, N));
}
static void sum_onto_its_weight(Tape *tape) {
    Var *y = ones(tape, N, N);
    linear_accumulate(tape, y, ones(tape, N, N), y);
}
static void sum_into_what_it_reads(Tape *tape) {
    const Spans all = spans_one(tape, N, N);
    Var *H = ones(tape, N, N);
    weighted_sum(tape, ones(tape, N, N), H, &all, H);
}
static void sum_into_its_weights(Tape *tape) {
    const Spans all = spans_one(tape, N, N);
    Var *alpha = ones(tape, N, N);
    weighted_sum(tape, alpha, ones(tape, N, N), &all, alpha);
}
static void state_over_the_state(Tape *tape) {
    Var *h = ones(tape, N, N);
    step_into(tape, ones(tape, N, 3 * N), h, h);
}
static void two_steps(Tape *tape, Var *x0, Var *h0, Var *out0, Var *x1, Var *h1, Var *out1) {
    Var *states[2], *Uzr = ones(tape, N, 2 * N), *U = ones(tape, N, N);
    gru_steps(tape, (GruStep[]){{x0, h0, Uzr, U, out0}, {x1, h1, Uzr, U, out1}}, 2, states);
}
static void steps_of_one_state(Tape *tape) {
    Var *h = ones(tape, N, N);
    two_steps(tape, ones(tape, N, 3 * N), h, NULL, ones(tape, N, 3 * N), h, NULL);
}
static void a_step_over_the_state_of_another(Tape *tape) {
    Var *h = ones(tape, N, N);
    two_steps(tape, ones(tape, N, 3 * N), ones(tape, N, N), h, ones(tape, N, 3 * N), h, NULL);
}
static void steps_to_one_state(Tape *tape) {
    Var *out = var_new(tape, N, N);
    two_steps(tape, ones(tape, N, 3 * N), ones(tape, N, N), out, ones(tape, N, 3 * N), ones(tape, N, N), out);
}
static void steps_of_one_input(Tape *tape) {
    Var *x = ones(tape, N, 3 * N);
    two_steps(tape, x, ones(tape, N, N), NULL, x, ones(tape, N, N), NULL);
}
static void sum_of_shifted_rows(Tape *tape) {
    Var *x = ones(tape, N + 1, N);
    add_scaled(tape, slice(tape, x, 0, N), 1, slice(tape, x, 1, N));
}
static void sum_of_a_matrix_and_itself(Tape *tape) {
    Var *x = ones(tape, N, N);
    add_scaled(tape, x, 1, x);
}
static void weights_of_a_step_overwritten(Tape *tape) {
    Var *U = ones(tape, N, N);
    gru_step(tape, (GruStep){ones(tape, N, 3 * N), ones(tape, N, N), ones(tape, N, 2 * N), U, NULL});
    relu(tape, U);
}

static void arguments_are_apart(void **unused) {
    (void)unused;
    for (int recording = 0; recording < 2; recording++) {
        fails(sum_onto_its_factor, recording, "linear_accumulate: a matrix [3, 3] has rows of another one");
        fails(sum_onto_rows_of_its_factor, recording, "linear_accumulate: a matrix [3, 3] has rows of another one");
        fails(sum_onto_its_weight, recording, "linear_accumulate: a matrix [3, 3] has rows of another one");
        fails(sum_into_what_it_reads, recording, "weighted_sum: a matrix [3, 3] has rows of another one");
        fails(sum_into_its_weights, recording, "weighted_sum: a matrix [3, 3] has rows of another one");
        fails(state_over_the_state, recording,
              recording ? "gru_step overwrites a matrix that another op reads"
                        : "gru_step: a matrix [3, 3] has rows of another one");
        fails(steps_of_one_state, recording, "gru_step: a matrix [3, 3] has rows of another one");
    }
    fails(a_step_over_the_state_of_another, true, "gru_step overwrites a matrix that another op reads");
    fails(a_step_over_the_state_of_another, false, "gru_step: a matrix [3, 3] has rows of another one");
    fails(steps_to_one_state, true, "gru_step overwrites row 0 of a matrix");
    fails(steps_to_one_state, false, "gru_step: a matrix [3, 3] has rows of another one");
    fails(steps_of_one_input, true, "gru_step overwrites a matrix that another op consumed");
    fails(steps_of_one_input, false, "gru_step: a matrix [3, 9] has rows of another one");
    fails(sum_of_shifted_rows, true, "add_scaled: a matrix [3, 3] has rows of another one");
    run(sum_of_shifted_rows, false);
    run(sum_of_a_matrix_and_itself, true);
    fails(weights_of_a_step_overwritten, true, "relu overwrites a matrix that another op reads");
}

/* ---- spans of a tape that records ------------------------------------------------------------------------------- */

static void additive_of_one_matrix(Tape *tape) {
    const Spans each = one_each();
    Var *all = ones(tape, 2 * N, N);
    additive_scores(tape, slice(tape, all, 1, N), slice(tape, all, 2, N), ones(tape, N, 1), &each);
}

static void sentences_have_rows_of_their_own(void **unused) {
    (void)unused;
    static const int two[] = {2, 2}, shared[] = {0, 1}, reversed[] = {2, 0}, owner[] = {1, 0}, one[] = {1, 1},
                     three[] = {3, 3}, late[] = {0, 3};
    const Spans overlap = {.start = shared, .length = two, .longest = 2},
                owned = {.start = shared, .length = two, .owner = owner, .longest = 2},
                right = {.start = reversed, .length = two, .longest = 2},
                more = {.start = reversed, .length = one, .visible = two, .longest = 2},
                beyond = {.start = late, .length = two, .visible = one, .longest = 2},
                other = {.start = shared, .length = three, .visible = two, .longest = 3};
    const char *common = ": sentences 0 and 1 have row 1 in common";
    spans = &overlap;
    fails(additive, true, common);
    fails(coverage, true, common);
    fails(dots, true, common);
    fails(sums, true, common);
    run(additive, false);
    run(dots, false);
    spans = &owned;
    fails(dots, true, ": sentences 1 and 0 have row 1 in common");
    spans = &other;
    fails(sums, true, ": sentences 0 and 1 have row 1 in common");
    spans = &more;
    fails(sums, true, "query 0 reads 2 rows of 1 from 2 on");
    spans = &beyond;
    fails(dots, true, "query 1 reads 1 rows of 2 from 3 on");
    spans = &right;
    run(additive, true);
    run(coverage, true);
    run(dots, true);
    run(sums, true);
    fails(additive_of_one_matrix, true, "additive_scores: a matrix [3, 3] has rows of another one");
}

/* ---- shapes and indices of every op ----------------------------------------------------------------------------- */

#define USE(name)        static void name(Tape *tape)
#define ONES(rows, cols) ones(tape, rows, cols)
enum { MANY = 3000, WORDS = 40 }; /* so many rows that the threads share them */
static const int bad_index[] = {0, 1, N}, negative_index[] = {0, -2, 1};

USE(product_of_another_size) { linear(tape, ONES(N, N), ONES(N + 1, N), NULL); }
USE(a_bias_of_another_size) { linear(tape, ONES(N, N), ONES(N, N), ONES(1, N + 1)); }
USE(a_transposed_product) { linear_transposed(tape, ONES(N, N + 1), ONES(N, N), NULL); }
USE(accumulate_another_size) { linear_accumulate(tape, ONES(N, N + 1), ONES(N, N), ONES(N, N)); }
USE(gather_beyond) { gather(tape, ONES(N, N), bad_index, N); }
USE(gather_before) { gather(tape, ONES(N, N), negative_index, N); }
USE(gather_hcat_beyond) { gather_hcat(tape, ONES(N + 1, N), ONES(N, N), bad_index, N); }
USE(im2col_beyond) { im2col(tape, ONES(N, N), (const int *const[]){bad_index, bad_index}, 2, N); }
USE(im2col_of_nothing) { im2col(tape, ONES(N, N), NULL, 0, N); }
USE(slice_beyond) { slice(tape, ONES(N, N), 1, N); }
USE(slice_overflows) { slice(tape, ONES(N, N), 2, INT_MAX); }
USE(vcat_of_nothing) { vcat(tape, NULL, 0); }
USE(vcat_of_widths) { vcat(tape, (Var *[]){ONES(N, N), ONES(N, N + 1)}, 2); }
USE(pad_to_fewer) { pad_rows(tape, ONES(N, N), N - 1); }
USE(hcat_of_heights) { hcat(tape, ONES(N, N), ONES(N + 1, N)); }
USE(no_columns) { zeros(tape, N, 0); }
USE(maxout_of_odd) { maxout(tape, ONES(N, N)); }
USE(halves_of_odd) { add_halves(tape, ONES(N, N)); }
USE(sum_of_shapes) { add_scaled(tape, ONES(N, N), 1, ONES(N, N + 1)); }
USE(drop_all) { dropout(tape, ONES(N, N), (Drop){1, (RowId[N]){{0}}}); }
USE(drop_without_rows) { dropout(tape, ONES(N, N), (Drop){0.5, NULL}); }
USE(norm_of_another_size) { layer_norm(tape, ONES(N, N), ONES(1, N), ONES(1, N + 1)); }
USE(state_of_another_size) { step_into(tape, ONES(N, 2 * N), ONES(N, N), NULL); }
USE(weights_of_another_size) { gru_step(tape, (GruStep){ONES(N, 3 * N), ONES(N, N), ONES(N, N), ONES(N, N), NULL}); }
USE(three_steps) { gru_steps(tape, NULL, 3, NULL); }
USE(dots_of_widths) {
    const Spans each = one_each();
    dot_scores(tape, ONES(N, N), ONES(N, N + 1), 1, 1, &each);
}
USE(dots_of_heads) {
    const Spans each = one_each();
    dot_scores(tape, ONES(N, N), ONES(N, N), 2, 1, &each);
}
USE(attention_of_widths) {
    const Spans each = one_each();
    dot_attention(tape, ONES(N, N), ONES(N, N + 1), ONES(N, N), 1, &each);
}
USE(softmax_of_columns) {
    const Spans all = spans_one(tape, N, 2);
    softmax_spans(tape, ONES(N, 3), &all);
}
/* The last query, which another thread computes, has a wrong length. */
static Spans last_too_long(Tape *tape) {
    Spans all = spans_one(tape, MANY, WORDS);
    int *visible = arena_alloc(&tape->arena, MANY * sizeof *visible);
    for (int i = 0; i < MANY; i++) visible[i] = i < MANY - 1 ? WORDS : WORDS + 1;
    all.visible = visible;
    return all;
}
USE(softmax_too_long) {
    const Spans all = last_too_long(tape);
    softmax_spans(tape, ONES(MANY, WORDS), &all);
}
USE(hardmax_too_long) {
    const Spans all = last_too_long(tape);
    hardmax_spans(tape, ONES(MANY, WORDS), &all);
}
USE(mean_of_missing_heads) {
    const Spans all = spans_one(tape, N, 2);
    mean_heads(tape, ONES(N, 4), (Heads){1, INT_MAX}, &all);
}
USE(sum_of_heads) {
    const Spans all = spans_one(tape, N, 2);
    weighted_sum(tape, ONES(N, 4), ONES(2, N), &all, NULL);
}
USE(scores_of_widths) {
    const Spans each = one_each();
    additive_scores(tape, ONES(N, N), ONES(N, N), ONES(N + 1, 1), &each);
}
USE(coverage_of_widths) {
    const Spans each = one_each();
    coverage_scores(tape, ONES(N, N), ONES(N, N), ONES(N, 1), (CoverageWeights){ONES(N, 1), ONES(1, N + 1)}, &each);
}
/* The wrong target is in the last row, which another thread computes. */
static void entropy_of(Tape *tape, int last) {
    int *targets = arena_zalloc(&tape->arena, MANY * sizeof *targets);
    double *nats = arena_alloc(&tape->arena, MANY * sizeof *nats);
    targets[MANY - 1] = last;
    linear_cross_entropy(tape, (OutputLayer){.x = ONES(MANY, N), .W = ONES(N, WORDS)}, targets, MANY, 0, nats);
}
USE(a_target_beyond) { entropy_of(tape, WORDS); }
USE(a_target_before) { entropy_of(tape, -1); }
USE(entropy_of_widths) {
    linear_cross_entropy(tape, (OutputLayer){.x = ONES(1, N), .W = ONES(N + 1, N)}, bad_index, 1, 0, &(double){0});
}
USE(a_mean_of_fewer) {
    linear_cross_entropy(tape, (OutputLayer){.x = ONES(2, N), .W = ONES(N, N)}, bad_index, 1, 0, (double[2]){0});
}
/* The teacher of one row has the layer x [1, N], W [N, words]. */
static void distilled(Tape *tape, bool recording, int words, int row, real weight) {
    Tape other = {.recording = recording};
    const Teacher teacher = {&other, {.x = ONES(1, N), .W = ONES(N, words)}, &row, &weight};
    distilled_cross_entropy(tape, (OutputLayer){.x = ONES(1, N), .W = ONES(N, N)}, (const int[]){0}, 1, 0, &teacher,
                            &(double){0});
}
USE(a_teacher_that_records) { distilled(tape, true, N, 0, 1); }
USE(a_teacher_of_widths) {
    Tape other = {0};
    const Teacher teacher = {&other, {.x = ONES(1, N + 1), .W = ONES(N, N)}, (const int[]){0}, (const real[]){1}};
    distilled_cross_entropy(tape, (OutputLayer){.x = ONES(1, N), .W = ONES(N, N)}, (const int[]){0}, 1, 0, &teacher,
                            &(double){0});
}
USE(a_teacher_of_other_words) { distilled(tape, false, N + 1, 0, 1); }
USE(a_row_of_no_teacher) { distilled(tape, false, N, 1, 1); }
USE(a_weight_above_one) { distilled(tape, false, N, 0, 2); }
USE(a_weight_without_a_row) { distilled(tape, false, N, -1, 1); }
USE(a_loss_of_two) { tape_backward(tape, tanh_of(tape, ONES(1, 2))); }

static void columns_of(Tape *tape, const int *owner, int first, int second, bool weight) {
    static Weight parameter;
    Var *W = ONES(N, N);
    if (weight) W->weight = &parameter;
    const ColumnSet list[] = {{&first, 1}, {&second, 1}};
    ColumnSets sets = {.list = list, .count = 2, .widest = 1};
    linear_columns(tape, ONES(2, N), W, false, NULL, &sets, owner);
    column_sets_free(&sets);
}
USE(a_column_beyond) { columns_of(tape, (const int[]){0, 1}, 0, N, true); }
USE(a_column_before) { columns_of(tape, (const int[]){0, 1}, -1, 0, true); }
USE(a_missing_set) { columns_of(tape, (const int[]){0, 2}, 0, 1, true); }
USE(columns_of_no_parameter) { columns_of(tape, (const int[]){0, 1}, 0, 1, false); }
USE(right_columns) { columns_of(tape, (const int[]){0, 1}, 0, N - 1, true); }

enum { ANY, RECORDS, READS };
static const struct {
    Misuse *misuse;
    int tape;
    const char *text;
} uses[] = {
    {product_of_another_size, ANY, "a product of [3, 3] by [4, 3]"},
    {a_bias_of_another_size, ANY, "a bias of [1, 4] for 3 columns"},
    {a_transposed_product, ANY, "a product of [3, 4] by [3, 3]"},
    {accumulate_another_size, ANY, "linear_accumulate: [3, 3] by [3, 3] onto [3, 4]"},
    {gather_beyond, ANY, "gather: row 3 of 3"},
    {gather_before, ANY, "gather: row -2 of 3"},
    {gather_hcat_beyond, ANY, "gather: row 3 of 3"},
    {im2col_beyond, ANY, "gather: row 3 of 3"},
    {im2col_of_nothing, ANY, "a matrix of [3, 0]"},
    {slice_beyond, ANY, "slice: rows 1+3 of 3"},
    {slice_overflows, ANY, "slice: rows 2+2147483647 of 3"},
    {vcat_of_nothing, ANY, "vcat: 0 matrices"},
    {vcat_of_widths, ANY, "vcat: 3 and 4 columns"},
    {pad_to_fewer, ANY, "pad_rows: 3 rows to 2"},
    {hcat_of_heights, ANY, "hcat: 3 and 4 rows"},
    {no_columns, ANY, "a matrix of [3, 0]"},
    {maxout_of_odd, ANY, "maxout: 3 columns"},
    {halves_of_odd, ANY, "add_halves: 3 columns"},
    {sum_of_shapes, ANY, "add_scaled: [3, 3] and [3, 4]"},
    {drop_all, RECORDS, "dropout: rate 1"},
    {drop_without_rows, RECORDS, "dropout: rate 0.5"},
    {norm_of_another_size, ANY, "layer_norm: x [3, 3], gain [1, 3], bias [1, 4]"},
    {state_of_another_size, ANY, "gru_step: x [3, 6] for h [3, 3]"},
    {weights_of_another_size, ANY, "gru_step: Uzr [3, 3], U [3, 3] for 3 units"},
    {three_steps, ANY, "gru_steps: 3 at a time"},
    {dots_of_widths, ANY, "dot_scores: Q [3, 3], K [3, 4], 1 heads"},
    {dots_of_heads, ANY, "dot_scores: Q [3, 3], K [3, 3], 2 heads"},
    {attention_of_widths, ANY, "dot_scores: Q [3, 3], K [3, 4], 1 heads"},
    {softmax_of_columns, ANY, "attention: 3 columns for heads of 2 positions"},
    {softmax_too_long, ANY, "softmax_spans: a span of 41 rows, but longest is 40"},
    {hardmax_too_long, READS, "hardmax_spans: a span of 41 rows, but longest is 40"},
    {hardmax_too_long, RECORDS, "hardmax_spans: the tape records"},
    {mean_of_missing_heads, ANY, "mean_heads: 2147483647 heads from 1 on, of 2"},
    {sum_of_heads, ANY, "weighted_sum: 3 columns for 2 heads"},
    {scores_of_widths, ANY, "additive_scores: q [3, 3], K [3, 3], va [4, 1]"},
    {coverage_of_widths, ANY, "coverage_scores: Vb [1, 4] for 3 columns"},
    {a_target_beyond, ANY, "linear_cross_entropy: target 40 of 40"},
    {a_target_before, ANY, "linear_cross_entropy: target -1 of 40"},
    {entropy_of_widths, ANY, "linear_cross_entropy: a product of [1, 3] by [4, 3]"},
    {a_mean_of_fewer, ANY, "linear_cross_entropy: 2 rows, but a mean over 1 rows"},
    {a_teacher_that_records, ANY, "distilled_cross_entropy: the teacher's tape records"},
    {a_teacher_of_widths, ANY, "distilled_cross_entropy: a product of [1, 4] by [3, 3]"},
    {a_teacher_of_other_words, ANY, "distilled_cross_entropy: a teacher with 4 columns for 3"},
    {a_row_of_no_teacher, ANY, "distilled_cross_entropy: the teacher's row 1 of 1"},
    {a_weight_above_one, ANY, "distilled_cross_entropy: a teacher with the weight 2"},
    {a_weight_without_a_row, ANY, "distilled_cross_entropy: a teacher with the weight 1"},
    {a_loss_of_two, RECORDS, "tape_backward: a loss of [1, 2]"},
    {a_column_beyond, READS, "linear_columns: column 3 of 3"},
    {a_column_before, READS, "linear_columns: column -1 of 3"},
    {a_missing_set, READS, "linear_columns: set 2 of 2"},
    {columns_of_no_parameter, READS, "linear_columns: [3, 3] is not a parameter"},
    {right_columns, RECORDS, "linear_columns: the tape records"},
};

static void every_op_checks_its_arguments(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].tape != RECORDS) fails(uses[i].misuse, false, uses[i].text);
        if (uses[i].tape != READS) fails(uses[i].misuse, true, uses[i].text);
    }
    run(right_columns, false);
}

/* ---- without a scope --------------------------------------------------------------------------------------------- */

static void a_program_without_a_scope_ends(void **unused) {
    (void)unused;
    char line[512] = "";
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        run(gather_beyond, false);
        _exit(0);
    }
    close(ends[1]);
    assert_true(read(ends[0], line, sizeof line - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(line, "gather: row 3 of 3"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_in_use_are_not_overwritten),
        cmocka_unit_test(what_is_consumed_is_not_read),
        cmocka_unit_test(all_rows_are_consumed),
        cmocka_unit_test(the_gradient_of_the_loss_is_one),
        cmocka_unit_test(keys_have_one_producer),
        cmocka_unit_test(spans_lie_within_the_rows),
        cmocka_unit_test(guides_name_columns),
        cmocka_unit_test(results_have_rows_of_their_own),
        cmocka_unit_test(arguments_are_apart),
        cmocka_unit_test(sentences_have_rows_of_their_own),
        cmocka_unit_test(every_op_checks_its_arguments),
        cmocka_unit_test(a_program_without_a_scope_ends),
    };
    return cmocka_run_group_tests_name("misuse", tests, NULL, NULL);
}
