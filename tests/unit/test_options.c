/* Tests options: accepted values are read back from the configuration in a model; other values are refused. */
#include "core/base.h"
#include "core/choice.h"
#include "model/model.h"
#include "train/train_options.h"
#include "translate/search_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static TrainOptions defaults(void) {
    TrainOptions options = {0};
    options_default(train_option_tables, &options);
    return options;
}

static int read_options(TrainOptions *options, const char *text, Err *err) {
    return options_read(train_option_tables, options, text, "config", UNKNOWN_ERROR, err);
}

static void assert_comes_back(const TrainOptions *options) {
    Err err;
    TrainOptions again = defaults();
    char *text = options_format(train_option_tables, options), left[OPTION_FORMAT_SIZE], right[OPTION_FORMAT_SIZE];
    if (read_options(&again, text, &err)) fail_msg("line %ld: %s", err.line, err.reason);
    const Option *option = options_differ(train_option_tables, NULL, options, &again, left, right);
    if (option) fail_msg("%s was %s and became %s", option->name, left, right);
    mem_free(text);
}

static void configurations_come_back(void **state) {
    (void)state;
    Err err;
    TrainOptions options = defaults();
    assert_comes_back(&options);
    const char *text =
        "langs = zh-Hans pt_BR # a comment\r\n\ntokenizer=none bpe\n dim-vocabs\t= 0 5\nlearn-rate = "
        "1.23456789012e-4\nlr-decay = 0x1p-2\nattention = none\nseed = 2147483647\nmerges = joint\noptimizer = sgd";
    assert_int_equal(read_options(&options, text, &err), 0);
    assert_string_equal(options.model.langs[1], "pt_BR");
    assert_int_equal(options.model.tokenizer[0], TOKENIZER_NONE);
    assert_int_equal(options.model.tokenizer[1], TOKENIZER_BPE);
    assert_int_equal(options.model.dim_vocabs[1], 5);
    assert_ptr_equal(attention_kind_at(options.model.attention), attention_kind("none"));
    assert_true(options.model.joint_merges);
    assert_ptr_equal(optimizer_kind_at(options.optimizer), optimizer_kind("sgd"));
    assert_true(options.lr_decay == 0.25);
    assert_comes_back(&options);
}

static void names_have_indices(void **state) {
    (void)state;
    static const char names[] = "dot|scaled-dot|none";
    static const char *const unknown[] = {"", "|", "do", "dots", "scaled", "dot|", "dot|scaled-dot", "NONE"};
    int length;
    assert_int_equal(choice_find(names, "dot"), 0);
    assert_int_equal(choice_find(names, "scaled-dot"), 1);
    assert_int_equal(choice_find(names, "none"), 2);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) assert_int_equal(choice_find(names, unknown[i]), -1);
    assert_memory_equal(choice_name(names, 1, &length), "scaled-dot", strlen("scaled-dot"));
    assert_int_equal(length, strlen("scaled-dot"));
    assert_ptr_equal(choice_name(names, 2, &length), strstr(names, "none"));
    assert_int_equal(length, strlen("none"));
    assert_null(choice_name(names, 3, &length));
}

/* Each name that an option accepts names an existing component. */
static const char *attention_name(const char *name) { return attention_kind(name) ? attention_kind(name)->name : NULL; }
static const char *encoder_name(const char *name) { return encoder_kind(name) ? encoder_kind(name)->name : NULL; }
static const char *arch_name(const char *name) { return arch_named(name) ? arch_named(name)->name : NULL; }

static void every_accepted_kind_exists(void **state) {
    (void)state;
    static const struct {
        const char *option, *(*name_of)(const char *name);
    } kinds[] = {{"attention", attention_name}, {"encoder", encoder_name}, {"arch", arch_name}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char names[128], *rest = NULL;
        snprintf(names, sizeof names, "%s", option_find(train_option_tables, kinds[i].option)->choices);
        for (const char *name = strtok_r(names, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
            if (!kinds[i].name_of(name)) fail_msg("no %s is called %s", kinds[i].option, name);
            assert_string_equal(kinds[i].name_of(name), name);
        }
        assert_null(kinds[i].name_of("magic"));
    }
}

/* The number of heads must divide the width of the multi-head attention, if there is any. */
static void heads_must_divide_the_width(void **state) {
    (void)state;
    ModelOptions options = defaults().model;
    Err err;
    options.dim_att = 18;
    options.heads = 4;
    assert_int_equal(model_options_check(&options, &err), 0);
    options.attention = choice_find(attention_names, "multi-head");
    assert_int_equal(model_options_check(&options, &err), -1);
    assert_string_equal(err.reason, "attention multi-head needs dim-att to be a multiple of heads 4, not 18");
    options.heads = 6;
    assert_int_equal(model_options_check(&options, &err), 0);
    options.dim_rnn = 20; /* the width of self-attention in an RNNsearch model; a Transformer uses dim-emb */
    options.encoder = choice_find(encoder_names, "self-attention");
    assert_int_equal(model_options_check(&options, &err), -1);
    assert_non_null(strstr(err.reason, "dim-rnn"));
    options.arch = choice_find(arch_names, "transformer");
    options.dim_emb = 20;
    assert_int_equal(model_options_check(&options, &err), -1);
    assert_non_null(strstr(err.reason, "dim-emb"));
    options.dim_emb = 18;
    assert_int_equal(model_options_check(&options, &err), 0);
}

/* The window of a convolution must be odd: a word has as many neighbours on the left as on the right. */
static void a_window_must_be_odd(void **state) {
    (void)state;
    ModelOptions options = defaults().model;
    Err err;
    options.window = 4;
    assert_int_equal(model_options_check(&options, &err), -1);
    assert_non_null(strstr(err.reason, "window"));
    options.window = 5;
    assert_int_equal(model_options_check(&options, &err), 0);
}

/* The value of a flag may contain characters that a line of a configuration cannot. */
static void a_language_is_one_word(void **state) {
    (void)state;
    TrainOptions options = defaults();
    const Option *langs = option_find(train_option_tables, "langs");
    const char *const right[] = {"zh", "en"};
    Err err;
    assert_int_equal(option_set(langs, &options, right, 2, &err), 0);
    const char *const wrong[] = {"", " ", "z h", "zh\r", "zh\n", "a=b", "#zh", "z\xff", "sixteen-letters-"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const values[] = {"zh", wrong[i]};
        assert_int_equal(option_set(langs, &options, values, 2, &err), -1);
        assert_non_null(strstr(err.reason, "langs cannot be"));
    }
    assert_comes_back(&options);
}

/* Translation reads only the options of the model from a configuration, not those of the training. */
static void a_model_reads_only_its_own_options(void **state) {
    (void)state;
    static const char *const wrong[] = {"\nseed", "\nseed 7", "\ndim-emb = 0", "\nlangs = zh"};
    TrainOptions options = defaults();
    Err err;
    options.model.dim_emb = 77;
    options.model.beam_size = 3;
    options.seed = 5;
    char *text = options_format(train_option_tables, &options),
         *own = options_format(model_option_tables, &options.model);
    ModelOptions model = defaults().model;
    assert_int_equal(options_read(model_option_tables, &model, text, "config", UNKNOWN_SKIP, &err), 0);
    char *again = options_format(model_option_tables, &model);
    assert_string_equal(own, again);
    assert_int_equal(options_read(model_option_tables, &model, text, "config", UNKNOWN_ERROR, &err), -1);
    assert_string_equal(err.reason, "unknown key 'init'");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(options_read(model_option_tables, &model, wrong[i], "config", UNKNOWN_SKIP, &err), -1);
        assert_int_equal(err.line, 2);
    }
    mem_free(text);
    mem_free(own);
    mem_free(again);
}

/* The order of options in --help and in a configuration, which leaves out options that may change on resume. */
static void options_have_one_order(void **state) {
    (void)state;
    static const char *const order[] = {"langs",     "tied-embeddings", "init",      "seed",        "after-epochs",
                                        "disp-freq", "beam-size",       "normalize", "word-penalty"};
    TrainOptions options = defaults();
    size_t n = 0;
    for (const Option *o = NULL; (o = option_next(train_option_tables, o));)
        if (n < sizeof order / sizeof *order && !strcmp(o->name, order[n])) n++;
    assert_int_equal(n, sizeof order / sizeof *order);
    char *text = options_format(train_option_tables, &options);
    const char *beam = strstr(text, "beam-size = 5\nnormalize = 0.6\nword-penalty = 0\n"),
               *seed = strstr(text, "seed = 1\n");
    assert_true(beam && seed && seed < beam && !beam[strlen("beam-size = 5\nnormalize = 0.6\nword-penalty = 0\n")]);
    assert_null(strstr(text, "disp-freq"));
    mem_free(text);
}

/* A list has one or more different names, in the order in which they are given; -1 follows the last one. */
static void a_list_has_different_names(void **state) {
    (void)state;
    TrainOptions options = defaults();
    const Option *metrics = option_find(train_option_tables, "valid-metrics");
    char text[OPTION_FORMAT_SIZE];
    Err err;
    option_format(metrics, &options, text);
    assert_string_equal(text, "bleu");
    assert_int_equal(
        options_read(train_option_tables, &options, "valid-metrics = perplexity bleu", "config", UNKNOWN_ERROR, &err),
        0);
    option_format(metrics, &options, text);
    assert_string_equal(text, "perplexity bleu");
    assert_int_equal(options.valid_metrics[0], VALID_PERPLEXITY);
    assert_int_equal(options.valid_metrics[2], -1);
    const char *const all[] = {"chrf", "perplexity", "bleu", "ce-mean-words", "chrf"};
    assert_int_equal(option_set(metrics, &options, all, 4, &err), 0);
    option_format(metrics, &options, text);
    assert_string_equal(text, "chrf perplexity bleu ce-mean-words");
    static const char *const wrong[][2] = {
        {"valid-metrics =", "needs 1 to 4 values"},
        {"valid-metrics = bleu chrf bleu", "has 'bleu' twice"},
        {"valid-metrics = bleu chrf bleu chrf bleu chrf", "needs 1 to 4 values"},
        {"valid-metrics = bleu, chrf", "not 'bleu,'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(options_read(train_option_tables, &options, wrong[i][0], "config", UNKNOWN_ERROR, &err), -1);
        assert_non_null(strstr(err.reason, wrong[i][1]));
        option_format(metrics, &options, text);
        assert_string_equal(text, "chrf perplexity bleu ce-mean-words");
    }
    assert_int_equal(option_set(metrics, &options, all, 5, &err), -1);
}

/* ---- options of a search ---- */

static const struct {
    const char *name, *flag;
    bool request, search;
    double least, most;
} searches[] = {
    {"beam", "beam-size", true, true, 0, 1000},
    {"n_best", "n-best", false, false, 0, 1000},
    {"normalize", "normalize", true, true, 0, 10},
    {"word_penalty", "word-penalty", true, true, -10, 10},
    {"coverage", "coverage-penalty", true, true, 0, 10},
    {"max_length", "max-length", false, false, 0, 1048576},
    {"mini_batch", "mini-batch", false, false, 0, 4096},
    {"hard", NULL, true, true, 0, 0},
    {"layer", "alignment-layer", true, true, 0, 256},
    {"head", "alignment-head", true, true, 0, 256},
    {"shift", "shift", true, false, 0, 0},
    {"tag", "tag", true, true, 0, 0},
    {"precision", "precision", true, true, 0, 0},
    {"sample", "output-sampling", true, true, 0, 0},
    {"top_k", NULL, true, true, 0, 1048576},
    {"top_p", NULL, true, true, 0, 1},
    {"temperature", NULL, true, true, 0.01, 1048576},
    {"seed", "seed", true, true, 0, 1073741824},
    {"replace_unknown", "replace-unk", true, true, 0, 0},
    {"allow_han", "allow-han", true, true, 0, 0},
    {"piece_scores", "word-scores", true, false, 0, 0},
    {"shortlist", NULL, true, true, 0, 0},
    {"glossary", "glossary", false, false, 0, 0},
    {"shortlist", "shortlist", false, false, 0, 0},
    {"lexicon", "lexicon", false, false, 0, 0},
};

/* A number at a limit is accepted, one outside is refused by the name that the caller uses. */
static void numbers_of_a_search_have_limits(void **state) {
    (void)state;
    enum { N = sizeof searches / sizeof *searches };
    char told[200];
    Err err;
    for (int i = 0; i < N; i++) {
        const SearchOption *o = &search_option_rows[i];
        assert_string_equal(o->name, searches[i].name);
        if (searches[i].flag) assert_string_equal(o->flag, searches[i].flag);
        else assert_null(o->flag);
        assert_true(o->request == searches[i].request && o->search == searches[i].search);
        if (o->kind != SEARCH_INT && o->kind != SEARCH_REAL) continue;
        assert_int_equal(search_option_check(o, searches[i].least, NAMES_OF_FIELDS, &err), 0);
        assert_int_equal(search_option_check(o, searches[i].most, NAMES_OF_FIELDS, &err), 0);
        assert_int_equal(search_option_check(o, searches[i].least - 0.001, NAMES_OF_FIELDS, &err), SEARCH_WRONG);
        assert_int_equal(search_option_check(o, searches[i].most + 1, NAMES_OF_FLAGS, &err), SEARCH_WRONG);
        snprintf(told, sizeof told, "%s%s is %g, but must be between %g and %g", o->flag ? "--" : "",
                 o->flag ? o->flag : o->name, searches[i].most + 1, searches[i].least, searches[i].most);
        assert_string_equal(err.reason, told);
    }
    assert_null(search_option_rows[N].name);
}

/* Sentences are searched together if all options that change the search are equal. */
static void searches_agree(void **state) {
    (void)state;
    for (const SearchOption *o = search_option_rows; o->name; o++) {
        SearchOptions a = search_options_default(), b = search_options_default();
        assert_true(search_options_agree(&a, &b));
        void *at = (char *)&b + o->offset;
        if (o->kind == SEARCH_INT) *(int *)at += 1;
        if (o->kind == SEARCH_REAL) *(double *)at = 2;
        if (o->kind == SEARCH_SWITCH) *(bool *)at = !*(bool *)at;
        if (o->kind == SEARCH_TEXT) *(const char **)at = "a";
        if (o->kind == SEARCH_LIST) *(const void **)at = at;
        assert_int_equal(search_options_agree(&a, &b), !o->search);
        assert_int_equal(search_options_agree(&b, &a), !o->search);
    }
    SearchOptions a = search_options_default(), b = search_options_default();
    char same[] = "a";
    a.tag = "a";
    b.tag = same;
    assert_true(search_options_agree(&a, &b));
    a.n_best = 1;
    a.sample = b.sample = true; /* it draws as many sentences as it shows */
    assert_false(search_options_agree(&a, &b));
    b.n_best = 1;
    assert_true(search_options_agree(&a, &b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_come_back),
        cmocka_unit_test(every_accepted_kind_exists),
        cmocka_unit_test(heads_must_divide_the_width),
        cmocka_unit_test(a_window_must_be_odd),
        cmocka_unit_test(a_language_is_one_word),
        cmocka_unit_test(names_have_indices),
        cmocka_unit_test(a_model_reads_only_its_own_options),
        cmocka_unit_test(options_have_one_order),
        cmocka_unit_test(a_list_has_different_names),
        cmocka_unit_test(numbers_of_a_search_have_limits),
        cmocka_unit_test(searches_agree),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
