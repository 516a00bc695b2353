/* Options: what is accepted comes back from the configuration that a model carries; the rest is refused. */
#include "core/base.h"
#include "model/model.h"
#include "train/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void assert_comes_back(const Options *options) {
    Err err;
    Options again;
    char *text = options_configuration(options), left[64], right[64];
    options_default(&again);
    if (options_read(&again, text, "config", &err)) fail_msg("line %ld: %s", err.line, err.reason);
    const Option *option = options_differ(NULL, options, &again, left, right);
    if (option) fail_msg("%s was %s and became %s", option->name, left, right);
    mem_free(text);
}

static void configurations_come_back(void **state) {
    (void)state;
    Err err;
    Options options;
    options_default(&options);
    assert_comes_back(&options);
    const char *text = "langs = zh-Hans pt_BR # a comment\r\n\ntokenizer=none bpe\n dim-vocabs\t= 0 5\nlearn-rate = "
                       "1.23456789012e-4\nlr-decay = 0x1p-2\nattention = none\nseed = 2147483647";
    assert_int_equal(options_read(&options, text, "config", &err), 0);
    assert_string_equal(options.langs[1], "pt_BR");
    assert_int_equal(options.dim_vocabs[1], 5);
    assert_true(options.lr_decay == 0.25);
    assert_comes_back(&options);
}

/* What may be asked for is there, under that name. */
static const char *attention_name(const char *name) { return attention_kind(name) ? attention_kind(name)->name : NULL; }
static const char *encoder_name(const char *name) { return encoder_kind(name) ? encoder_kind(name)->name : NULL; }
static const char *arch_name(const char *name) { return arch_named(name) ? arch_named(name)->name : NULL; }

static void every_kind_that_may_be_chosen_is_there(void **state) {
    (void)state;
    static const struct {
        const char *option, *(*name_of)(const char *name);
    } kinds[] = {{"attention", attention_name}, {"encoder", encoder_name}, {"arch", arch_name}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char names[128], *rest = NULL;
        snprintf(names, sizeof names, "%s", option_find(kinds[i].option)->choices);
        for (const char *name = strtok_r(names, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
            if (!kinds[i].name_of(name)) fail_msg("no %s is called %s", kinds[i].option, name);
            assert_string_equal(kinds[i].name_of(name), name);
        }
        assert_null(kinds[i].name_of("magic"));
    }
}

/* Heads are equally wide, where there are any. */
static void heads_share_what_they_can_divide(void **state) {
    (void)state;
    Options options;
    Err err;
    options_default(&options);
    options.dim_att = 18;
    options.heads = 4;
    assert_int_equal(options_check(&options, &err), 0);
    snprintf(options.attention, sizeof options.attention, "multi-head");
    assert_int_equal(options_check(&options, &err), -1);
    assert_non_null(strstr(err.reason, "--heads 4"));
    options.heads = 6;
    assert_int_equal(options_check(&options, &err), 0);
    options.dim_rnn = 20; /* as wide as self-attention beside an RNNsearch's decoder, and not a Transformer's */
    snprintf(options.encoder, sizeof options.encoder, "self-attention");
    assert_int_equal(options_check(&options, &err), -1);
    assert_non_null(strstr(err.reason, "--dim-rnn"));
    snprintf(options.arch, sizeof options.arch, "transformer");
    options.dim_emb = 20;
    assert_int_equal(options_check(&options, &err), -1);
    assert_non_null(strstr(err.reason, "--dim-emb"));
    options.dim_emb = 18;
    assert_int_equal(options_check(&options, &err), 0);
}

/* A word has as many neighbours on either side. */
static void a_window_has_a_middle(void **state) {
    (void)state;
    Options options;
    Err err;
    options_default(&options);
    options.window = 4;
    assert_int_equal(options_check(&options, &err), -1);
    assert_non_null(strstr(err.reason, "--window"));
    options.window = 5;
    assert_int_equal(options_check(&options, &err), 0);
}

/* A flag may hold what no line of a configuration can. */
static void a_language_is_one_word(void **state) {
    (void)state;
    Options options;
    options_default(&options);
    const Option *langs = option_find("langs");
    const char *const right[] = {"zh", "en"};
    Err err;
    assert_int_equal(option_set(&options, langs, right, &err), 0);
    const char *const wrong[] = {"", " ", "z h", "zh\r", "zh\n", "a=b", "#zh", "z\xff", "sixteen-letters-"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const values[] = {"zh", wrong[i]};
        assert_int_equal(option_set(&options, langs, values, &err), -1);
        assert_non_null(strstr(err.reason, "langs cannot be"));
    }
    assert_comes_back(&options);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_come_back),         cmocka_unit_test(every_kind_that_may_be_chosen_is_there),
        cmocka_unit_test(heads_share_what_they_can_divide), cmocka_unit_test(a_window_has_a_middle),
        cmocka_unit_test(a_language_is_one_word),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
