/* Tests the public API: it gives the results of the program, or the reason of an error. */
#include "core/kernels.h"
#include "text/ds.h"
#include "text/files.h"
#include "text/unicode.h"
#include "tide.h"
#include "train/checkpoint.h"
#include "translate/session.h"
#include "refusal.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "random_model.h"
#include "scratch.h"

/* Returns the options of a training of this model. */
static TrainOptions training_of(const Translator *t) {
    TrainOptions options = {0};
    options_default(train_option_tables, &options);
    options.model = t->options;
    return options;
}

static void write_model(Translator *t, uint64_t seed, const char *path) {
    write_model_into(t, "en", target_texts, seed, path);
}

static void check_against(const TideTranslation *api, const Translations *found) {
    const Hypothesis *h = &found->nbest[0].list[0];
    char *text = translation_text(found, 0, 0);
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
    char path[SCRATCH_SIZE], error[256] = "";
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    TideModel *model = tide_load(path, 2, error, sizeof error);
    assert_non_null(model);
    Threads *threads = threads_new(1);
    Session session;
    session_init(&session, (const Translator *[]){&t}, 1, threads);
    for (int i = 0; i < 3; i++) {
        TideTranslation api;
        assert_int_equal(tide_translate(model, source_texts[i], 3, &api), 0);
        BeamOptions options = translator_beam_options(&t);
        options.beam = 3;
        Translations found = session_translate(&session, &source_texts[i], 1, &options, 1, NULL, NULL);
        check_against(&api, &found);
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
    session_free(&session);
    threads_free(threads);
    translator_free(&t);
    unlink(path);
}

/* Checks that a shared parameter has these values or their panels. */
static void check_shared(const Param *shared, const Var *values) {
    const SharedWeight *weight = &shared->shared;
    if (weight->values) {
        assert_memory_equal(weight->values, values->v, var_size(values) * sizeof(real));
        return;
    }
    const size_t bytes = packed_size(values->rows, values->cols) * sizeof(real);
    const Operand b = {.k = values->rows, .n = values->cols, .b = values->v, .ld = values->cols};
    Threads *threads = threads_new(1);
    real *panels = mem_alloc_aligned(bytes);
    operand_pack(threads, b, panels);
    assert_memory_equal(weight->panels.numbers, panels, bytes);
    mem_free(panels);
    threads_free(threads);
}

/* A model that is loaded for translation has shared values and no gradients; one that is loaded for training has its
   own blocks of values and gradients. The values are equal. */
static void weights_are_shared_unless_they_are_trained(void **state) {
    (void)state;
    char dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32];
    scratch_directory(dir);
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    Err err, warning;
    Translator written, used, trained;
    Optimizer optimizer;
    TrainState at = {0};
    write_model(&written, 5, path);
    TrainOptions options = training_of(&written), again;
    params_optimizer(&written.model.params, optimizer_kind("adam"), &optimizer);
    assert_int_equal(checkpoint_save(dir, &written, &options, &optimizer, &at, &err), 0);
    optimizer_free(&optimizer);
    assert_int_equal(model_load(&used, dir, &err), 0);
    assert_int_equal(checkpoint_load(dir, &trained, &again, &optimizer, &at, &warning, &err), 1);
    assert_null(used.model.params.values);
    assert_null(used.model.params.gradients);
    assert_non_null(trained.model.params.gradients);
    for (int i = 0; i < written.model.params.count; i++) {
        const Var *w = &written.model.params.list[i]->var, *u = &used.model.params.list[i]->var,
                  *t = &trained.model.params.list[i]->var;
        size_t bytes = (size_t)w->rows * (size_t)w->cols * sizeof(real);
        check_shared(used.model.params.list[i], w);
        assert_memory_equal(t->v, w->v, bytes);
        assert_null(u->g);
        assert_ptr_equal(t->v, trained.model.params.values + trained.model.params.list[i]->offset);
    }
    optimizer_free(&optimizer);
    translator_free(&written);
    translator_free(&used);
    translator_free(&trained);
    scratch_remove(dir);
}

/* A model file keeps the options of its training, although translation does not use them. */
static void a_model_keeps_the_options_of_its_training(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Err err;
    Translator t, read;
    write_model(&t, 5, path);
    const char *configuration =
        "seed = 7\ndim-emb = 8\ndim-rnn = 12\ndim-att = 10\ndim-maxout = 6\nnew-option = a b c\n";
    assert_int_equal(model_save(&t, configuration, path, &err), 0);
    assert_int_equal(model_load(&read, path, &err), 0);
    assert_string_equal(read.configuration, configuration);
    assert_int_equal(read.options.dim_rnn, 12);
    translator_free(&read);
    assert_int_equal(model_save(&t, "dim-emb = 8\nnew-option\n", path, &err), 0);
    assert_int_equal(model_load(&read, path, &err), -1);
    assert_int_equal(err.line, 2);
    assert_string_equal(err.reason, "expected `key = value`");
    translator_free(&t);
    unlink(path);
}

/* The first two states are valid. The others have numbers that no training reaches: a training from them would
   overflow, or count for years. */
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
    char dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32];
    scratch_directory(dir);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", dir);
    Err err, warning;
    Translator t;
    Optimizer optimizer, again;
    write_model(&t, 5, path);
    params_optimizer(&t.model.params, optimizer_kind("adam"), &optimizer);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        Translator read;
        TrainOptions options = training_of(&t);
        TrainState at = {0};
        assert_int_equal(checkpoint_save(dir, &t, &options, &optimizer, &states[i], &err), 0);
        snprintf(path, sizeof path, "%s/checkpoint.prev.safetensors", dir);
        unlink(path);
        int status = checkpoint_load(dir, &read, &options, &again, &at, &warning, &err);
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
    scratch_remove(dir);
}

static double first_score(TideModel *model) {
    TideTranslation t;
    assert_int_equal(tide_translate(model, source_texts[0], 3, &t), 0);
    double score = t.log_probability;
    tide_translation_free(&t);
    return score;
}

/* A loaded model keeps its values if the file is replaced, overwritten, cut or deleted afterwards. */
static void a_file_may_be_loaded_twice_and_changed(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], error[256] = "";
    scratch_file(path);
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
    const double changed = first_score(third);
    FILE *out = fopen(path, "r+b");
    for (int i = 0; i < 4096; i++) fputc(0xff, out);
    assert_int_equal(fclose(out), 0);
    assert_true(first_score(third) == changed);
    assert_int_equal(truncate(path, 0), 0);
    assert_true(first_score(third) == changed);
    unlink(path);
    assert_true(first_score(second) == right);
    tide_free(second);
    tide_free(third);
    translator_free(&t);
    translator_free(&other);
}

/* A model without a checksum loads with a warning; with a checksum the warning is empty. */
static void warns_of_a_missing_checksum(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], error[512] = "old", right[512];
    scratch_file(path);
    Err err;
    Translator t;
    write_model(&t, 5, path);
    TideModel *model = tide_load(path, 1, error, sizeof error);
    assert_non_null(model);
    assert_string_equal(error, "");
    tide_free(model);
    size_t size;
    char *bytes = file_read(path, &size, &err);
    memcpy(memmem(bytes, size, "\"checksum\"", 10), "\"other---\"", 10);
    assert_int_equal(file_replace(path, (const void *[]){bytes}, &size, 1, &err), 0);
    model = tide_load(path, 1, error, sizeof error);
    assert_non_null(model);
    snprintf(right, sizeof right, "%s: the file has no checksum, so that damage to it would not be noticed", path);
    assert_string_equal(error, right);
    tide_free(model);
    mem_free(bytes);
    unlink(path);
    translator_free(&t);
}

/* Sizes that differ from those of the tensors are refused before memory is allocated. */
static void sizes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    char dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32];
    scratch_directory(dir);
    Err err, warning;
    Translator t, read;
    Optimizer optimizer;
    TrainState at = {0};
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    write_model(&t, 5, path);
    t.options.dim_rnn = t.options.dim_emb = 65536;
    TrainOptions options = training_of(&t);
    params_optimizer(&t.model.params, optimizer_kind("sgd"), &optimizer);
    assert_int_equal(checkpoint_save(dir, &t, &options, &optimizer, &at, &err), 0);
    optimizer_free(&optimizer);
    assert_int_equal(save(&t, path, &err), 0);
    assert_int_equal(model_load(&read, dir, &err), -1);
    assert_non_null(strstr(err.reason, "is needed"));
    assert_int_equal(checkpoint_load(dir, &read, &options, &optimizer, &at, &warning, &err), -1);
    assert_non_null(strstr(err.reason, "is needed"));
    translator_free(&t);
    scratch_remove(dir);
}

/* Target pieces with Han are written in Chinese, but not in English. */
static void han_is_written_in_chinese_only(void **state) {
    (void)state;
    static char *const texts[] = {"海 is the sea.", "大家 is everyone.", "海边 is by the sea."};
    static const char *const langs[] = {"en", "zh"};
    char path[SCRATCH_SIZE], error[256] = "";
    scratch_file(path);
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

/* The host program's allocator for cJSON is not replaced, and may fail. */
static void keeps_the_cjson_hooks_of_the_host(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], error[256] = "";
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    cjson_refuse_begin();
    cjson_refuse(7);
    assert_null(tide_load(path, 1, error, sizeof error));
    assert_non_null(strstr(error, ": no memory for the header"));
    cjson_refuse(0);
    TideModel *model = tide_load(path, 1, error, sizeof error);
    assert_non_null(model);
    cjson_refuse(1);
    assert_null(cJSON_CreateObject());
    cjson_refuse_end();
    tide_free(model);
    translator_free(&t);
    unlink(path);
}

/* The host's locale may write numbers with a comma, in the whole process or in one thread. tests/e2e_locale.sh makes
   this locale. */
static void loads_in_any_locale(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    char path[SCRATCH_SIZE], error[256] = "";
    scratch_file(path);
    Translator t;
    setlocale(LC_ALL, "C");
    write_model(&t, 5, path);
    TideModel *point = tide_load(path, 1, error, sizeof error);
    assert_non_null(point);
    const double right = first_score(point);
    tide_free(point);
    setlocale(LC_ALL, "de_DE.UTF-8");
    TideModel *process = tide_load(path, 1, error, sizeof error);
    assert_string_equal(error, "");
    assert_true(process && first_score(process) == right);
    assert_string_equal(localeconv()->decimal_point, ",");
    assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
    const locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
    uselocale(comma);
    TideModel *thread = tide_load(path, 1, error, sizeof error);
    assert_true(thread && first_score(thread) == right);
    assert_ptr_equal(uselocale(LC_GLOBAL_LOCALE), comma);
    freelocale(comma);
    tide_free(process);
    tide_free(thread);
    translator_free(&t);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translates_as_the_program_does),
        cmocka_unit_test(a_model_keeps_the_options_of_its_training),
        cmocka_unit_test(weights_are_shared_unless_they_are_trained),
        cmocka_unit_test(a_state_that_no_training_reaches_is_refused),
        cmocka_unit_test(a_file_may_be_loaded_twice_and_changed),
        cmocka_unit_test(warns_of_a_missing_checksum),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(han_is_written_in_chinese_only),
        cmocka_unit_test(says_why_a_model_cannot_be_loaded),
        cmocka_unit_test(keeps_the_cjson_hooks_of_the_host),
        cmocka_unit_test(loads_in_any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
