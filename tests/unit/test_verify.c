/* test_verify.c: a model is verified by its recipe; every forgery is refused with the reason. */
#include "io/ds.h"
#include "io/files.h"
#include "train/verify.h"
#include "translate/model_file.h"
#include "scratch.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PAIRS = 90, UPDATES = 55 };

typedef struct World {
    char dir[SCRATCH_SIZE], tsv[PATH_SIZE], run[PATH_SIZE], forged[PATH_SIZE], work[PATH_SIZE];
    CorpusFiles corpus;
} World;

static World world; /* with a model that was trained */

static void write_pairs(const char *path, int changed, int exchanged) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (int i = 1; i <= PAIRS; i++) {
        const int k = i == exchanged ? i + 1 : i == exchanged + 1 && exchanged ? i - 1 : i;
        fprintf(out, "word number %d%s\t词%d文\n", k % 7, i == changed ? "!" : "", k % 7);
    }
    fclose(out);
}

static int begin(void **state) {
    (void)state;
    World *w = &world;
    Err err;
    static volatile sig_atomic_t stop;
    scratch_directory(w->dir);
    path_in(w->tsv, w->dir, "pairs.tsv");
    path_in(w->run, w->dir, "run");
    path_in(w->forged, w->dir, "forged.safetensors");
    path_in(w->work, w->dir, "work");
    write_pairs(w->tsv, 0, 0);
    w->corpus = (CorpusFiles){FORM_TSV, {w->tsv, NULL}, {0}};
    const TrainFiles set = {.files = w->corpus, .weight = 1};
    TrainJob job = {.files = {.train = &set, .train_count = 1, .dir = w->run}, .model = w->run, .threads = 2};
    TrainOptions *o = &job.options;
    options_default(train_option_tables, o);
    o->model.dim_emb = o->model.dim_rnn = o->model.dim_att = o->model.dim_maxout = 8;
    o->mini_batch = 4;
    o->exponential_smoothing = 0.01;
    o->after_batches = UPDATES;
    return train(&job, &(TrainCallbacks){0}, &stop, &err);
}

static int end(void **state) {
    (void)state;
    scratch_remove(world.dir);
    return 0;
}

static long linked[8];
static int links;
static void keep_link(void *context, long update) {
    (void)context;
    linked[links++] = update;
}

static int verify_model(const char *model, const char *tsv, int updates, int threads, Err *err) {
    static volatile sig_atomic_t stop;
    const CorpusFiles corpus = {FORM_TSV, {tsv, NULL}, {0}};
    const VerifyJob job = {.model = model,
                           .corpora = &corpus,
                           .corpus_count = 1,
                           .work = world.work,
                           .updates = updates,
                           .threads = threads};
    links = 0;
    Recipe *recipe = verify_recipe(model, err);
    const int status = recipe ? verify(&job, recipe, &(VerifyCallbacks){.linked = keep_link}, &stop, err) : -1;
    recipe_free(recipe);
    return status;
}

static void remove_work(void) {
    if (!access(world.work, F_OK)) scratch_remove(world.work);
}

static void a_model_is_verified(void **state) {
    (void)state;
    Err err;
    for (int threads = 1; threads <= 3; threads++) {
        assert_int_equal(verify_model(world.run, world.tsv, 0, threads, &err), 0);
        assert_int_equal(links, 3); /* an epoch has 23 updates */
        assert_int_equal(linked[0], 23);
        assert_int_equal(linked[1], 46);
        assert_int_equal(linked[2], 50);
        assert_true(access(world.work, F_OK)); /* it was removed */
    }
    assert_int_equal(verify_model(world.run, world.tsv, 30, 1, &err), 0);
    assert_int_equal(links, 1);
}

/* Expects that a model or a corpus is refused with this reason. */
static void assert_refused(const char *model, const char *tsv, const char *reason) {
    Err err;
    assert_int_equal(verify_model(model, tsv, 0, 1, &err), -1);
    if (!strstr(err.reason, reason)) fail_msg("'%s' instead of '%s'", err.reason, reason);
    remove_work();
}

static void other_texts_are_refused(void **state) {
    (void)state;
    char other[PATH_SIZE];
    path_in(other, world.dir, "other.tsv");
    write_pairs(other, PAIRS - 2, 0);
    assert_refused(world.run, other,
                   "the target text is not that of pairs.tsv, on which the model was trained: 90 pairs");
    assert_int_equal(links, 0);
    write_pairs(other, 0, 30);
    assert_refused(world.run, other, "the source text is not that of pairs.tsv");
    assert_int_equal(links, 0);
}

/* A change of the recipe and of the model before it is written with a valid checksum. */
typedef void Forge(Recipe *recipe, Translator *translator);

static void forge(Forge *change) {
    Translator translator;
    Err err;
    assert_int_equal(model_load_trained(&translator, world.run, &err), 0);
    Recipe *recipe = recipe_parse(translator.recipe, world.run, &err);
    assert_non_null(recipe);
    change(recipe, &translator);
    assert_int_equal(
        model_save(&translator, translator.configuration, recipe->version ? recipe : NULL, world.forged, &err), 0);
    recipe_free(recipe);
    translator_free(&translator);
}

static void change_nothing(Recipe *recipe, Translator *translator) {
    (void)recipe;
    (void)translator;
}
static void change_weight(Recipe *recipe, Translator *translator) {
    (void)recipe;
    real *weight = &translator->model.params.values[3];
    uint32_t bits;
    memcpy(&bits, weight, sizeof bits);
    bits ^= 1;
    memcpy(weight, &bits, sizeof bits);
}
static void change_option(Recipe *recipe, Translator *translator) {
    (void)translator;
    char *at = strstr(recipe->configuration, "learn-rate = 0.001");
    assert_non_null(at);
    at[strlen("learn-rate = 0.00")] = '2';
}
static void change_updates(Recipe *recipe, Translator *translator) {
    (void)translator;
    recipe->update--;
}
static void change_link(Recipe *recipe, Translator *translator) {
    (void)translator;
    char *digit = &recipe->chain[1].hash[31];
    *digit = *digit == '0' ? '1' : '0';
}
static void remove_link(Recipe *recipe, Translator *translator) {
    (void)translator;
    arrdel(recipe->chain, 1);
}
static void remove_last_link(Recipe *recipe, Translator *translator) {
    (void)translator;
    (void)arrpop(recipe->chain);
}
static void add_link(Recipe *recipe, Translator *translator) {
    (void)translator;
    const RecipeLink link = {UPDATES, "00112233445566778899aabbccddeeff"};
    arrput(recipe->chain, link);
}
static void remove_recipe(Recipe *recipe, Translator *translator) {
    (void)translator;
    recipe_clear(recipe);
}
static void change_arithmetic(Recipe *recipe, Translator *translator) {
    (void)translator;
    recipe->arithmetic++;
}
static void change_corpora(Recipe *recipe, Translator *translator) {
    (void)translator;
    RecipeCorpus second = {.form = FORM_TSV, .name = {mem_strdup("more.tsv")}, .weight = 1};
    memset(second.side[0].hex, '0', sizeof second.side[0].hex - 1);
    memset(second.side[1].hex, '0', sizeof second.side[1].hex - 1);
    arrput(recipe->corpora, second);
}
static void add_change(Recipe *recipe, const char *option, const char *from, const char *to) {
    const RecipeChange change = {20, mem_strdup(option), mem_strdup(from), mem_strdup(to)};
    arrput(recipe->changes, change);
}
static void change_tag(Recipe *recipe, Translator *translator) {
    (void)translator;
    recipe->corpora[0].tag = mem_strdup("two\nlines");
}
static void change_rate(Recipe *recipe, Translator *translator) {
    (void)translator;
    add_change(recipe, "learn-rate", "0.001", "0.002");
}
static void change_from_nowhere(Recipe *recipe, Translator *translator) {
    (void)translator;
    add_change(recipe, "learn-rate", "0.003", "0.002");
}
static void change_seed(Recipe *recipe, Translator *translator) {
    (void)translator;
    add_change(recipe, "seed", "1", "2");
}
static void change_arithmetic_later(Recipe *recipe, Translator *translator) {
    (void)translator;
    add_change(recipe, "arithmetic", "1", "2");
}
static void change_version_later(Recipe *recipe, Translator *translator) {
    (void)translator;
    add_change(recipe, "tide", "0.9.0", "0.9.1");
}
static void change_search(Recipe *recipe, Translator *translator) {
    (void)recipe;
    char *at = strstr(translator->configuration, "beam-size = 5");
    assert_non_null(at);
    at[strlen("beam-size = ")] = '6';
}

static void forget(char *configuration, const char *line) {
    char *at = strstr(configuration, line);
    assert_non_null(at);
    memmove(at, at + strlen(line), strlen(at + strlen(line)) + 1);
}
/* An older version of tide did not know the option, which has its default. */
static void forget_option(Recipe *recipe, Translator *translator) {
    forget(recipe->configuration, "averaging-eta = 8\n");
    forget(translator->configuration, "averaging-eta = 8\n");
}

static void forgeries_are_refused(void **state) {
    (void)state;
    static const struct {
        Forge *change;
        const char *reason;
    } cases[] = {
        {change_weight, "the weights differ: those of the recipe have SHA-256"},
        {change_option, "the bits differ after update 23: "},
        {change_updates, "the weights differ"},
        {change_link, "the bits differ after update 46: "},
        {remove_link, "the chain of the recipe has no link after update 46"},
        {remove_last_link, "the chain of the recipe has no link after update 50"},
        {add_link, "the chain of the recipe has a link after update 55, which no training makes"},
        {remove_recipe, "has no recipe: "},
        {change_arithmetic, "whose arithmetic has number 2; this version of tide"},
        {change_corpora, "was trained on 2 corpora, not 1"},
        {change_tag, "the recipe has a bad tag: "},
        {change_rate, "the bits differ after update 23: "},
        {change_from_nowhere, "the recipe changes learn-rate from 0.003, but it was 0.001"},
        {change_seed, "the recipe changes 'seed' after update 20, which no training can"},
        {change_arithmetic_later, "from update 20 on, a version of tide with arithmetic 2 trained it"},
        {change_search, "the weights have the same bits, but 'config' is not what the recipe gives"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forge(cases[i].change);
        assert_refused(world.forged, world.tsv, cases[i].reason);
    }
    Err err;
    static Forge *const honest[] = {change_nothing, change_version_later, forget_option};
    for (int i = 0; i < 3; i++) {
        forge(honest[i]);
        assert_int_equal(verify_model(world.forged, world.tsv, 0, 1, &err), 0);
    }
}

/* A byte in the file, with the checksum taken away: the recipe has the sum of the weights. */
static void damaged_weights_are_noticed_at_once(void **state) {
    (void)state;
    Err err;
    size_t size;
    char path[PATH_SIZE];
    path_in(path, world.run, "model.safetensors");
    char *bytes = file_read(path, &size, &err);
    assert_non_null(bytes);
    char *checksum = NULL;
    for (char *at = bytes; !checksum; at++) checksum = memcmp(at, "\"checksum\"", 10) ? NULL : at;
    checksum[1] = 'C'; /* another key */
    bytes[size - 4] ^= 1;
    FILE *out = fopen(world.forged, "wb");
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
    mem_free(bytes);
    assert_refused(world.forged, world.tsv, "the weights are not those of its recipe: their SHA-256 is ");
}

/* Only a folder of this verification is used. */
static void other_folders_are_refused(void **state) {
    (void)state;
    char keep[sizeof world.work], mark[PATH_SIZE];
    Err err;
    snprintf(keep, sizeof keep, "%s", world.work);
    snprintf(world.work, sizeof world.work, "%s", world.run);
    assert_int_equal(verify_model(world.run, world.tsv, 0, 1, &err), -1);
    assert_non_null(strstr(err.reason, "is the folder of the model itself"));
    forge(change_nothing);
    assert_int_equal(verify_model(world.forged, world.tsv, 0, 1, &err), -1);
    assert_non_null(strstr(err.reason, "holds a training; give another --work"));
    snprintf(world.work, sizeof world.work, "%0470d", 0);
    assert_int_equal(verify_model(world.run, world.tsv, 0, 1, &err), -1);
    assert_string_equal(err.reason, "the path is longer than 450 bytes");
    snprintf(world.work, sizeof world.work, "%s", keep);
    assert_int_equal(directory_make(world.work, &err), 0);
    path_in(mark, world.work, "verifies");
    FILE *out = fopen(mark, "w");
    fputs("something else", out);
    fclose(out);
    assert_int_equal(verify_model(world.run, world.tsv, 0, 1, &err), -1);
    assert_non_null(strstr(err.reason, "holds the verification of another model"));
    assert_false(access(mark, F_OK));
    remove_work();
}

/* ---- the text of recipes ---- */

static char *without(const char *text, const char *part, const char *instead) {
    const char *at = strstr(text, part);
    if (!at) fail_msg("no %s", part);
    char *changed = mem_alloc(strlen(text) + strlen(instead) + 1);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, instead, at + strlen(part));
    return changed;
}

static void recipes_that_are_not_well_formed(void **state) {
    (void)state;
    static const struct {
        const char *part, *instead, *reason;
    } cases[] = {
        {"\"recipe\": 1", "\"recipe\": 2", "the recipe has format 2; this version of tide reads format 1"},
        {"\"recipe\": 1", "\"recipe\": 1.5", "the recipe has a bad 'recipe'"},
        {"\"made\": \"train\"", "\"made\": \"magic\"", "a bad 'made'"},
        {"\"made\": \"train\"", "\"made\": \"tune\"", "a bad 'parent'"},
        {"\"tide\": ", "\"tide\": 3, \"\": ", "a bad 'tide'"},
        {"\"arithmetic\": 1", "\"arithmetic\": 3000000000", "a bad 'arithmetic'"},
        {"\"options\": {", "\"options\": [], \"\": {", "a bad 'options'"},
        {"\"options\": {", "\"options\": {\"a\\nb\": \"1\", ", "a bad 'options'"},
        {"\"options\": {", "\"options\": {\"a\": \"1\\nb = 2\", ", "a bad 'options'"},
        {"\"corpora\": [", "\"corpora\": [], \"\": [", "a bad 'corpora'"},
        {"\"form\": \"tsv\"", "\"form\": \"pdf\"", "a bad 'form'"},
        {"\"form\": \"tsv\"", "\"form\": \"train-sets\"", "a bad 'files'"},
        {"\"pairs.tsv\"", "\"pairs.tsv\", \"c\"", "a bad 'files'"},
        {"\"pairs\": 90", "\"pairs\": -1", "a bad 'pairs'"},
        {"\"pairs\": 90", "\"pairs\": 90, \"weight\": 0", "a bad 'weight'"},
        {"\"pairs\": 90", "\"pairs\": 90, \"tag\": 0", "a bad 'tag'"},
        {"\"pairs\": 90", "\"pairs\": 90, \"teacher\": {}", "a bad 'teacher'"},
        {"\"pairs\": 90", "\"pairs\": 90, \"distillation\": 2", "a bad 'distillation'"},
        {"\"pairs\": 90", "\"pairs\": 90, \"distillation\": 0.5", "a bad 'distillation'"}, /* no parent */
        {"\"sha256\": [\"", "\"sha256\": [\"A", "a bad 'sha256'"},
        {"\"dev\": []", "\"dev\": 0", "a bad 'dev'"},
        {"\"changes\": []", "\"changes\": [{\"update\": 4}]", "a bad 'option'"},
        {"\"chain\": [", "\"chain\": [{\"update\": 46, \"xxh3\": \"00000000000000000000000000000000\"}, ",
         "a bad 'chain'"},
        {"\"xxh3\": \"", "\"xxh3\": \"0", "a bad 'xxh3'"},
        {"\"update\": 55", "\"update\": 49", "a bad 'chain'"},
        {"\"weights\": \"", "\"weights\": \"x", "a bad 'weights'"},
        {"\"recipe\": 1", "\"recipe\": 1, \"guides\": {}", "a bad 'file'"},
        {"\"recipe\": 1", "\"recipe\": 1, \"a\": \"\\u0000\"", "not JSON"},
        {"{", "{{", "the recipe is not JSON"},
    };
    Translator translator;
    Err err;
    assert_int_equal(model_load(&translator, world.run, &err), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = without(translator.recipe, cases[i].part, cases[i].instead);
        if (recipe_parse(text, "model", &err)) fail_msg("%s", text);
        if (!strstr(err.reason, cases[i].reason)) fail_msg("'%s' instead of '%s'", err.reason, cases[i].reason);
        assert_string_equal(err.path, "model");
        mem_free(text);
    }
    translator_free(&translator);
}

/* A recipe with everything stays the same text. */
static void a_recipe_is_read_and_written(void **state) {
    (void)state;
    static const char sum[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    char text[4096];
    snprintf(
        text, sizeof text,
        "{\"recipe\": 1, \"made\": \"train\", \"tide\": \"1.0\", \"arithmetic\": 7, \"parent\": {\"sha256\": \"%s\", "
        "\"recipe\": {\"recipe\":1,\"a\":[1,\"潮\"]}}, \"options\": {\"langs\": \"zh en\", \"later\": \"1\"}, "
        "\"corpora\": [{\"files\": [\"c.zh\", \"c\\\"\\n.en\"], \"form\": \"train-sets\", \"sha256\": [\"%s\", "
        "\"%s\"], "
        "\"pairs\": 3, \"weight\": 0.10000000000000001, \"tag\": \"news\", \"noise\": false, \"distillation\": 0.5, "
        "\"teacher\": {\"sha256\": \"%s\"}}], \"dev\": [{\"files\": [\"d.po\"], \"form\": \"po\", \"sha256\": [\"%s\", "
        "\"%s\"], "
        "\"pairs\": 0}], \"guides\": {\"file\": \"links\", \"sha256\": \"%s\"}, \"changes\": [{\"update\": 4, "
        "\"option\": \"seed\", \"from\": \"1\", \"to\": \"2\"}], \"chain\": [{\"update\": 50, \"xxh3\": "
        "\"0123456789abcdef0123456789abcdef\"}], \"update\": 60, \"weights\": \"%s\"}",
        sum, sum, sum, sum, sum, sum, sum, sum);
    Err err;
    Recipe *recipe = recipe_parse(text, "model", &err);
    if (!recipe) fail_msg("%s", err.reason);
    char *again = recipe_format(recipe);
    assert_string_equal(again, text);
    mem_free(again);
    recipe_free(recipe);
}

static void names_have_no_folder(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"a/b/c.zh", "c.zh"}, {"c.zh", "c.zh"}, {"-", "-"}, {"/x/潮\xff.\x80z", "潮?.?z"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = recipe_name(cases[i][0]);
        assert_string_equal(name, cases[i][1]);
        mem_free(name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_verified),          cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(forgeries_are_refused),        cmocka_unit_test(damaged_weights_are_noticed_at_once),
        cmocka_unit_test(other_folders_are_refused),    cmocka_unit_test(recipes_that_are_not_well_formed),
        cmocka_unit_test(a_recipe_is_read_and_written), cmocka_unit_test(names_have_no_folder),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
