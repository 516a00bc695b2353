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
#include <pthread.h>
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

static TideModel *load(const char *path) {
    char error[512] = "old";
    TideModel *model = NULL;
    assert_int_equal(tide_load(path, &model, error, sizeof error), TIDE_OK);
    assert_string_equal(error, "");
    return model;
}

/* A session with one model, which it keeps. */
static TideSession *open_session(const char *path, int threads) {
    TideModel *model = load(path);
    TideSession *session;
    const TideSessionOptions options = {sizeof options, threads};
    assert_int_equal(tide_session_new(&model, 1, &options, &session, NULL, 0), TIDE_OK);
    tide_free(model);
    return session;
}

static void check_hypothesis(const TideHypothesis *api, const Translations *found, int i, int k) {
    const Hypothesis *h = &found->nbest[i].list[k];
    char *text = translation_text(found, i, k);
    const TideAlignment *a = &api->alignment;
    assert_string_equal(api->text, text);
    assert_int_equal(api->pieces, h->length);
    assert_int_equal(a->target_count, h->length);
    assert_int_equal(a->source_count, (int)arrlen(found->source[i]));
    assert_string_equal(a->source[a->source_count - 1], "</s>");
    assert_true(api->log_probability == h->log_probability && api->score == h->score);
    assert_memory_equal(a->weights, h->alpha, (size_t)a->source_count * (size_t)a->target_count * sizeof(float));
    mem_free(text);
}

static void translates_as_the_program_does(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    TideSession *tide = open_session(path, 2);
    Threads *threads = threads_new(1);
    Session session;
    session_init(&session, (const Translator *[]){&t}, 1, threads);
    BeamOptions options = translator_beam_options(&t);
    options.beam = 3;
    Translations found = session_translate(&session, source_texts, 3, &options, 1, NULL, NULL);
    const TideTranslateOptions given = {sizeof given, .beam = 3, .n_best = 3};
    TideResult *result;
    assert_int_equal(tide_translate(tide, (const char *const *)source_texts, 3, &given, &result), TIDE_OK);
    assert_int_equal(result->count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(result->sentences[i]->count, found.nbest[i].count);
        for (int k = 0; k < found.nbest[i].count; k++)
            check_hypothesis(result->sentences[i]->hypotheses[k], &found, i, k);
    }
    translations_free(&found);
    tide_session_free(tide);
    tide_result_free(result); /* a result needs neither its session nor its model */
    session_free(&session);
    threads_free(threads);
    translator_free(&t);
    unlink(path);
}

/* Forced decoding of the best translation gives its own log-probability and its alignment. */
static void aligns_and_scores_given_pairs(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    TideSession *tide = open_session(path, 1);
    const char *const *sources = (const char *const *)source_texts, *const *targets = (const char *const *)target_texts;
    TideResult *aligned, *scored;
    assert_int_equal(tide_align(tide, sources, targets, 3, NULL, &aligned), TIDE_OK);
    assert_int_equal(tide_score(tide, sources, targets, 3, NULL, &scored), TIDE_OK);
    Threads *threads = threads_new(1);
    Session session;
    session_init(&session, (const Translator *[]){&t}, 1, threads);
    Alignment right[3];
    session_align(&session, source_texts, target_texts, 3, (AttentionOptions){0}, right);
    for (int i = 0; i < 3; i++) {
        const TideHypothesis *a = aligned->sentences[i]->hypotheses[0], *s = scored->sentences[i]->hypotheses[0];
        const PairScore score = session_score(&session, source_texts[i], target_texts[i], (AttentionOptions){0});
        assert_true(s->log_probability == score.log_probability && s->score == score.log_probability);
        assert_int_equal(s->pieces, score.pieces);
        assert_int_equal(a->pieces, score.pieces);
        assert_null(s->alignment.weights);
        assert_string_equal(a->text, target_texts[i]);
        assert_int_equal(a->alignment.source_count, right[i].n_source);
        assert_int_equal(a->alignment.target_count, right[i].n_target);
        assert_memory_equal(a->alignment.weights, right[i].weight,
                            (size_t)right[i].n_source * (size_t)right[i].n_target * sizeof(float));
        alignment_free(&right[i]);
    }
    tide_result_free(aligned);
    tide_result_free(scored);
    const TideForceOptions words = {sizeof words, .words = 1};
    assert_int_equal(tide_align(tide, sources, targets, 1, &words, &aligned), TIDE_OK);
    const TideAlignment *by_word = &aligned->sentences[0]->hypotheses[0]->alignment;
    assert_int_equal(by_word->target_count, 5); /* The tide went out. </s> */
    assert_string_equal(by_word->target[3], "out.");
    tide_result_free(aligned);
    tide_session_free(tide);
    session_free(&session);
    threads_free(threads);
    translator_free(&t);
    unlink(path);
}

/* Every wrong argument is an error with a line of text, and the session works afterwards. */
static void refuses_wrong_arguments(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], endless[2 * 1001 + 1] = "";
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    TideSession *tide = open_session(path, 1);
    for (int i = 0; i < 1001; i++) strcat(endless, "a ");
    const char *const good[] = {"潮水退了。"}, *const bad[] = {"a", "b \xff"}, *const none[] = {"a", NULL},
                      *const longer[] = {endless};
    struct {
        TideStatus status;
        const char *const *texts;
        int count;
        TideTranslateOptions options;
        const char *line;
    } const cases[] = {
        {TIDE_BAD_TEXT, bad, 2, {0}, "sentence 2: not valid UTF-8 at byte 2"},
        {TIDE_BAD_ARGUMENT, none, 2, {0}, "sentence 2 is NULL"},
        {TIDE_BAD_ARGUMENT, NULL, 1, {0}, "sentence 1 is NULL"},
        {TIDE_BAD_ARGUMENT, good, -1, {0}, "a count of -1"},
        {TIDE_TOO_LONG, longer, 1, {0}, "sentence 1: "},
        {TIDE_TOO_LONG, good, 1, {.max_length = 2}, "sentence 1: "},
        {TIDE_BAD_ARGUMENT, good, 1, {.beam = 1001}, "beam is 1001, but must be between 0 and 1000"},
        {TIDE_BAD_ARGUMENT, good, 1, {.beam = -1}, "beam is -1"},
        {TIDE_BAD_ARGUMENT, good, 1, {.beam = 2, .n_best = 3}, "n_best is 3, but must be between 0 and 2"},
        {TIDE_BAD_ARGUMENT, good, 1, {.normalize = NAN}, "normalize nan"},
        {TIDE_BAD_ARGUMENT, good, 1, {.coverage = INFINITY}, "coverage inf"},
        {TIDE_BAD_ARGUMENT, good, 1, {.mini_batch = 5000}, "mini_batch is 5000"},
        {TIDE_BAD_ARGUMENT, good, 1, {.max_length = -1}, "max_length is -1"},
        {TIDE_BAD_ARGUMENT, good, 1, {.head = 257}, "head is 257"},
        {TIDE_UNSUPPORTED, good, 1, {.head = 2}, "alignment-head 2: this model's attention has 1 head"},
        {TIDE_UNSUPPORTED, good, 1, {.layer = 9}, "alignment-layer 9: this model's attention has 1 layer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TideTranslateOptions options = cases[i].options;
        TideResult *result = (TideResult *)&options;
        options.size = sizeof options;
        assert_int_equal(tide_translate(tide, cases[i].texts, cases[i].count, &options, &result), cases[i].status);
        assert_null(result);
        assert_non_null(strstr(tide_error(tide), cases[i].line));
        assert_null(strchr(tide_error(tide), '\n'));
        assert_int_equal(tide_translate(tide, good, 1, NULL, &result), TIDE_OK);
        assert_string_equal(tide_error(tide), "");
        tide_result_free(result);
    }
    TideResult *result;
    assert_int_equal(tide_align(tide, good, bad + 1, 1, NULL, &result), TIDE_BAD_TEXT);
    assert_string_equal(tide_error(tide), "target 1: not valid UTF-8 at byte 2");
    assert_int_equal(tide_translate(NULL, good, 1, NULL, &result), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_translate(tide, good, 1, NULL, NULL), TIDE_BAD_ARGUMENT);
    tide_session_free(tide);
    tide_session_free(NULL);
    tide_free(NULL);
    tide_result_free(NULL);
    translator_free(&t);
    unlink(path);
}

/* An options struct may be larger or smaller than the library's. */
static void accepts_options_of_other_versions(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    TideSession *tide = open_session(path, 1);
    struct {
        TideTranslateOptions known;
        int later;
    } newer = {{sizeof newer, .beam = 2}, 0};
    struct {
        size_t size;
        int beam, n_best;
    } older = {sizeof older, 2, 1};
    TideResult *result;
    const char *const good[] = {"潮水退了。", ""};
    assert_int_equal(tide_translate(tide, good, 2, &newer.known, &result), TIDE_OK);
    assert_int_equal(result->sentences[1]->count, 1);
    assert_string_equal(result->sentences[1]->hypotheses[0]->text, "");
    assert_int_equal(result->sentences[1]->hypotheses[0]->alignment.target_count, 0);
    tide_result_free(result);
    assert_int_equal(tide_translate(tide, good, 1, (const TideTranslateOptions *)(const void *)&older, &result),
                     TIDE_OK);
    tide_result_free(result);
    newer.later = 1; /* cppcheck-suppress unreadVariable ; the library reads it */
    assert_int_equal(tide_translate(tide, good, 1, &newer.known, &result), TIDE_BAD_ARGUMENT);
    assert_non_null(strstr(tide_error(tide), "does not know an option"));
    newer.known.size = 3;
    assert_int_equal(tide_translate(tide, good, 1, &newer.known, &result), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_translate(tide, NULL, 0, NULL, &result), TIDE_OK);
    assert_int_equal(result->count, 0);
    tide_result_free(result);
    tide_session_free(tide);
    translator_free(&t);
    unlink(path);
}

static int cancel_third(void *context, int done, int all) {
    assert_in_range(done, 0, all);
    return ++*(int *)context == 3;
}

/* The callback is called at each step and cancels the call; the next call gives the right result. */
static void can_be_cancelled(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    TideSession *tide = open_session(path, 1);
    int calls = 0;
    const TideTranslateOptions options = {sizeof options, .progress = cancel_third, .context = &calls};
    const TideForceOptions force = {sizeof force, .progress = cancel_third, .context = &calls};
    const char *const *sources = (const char *const *)source_texts;
    TideResult *result, *again;
    assert_int_equal(tide_translate(tide, sources, 1, &options, &result), TIDE_CANCELLED);
    assert_int_equal(calls, 3);
    assert_null(result);
    assert_string_equal(tide_error(tide), "cancelled after 0 of 1 sentences");
    calls = 0;
    assert_int_equal(tide_score(tide, sources, (const char *const *)target_texts, 3, &force, &result), TIDE_CANCELLED);
    assert_string_equal(tide_error(tide), "cancelled after 2 of 3 sentences");
    calls = 3;
    assert_int_equal(tide_translate(tide, sources, 3, &options, &result), TIDE_OK);
    assert_int_equal(tide_translate(tide, sources, 3, NULL, &again), TIDE_OK);
    for (int i = 0; i < 3; i++)
        assert_string_equal(result->sentences[i]->hypotheses[0]->text, again->sentences[i]->hypotheses[0]->text);
    tide_result_free(result);
    tide_result_free(again);
    tide_session_free(tide);
    translator_free(&t);
    unlink(path);
}

static void ensembles_need_the_same_pieces(void **state) {
    (void)state;
    static char *const others[] = {"Some other words.", "They make other pieces.", "Nothing fits."};
    char path[SCRATCH_SIZE], error[512];
    scratch_file(path);
    Translator t;
    TideModel *models[3];
    for (int i = 0; i < 3; i++) {
        write_model_into(&t, "en", i < 2 ? target_texts : others, 5U + (unsigned)i, path);
        models[i] = load(path);
        translator_free(&t);
    }
    TideSession *session;
    TideResult *result;
    assert_int_equal(tide_session_new(models, 3, NULL, &session, error, sizeof error), TIDE_UNSUPPORTED);
    assert_null(session);
    assert_non_null(strstr(error, "its target pieces are not those of the first model"));
    assert_int_equal(tide_session_new(models, 0, NULL, &session, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_session_new(models, 2, NULL, &session, error, sizeof error), TIDE_OK);
    for (int i = 0; i < 3; i++) tide_free(models[i]);
    assert_int_equal(tide_translate(session, (const char *const *)source_texts, 3, NULL, &result), TIDE_OK);
    assert_non_null(result->sentences[0]->hypotheses[0]->alignment.weights);
    tide_result_free(result);
    tide_session_free(session);
    unlink(path);
}

/* The measures are those of score/, and wrong input is an error. */
static void measures(void **state) {
    (void)state;
    const char *const out[] = {"the tide went out .", "who is there ?"}, *const ref[] = {"the tide went out .",
                                                                                         "who is here ?"};
    const char *const links[] = {"0-0 1-1"}, *const gold[] = {"0-0 1p1 2-2"}, *const wrong[] = {"0-0 1:1"};
    const TideScoreOptions lower = {sizeof lower, .lowercase = 1};
    char error[256];
    TideScore score;
    TideAer aer;
    assert_int_equal(tide_bleu(out, out, 2, NULL, &score), TIDE_OK);
    assert_true(fabs(score.value - 100) < 1e-9);
    assert_int_equal(tide_bleu(out, ref, 2, &lower, &score), TIDE_OK);
    assert_non_null(strstr(score.line, "BLEU = "));
    assert_true(score.value > 50 && score.value < 100);
    assert_int_equal(tide_chrf(out, ref, 2, NULL, &score), TIDE_OK);
    assert_non_null(strstr(score.line, "chrF2 = "));
    assert_int_equal(tide_bleu(out, ref, 0, NULL, &score), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_chrf(out, NULL, 1, NULL, &score), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_aer(links, gold, 1, &aer, error, sizeof error), TIDE_OK);
    assert_true(fabs(aer.rate - (1 - (1.0 + 2) / (2 + 2))) < 1e-12 && aer.precision == 1 && aer.recall == 0.5);
    assert_int_equal(tide_aer(wrong, gold, 1, &aer, error, sizeof error), TIDE_BAD_TEXT);
    assert_non_null(strstr(error, "links:1: "));
}

static void draws_alignments(void **state) {
    (void)state;
    static const char *const source[] = {"潮", "水", "</s>"}, *const target[] = {"▁tide", "</s>"},
                             *const bad[] = {"\xff", "b"};
    static const float weights[] = {0.25F, 0.5F, 0.25F, NAN, 2, -1};
    TideAlignment a = {3, 2, source, target, weights};
    char *text;
    assert_int_equal(tide_draw(&a, TIDE_SVG, &text), TIDE_OK);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    tide_text_free(text);
    assert_int_equal(tide_draw(&a, TIDE_HTML, &text), TIDE_OK);
    assert_int_equal(strncmp(text, "<!doctype html>", 15), 0);
    tide_text_free(text);
    assert_int_equal(tide_draw(&a, TIDE_PHARAOH, &text), TIDE_OK);
    assert_string_equal(text, "1-0");
    tide_text_free(text);
    a.target = bad;
    assert_int_equal(tide_draw(&a, TIDE_SVG, &text), TIDE_BAD_TEXT);
    assert_null(text);
    a.target_count = 0;
    assert_int_equal(tide_draw(&a, TIDE_SVG, &text), TIDE_BAD_ARGUMENT);
    a.weights = NULL;
    assert_int_equal(tide_draw(&a, TIDE_SVG, &text), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_draw(NULL, TIDE_SVG, &text), TIDE_BAD_ARGUMENT);
}

static void tells_about_a_model_and_the_library(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    TideModel *model = load(path);
    TideModelInfo info = {.size = sizeof info};
    assert_int_equal(tide_model_info(model, &info), TIDE_OK);
    assert_string_equal(info.source_language, "zh");
    assert_string_equal(info.target_language, "en");
    assert_non_null(strstr(info.configuration, "dim-rnn = 12\n"));
    assert_null(info.warning);
    long weights = 0;
    Tensor *tensors = model_tensors(&t);
    for (ptrdiff_t i = 0; i < arrlen(tensors); i++)
        weights += (long)(tensors[i].rows ? tensors[i].rows : 1) * tensors[i].cols;
    arrfree(tensors);
    assert_int_equal(info.parameters, weights);
    assert_int_equal(info.heads, 1);
    info.size = 0;
    assert_int_equal(tide_model_info(model, &info), TIDE_BAD_ARGUMENT);
    assert_string_equal(tide_version(), TIDE_VERSION);
    char right[64] = "";
    for (const char *const *name = tide_capabilities(); *name; name++)
        if (!strncmp(*name, "kernels-", 8)) snprintf(right, sizeof right, "%s", *name + 8);
    assert_string_equal(right, kernels->name);
    for (int status = TIDE_OK; status <= TIDE_INTERNAL; status++)
        assert_string_not_equal(tide_status_text((TideStatus)status), "unknown status");
    assert_string_equal(tide_status_text((TideStatus)99), "unknown status");
    tide_free(model);
    translator_free(&t);
    unlink(path);
}

/* ---- eight threads ---- */

enum { SESSIONS = 8, ROUNDS = 4 };

static void *work_alone(void *context) {
    char **texts = context;
    TideSession *session = (TideSession *)(void *)texts[0];
    for (int round = 0; round < ROUNDS; round++) {
        TideResult *result;
        const TideTranslateOptions options = {sizeof options, .beam = 1 + round};
        if (tide_translate(session, (const char *const *)source_texts, 3, &options, &result)) return NULL;
        char *picture;
        if (tide_draw(&result->sentences[2]->hypotheses[0]->alignment, TIDE_SVG, &picture)) return NULL;
        texts[1 + round] = picture;
        tide_result_free(result);
    }
    return texts;
}

/* Sessions in eight threads share one model, which nobody else holds. */
static void eight_threads_share_a_model(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], *texts[SESSIONS][1 + ROUNDS] = {{0}};
    scratch_file(path);
    Translator t;
    write_model(&t, 5, path);
    TideModel *model = load(path);
    pthread_t threads[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) {
        TideSession *session;
        const TideSessionOptions options = {sizeof options, 1 + i % 2};
        assert_int_equal(tide_session_new(&model, 1, &options, &session, NULL, 0), TIDE_OK);
        texts[i][0] = (char *)session;
    }
    tide_free(model);
    for (int i = 0; i < SESSIONS; i++) assert_int_equal(pthread_create(&threads[i], NULL, work_alone, texts[i]), 0);
    for (int i = 0; i < SESSIONS; i++) {
        void *done;
        pthread_join(threads[i], &done);
        assert_non_null(done);
    }
    for (int i = 0; i < SESSIONS; i++) {
        for (int round = 0; round < ROUNDS; round++) assert_string_equal(texts[i][1 + round], texts[0][1 + round]);
        tide_session_free((TideSession *)(void *)texts[i][0]);
    }
    for (int i = 0; i < SESSIONS; i++)
        for (int round = 0; round < ROUNDS; round++) tide_text_free(texts[i][1 + round]);
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

/* The log-probability of the first sentence's translation. */
static double first_score(TideModel *model) {
    TideSession *session;
    TideResult *result;
    const TideTranslateOptions options = {sizeof options, .beam = 3};
    assert_int_equal(tide_session_new(&model, 1, NULL, &session, NULL, 0), TIDE_OK);
    assert_int_equal(tide_translate(session, (const char *const *)source_texts, 1, &options, &result), TIDE_OK);
    const double score = result->sentences[0]->hypotheses[0]->log_probability;
    tide_result_free(result);
    tide_session_free(session);
    return score;
}

/* A loaded model keeps its values if the file is replaced, overwritten, cut or deleted afterwards. */
static void a_file_may_be_loaded_twice_and_changed(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Translator t, other;
    write_model(&t, 5, path);
    TideModel *first = load(path), *second = load(path);
    const double right = first_score(first);
    assert_true(first_score(second) == right);
    tide_free(first);
    write_model(&other, 6, path);
    assert_true(first_score(second) == right);
    TideModel *third = load(path);
    assert_true(first_score(third) != right);
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

/* A model without a checksum loads with a warning; with a checksum there is none. */
static void warns_of_a_missing_checksum(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Err err;
    Translator t;
    write_model(&t, 5, path);
    size_t size;
    char *bytes = file_read(path, &size, &err);
    memcpy(memmem(bytes, size, "\"checksum\"", 10), "\"other---\"", 10);
    assert_int_equal(file_replace(path, (const void *[]){bytes}, &size, 1, &err), 0);
    TideModel *model = load(path);
    TideModelInfo info = {.size = sizeof info};
    assert_int_equal(tide_model_info(model, &info), TIDE_OK);
    assert_string_equal(info.warning, "the file has no checksum, so that damage to it would not be noticed");
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

/* Target pieces with Han are written in Chinese; in English only if the options allow it. */
static void han_is_written_in_chinese_only(void **state) {
    (void)state;
    static char *const texts[] = {"海 is the sea.", "大家 is everyone.", "海边 is by the sea."};
    char path[SCRATCH_SIZE];
    scratch_file(path);
    for (int i = 0; i < 3; i++) {
        Translator t;
        bool han = false;
        write_model_into(&t, i == 1 ? "zh" : "en", texts, 5, path);
        TideSession *session = open_session(path, 1);
        const TideTranslateOptions options = {sizeof options, .beam = 3, .allow_han = i == 2};
        TideResult *result;
        assert_int_equal(tide_translate(session, (const char *const *)source_texts, 3, &options, &result), TIDE_OK);
        for (int k = 0; k < 3; k++) han = han || text_has_han(result->sentences[k]->hypotheses[0]->text);
        assert_int_equal(han, i > 0);
        tide_result_free(result);
        tide_session_free(session);
        translator_free(&t);
    }
    unlink(path);
}

static void says_why_a_model_cannot_be_loaded(void **state) {
    (void)state;
    char error[256] = "", shorter[9];
    TideModel *model = (TideModel *)&error;
    assert_int_equal(tide_load("/nowhere/model", &model, error, sizeof error), TIDE_BAD_FILE);
    assert_null(model);
    assert_string_equal(error, "/nowhere/model: No such file or directory");
    assert_int_equal(tide_load("/nowhere/model", &model, shorter, sizeof shorter), TIDE_BAD_FILE);
    assert_string_equal(shorter, "/nowhere");
    assert_int_equal(tide_load("/nowhere/model", &model, NULL, 0), TIDE_BAD_FILE);
    assert_int_equal(tide_load(NULL, &model, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_load("/nowhere/model", NULL, error, sizeof error), TIDE_BAD_ARGUMENT);
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
    TideModel *model;
    assert_int_equal(tide_load(path, &model, error, sizeof error), TIDE_NO_MEMORY);
    assert_string_equal(error, "out of memory");
    cjson_refuse(0);
    model = load(path);
    cjson_refuse(1);
    assert_null(cJSON_CreateObject());
    cjson_refuse_end();
    tide_free(model);
    translator_free(&t);
    unlink(path);
}

static int sees_the_comma(void *context, int done, int all) {
    (void)done, (void)all;
    *(bool *)context = localeconv()->decimal_point[0] == ',';
    return 0;
}

/* The host's locale may write numbers with a comma, in the whole process or in one thread. tests/e2e_locale.sh makes
   this locale. */
static void works_in_any_locale(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    char path[SCRATCH_SIZE], *picture;
    scratch_file(path);
    Translator t;
    setlocale(LC_ALL, "C");
    write_model(&t, 5, path);
    TideModel *point = load(path);
    const double right = first_score(point);
    setlocale(LC_ALL, "de_DE.UTF-8");
    TideModel *process = load(path);
    assert_true(first_score(process) == right);
    assert_string_equal(localeconv()->decimal_point, ",");
    assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
    const locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
    uselocale(comma);
    TideModel *thread = load(path);
    assert_true(first_score(thread) == right);
    assert_ptr_equal(uselocale((locale_t)0), comma);
    bool seen = false; /* the callback runs in the locale of the host */
    TideSession *session;
    TideResult *result;
    const TideTranslateOptions options = {sizeof options, .progress = sees_the_comma, .context = &seen};
    assert_int_equal(tide_session_new(&thread, 1, NULL, &session, NULL, 0), TIDE_OK);
    assert_int_equal(tide_translate(session, (const char *const *)source_texts, 1, &options, &result), TIDE_OK);
    assert_true(seen);
    assert_int_equal(tide_draw(&result->sentences[0]->hypotheses[0]->alignment, TIDE_SVG, &picture), TIDE_OK);
    assert_non_null(strstr(picture, "stroke-width=\"0.6\""));
    assert_null(strstr(picture, "0,"));
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(comma);
    tide_text_free(picture);
    tide_result_free(result);
    tide_session_free(session);
    tide_free(point);
    tide_free(process);
    tide_free(thread);
    translator_free(&t);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translates_as_the_program_does),
        cmocka_unit_test(aligns_and_scores_given_pairs),
        cmocka_unit_test(refuses_wrong_arguments),
        cmocka_unit_test(accepts_options_of_other_versions),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(ensembles_need_the_same_pieces),
        cmocka_unit_test(measures),
        cmocka_unit_test(draws_alignments),
        cmocka_unit_test(tells_about_a_model_and_the_library),
        cmocka_unit_test(eight_threads_share_a_model),
        cmocka_unit_test(a_model_keeps_the_options_of_its_training),
        cmocka_unit_test(weights_are_shared_unless_they_are_trained),
        cmocka_unit_test(a_state_that_no_training_reaches_is_refused),
        cmocka_unit_test(a_file_may_be_loaded_twice_and_changed),
        cmocka_unit_test(warns_of_a_missing_checksum),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(han_is_written_in_chinese_only),
        cmocka_unit_test(says_why_a_model_cannot_be_loaded),
        cmocka_unit_test(keeps_the_cjson_hooks_of_the_host),
        cmocka_unit_test(works_in_any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
