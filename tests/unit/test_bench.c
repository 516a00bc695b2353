/* Tests what `tide bench` prints: the products of a model, the operations of a training step, and speeds that fit
   together and fit the time that passed; and that it notices wrong results. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "bench/bench.h"
#include "bench/row_kernels.h"
#include "core/base.h"
#include "core/kernels.h"
#include "core/scope.h"
#include "model/model.h"
#include "train/update.h"

/* All sizes differ, so that a test notices if one is used in place of another. 4 · 128 is the smallest number of rows
   with which a product packs its right side by itself. */
static const BenchSize rnn = {
    "rnn", {150, 100, .emb = 40, .rnn = 48, .att = 56, .maxout = 24}, .batch = 4, .length = 128};
static const BenchSize transformer = {"transformer",
                                      {150, 200, .emb = 64, .depth = 2, .decoder_depth = 2, .ffn = 96, .heads = 4},
                                      .batch = 3,
                                      .length = 12};

/* ---- what is printed ---- */

typedef struct Capture {
    FILE *file;
    int saved;
    double began, seconds; /* until capture_stop */
    char text[8192];
} Capture;

static void capture_start(Capture *capture) {
    *capture = (Capture){.file = fdopen(memfd_create("printed", 0), "w+")};
    assert_non_null(capture->file);
    fflush(stdout);
    capture->saved = dup(STDOUT_FILENO);
    dup2(fileno(capture->file), STDOUT_FILENO);
    capture->began = seconds_now();
}

static void capture_stop(Capture *capture) {
    capture->seconds = seconds_now() - capture->began;
    fflush(stdout);
    dup2(capture->saved, STDOUT_FILENO);
    close(capture->saved);
    rewind(capture->file);
    capture->text[fread(capture->text, 1, sizeof capture->text - 1, capture->file)] = '\0';
    fclose(capture->file);
}

/* Removes the first line of *rest and returns it. */
static char *next_line(char **rest) {
    char *line = strsep(rest, "\n");
    assert_non_null(line);
    return line;
}

enum { MOST_NUMBERS = 8 };

/* Reads the numbers that follow `start` in a line. Fails the test unless the line begins with `start` and has n numbers
   after it. */
static void read_numbers(const char *line, const char *start, int n, double number[MOST_NUMBERS]) {
    int found = 0;
    const bool starts = !strncmp(line, start, strlen(start));
    for (const char *at = line + (starts ? strlen(start) : 0); *at && found < MOST_NUMBERS;) {
        char *end = (char *)at + 1;
        if (isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1])))
            number[found++] = strtod(at, &end);
        at = end;
    }
    if (!starts || found != n) fail_msg("not '%s' and %d numbers: %s", start, n, line);
}

/* Checks that percent = 100 part / whole. All three are rounded, so `part` and `whole` may differ from the exact
   numbers by part_error and whole_error. */
static void assert_percent(double percent, double part, double part_error, double whole, double whole_error) {
    const double least = 100 * (part - part_error) / (whole + whole_error) - 0.5,
                 most = 100 * (part + part_error) / (whole - whole_error) + 0.5;
    if (!(percent >= least && percent <= most)) fail_msg("%g %% is not %g of %g", percent, part, whole);
}

/* ---- products ---- */

/* The products of the paper's equations in the order of `tide bench gemm`, for a model with n = 48, m = 40, n' = 56,
   l = 24 and 100 words, and 4 sentences with 128 words, which are 512 rows. */
static const struct {
    const char *name;
    int rows, inner, columns;
    bool packed; /* whether the right side is packed before the product */
} products[] = {
    {"h Uzr", 4, 48, 96, true},          {"(r h) U", 4, 48, 48, true},         {"s Wa", 4, 48, 56, true},
    {"c C", 4, 96, 144, true},           {"da Uzr'", 4, 96, 48, true},         {"da C'", 4, 144, 96, true},
    {"x W", 512, 40, 144, false},        {"H Ua", 512, 96, 56, false},         {"c Co", 512, 96, 48, false},
    {"t Wo", 512, 24, 100, false},       {"dy Wo'", 512, 100, 24, false},      {"dUzr = h' da", 48, 512, 96, false},
    {"dC = c' da", 96, 512, 144, false}, {"dWo = t' dy", 24, 512, 100, false},
};
enum { PRODUCTS = sizeof products / sizeof *products };

static void check_products(PanelFormat format) {
    static Capture printed;
    Threads *threads = threads_new(2);
    BenchSize size = rnn;
    size.products = format;
    capture_start(&printed);
    bench_gemm(threads, &size); /* also checks the products */
    capture_stop(&printed);
    threads_free(threads);
    char *rest = printed.text, start[32];
    double x[MOST_NUMBERS], least_time = 0;
    read_numbers(next_line(&rest), "gemm rnn: rows x inner x columns, peak ", 1, x);
    const double peak = x[0];
    for (int i = 0; i < PRODUCTS; i++) {
        const char *line = next_line(&rest);
        snprintf(start, sizeof start, "  %s ", products[i].name);
        read_numbers(line, start, products[i].packed ? 6 : 5, x);
        assert_true(x[0] == products[i].rows && x[1] == products[i].inner && x[2] == products[i].columns);
        assert_int_equal(strstr(line, "packing takes ") != NULL, products[i].packed);
        assert_percent(x[4], x[3], 0.051, peak, 0.51);
        least_time += 2e-9 * x[0] * x[1] * x[2] / (x[3] + 0.051);
    }
    assert_string_equal(rest, "");
    /* Half of the repetitions take at least the median. */
    assert_true(8 * least_time <= printed.seconds);
}

static void the_products_are_those_of_the_model(void **unused) {
    (void)unused;
    check_products(PANELS_F32);
    check_products(PANELS_BF16);
}

/* ---- a training step ---- */

/* The weights of products that each pair of a source and a target word uses once. */
static double weights_of(const BenchSize *size) {
    ModelConfig config = size->config;
    config.attention = attention_kind("additive");
    config.arch = arch_named(config.depth ? "transformer" : "rnnsearch");
    Model model;
    double count = 0;
    model_init(&model, &config);
    for (int i = 0; i < model.params.count; i++) {
        const Param *param = model.params.list[i];
        const bool is_matrix = param->var.rows > 1 && param->var.cols > 1, once_a_sentence = strstr(param->name, ".Ws");
        if (is_matrix && !param->table && !once_a_sentence) count += (double)var_size(&param->var);
    }
    model_free(&model);
    return count;
}

static void operations_are_six_for_each_weight(void **unused) {
    (void)unused;
    assert_true(bench_flops(&rnn.config) == 6 * weights_of(&rnn));
    assert_true(bench_flops(&transformer.config) == 6 * weights_of(&transformer));
}

static double peak_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return floor((double)usage.ru_maxrss / 1024);
}

/* The lines after the first: the share of each loop in the time, the largest first. */
static void check_shares(char *rest) {
    static const char *const loops_of_all_models[] = {"product", "weight gradient", "softmax and loss", "norm",
                                                      "update"};
    for (size_t i = 0; i < sizeof loops_of_all_models / sizeof *loops_of_all_models; i++) {
        char start[32];
        snprintf(start, sizeof start, "    %s  ", loops_of_all_models[i]);
        if (!strstr(rest, start)) fail_msg("no '%s' in\n%s", start, rest);
    }
    double before = 100, sum = 0, waiting = 0, x[MOST_NUMBERS];
    int loops = 0;
    const char *line;
    for (; strstr(line = next_line(&rest), "of this is waiting"); loops++) {
        read_numbers(line, "    ", 2, x);
        assert_true(x[0] >= 0 && x[0] <= before);
        assert_true(x[1] > -5 && x[1] <= 100);
        waiting += x[0] * x[1] / 100;
        sum += before = x[0];
    }
    read_numbers(line, "    serial code ", 1, x);
    assert_true(x[0] > -0.1 && fabs(sum + x[0] - 100) < 0.06 * (loops + 1));
    read_numbers(next_line(&rest), "    in parallel code, a thread waited for other threads during ", 1, x);
    assert_true(fabs(x[0] - waiting) < 0.11 * (loops + 1));
    assert_string_equal(rest, "");
}

static void check_step(const BenchSize *size, int updates) {
    static Capture printed;
    Threads *threads = threads_new(2);
    const double memory_before = peak_memory();
    capture_start(&printed);
    bench_step(threads, size, updates);
    capture_stop(&printed);
    threads_free(threads);
    char *rest = printed.text, start[32];
    double x[MOST_NUMBERS];
    snprintf(start, sizeof start, "train %s ", size->name);
    read_numbers(next_line(&rest), start, 7, x);
    const double median = x[0], slowest = x[1], fastest = x[2], speed = x[3], percent = x[4], peak = x[5],
                 memory = x[6];
    assert_true(slowest > 0 && slowest <= median && median <= fastest);
    assert_true(fabs(speed - 1e-9 * bench_flops(&size->config) * median) < 0.051 + 1e-9 * bench_flops(&size->config));
    assert_percent(percent, speed, 0.051, peak, 0.51);
    assert_true(percent < 150);
    assert_true(memory >= memory_before && memory <= peak_memory());
    /* Half of the updates take at least the median, and one takes what the slowest takes. */
    const double tokens = size->batch * size->length;
    assert_true(fmax(tokens / (slowest + 1), 0.5 * (updates - 1) * tokens / (median + 1)) <= printed.seconds);
    check_shares(rest);
}

static void speeds_of_training_fit_together(void **unused) {
    (void)unused;
    const BenchSize shorter = {"shorter", rnn.config, 4, 16, PANELS_F32};
    check_step(&shorter, 10);
    check_step(&transformer, 7);
}

/* ---- decoding ---- */

static void check_decoding(Threads *threads, const BenchSize *size, BenchDecoding decoding) {
    static Capture printed;
    capture_start(&printed);
    bench_decode(threads, size, decoding);
    capture_stop(&printed);
    char *rest = printed.text, start[32];
    double x[MOST_NUMBERS], least_time = 0;
    snprintf(start, sizeof start, "decode %s ", size->name);
    for (int k = 0; k < 4; k++) {
        const int sentences = k < 2 ? size->batch : 1;
        read_numbers(next_line(&rest), start, 5, x);
        assert_true(x[0] == (k % 2 ? 5 : 1) && x[1] == sentences);
        assert_true(x[3] > 0 && x[3] <= x[2] && x[2] <= x[4]);
        /* Three of five translations take at least the median. */
        least_time += fmax(3 * sentences / (x[2] + 0.1), sentences / (x[3] + 0.1));
    }
    assert_string_equal(rest, "");
    assert_true(least_time <= printed.seconds);
}

static void speeds_of_decoding_fit_the_time(void **unused) {
    (void)unused;
    const BenchSize shorter = {"shorter", rnn.config, 3, 11, PANELS_F32};
    Threads *threads = threads_new(1);
    check_decoding(threads, &shorter, (BenchDecoding){0});
    check_decoding(threads, &shorter, (BenchDecoding){.int8 = true, .shortlist = 25});
    check_decoding(threads, &transformer, (BenchDecoding){.int8 = true});
    check_decoding(threads, &transformer, (BenchDecoding){.shortlist = 200});
    threads_free(threads);
}

/* ---- wrong results ---- */

/* A set of kernels in which some are wrong, slow, or note what they are given; the others are those of `usual`. */
static const Kernels *usual;
static GemmKernels changed_gemm[PANEL_FORMATS];
static Kernels changed;
static int wrong_length; /* of the rows for which a kernel is wrong */

static void change_kernels(void) {
    usual = kernels;
    changed = *kernels;
    for (int i = 0; i < PANEL_FORMATS; i++) {
        changed_gemm[i] = *kernels->gemm[i];
        changed.gemm[i] = &changed_gemm[i];
    }
}

static void wrong_add(int n, real *y, const real *x) {
    usual->add(n, y, x);
    if (n == wrong_length) y[n - 1] = nextafterf(y[n - 1], INFINITY);
}

static real wrong_dot(int n, const real *x, const real *y) { return usual->dot(n, x, y) + (n == wrong_length); }

static real wrong_exp_sum(int n, const real *x, real *sum, real *e) {
    const real most = usual->exp_sum(n, x, sum, e);
    *sum = nextafterf(*sum, 0);
    return most;
}

/* -0 in place of 0 */
static void wrong_relu(int n, real *x) {
    usual->relu(n, x);
    for (int i = 0; i < n; i++)
        if (x[i] == 0) x[i] = -x[i];
}

static void spoil(void *steps) { ((unsigned char *)steps)[1] ^= 0x40; }

static void wrong_pack_rows(void *steps, int width, int first, const void *b, int ld, int cols, int k) {
    usual->gemm[PANELS_F32]->pack_rows(steps, width, first, b, ld, cols, k);
    spoil(steps);
}

static void wrong_pack_transposed(void *steps, int width, const void *b, int ld, int cols, int k) {
    usual->gemm[PANELS_F32]->pack_transposed(steps, width, b, ld, cols, k);
    spoil(steps);
}

static void wrong_pack_list(void *steps, int width, const real *const *rows, int col, int cols, int k) {
    usual->gemm[PANELS_F32]->pack_list(steps, width, rows, col, cols, k);
    spoil(steps);
}

static void run_kernels(void *unused) {
    (void)unused;
    bench_kernels();
}

/* With one thread, because a check that failed in another one would end the program. */
static void run_products(void *unused) {
    (void)unused;
    Threads *threads = threads_new(1);
    bench_gemm(threads, &rnn);
    threads_free(threads);
}

/* With the changed kernels, a part of the benchmark fails for this reason, which ends the program outside of a scope.
 */
static void check_fails(void (*part)(void *), const char *reason) {
    static Capture printed;
    char found[256] = "";
    Scope scope = {0};
    capture_start(&printed);
    kernels = &changed;
    const ScopeEnd end = scope_run(&scope, part, NULL, found, sizeof found);
    kernels = usual;
    capture_stop(&printed);
    scope_release(&scope);
    if (end != SCOPE_FAILED || !strstr(found, reason)) fail_msg("not '%s': %d, '%s'", reason, (int)end, found);
}

static void a_wrong_kernel_ends_the_program(void **unused) {
    (void)unused;
    static const int lengths[] = {1, 15, 16, 17, 100, 1024};
    char reason[64];
    change_kernels();
    changed.add = wrong_add;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        wrong_length = lengths[i];
        snprintf(reason, sizeof reason, "kernel add of %d: got ", wrong_length);
        check_fails(run_kernels, reason);
    }
    change_kernels();
    changed.dot = wrong_dot;
    check_fails(run_kernels, "kernel dot of 1024: got ");
    change_kernels();
    changed.exp_sum = wrong_exp_sum;
    check_fails(run_kernels, "kernel exp_sum of 1: got ");
    change_kernels();
    changed.relu = wrong_relu;
    check_fails(run_kernels, "kernel relu of 1");
}

/* Each kind of product is checked: plain, transposed, and the gradient of a weight. */
static void a_wrong_product_ends_the_program(void **unused) {
    (void)unused;
    change_kernels();
    changed_gemm[PANELS_F32].pack_rows = wrong_pack_rows;
    check_fails(run_products, "product h Uzr: got ");
    change_kernels();
    changed_gemm[PANELS_F32].pack_transposed = wrong_pack_transposed;
    check_fails(run_products, "product da Uzr': got ");
    change_kernels();
    changed_gemm[PANELS_F32].pack_list = wrong_pack_list;
    check_fails(run_products, "product dUzr = h' da: got ");
}

static const double slowly = 2e-6; /* seconds */

static void slow_add(int n, real *y, const real *x) {
    const double began = seconds_now();
    while (seconds_now() - began < slowly)
        ;
    usual->add(n, y, x);
}

/* The speeds of kernels fit the time that passed, and that of a slow kernel is known. */
static void the_speeds_of_kernels_fit_the_time(void **unused) {
    (void)unused;
    static Capture printed;
    char start[64];
    double x[MOST_NUMBERS] = {0}, least_time = 0;
    change_kernels();
    changed.add = slow_add;
    capture_start(&printed);
    kernels = &changed;
    bench_kernels();
    kernels = usual;
    capture_stop(&printed);
    char *rest = printed.text;
    assert_string_equal(next_line(&rest),
                        "kernels: each has the bits of the portable set; one thread, 1024 numbers in the cache");
    for (const RowKernel *kernel = row_kernels; kernel->name; kernel++) {
        snprintf(start, sizeof start, "  %s ", kernel->name);
        read_numbers(next_line(&rest), start, 1, x);
        /* Half of the 51 repetitions of three calls take at least the median. */
        least_time += 26 * 3 * 1024e-9 / (x[0] + 0.01);
        if (!strcmp(kernel->name, "add")) assert_true(x[0] < 1024e-9 / slowly + 0.01);
        else assert_true(x[0] > 0);
    }
    assert_string_equal(rest, "");
    assert_true(least_time <= printed.seconds);
}

/* ---- random weights ---- */

/* What an update of the model is given: the weights in the first update, and the steps. */
static struct {
    long all, first;              /* weights in all updates, and in the first one */
    double least, most, sum;      /* of the first ones */
    real correction, rate, scale; /* correction1 of the first update; the largest rate and gradient_scale */
} given;

static void note_adam(int n, const UpdateRule *rule, real *w, real *g, real *slot0, real *slot1) {
    if (!given.all) given.correction = rule->correction1;
    given.all += n;
    given.rate = fmaxf(given.rate, rule->rate);
    given.scale = fmaxf(given.scale, rule->gradient_scale);
    for (int i = 0; i < n && rule->correction1 == given.correction; i++, given.first++) {
        given.least = fmin(given.least, w[i]);
        given.most = fmax(given.most, w[i]);
        given.sum += w[i];
    }
    usual->adam(n, rule, w, g, slot0, slot1);
}

/* Numbers of 8 bits are noted as they are. */
static void note_pack_rows(void *steps, int width, int first, const void *b, int ld, int cols, int k) {
    for (int row = 0; row < k; row++)
        for (int col = 0; col < cols; col++, given.first++) {
            const double number = ((const int8_t *)b)[row * ld + col];
            given.least = fmin(given.least, number);
            given.most = fmax(given.most, number);
            given.sum += number;
        }
    usual->gemm[PANELS_I8]->pack_rows(steps, width, first, b, ld, cols, k);
}

/* The weights are spread evenly from -most to most. */
static void check_weights(double most) {
    const double n = (double)given.first;
    assert_true(given.most <= most && given.most > 0.999 * most);
    assert_true(given.least >= -most && given.least < -0.999 * most);
    assert_true(fabs(given.sum / n) < 5 * most / sqrt(3 * n)); /* five standard deviations of the mean */
}

static void weights_are_random(void **unused) {
    (void)unused;
    enum { UPDATES = 3, WARM = 2 };
    static Capture printed;
    Threads *threads = threads_new(1);
    memset(&given, 0, sizeof given);
    change_kernels();
    changed.adam = note_adam;
    capture_start(&printed);
    kernels = &changed;
    bench_step(threads, &transformer, UPDATES);
    kernels = usual;
    capture_stop(&printed);
    assert_int_equal(given.all, (UPDATES + WARM) * given.first);
    assert_true((double)given.first > weights_of(&transformer));
    assert_true(given.rate == (real)1e-3 && given.scale <= 1);
    check_weights(0.05);

    memset(&given, 0, sizeof given);
    change_kernels();
    changed_gemm[PANELS_I8].pack_rows = note_pack_rows;
    capture_start(&printed);
    kernels = &changed;
    bench_decode(threads, &transformer, (BenchDecoding){.int8 = true});
    kernels = usual;
    capture_stop(&printed);
    threads_free(threads);
    assert_true(given.first > 10000);
    check_weights(127);
}

/* ---- measurements ---- */

static void a_median_is_in_the_middle(void **unused) {
    (void)unused;
    double one[] = {7}, two[] = {5, 2}, odd[] = {3, 9, 1, 1, 4}, even[] = {8, 1, 2, 64};
    assert_true(bench_median(one, 1) == 7);
    assert_true(bench_median(two, 2) == 3.5);
    assert_true(bench_median(odd, 5) == 3);
    assert_true(bench_median(even, 4) == 5);
    assert_true(even[0] == 1 && even[1] == 2 && even[2] == 8 && even[3] == 64);
}

/* One thread's peak is the speed of the loop that measures it. Other programs can only slow down a measurement, so the
   best of many are compared, as many on both sides and as long. */
static void check_peak(PanelFormat format) {
    enum { ROUNDS = 1 << 21, EACH = 5, LEAST = 4, MOST = 40 };
    const GemmKernels *gemm = kernels->gemm[format];
    if (format != PANELS_F32 && !gemm->fma_rounds) gemm = kernels->gemm[PANELS_F32];
    const double operations = 2.0 * ROUNDS * gemm->tile_rows * gemm->tile_cols * gemm->k_step;
    Threads *threads = threads_new(1);
    double peak = 0, seconds = INFINITY, ratio = 0;
    for (int i = 0; i < MOST && (i < LEAST || fabs(ratio - 1) > 0.2); i++) {
        for (int k = 0; k < EACH; k++) {
            const double began = seconds_now();
            gemm->fma_rounds(ROUNDS, (real)0.5);
            seconds = fmin(seconds, seconds_now() - began);
        }
        if (gemm->leave) gemm->leave();
        peak = fmax(peak, bench_peak(threads, format));
        ratio = peak * seconds / operations;
    }
    if (!(fabs(ratio - 1) < 0.2)) fail_msg("format %d: %g times the speed of the loop", format, ratio);
    threads_free(threads);
}

static void the_peak_is_the_speed_of_its_loop(void **unused) {
    (void)unused;
    check_peak(PANELS_F32);
    check_peak(PANELS_BF16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_products_are_those_of_the_model), cmocka_unit_test(operations_are_six_for_each_weight),
        cmocka_unit_test(speeds_of_training_fit_together),     cmocka_unit_test(speeds_of_decoding_fit_the_time),
        cmocka_unit_test(a_wrong_kernel_ends_the_program),     cmocka_unit_test(a_wrong_product_ends_the_program),
        cmocka_unit_test(the_speeds_of_kernels_fit_the_time),  cmocka_unit_test(weights_are_random),
        cmocka_unit_test(a_median_is_in_the_middle),           cmocka_unit_test(the_peak_is_the_speed_of_its_loop),
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
