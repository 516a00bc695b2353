/* test_validation.c: the statistics of a validation: attention and lengths; the line about corpora of the same size;
   the files of a validation. */
#include "io/ds.h"
#include "io/files.h"
#include "io/output.h"
#include "text/side.h"
#include "train/outputs.h"
#include "train/reached.h"
#include "train/train_options.h"
#include "train/validation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "scratch.h"

enum { PIECES = 4 };

/* Returns the attention statistics of one sentence with PIECES source pieces, including </s>, and `rows` target
   rows. */
static AttentionStats stats_of(const real (*alpha)[PIECES], int rows) {
    Hypothesis h = {.length = rows, .alpha = alpha ? *alpha : NULL};
    Nbest nbest[] = {{.list = &h, .count = 1, .source_length = PIECES}, {.source_length = 1}};
    return attention_stats(&(Translations){.n = 2, .nbest = nbest});
}

static void assert_near(double actual, double expected) {
    if (fabs(actual - expected) > 1e-6) fail_msg("%.9g is not %.9g", actual, expected);
}

static void sharp_attention_is_not_degenerate(void **state) {
    (void)state;
    const real alpha[][PIECES] = {{1, 0, 0, 0}, {0, 0, 1, 0}, {0, .5f, .5f, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}};
    AttentionStats l = stats_of(alpha, 5);
    assert_int_equal(l.rows, 5);
    assert_near(l.entropy, log(2) / 5);
    assert_near(l.evenness, log(2) / 5 / log(4));
    /* The third row has a tie between the second and third piece: the second counts. The second row chose the third. */
    assert_near(l.diversity, 1);
    assert_false(attention_degenerate(&l));
}

static void even_attention_is_degenerate(void **state) {
    (void)state;
    const real alpha[][PIECES] = {{.26f, .25f, .25f, .24f}, {.25f, .26f, .24f, .25f}, {.24f, .25f, .26f, .25f}};
    AttentionStats l = stats_of(alpha, 3);
    assert_near(l.diversity, 1);
    assert_true(l.evenness > 0.99 && l.evenness < 1);
    assert_true(attention_degenerate(&l));
}

static void attention_to_one_place_is_degenerate(void **state) {
    (void)state;
    enum { LONG = 9 };
    real alpha[LONG][LONG] = {0};
    for (int i = 0; i < LONG; i++) alpha[i][3 + i / 8] = 1;
    Hypothesis h = {.length = LONG, .alpha = *alpha};
    Nbest nbest = {.list = &h, .count = 1, .source_length = LONG};
    AttentionStats l = attention_stats(&(Translations){.n = 1, .nbest = &nbest});
    assert_near(l.diversity, 2. / 9);
    assert_near(l.entropy, 0);
    assert_true(attention_degenerate(&l));
}

/* A translation may have any length; the number of chosen source pieces is at most the number of rows. */
static void a_short_translation_has_few_choices(void **state) {
    (void)state;
    const real alpha[][PIECES] = {{1, 0, 0, 0}, {0, 0, 0, 1}};
    assert_near(stats_of(alpha, 2).diversity, 1);
}

static void without_attention_there_is_nothing_to_say(void **state) {
    (void)state;
    AttentionStats l = stats_of(NULL, 3);
    assert_int_equal(l.rows, 0);
    assert_false(attention_degenerate(&l));
}

static void every_sentence_has_one_length(void **state) {
    (void)state;
    static const int pieces[] = {1, 5, 6, 10, 40, 41, 400};
    enum { N = sizeof pieces / sizeof *pieces };
    char *const right = "a b c d e", *const wrong = "v w x y z", *hypotheses[N], *references[N];
    int *source[N];
    for (int i = 0; i < N; i++) {
        source[i] = NULL;
        arrsetlen(source[i], pieces[i] + 1); /* plus </s> */
        hypotheses[i] = pieces[i] > 10 ? wrong : right;
        references[i] = right;
    }
    LengthBleu lengths[LENGTHS];
    bleu_by_length(&(Translations){.n = N, .source = source}, hypotheses, references, (BleuOptions){0}, lengths);
    static const LengthBleu expected[LENGTHS] = {{5, 2, 100}, {10, 2, 100}, {15, 0, 0}, {20, 0, 0},
                                                 {30, 0, 0},  {40, 1, 0},   {0, 2, 0}};
    for (int k = 0; k < LENGTHS; k++) {
        assert_int_equal(lengths[k].most, expected[k].most);
        assert_int_equal(lengths[k].sentences, expected[k].sentences);
        if (expected[k].bleu > 0) assert_near(lengths[k].bleu, expected[k].bleu);
        else assert_true(lengths[k].bleu < 20);
    }
    for (int i = 0; i < N; i++) arrfree(source[i]);
}

/* The earlier validation is better on a tie; the first one is better than none, whatever its value. */
static void each_metric_has_its_direction(void **state) {
    (void)state;
    static const bool smaller[VALID_METRICS] = {[VALID_CE_MEAN_WORDS] = true, [VALID_PERPLEXITY] = true};
    for (int m = 0; m < VALID_METRICS; m++) {
        const ValidMetric metric = (ValidMetric)m;
        assert_int_equal(valid_metric_is_better(metric, 2, 3), smaller[m]);
        assert_int_equal(valid_metric_is_better(metric, 3, 2), !smaller[m]);
        assert_false(valid_metric_is_better(metric, 2, 2));
        assert_true(valid_metric_is_better(metric, 0, -1));
        assert_true(valid_metric_is_better(metric, 1e15, -1));
    }
}

/* The number in the description that follows `before`. */
static double reached(long pairs, const char *before) {
    char text[320];
    reached_describe(text, sizeof text, pairs);
    assert_true(strlen(text) < sizeof text - 1);
    const char *number = strstr(text, before);
    if (!number) fail_msg("%s: no '%s'", text, before);
    return number ? strtod(number + strlen(before), NULL) : NAN;
}

static void larger_corpora_reach_more(void **state) {
    (void)state;
    assert_int_equal(reached(700, "BLEU of less than "), reached(1000, "BLEU of about "));
    assert_true(reached(1000, "BLEU of about ") < reached(2000, "BLEU of about "));
    assert_true(reached(2000, "BLEU of about ") < reached(3000, "BLEU of about "));
    assert_int_equal(reached(2000, "6000 about "), reached(6000, "BLEU of about "));
    assert_int_equal(reached(700, "3000 about "), reached(3000, "BLEU of about "));
    assert_int_equal(reached(15000, "37623 about "), reached(37623, "BLEU of about "));
    assert_int_equal(reached(1000000, "BLEU of more than "), reached(37623, "BLEU of about "));
    reached(37622, "More pairs help most");
    reached(37623, "English text without translations help");
}

/* ---- translations of the dev set ---- */

static char model[SCRATCH_SIZE];

static void put(const char *name, const char *text) {
    char path[PATH_SIZE];
    Err err;
    path_in(path, model, name);
    assert_int_equal(output_write(path, text, strlen(text), &err), 0);
}

static void make_folder(const char *name) {
    char path[PATH_SIZE];
    Err err;
    path_in(path, model, name);
    assert_int_equal(directory_make(path, &err), 0);
}

static void assert_file(const char *name, const char *expected) {
    char path[PATH_SIZE];
    Err err;
    path_in(path, model, name);
    char *text = file_read(path, NULL, &err);
    if (expected) assert_string_equal(text, expected);
    else assert_null(text);
    mem_free(text);
}

static void assert_no_folder(const char *name, const Err *err) {
    char path[PATH_SIZE];
    path_in(path, model, name);
    assert_string_equal(err->path, path);
    assert_int_equal(strncmp(err->reason, "cannot be written: ", 19), 0);
}

static void outputs_are_written_and_cut(void **state) {
    (void)state;
    char *source[] = {"潮", "水"}, *reference[] = {"tide", ""}, **texts[2] = {NULL, NULL};
    Err err;
    scratch_directory(model);
    for (int i = 0; i < 2; i++) {
        arrput(texts[SOURCE], source[i]);
        arrput(texts[TARGET], reference[i]);
    }
    assert_int_equal(outputs_write_pairs(model, texts, &err), 0);
    assert_file("valid/source.txt", "潮\n水\n");
    assert_file("valid/reference.txt", "tide\n\n");
    for (long update = 8; update <= 12; update += 2) {
        assert_int_equal(outputs_write(model, update, reference, (int)update / 6, &err), 0);
        char name[32];
        snprintf(name, sizeof name, "align/%08ld.json", update);
        make_folder("align");
        put(name, "[]");
    }
    assert_file("valid/00000008.out", "tide\n");
    assert_file("valid/00000012.out", "tide\n\n");

    assert_int_equal(outputs_cut(model, 10, true, &err), -1); /* there is no log */
    put("train.jsonl",
        "{\"update\": 8, \"valid_loss\": 1}\n{\"update\": 10, \"loss\": 1}\n{\"update\": 100, \"valid_loss\": 1}\n");
    assert_int_equal(outputs_cut(model, 10, true, &err), 0);
    assert_file("valid/00000012.out", NULL);
    assert_file("align/00000012.json", NULL);
    assert_file("valid/00000010.out", "tide\n");
    assert_file("align/00000010.json", "[]");
    assert_int_equal(outputs_cut(model, 10, false, &err), 0); /* the log has no validation of update 10 */
    assert_file("valid/00000010.out", NULL);
    assert_file("align/00000010.json", NULL);
    assert_int_equal(outputs_cut(model, 8, false, &err), 0);
    assert_file("valid/00000008.out", "tide\n");
    assert_file("align/00000008.json", "[]");
    assert_file("valid/source.txt", "潮\n水\n");
    scratch_remove(model);

    scratch_directory(model); /* each file that cannot be written is named */
    make_folder("valid");
    make_folder("valid/reference.txt");
    assert_int_equal(outputs_write_pairs(model, texts, &err), -1);
    assert_no_folder("valid/reference.txt", &err);
    make_folder("valid/00000003.out");
    assert_int_equal(outputs_write(model, 3, reference, 2, &err), -1);
    assert_no_folder("valid/00000003.out", &err);
    scratch_remove(model);
    scratch_directory(model);
    make_folder("valid");
    make_folder("valid/source.txt");
    assert_int_equal(outputs_write_pairs(model, texts, &err), -1);
    assert_no_folder("valid/source.txt", &err);
    scratch_remove(model);
    arrfree(texts[SOURCE]);
    arrfree(texts[TARGET]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharp_attention_is_not_degenerate),
        cmocka_unit_test(even_attention_is_degenerate),
        cmocka_unit_test(attention_to_one_place_is_degenerate),
        cmocka_unit_test(a_short_translation_has_few_choices),
        cmocka_unit_test(without_attention_there_is_nothing_to_say),
        cmocka_unit_test(every_sentence_has_one_length),
        cmocka_unit_test(each_metric_has_its_direction),
        cmocka_unit_test(larger_corpora_reach_more),
        cmocka_unit_test(outputs_are_written_and_cut),
    };
    return cmocka_run_group_tests_name("validation", tests, NULL, NULL);
}
