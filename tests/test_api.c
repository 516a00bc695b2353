/* The public API gives what the program gives, and says why where it cannot. */
#include "core/kernels.h"
#include "text/ds.h"
#include "text/unicode.h"
#include "tide.h"
#include "train/checkpoint.h"
#include "train/translator.h"
#include "words.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char *const source_texts[] = {"潮水退了。", "大家都在海边。", "谁没穿鞋?"};
static char *const target_texts[] = {"The tide went out.", "Everyone is by the sea.", "Who is not wearing shoes?"};

/* A translator into a language with random weights, written to a file. */
static void write_model_into(Translator *t, const char *lang, char *const texts[3], uint64_t seed, const char *path) {
    Err err;
    *t = (Translator){0};
    options_default(&t->options);
    snprintf(t->options.langs[1], sizeof t->options.langs[1], "%s", lang);
    t->options.dim_emb = 8;
    t->options.dim_rnn = 12;
    t->options.dim_att = 10;
    t->options.dim_maxout = 6;
    side_learn(&t->source, TOKENIZER_CHAR, words_of(TOKENIZER_CHAR, source_texts, 3), 0, 0);
    side_learn(&t->target, TOKENIZER_BPE, words_of(TOKENIZER_BPE, texts, 3), 20, 0);
    translator_begin(t);
    params_allocate(&t->model.params);
    Rng rng = rng_seed(seed, 0);
    for (size_t i = 0; i < t->model.params.size; i++) t->model.params.values[i] = (real)(0.5 * rng_normal(&rng));
    assert_int_equal(translator_save(t, path, &err), 0);
}

static void write_model(Translator *t, uint64_t seed, const char *path) {
    write_model_into(t, "en", target_texts, seed, path);
}

static void check_against(const TideTranslation *api, const Translations *found, const Translator *t) {
    const Hypothesis *h = &found->nbest[0].list[0];
    char *text = translation_text(found, t, 0, 0);
    assert_string_equal(api->text, text);
    assert_int_equal(api->target_pieces, h->length);
    assert_int_equal(api->source_pieces, (int)arrlen(found->source[0]));
    assert_string_equal(api->source[api->source_pieces - 1], "</s>");
    assert_true(fabs(api->log_probability - h->log_probability) < 1e-12);
    assert_memory_equal(api->alignment, h->alpha,
                        (size_t)api->source_pieces * (size_t)api->target_pieces * sizeof(float));
    mem_free(text);
}

static void translates_as_the_program_does(void **state) {
    (void)state;
    char path[] = "/tmp/tide-api-XXXXXX", error[256] = "";
    assert_true(close(mkstemp(path)) == 0);
    Translator t;
    write_model(&t, 5, path);
    TideModel *model = tide_load(path, 2, error, sizeof error);
    assert_non_null(model);
    Threads *threads = threads_new(1);
    Tape tape;
    tape_init(&tape, threads, rng_seed(0, 0));
    for (int i = 0; i < 3; i++) {
        TideTranslation api;
        assert_int_equal(tide_translate(model, source_texts[i], 3, &api), 0);
        BeamOptions options = translator_beam_options(&t);
        options.beam = 3;
        Translations found = translate(&tape, &t, &source_texts[i], 1, &options, 1, NULL, NULL);
        check_against(&api, &found, &t);
        translations_free(&found);
        tide_translation_free(&api);
    }
    TideTranslation none;
    assert_int_equal(tide_translate(model, "", 0, &none), 0);
    assert_string_equal(none.text, "");
    tide_translation_free(&none);
    assert_int_equal(tide_translate(model, "\xff", 0, &none), -1);
    char endless[2 * 1001 + 1] = "";
    for (int i = 0; i < 1001; i++) strcat(endless, "a ");
    assert_int_equal(tide_translate(model, endless, 0, &none), -1);
    tide_free(model);
    tape_free(&tape);
    threads_free(threads);
    translator_free(&t);
    unlink(path);
}

/* Loaded for use, a model has no memory for weights or gradients; to be trained on, it has both, with the same weights
   in it. */
static void weights_stay_in_the_file_unless_they_are_trained(void **state) {
    (void)state;
    char dir[] = "/tmp/tide-api-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    Err err, warning;
    Translator written, used, trained;
    Optimizer optimizer;
    TrainState at = {0};
    write_model(&written, 5, path);
    optimizer_init(&optimizer, OPTIMIZER_ADAM, written.model.params.size);
    assert_int_equal(checkpoint_save(dir, &written, &optimizer, &at, &err), 0);
    optimizer_free(&optimizer);
    assert_int_equal(translator_load(&used, dir, &err), 0);
    assert_int_equal(checkpoint_load(dir, &trained, &optimizer, &at, &warning, &err), 1);
    assert_null(used.model.params.values);
    assert_null(used.model.params.gradients);
    assert_non_null(trained.model.params.gradients);
    for (int i = 0; i < written.model.params.count; i++) {
        const Var *w = &written.model.params.list[i]->var, *u = &used.model.params.list[i]->var,
                  *t = &trained.model.params.list[i]->var;
        size_t bytes = (size_t)w->rows * (size_t)w->cols * sizeof(real);
        assert_memory_equal(u->v, w->v, bytes);
        assert_memory_equal(t->v, w->v, bytes);
        assert_null(u->g);
        assert_ptr_equal(t->v, trained.model.params.values + trained.model.params.list[i]->offset);
    }
    optimizer_free(&optimizer);
    translator_free(&written);
    translator_free(&used);
    translator_free(&trained);
    unlink(path);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", dir);
    unlink(path);
    rmdir(dir);
}

/* Numbers from which a training cannot go on counting, or only by counting for years. */
static void a_state_that_no_training_reaches_is_refused(void **state) {
    (void)state;
    const TrainState states[] = {{0},
                                 {.update = 3, .epoch = 1000000000},
                                 {.epoch = LONG_MAX},
                                 {.update = LONG_MAX},
                                 {.batch = -1},
                                 {.stalled = INT_MAX},
                                 {.best_bleu = NAN},
                                 {.report_nats = INFINITY}};
    char dir[] = "/tmp/tide-api-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", dir);
    Err err, warning;
    Translator t;
    Optimizer optimizer, again;
    write_model(&t, 5, path);
    optimizer_init(&optimizer, OPTIMIZER_ADAM, t.model.params.size);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        Translator read;
        TrainState at = {0};
        assert_int_equal(checkpoint_save(dir, &t, &optimizer, &states[i], &err), 0);
        snprintf(path, sizeof path, "%s/checkpoint.prev.safetensors", dir);
        unlink(path);
        int status = checkpoint_load(dir, &read, &again, &at, &warning, &err);
        assert_int_equal(status, i < 2 ? 1 : -1);
        if (status < 0) {
            assert_non_null(strstr(err.reason, "not a checkpoint of a training"));
            continue;
        }
        translator_free(&read);
        optimizer_free(&again);
    }
    optimizer_free(&optimizer);
    translator_free(&t);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", dir);
    unlink(path);
    rmdir(dir);
}

static double first_score(TideModel *model) {
    TideTranslation t;
    assert_int_equal(tide_translate(model, source_texts[0], 3, &t), 0);
    double score = t.log_probability;
    tide_translation_free(&t);
    return score;
}

/* Every load has a view of its own, of the file as it was then. */
static void a_file_may_be_loaded_twice_and_replaced(void **state) {
    (void)state;
    char path[] = "/tmp/tide-api-XXXXXX", error[256] = "";
    assert_true(close(mkstemp(path)) == 0);
    Translator t, other;
    write_model(&t, 5, path);
    TideModel *first = tide_load(path, 1, error, sizeof error), *second = tide_load(path, 2, error, sizeof error);
    assert_true(first && second);
    const double right = first_score(first);
    assert_true(first_score(second) == right);
    tide_free(first);
    write_model(&other, 6, path);
    assert_true(first_score(second) == right);
    TideModel *third = tide_load(path, 1, error, sizeof error);
    assert_true(third && first_score(third) != right);
    unlink(path);
    assert_true(first_score(second) == right);
    tide_free(second);
    tide_free(third);
    translator_free(&t);
    translator_free(&other);
}

/* Sizes that the tensors do not have: refused before memory is asked for. */
static void sizes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    char dir[] = "/tmp/tide-api-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    Err err, warning;
    Translator t, read;
    Optimizer optimizer;
    TrainState at = {0};
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    write_model(&t, 5, path);
    t.options.dim_rnn = t.options.dim_emb = 65536;
    optimizer_init(&optimizer, OPTIMIZER_SGD, t.model.params.size);
    assert_int_equal(checkpoint_save(dir, &t, &optimizer, &at, &err), 0);
    optimizer_free(&optimizer);
    assert_int_equal(translator_save(&t, path, &err), 0);
    assert_int_equal(translator_load(&read, dir, &err), -1);
    assert_non_null(strstr(err.reason, "is needed"));
    assert_int_equal(checkpoint_load(dir, &read, &optimizer, &at, &warning, &err), -1);
    assert_non_null(strstr(err.reason, "is needed"));
    translator_free(&t);
    unlink(path);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", dir);
    unlink(path);
    rmdir(dir);
}

/* What the target holds of Han is written into Chinese, not into English. */
static void han_is_written_where_it_belongs(void **state) {
    (void)state;
    static char *const texts[] = {"海 is the sea.", "大家 is everyone.", "海边 is by the sea."};
    static const char *const langs[] = {"en", "zh"};
    char path[] = "/tmp/tide-api-XXXXXX", error[256] = "";
    assert_true(close(mkstemp(path)) == 0);
    for (int i = 0; i < 2; i++) {
        Translator t;
        TideTranslation out;
        bool han = false;
        write_model_into(&t, langs[i], texts, 5, path);
        TideModel *model = tide_load(path, 1, error, sizeof error);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(tide_translate(model, source_texts[k], 3, &out), 0);
            assert_true(out.text[0]);
            han = han || text_has_han(out.text);
            tide_translation_free(&out);
        }
        assert_int_equal(han, i);
        tide_free(model);
        translator_free(&t);
    }
    unlink(path);
}

static void says_why_a_model_cannot_be_loaded(void **state) {
    (void)state;
    char error[256] = "";
    assert_null(tide_load("/nowhere/model", 1, error, sizeof error));
    assert_non_null(strstr(error, "/nowhere/model"));
    assert_null(tide_load("/nowhere/model", 0, error, sizeof error));
    assert_string_equal(error, "0 threads");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translates_as_the_program_does),
        cmocka_unit_test(weights_stay_in_the_file_unless_they_are_trained),
        cmocka_unit_test(a_state_that_no_training_reaches_is_refused),
        cmocka_unit_test(a_file_may_be_loaded_twice_and_replaced),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(han_is_written_where_it_belongs),
        cmocka_unit_test(says_why_a_model_cannot_be_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
