/* test_misuse.c: a use of an op that violates its requirements ends the program with a line that names the op. Without
   this check each use here would silently give a wrong value or gradient. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ops.h"
#include "core/tape_op.h"

typedef void Misuse(Tape *tape);

static void run(Misuse *misuse, bool recording) {
    Threads *threads = threads_new(1);
    Tape tape;
    tape_init(&tape, threads, (Rng){1});
    tape.recording = recording;
    misuse(&tape);
    tape_free(&tape);
    threads_free(threads);
}

/* Runs the misuse in a child process, which must abort with a line that contains `text`. */
static void dies(Misuse *misuse, bool recording, const char *text) {
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
        run(misuse, recording);
        _exit(0);
    }
    close(ends[1]);
    for (size_t n = 0; n < sizeof line - 1;) {
        const ssize_t got = read(ends[0], line + n, sizeof line - 1 - n);
        if (got <= 0) break;
        n += (size_t)got;
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(line, text))
        fail_msg("instead of '%s': status %d, '%s'", text, status, line);
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

static void values_in_use_are_not_overwritten(void **unused) {
    (void)unused;
    char text[64];
    for (int i = 0; i < CONSUMERS; i++) {
        op = consumers[i];
        snprintf(text, sizeof text, "%s overwrites a parameter", op);
        dies(parameter, true, text);
        dies(rows_of_a_parameter, true, text);
        dies(parameter, false, text);
        snprintf(text, sizeof text, "%s overwrites a constant", op);
        dies(constant, true, text);
        snprintf(text, sizeof text, "%s overwrites a matrix that another op reads", op);
        dies(read_before, true, text);
        dies(rows_read_before, true, text);
        dies(read_by_its_producer, true, text);
        dies(read_by_vcat, true, text);
        dies(state_of_a_step, true, text);
        snprintf(text, sizeof text, "%s overwrites a matrix that another op consumed", op);
        dies(twice, true, text);
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
        dies(consumed, true, "tanh_of_back reads a matrix that another op consumed");
        dies(rows_consumed, true, "tanh_of_back reads a matrix that another op consumed");
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
    dies(a_part_is_consumed, true, "3 of 6 rows of a matrix were consumed");
    op = "gru_step";
    dies(a_part_is_consumed, true, "3 of 6 rows of a matrix were consumed");
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
    dies(a_loss_with_a_factor, true, "the gradient of the loss is 2, not 1");
    dies(a_weight_read_after_the_loss, true, "an op read it after tape_weight_product");
}

/* ---- attention ------------------------------------------------------------------------------------------------ */

static Var *K_of_pieces(Tape *tape) {
    static const int start[] = {0, 1, 2}, length[] = {1, 1, 1};
    static const Spans each = {.start = start, .length = length, .longest = 1};
    Var *K = var_new(tape, 2 * N, N), *H = ones(tape, N, N), *alpha = softmax_spans(tape, ones(tape, N, 1), &each);
    for (int i = 0; i < 2; i++) weighted_sum(tape, alpha, H, &each, slice(tape, K, i * N, N));
    return K;
}

static Spans one_each(void) {
    static const int start[] = {0, 1, 2}, length[] = {1, 1, 1};
    return (Spans){.start = start, .length = length, .longest = 1};
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
    dies(scores_of_pieces, true, "dot_scores: several ops wrote the matrix that is read");
    dies(sum_of_pieces, true, "weighted_sum: several ops wrote the matrix that is read");
    dies(scores_of_states, true, "dot_scores: several ops wrote the matrix that is read");
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
            dies(additive, recording, cases[i].text);
            dies(coverage, recording, cases[i].text);
            dies(dots, recording, cases[i].text);
            dies(sums, recording, cases[i].text);
        }
    static const Spans right = {.start = start, .length = two, .longest = 2};
    spans = &right;
    run(coverage, true);
    dies(narrow_coverage, true, "coverage_scores: beta [2, 1] for 2 queries of 2 positions");
    spans = &listed;
    dies(dots, false, "row 4 of 4");
    dies(sums, false, "row 4 of 4");
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
    dies(guide_a_row, true, "guided: a loss of [1, 2]");
    columns = beyond;
    dies(guide, true, "guided: column 3 of 3");
    columns = before;
    dies(guide, true, "guided: column -1 of 3");
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
    };
    return cmocka_run_group_tests_name("misuse", tests, NULL, NULL);
}
