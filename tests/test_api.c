/* The public API gives what the program gives, and says why where it cannot. */
#include "core/kernels.h"
#include "text/ds.h"
#include "tide.h"
#include "train/translator.h"

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

/* A translator with random weights, written to a file. */
static void write_model(Translator *t, const char *path) {
    Err err;
    *t = (Translator){0};
    options_default(&t->options);
    t->options.dim_emb = 8;
    t->options.dim_rnn = 12;
    t->options.dim_att = 10;
    t->options.dim_maxout = 6;
    side_learn(&t->source, TOKENIZER_CHAR, source_texts, 3, 0, 0);
    side_learn(&t->target, TOKENIZER_BPE, target_texts, 3, 20, 0);
    ModelConfig config = translator_model_config(&t->options, &t->source, &t->target);
    model_init(&t->model, &config);
    Rng rng = rng_seed(5, 0);
    for (size_t i = 0; i < t->model.params.size; i++) t->model.params.values[i] = (real)(0.5 * rng_normal(&rng));
    assert_int_equal(translator_save(t, path, &err), 0);
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
    write_model(&t, path);
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
    tide_free(model);
    tape_free(&tape);
    threads_free(threads);
    translator_free(&t);
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
        cmocka_unit_test(says_why_a_model_cannot_be_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
