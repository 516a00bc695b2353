/* Tests the public API: it gives the results of the program, or the reason of an error. */
#include "api/api.h"
#include "core/choice.h"
#include "core/kernels.h"
#include "score/bleu.h"
#include "score/chrf.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/output.h"
#include "text/unicode.h"
#include "translate/search_options.h"
#include "translate/session.h"
#include "refusal.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "random_model.h"
#include "scratch.h"

/* What each test starts with: a model with random weights, in a file and in memory, and a session that uses it. */
typedef struct Fixture {
    char path[SCRATCH_SIZE];
    Translator written;
    TideModel *model;
    TideSession *session;
} Fixture;

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

static TideSession *open_session(TideModel *model, int threads) {
    TideSession *session;
    const TideSessionOptions options = {sizeof options, threads};
    assert_int_equal(tide_session_new(&model, 1, &options, &session, NULL, 0), TIDE_OK);
    return session;
}

static int set_up(void **state) {
    Fixture *f = mem_zalloc(sizeof *f);
    scratch_file(f->path);
    write_model(&f->written, 5, f->path);
    f->model = load(f->path);
    f->session = open_session(f->model, 1);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    Fixture *f = *state;
    tide_session_free(f->session);
    tide_free(f->model);
    translator_free(&f->written);
    unlink(f->path);
    mem_free(f);
    return 0;
}

/* The library takes texts that it must not change. */
static const char *const *const sources = (const char *const *)source_texts, *const *const targets =
                                                                                 (const char *const *)target_texts;

/* Arrays in the block of a result may be read with any instruction. */
static void assert_aligned(const void *pointer) { assert_int_equal((uintptr_t)pointer % _Alignof(max_align_t), 0); }

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
    assert_aligned(api);
    assert_aligned(api->piece_scores);
    assert_aligned(a->source);
    assert_aligned(a->target);
    assert_aligned(a->weights);
    mem_free(text);
}

static void translates_as_the_program_does(void **state) {
    Fixture *f = *state;
    TideSession *tide = open_session(f->model, 2);
    Threads *threads = threads_new(1);
    Session session;
    session_init(&session, (const Translator *[]){&f->written}, 1, threads);
    BeamOptions options = translator_beam_options(&f->written);
    options.beam = options.alignments = 3;
    Translations found = session_translate(&session, source_texts, 3, &options, 1, NULL, NULL);
    const TideTranslateOptions given = {sizeof given, .beam = 3, .n_best = 3};
    TideResult *result;
    assert_int_equal(tide_translate(tide, sources, 3, &given, &result), TIDE_OK);
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
}

/* Forced decoding of the best translation gives its own log-probability and its alignment. */
static void aligns_and_scores_given_pairs(void **state) {
    Fixture *f = *state;
    TideResult *aligned, *scored;
    assert_int_equal(tide_align(f->session, sources, targets, 3, NULL, &aligned), TIDE_OK);
    assert_int_equal(tide_score(f->session, sources, targets, 3, NULL, &scored), TIDE_OK);
    Threads *threads = threads_new(1);
    Session session;
    session_init(&session, (const Translator *[]){&f->written}, 1, threads);
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
    assert_int_equal(tide_align(f->session, sources, targets, 1, &words, &aligned), TIDE_OK);
    const TideAlignment *by_word = &aligned->sentences[0]->hypotheses[0]->alignment;
    assert_int_equal(by_word->target_count, 5); /* The tide went out. </s> */
    assert_string_equal(by_word->target[3], "out.");
    tide_result_free(aligned);
    const TideForceOptions shifted = {sizeof shifted, .shift = 1}; /* each piece has the weights of the next one */
    TideResult *next;
    assert_int_equal(tide_align(f->session, sources, targets, 1, NULL, &aligned), TIDE_OK);
    assert_int_equal(tide_align(f->session, sources, targets, 1, &shifted, &next), TIDE_OK);
    const TideAlignment *own = &aligned->sentences[0]->hypotheses[0]->alignment;
    assert_memory_equal(next->sentences[0]->hypotheses[0]->alignment.weights, own->weights + own->source_count,
                        (size_t)((own->target_count - 1) * own->source_count) * sizeof(float));
    tide_result_free(aligned);
    tide_result_free(next);
    session_free(&session);
    threads_free(threads);
}

/* The log-probability of the first pair. */
static double pair_score(TideSession *session, const TideForceOptions *options) {
    TideResult *result;
    assert_int_equal(tide_score(session, sources, targets, 1, options, &result), TIDE_OK);
    const double score = result->sentences[0]->hypotheses[0]->log_probability;
    tide_result_free(result);
    return score;
}

/* Writes a model with a tag, and opens it; *t is the model as it was written. */
static TideSession *open_tagged(const Fixture *f, Translator *t, TideModel **model) {
    const ModelOptions small = small_options("en");
    write_tagged_model(t, &small, target_texts, "news", 5, f->path);
    *model = load(f->path);
    return open_session(*model, 1);
}

/* A tag is listed, and changes what is read, in this call only. */
static void reads_tagged_sources(void **state) {
    Fixture *f = *state;
    Translator t;
    TideModel *model;
    TideSession *session = open_tagged(f, &t, &model);
    TideModelInfo info = {.size = sizeof info};
    assert_int_equal(tide_model_info(model, &info), TIDE_OK);
    assert_string_equal(info.tags[0], "news");
    assert_null(info.tags[1]);
    assert_int_equal(tide_model_info(f->model, &info), TIDE_OK);
    assert_null(info.tags[0]);

    Session right;
    Threads *threads = threads_new(1);
    session_init(&right, (const Translator *[]){&t}, 1, threads);
    const double plain = session_score(&right, source_texts[0], target_texts[0], (AttentionOptions){0}).log_probability;
    right.tag = "news";
    const double tagged =
        session_score(&right, source_texts[0], target_texts[0], (AttentionOptions){0}).log_probability;
    session_free(&right);
    threads_free(threads);
    assert_true(plain != tagged);
    const TideForceOptions news = {.size = sizeof news, .tag = "news"};
    assert_true(pair_score(session, NULL) == plain);
    assert_true(pair_score(session, &news) == tagged);
    assert_true(pair_score(session, NULL) == plain);

    TideResult *result;
    const TideTranslateOptions sport = {.size = sizeof sport, .tag = "sport"},
                               known = {.size = sizeof known, .tag = "news"};
    assert_int_equal(tide_translate(session, sources, 1, &sport, &result), TIDE_UNSUPPORTED);
    assert_non_null(strstr(tide_error(session), ": this model has no tag 'sport'"));
    assert_int_equal(tide_translate(session, sources, 1, &known, &result), TIDE_OK);
    tide_result_free(result);
    tide_session_free(session);
    tide_free(model);
    translator_free(&t);
}

/* Checks that a call with options gives what a session gives with others, and another score than without options. */
static void check_options(Fixture *f, TideTranslateOptions *given, const SearchOptions *search, bool changes) {
    Threads *threads = threads_new(1);
    Session session;
    Sampling sampling;
    TideResult *result, *plain;
    session_init(&session, (const Translator *[]){&f->written}, 1, threads);
    BeamOptions beam = search_options_beam(search, &f->written, &sampling);
    ColumnSet *shortlists = search->shortlist ? shortlist_sets(search->shortlist, source_texts, 3) : NULL;
    beam.shortlists = shortlists;
    Translations found = session_translate(&session, source_texts, 3, &beam, 64, NULL, NULL);
    bool changed = false;
    given->size = sizeof *given;
    assert_int_equal(tide_translate(f->session, sources, 3, given, &result), TIDE_OK);
    assert_int_equal(tide_translate(f->session, sources, 3, NULL, &plain), TIDE_OK);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < result->sentences[i]->count; k++) {
            const TideHypothesis *h = result->sentences[i]->hypotheses[k];
            char *text = search_options_text(search, &found, i, k);
            assert_string_equal(h->text, text);
            assert_true(h->score == found.nbest[i].list[k].score);
            assert_memory_equal(h->piece_scores, found.nbest[i].list[k].pieces,
                                (size_t)h->pieces * sizeof *h->piece_scores);
            assert_true(!h->alignment.weights == !search->alignments);
            assert_int_equal(h->alignment.target_count, h->pieces);
            changed |= h->score != plain->sentences[i]->hypotheses[0]->score;
            mem_free(text);
        }
    assert_int_equal(changed, changes);
    tide_result_free(result);
    tide_result_free(plain);
    translations_free(&found);
    shortlist_sets_free(shortlists, 3);
    session_free(&session);
    threads_free(threads);
}

/* Each option of a search does what it does in a session. */
static void knows_the_options_of_a_search(void **state) {
    Fixture *f = *state;
    const double penalty = 3;
    SearchOptions search = search_options_default();
    check_options(f, &(TideTranslateOptions){.no_alignments = 1}, &search, false);
    search.alignments = true;
    check_options(f, &(TideTranslateOptions){0}, &search, false);
    search.normalize = 1.5;
    check_options(f, &(TideTranslateOptions){.normalize = 1.5}, &search, true);
    search.normalize = 0;
    check_options(f, &(TideTranslateOptions){.normalize = -1}, &search, true);
    search.normalize = NAN;
    search.coverage = 1;
    check_options(f, &(TideTranslateOptions){.coverage = 1}, &search, true);
    search.coverage = 0;
    search.word_penalty = penalty;
    check_options(f, &(TideTranslateOptions){.word_penalty = &penalty}, &search, true);

    search = search_options_default();
    search.alignments = search.sample = true;
    search.n_best = 2;
    search.top_k = 5;
    search.temperature = 2;
    search.seed = 7;
    check_options(f, &(TideTranslateOptions){.sample = 1, .n_best = 2, .top_k = 5, .temperature = 2, .seed = 7},
                  &search, true);
    search.top_k = 0;
    search.top_p = 0.5;
    search.temperature = search.seed = 1;
    check_options(f, &(TideTranslateOptions){.sample = 1, .n_best = 2, .top_p = 0.5}, &search, true);
}

/* A shortlist allows only its words; it needs one of the session's models, and may outlive it. */
static void searches_the_words_of_a_shortlist(void **state) {
    Fixture *f = *state;
    const char *const lines = "潮\tsea\t0.5\n家\tshoes\t1\n";
    const TideShortlistOptions few = {.size = sizeof few, .first = -1};
    Shortlist list;
    Err err;
    char error[256];
    TideShortlist *own, *other;
    SearchOptions search = search_options_default();
    assert_int_equal(shortlist_parse(&list, lines, &f->written.target, 0, 100, &err), 0);
    assert_int_equal(tide_shortlist_new(f->model, lines, &few, &own, error, sizeof error), TIDE_OK);
    search.alignments = true;
    search.shortlist = &list;
    check_options(f, &(TideTranslateOptions){.shortlist = own}, &search, true);
    shortlist_free(&list);

    TideModel *second = load(f->path);
    TideResult *result;
    const TideTranslateOptions foreign = {.size = sizeof foreign, .shortlist = own};
    TideSession *session = open_session(second, 1);
    assert_int_equal(tide_translate(session, sources, 1, &foreign, &result), TIDE_BAD_ARGUMENT);
    assert_string_equal(tide_error(session), "shortlist: it belongs to a model that is not in the session");
    tide_session_free(session);
    assert_int_equal(tide_shortlist_new(second, lines, NULL, &other, error, sizeof error), TIDE_OK);
    tide_free(second);
    tide_shortlist_free(other);
    tide_shortlist_free(own);
    tide_shortlist_free(NULL);
    assert_int_equal(tide_shortlist_new(f->model, "a\tb\nc", NULL, &own, error, sizeof error), TIDE_BAD_TEXT);
    assert_non_null(strstr(error, "shortlist, line 2: a line must be"));
    assert_null(own);
    assert_int_equal(tide_shortlist_new(f->model, "a\xff", NULL, &own, error, sizeof error), TIDE_BAD_TEXT);
    assert_int_equal(tide_shortlist_new(NULL, lines, NULL, &own, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_string_equal(error, "the model is NULL");
}

/* <unk> is replaced by the source word, or by its translation. */
static void replaces_unknown_words(void **state) {
    Fixture *f = *state;
    Err err;
    const char *const words = "水\twater\n大\tbig\n穿\twear\n";
    SearchOptions search = search_options_default();
    search.alignments = search.replace_unknown = search.allow_han = search.sample = true;
    search.n_best = 8;
    search.temperature = 5; /* so that some word is <unk> */
    check_options(
        f, &(TideTranslateOptions){.replace_unknown = 1, .allow_han = 1, .sample = 1, .n_best = 8, .temperature = 5},
        &search, true);
    Lexicon *lexicon = lexicon_parse(words, &err);
    search.lexicon = lexicon;
    search.allow_han = false;
    TideTranslateOptions given = {.replace_unknown = 1, .lexicon = words, .sample = 1, .n_best = 8, .temperature = 5};
    check_options(f, &given, &search, true);
    lexicon_free(lexicon);
}

typedef struct Settled {
    char text[3][512]; /* the last one of each sentence */
    int calls;
} Settled;

static void note_settled(void *context, int sentence, const char *text, const char *const *pieces, int count) {
    Settled *settled = context;
    assert_in_range(sentence, 0, 2);
    assert_int_equal(strncmp(text, settled->text[sentence], strlen(settled->text[sentence])), 0);
    snprintf(settled->text[sentence], sizeof settled->text[sentence], "%s", text);
    assert_non_null(pieces[count - 1]);
    settled->calls++;
}

/* The settled words grow, and the translation begins with them. */
static void tells_settled_words(void **state) {
    Fixture *f = *state;
    Settled settled = {0};
    const TideTranslateOptions options = {
        .size = sizeof options, .beam = 2, .settled = note_settled, .context = &settled};
    TideResult *result;
    assert_int_equal(tide_translate(f->session, sources, 3, &options, &result), TIDE_OK);
    assert_true(settled.calls >= 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(strncmp(result->sentences[i]->hypotheses[0]->text, settled.text[i], strlen(settled.text[i])),
                         0);
    tide_result_free(result);
}

static int cancel_third(void *context, int done, int all) {
    assert_in_range(done, 0, all);
    return ++*(int *)context == 3;
}

/* ---- calls of several parts ---- */

enum { LONG = 15000 /* letters of a word: two such sentences do not go through a beam of 2 together */, IN_PARTS = 6 };

typedef struct PartsSeen {
    char text[IN_PARTS][512]; /* the last settled text of each sentence */
    int done;                 /* a bit for each number of sentences that were done */
} PartsSeen;

static void note_part(void *context, int sentence, const char *text, const char *const *pieces, int count) {
    PartsSeen *seen = context;
    (void)pieces, (void)count;
    assert_in_range(sentence, 0, IN_PARTS - 1);
    snprintf(seen->text[sentence], sizeof seen->text[sentence], "%s", text);
}

static int note_done(void *context, int done, int all) {
    assert_int_equal(all, IN_PARTS);
    ((PartsSeen *)context)->done |= 1 << done;
    return 0;
}

static void assert_starts(const char *text, const char *start) {
    if (strncmp(text, start, strlen(start)) != 0) fail_msg("'%s' does not begin with '%s'", text, start);
}

/* Fills `texts` with sentences that are translated in four parts: each long one alone. */
static void sentences_of_parts(char word[LONG + 1], const char *texts[IN_PARTS]) {
    const char *const all[IN_PARTS] = {word, source_texts[0], word, source_texts[2], "", source_texts[1]};
    memset(word, 'a', LONG);
    word[LONG] = '\0';
    memcpy(texts, all, sizeof all);
    assert_int_equal(translate_most((char *const *)texts, IN_PARTS, 2), 1);
    assert_int_equal(translate_most((char *const *)texts + 1, IN_PARTS - 1, 2), 1);
}

/* Sentences that do not go through the search together get their own results, prefixes and numbers. */
static void sentences_in_parts_keep_their_numbers(void **state) {
    Fixture *f = *state;
    static char word[LONG + 1];
    static PartsSeen seen;
    static const char *const prefixes[IN_PARTS] = {"The", "Everyone", NULL, "Who", "is by", "sea"};
    const char *texts[IN_PARTS];
    sentences_of_parts(word, texts);
    const TideTranslateOptions options = {.size = sizeof options,
                                          .beam = 2,
                                          .mini_batch = 1,
                                          .prefixes = prefixes,
                                          .progress = note_done,
                                          .settled = note_part,
                                          .context = &seen};
    TideResult *all, *one;
    assert_int_equal(tide_translate(f->session, texts, IN_PARTS, &options, &all), TIDE_OK);
    assert_int_equal(seen.done, (1 << 5) - 1); /* 0 to 4 */
    for (int i = 0; i < IN_PARTS; i++) {
        const TideTranslateOptions own = {.size = sizeof own, .beam = 2, .prefixes = &prefixes[i]};
        const TideHypothesis *h = all->sentences[i]->hypotheses[0];
        assert_int_equal(tide_translate(f->session, &texts[i], 1, &own, &one), TIDE_OK);
        assert_string_equal(h->text, one->sentences[0]->hypotheses[0]->text);
        assert_true(h->score == one->sentences[0]->hypotheses[0]->score);
        assert_starts(h->text, prefixes[i] ? prefixes[i] : "");
        assert_starts(h->text, seen.text[i]);
        assert_int_equal(*seen.text[i] != '\0', i != 4);
        tide_result_free(one);
    }
    tide_result_free(all);
}

/* What is drawn for a sentence depends on its number in the call, not on the part in which it is. */
static void samples_in_parts_are_those_of_one_part(void **state) {
    Fixture *f = *state;
    static char word[LONG + 1];
    const char *texts[IN_PARTS], *const together[IN_PARTS] = {"潮", source_texts[0], "潮", source_texts[2],
                                                              "",   source_texts[1]};
    sentences_of_parts(word, texts);
    const TideTranslateOptions options = {.size = sizeof options, .sample = 1, .n_best = 2, .temperature = 2};
    TideResult *apart, *right;
    assert_int_equal(tide_translate(f->session, texts, IN_PARTS, &options, &apart), TIDE_OK);
    assert_int_equal(tide_translate(f->session, together, IN_PARTS, &options, &right), TIDE_OK);
    for (int i = 1; i < IN_PARTS; i += 2)
        for (int k = 0; k < 2; k++) {
            const TideHypothesis *a = apart->sentences[i]->hypotheses[k], *b = right->sentences[i]->hypotheses[k];
            assert_string_equal(a->text, b->text);
            assert_true(a->score == b->score);
        }
    tide_result_free(apart);
    tide_result_free(right);
}

enum { PAIRS = 2 * MOST_PAIRS + 2 };

static int note_pairs(void *context, int done, int all) {
    int *calls = context;
    assert_int_equal(done, *calls * MOST_PAIRS);
    assert_int_equal(all, PAIRS);
    return ++*calls == 4;
}

/* More pairs than are aligned together: each has its own alignment. */
static void pairs_in_parts_keep_their_numbers(void **state) {
    Fixture *f = *state;
    const char *source[PAIRS], *target[PAIRS];
    TideResult *all, *one;
    for (int i = 0; i < PAIRS; i++) source[i] = source_texts[i % 3], target[i] = target_texts[i / 3 % 3];
    int calls = 0;
    const TideForceOptions options = {.size = sizeof options, .progress = note_pairs, .context = &calls};
    assert_int_equal(tide_align(f->session, source, target, PAIRS, &options, &all), TIDE_OK);
    assert_int_equal(calls, 3);
    for (int i = 0; i < PAIRS; i++) {
        assert_int_equal(tide_align(f->session, &source[i], &target[i], 1, NULL, &one), TIDE_OK);
        const TideHypothesis *a = all->sentences[i]->hypotheses[0], *b = one->sentences[0]->hypotheses[0];
        const TideAlignment *x = &a->alignment, *y = &b->alignment;
        assert_string_equal(a->text, target[i]);
        assert_int_equal(x->source_count, y->source_count);
        assert_int_equal(x->target_count, y->target_count);
        assert_memory_equal(x->weights, y->weights,
                            (size_t)x->source_count * (size_t)x->target_count * sizeof *x->weights);
        tide_result_free(one);
    }
    tide_result_free(all);
    calls = 1; /* cancels before the last part */
    const TideForceOptions cancels = {.size = sizeof cancels, .progress = cancel_third, .context = &calls};
    assert_int_equal(tide_align(f->session, source, target, PAIRS, &cancels, &all), TIDE_CANCELLED);
    assert_string_equal(tide_error(f->session), "cancelled after 64 of 130 sentences");
}

/* A call of tide_translate, and the beginning of its error. */
typedef struct Refused {
    TideStatus status;
    const char *const *texts;
    int count;
    TideTranslateOptions options;
    const char *line;
} Refused;

/* Each call is an error with a line of text, and the session works afterwards. */
static void check_refused(const Fixture *f, const Refused *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        TideTranslateOptions options = cases[i].options;
        TideResult *result = (TideResult *)&options;
        options.size = sizeof options;
        assert_int_equal(tide_translate(f->session, cases[i].texts, cases[i].count, &options, &result),
                         cases[i].status);
        assert_null(result);
        assert_non_null(strstr(tide_error(f->session), cases[i].line));
        assert_null(strchr(tide_error(f->session), '\n'));
        assert_int_equal(tide_translate(f->session, sources, 1, NULL, &result), TIDE_OK);
        assert_string_equal(tide_error(f->session), "");
        tide_result_free(result);
    }
}

static void refuses_wrong_arguments(void **state) {
    Fixture *f = *state;
    char endless[2 * 1001 + 1] = "";
    for (int i = 0; i < 1001; i++) strcat(endless, "a ");
    const char *const good[] = {"潮水退了。"}, *const bad[] = {"a", "b \xff"}, *const none[] = {"a", NULL},
                      *const longer[] = {endless};
    const Refused cases[] = {
        {TIDE_BAD_TEXT, bad, 2, {0}, "sentence 2: not valid UTF-8 at byte 2"},
        {TIDE_BAD_ARGUMENT, none, 2, {0}, "sentence 2 is NULL"},
        {TIDE_BAD_ARGUMENT, NULL, 1, {0}, "sentence 1 is NULL"},
        {TIDE_BAD_ARGUMENT, good, -1, {0}, "the count is -1"},
        {TIDE_TOO_LONG, longer, 1, {0}, "sentence 1: "},
        {TIDE_TOO_LONG, good, 1, {.max_length = 2}, "sentence 1: "},
        {TIDE_BAD_ARGUMENT, good, 1, {.beam = 1001}, "beam is 1001, but must be between 0 and 1000"},
        {TIDE_BAD_ARGUMENT, good, 1, {.beam = -1}, "beam is -1"},
        {TIDE_BAD_ARGUMENT, good, 1, {.beam = 2, .n_best = 3}, "n_best 3 needs beam 3"},
        {TIDE_BAD_ARGUMENT, good, 1, {.normalize = NAN}, "normalize is nan, but must be a finite number"},
        {TIDE_BAD_ARGUMENT, good, 1, {.coverage = INFINITY}, "coverage is inf"},
        {TIDE_BAD_ARGUMENT, good, 1, {.sample = 1, .top_p = NAN}, "top_p is nan, but must be a finite number"},
        {TIDE_BAD_ARGUMENT,
         good,
         1,
         {.sample = 1, .temperature = NAN},
         "temperature is nan, but must be a finite number"},
        {TIDE_BAD_ARGUMENT, good, 1, {.mini_batch = 5000}, "mini_batch is 5000"},
        {TIDE_BAD_ARGUMENT, good, 1, {.max_length = -1}, "max_length is -1"},
        {TIDE_BAD_ARGUMENT, good, 1, {.head = 257}, "head is 257"},
        {TIDE_BAD_TEXT,
         good,
         1,
         {.prefixes = (const char *[]){"The 海 is"}},
         "prefix 1: the vocabulary has no piece '"},
        {TIDE_BAD_TEXT, good, 1, {.prefixes = (const char *[]){"T\xff"}}, "prefix 1: not valid UTF-8 at byte 1"},
        {TIDE_BAD_TEXT,
         good,
         1,
         {.prefixes = (const char *[]){"The The The The The The The The"}, .max_length = 6},
         "prefix 1: a prefix of "},
        {TIDE_BAD_TEXT, good, 1, {.glossary = "a\tThe\nb"}, "glossary, line 2: a line must be"},
        {TIDE_BAD_TEXT, good, 1, {.glossary = "a\xff"}, "glossary: not valid UTF-8"},
        {TIDE_BAD_TEXT, good, 1, {.glossary = "a\t海"}, "glossary: the model cannot write '海'"},
    };
    check_refused(f, cases, sizeof cases / sizeof *cases);
}

/* Products of bfloat16, in this call only: the same bits as those of a session whose weights keep their values. A model
   of int8 refuses. */
static void multiplies_bfloat16(void **state) {
    Fixture *f = *state;
    Translator t;
    TideModel *model;
    TideSession *session = open_tagged(f, &t, &model);
    Session right;
    Threads *threads = threads_new(1);
    session_init(&right, (const Translator *[]){&t}, 1, threads);
    const double plain = session_score(&right, source_texts[0], target_texts[0], (AttentionOptions){0}).log_probability;
    right.products = PANELS_BF16;
    tape_reset(&right.tape);
    const double rounded =
        session_score(&right, source_texts[0], target_texts[0], (AttentionOptions){0}).log_probability;
    session_free(&right);
    threads_free(threads);
    assert_true(plain != rounded && fabs(plain - rounded) < 0.1);
    const TideForceOptions options = {.size = sizeof options, .precision = "bfloat16"};
    assert_true(pair_score(session, &options) == rounded);
    assert_true(pair_score(session, NULL) == plain);
    tide_session_free(session);
    tide_free(model);

    Err err;
    TideResult *result;
    const TideTranslateOptions search = {.size = sizeof search, .precision = "bfloat16"};
    t.quantized = true;
    assert_int_equal(save(&t, f->path, &err), 0);
    model = load(f->path);
    session = open_session(model, 1);
    assert_int_equal(tide_translate(session, sources, 1, &search, &result), TIDE_UNSUPPORTED);
    assert_non_null(strstr(tide_error(session), ": precision bfloat16: this model multiplies integers of 8 bits"));
    tide_session_free(session);
    tide_free(model);
    translator_free(&t);
}

static void refuses_wrong_options(void **state) {
    Fixture *f = *state;
    const char *const good[] = {"潮水退了。"};
    const Refused cases[] = {
        {TIDE_BAD_ARGUMENT, good, 1, {.word_penalty = &(double){11}}, "word_penalty is 11, but must be between -10"},
        {TIDE_BAD_ARGUMENT, good, 1, {.word_penalty = &(double){NAN}}, "word_penalty is nan"},
        {TIDE_BAD_ARGUMENT, good, 1, {.precision = "half"}, "precision is 'half', but must be float32 or bfloat16"},
        {TIDE_BAD_ARGUMENT, good, 1, {.top_k = 3}, "top_k needs sample"},
        {TIDE_BAD_ARGUMENT, good, 1, {.seed = 3}, "seed needs sample"},
        {TIDE_BAD_ARGUMENT, good, 1, {.sample = 1, .top_p = 1.5}, "top_p is 1.5, but must be between 0 and 1"},
        {TIDE_BAD_ARGUMENT, good, 1, {.sample = 1, .top_p = 0.5, .top_k = 2}, "give either top_k or top_p"},
        {TIDE_BAD_ARGUMENT, good, 1, {.sample = 1, .temperature = 1e-3}, "temperature is 0.001, but must be"},
        {TIDE_BAD_ARGUMENT,
         good,
         1,
         {.sample = 1, .beam = 2},
         "sample draws translations without a beam: leave out beam"},
        {TIDE_BAD_ARGUMENT, good, 1, {.sample = 1, .glossary = "a\tb"}, "so it cannot follow a glossary"},
        {TIDE_BAD_ARGUMENT, good, 1, {.lexicon = "a\tb"}, "lexicon needs replace_unknown"},
        {TIDE_BAD_TEXT, good, 1, {.lexicon = "a", .replace_unknown = 1}, "lexicon, line 1: a line must be"},
        {TIDE_UNSUPPORTED, good, 1, {.head = 2}, "head 2: this model's attention has 1 head"},
        {TIDE_UNSUPPORTED, good, 1, {.layer = 9}, "layer 9: this model's attention has 1 layer"},
    };
    check_refused(f, cases, sizeof cases / sizeof *cases);
}

static const TideNumbers *numbers_named(const TideExplanation *x, const char *of, const char *name) {
    for (int i = 0; i < x->number_count; i++)
        if (!strcmp(x->numbers[i]->of, of) && !strcmp(x->numbers[i]->name, name)) return x->numbers[i];
    return NULL;
}

/* Each step has its row of the alignment and the probability of its piece, for a text and for its pieces. */
static void explains_steps(void **state) {
    Fixture *f = *state;
    TideResult *aligned, *scored;
    assert_int_equal(tide_align(f->session, sources, targets, 1, NULL, &aligned), TIDE_OK);
    assert_int_equal(tide_score(f->session, sources, targets, 1, NULL, &scored), TIDE_OK);
    const TideAlignment *a = &aligned->sentences[0]->hypotheses[0]->alignment;
    const double *scores = scored->sentences[0]->hypotheses[0]->piece_scores;
    for (int step = 0; step < a->target_count; step++) {
        const TideExplainOptions by_pieces = {
            .size = sizeof by_pieces, .top = step ? 3 : -1, .pieces = a->target, .piece_count = a->target_count};
        for (int pieces = 0; pieces <= 1; pieces++) {
            TideExplanation *x;
            assert_int_equal(
                tide_explain(f->session, sources[0], pieces ? NULL : targets[0], step, pieces ? &by_pieces : NULL, &x),
                TIDE_OK);
            assert_int_equal(x->step, step);
            assert_int_equal(x->source_count, a->source_count);
            assert_string_equal(x->source[x->source_count - 1], "</s>");
            assert_int_equal(x->target_count, step + 1);
            assert_string_equal(x->target[step], step ? a->target[step - 1] : "<s>");
            const TideNumbers *alpha = numbers_named(x, "attention", "alpha"), *c = numbers_named(x, "attention", "c");
            assert_memory_equal(alpha->values, a->weights + (ptrdiff_t)step * a->source_count,
                                (size_t)a->source_count * sizeof(float));
            assert_int_equal(alpha->rows, 1);
            assert_int_equal(alpha->columns, a->source_count);
            assert_int_equal(numbers_named(x, "encoder", "h")->rows, a->source_count);
            assert_int_equal(c->columns, numbers_named(x, "encoder", "h")->columns);
            assert_aligned(c);
            assert_aligned(c->values);
            assert_aligned(x->best);
            assert_string_equal(x->next->piece, a->target[step]);
            assert_true(fabs(log(x->next->probability) - scores[step]) < 1e-5);
            assert_int_equal(x->best_count, pieces ? (step ? 3 : 0) : 10);
            tide_explanation_free(x);
        }
    }
    tide_result_free(aligned);
    tide_result_free(scored);
    tide_explanation_free(NULL);
}

static void refuses_wrong_steps(void **state) {
    Fixture *f = *state;
    const char *const pieces[] = {"</s>", "nonesuch"};
    TideExplainOptions options = {.size = sizeof options};
    const struct {
        const char *source, *target;
        int step, top, max_length, pieces;
        const char *tag;
        TideStatus status;
        const char *error;
    } cases[] = {
        {"潮", "The", -1, 0, 0, 0, NULL, TIDE_BAD_ARGUMENT, "step is -1, but must be between 0 and "},
        {"潮", "", 1, 0, 0, 0, NULL, TIDE_BAD_ARGUMENT, "step is 1, but must be between 0 and 0"},
        {"潮", "The", 0, 1001, 0, 0, NULL, TIDE_BAD_ARGUMENT, "top is 1001, but must be between -1 and 1000"},
        {"潮", "The", 0, 0, -1, 0, NULL, TIDE_BAD_ARGUMENT, "max_length is -1"},
        {NULL, "The", 0, 0, 0, 0, NULL, TIDE_BAD_ARGUMENT, "the source is NULL"},
        {"潮", NULL, 0, 0, 0, 0, NULL, TIDE_BAD_ARGUMENT, "the target is NULL"},
        {"潮\xff", "The", 0, 0, 0, 0, NULL, TIDE_BAD_TEXT, "source: not valid UTF-8 at byte 3"},
        {"潮", "The\xff", 0, 0, 0, 0, NULL, TIDE_BAD_TEXT, "target: not valid UTF-8 at byte 3"},
        {"潮", NULL, 0, 0, 0, 2, NULL, TIDE_BAD_TEXT, "a translation with pieces after </s>"},
        {"潮水退", "", 0, 0, 2, 0, NULL, TIDE_TOO_LONG, "source: a sentence of 3 pieces, where 2 are the limit"},
        {"潮", "The tide went out.", 0, 0, 3, 0, NULL, TIDE_TOO_LONG, "target: "},
        {"潮", "The", 0, 0, 0, 0, "none", TIDE_UNSUPPORTED, "tag"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TideExplanation *x = (TideExplanation *)f;
        options.top = cases[i].top;
        options.max_length = cases[i].max_length;
        options.pieces = cases[i].pieces ? pieces : NULL;
        options.piece_count = cases[i].pieces;
        options.tag = cases[i].tag;
        const TideStatus status =
            tide_explain(f->session, cases[i].source, cases[i].target, cases[i].step, &options, &x);
        assert_non_null(strstr(tide_error(f->session), cases[i].error));
        assert_int_equal(status, cases[i].status);
        assert_null(x);
    }
    assert_int_equal(tide_explain(f->session, "潮", "The", 0, NULL, NULL), TIDE_BAD_ARGUMENT);
    options = (TideExplainOptions){.size = sizeof options, .max_length = 3}; /* </s> does not count, as in tide_align */
    TideExplanation *x;
    assert_int_equal(tide_explain(f->session, "潮水退", "", 0, &options, &x), TIDE_OK);
    tide_explanation_free(x);
}

/* A translation begins with its prefix; nothing can follow that of an empty sentence. */
static void a_translation_has_its_prefix(void **state) {
    Fixture *f = *state;
    const char *const texts[] = {"", "潮水退了。", " "}, *const prefixes[] = {"The  tide ", "Everyone is", NULL};
    const TideTranslateOptions options = {.size = sizeof options, .prefixes = prefixes};
    TideResult *result;
    assert_int_equal(tide_translate(f->session, texts, 3, &options, &result), TIDE_OK);
    const TideHypothesis *first = result->sentences[0]->hypotheses[0];
    assert_string_equal(first->text, "The tide");
    assert_int_equal(first->alignment.target_count, 0);
    assert_int_equal(strncmp(result->sentences[1]->hypotheses[0]->text, "Everyone is", strlen("Everyone is")), 0);
    assert_string_equal(result->sentences[2]->hypotheses[0]->text, "");
    tide_result_free(result);
}

/* A target that is not valid UTF-8, and NULL for a session or a result, are errors. */
static void refuses_wrong_pointers(void **state) {
    Fixture *f = *state;
    const char *const good[] = {"潮水退了。"}, *const bad[] = {"b \xff"};
    TideResult *result = (TideResult *)f;
    assert_int_equal(tide_align(f->session, good, bad, 1, NULL, &result), TIDE_BAD_TEXT);
    assert_null(result);
    assert_string_equal(tide_error(f->session), "target 1: not valid UTF-8 at byte 2");
    assert_int_equal(tide_translate(NULL, good, 1, NULL, &result), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_translate(f->session, good, 1, NULL, NULL), TIDE_BAD_ARGUMENT);
    assert_string_equal(tide_error(f->session), "the result is NULL");
    assert_int_equal(tide_score(f->session, good, good, 1, NULL, NULL), TIDE_BAD_ARGUMENT);
    assert_string_equal(tide_error(f->session), "the result is NULL");
    const TideTranslateOptions wrong = {.size = sizeof wrong,
                                        .normalize = NAN}; /* the result is checked before the options */
    assert_int_equal(tide_translate(f->session, good, 1, &wrong, NULL), TIDE_BAD_ARGUMENT);
    assert_string_equal(tide_error(f->session), "the result is NULL");
    tide_session_free(NULL);
    tide_free(NULL);
    tide_result_free(NULL);
}

/* An options struct may be larger or smaller than the library's. */
static void accepts_options_of_other_versions(void **state) {
    Fixture *f = *state;
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
    assert_int_equal(tide_translate(f->session, good, 2, &newer.known, &result), TIDE_OK);
    assert_int_equal(result->sentences[1]->count, 1);
    assert_string_equal(result->sentences[1]->hypotheses[0]->text, "");
    assert_int_equal(result->sentences[1]->hypotheses[0]->alignment.target_count, 0);
    tide_result_free(result);
    assert_int_equal(tide_translate(f->session, good, 1, (const TideTranslateOptions *)(const void *)&older, &result),
                     TIDE_OK);
    tide_result_free(result);
    newer.later = 1; /* cppcheck-suppress unreadVariable ; the library reads it */
    assert_int_equal(tide_translate(f->session, good, 1, &newer.known, &result), TIDE_BAD_ARGUMENT);
    assert_non_null(strstr(tide_error(f->session), "does not know an option"));
    const size_t absurd[] = {3, 4097};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        newer.known.size = absurd[i];
        assert_int_equal(tide_translate(f->session, good, 1, &newer.known, &result), TIDE_BAD_ARGUMENT);
        assert_non_null(strstr(tide_error(f->session), "set `size` to the size of the struct"));
    }
    assert_int_equal(tide_translate(f->session, NULL, 0, NULL, &result), TIDE_OK);
    assert_int_equal(result->count, 0);
    tide_result_free(result);
}

/* A struct has at least its size and at most 4096 bytes; what a program does not have stays as it is. */
static void structs_have_limits(void **state) {
    Fixture *f = *state;
    union {
        TideTranslateOptions options;
        TideModelInfo info;
        size_t size;
        unsigned char bytes[4096];
    } any = {0};
    TideResult *result;
    const size_t sizes[] = {sizeof any.size, sizeof any};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        any.size = sizes[i];
        assert_int_equal(tide_translate(f->session, sources, 1, &any.options, &result), TIDE_OK);
        tide_result_free(result);
    }
    memset(&any, 0xff, sizeof any);
    any.size = sizeof any;
    assert_int_equal(tide_model_info(f->model, &any.info), TIDE_OK);
    assert_int_equal(any.size, sizeof any);
    assert_int_equal(any.info.heads, 1);
    for (size_t i = sizeof any.info; i < sizeof any; i++) assert_int_equal(any.bytes[i], 0);
    memset(&any, 0xff, sizeof any);
    any.size = offsetof(TideModelInfo, heads);
    assert_int_equal(tide_model_info(f->model, &any.info), TIDE_OK);
    assert_string_equal(any.info.source_language, "zh");
    for (size_t i = offsetof(TideModelInfo, heads); i < sizeof any; i++) assert_int_equal(any.bytes[i], 0xff);
}

/* The callback is called at each step and cancels the call; the next call gives the right result. */
static void can_be_cancelled(void **state) {
    Fixture *f = *state;
    int calls = 0;
    const TideTranslateOptions options = {sizeof options, .progress = cancel_third, .context = &calls};
    const TideForceOptions force = {sizeof force, .progress = cancel_third, .context = &calls};
    TideResult *result, *again;
    assert_int_equal(tide_translate(f->session, sources, 1, &options, &result), TIDE_CANCELLED);
    assert_int_equal(calls, 3);
    assert_null(result);
    assert_string_equal(tide_error(f->session), "cancelled after 0 of 1 sentences");
    calls = 0;
    assert_int_equal(tide_score(f->session, sources, targets, 3, &force, &result), TIDE_CANCELLED);
    assert_string_equal(tide_error(f->session), "cancelled after 2 of 3 sentences");
    calls = 3;
    assert_int_equal(tide_translate(f->session, sources, 3, &options, &result), TIDE_OK);
    assert_int_equal(tide_translate(f->session, sources, 3, NULL, &again), TIDE_OK);
    for (int i = 0; i < 3; i++)
        assert_string_equal(result->sentences[i]->hypotheses[0]->text, again->sentences[i]->hypotheses[0]->text);
    tide_result_free(result);
    tide_result_free(again);
}

/* A model without attention translates and scores, but has no alignments. */
static void a_model_without_attention_aligns_nothing(void **state) {
    Fixture *f = *state;
    ModelOptions options = small_options("en");
    Translator t;
    options.attention = choice_find(attention_names, "none");
    write_random_model(&t, &options, target_texts, 5, f->path);
    TideModel *model = load(f->path);
    TideSession *session = open_session(model, 1);
    TideResult *result = (TideResult *)f;
    assert_int_equal(tide_align(session, sources, targets, 3, NULL, &result), TIDE_UNSUPPORTED);
    assert_null(result);
    assert_string_equal(tide_error(session), "this model has no attention, so there is no alignment");
    assert_int_equal(tide_score(session, sources, targets, 3, NULL, &result), TIDE_OK);
    tide_result_free(result);
    const TideTranslateOptions wants = {.size = sizeof wants, .shift = 1, .words = 1};
    assert_int_equal(tide_translate(session, sources, 3, &wants, &result), TIDE_OK);
    assert_null(result->sentences[0]->hypotheses[0]->alignment.weights);
    tide_result_free(result);
    tide_session_free(session);
    tide_free(model);
    translator_free(&t);
}

static void ensembles_need_the_same_pieces(void **state) {
    Fixture *f = *state;
    static char *const others[] = {"Some other words.", "They make other pieces.", "Nothing fits."};
    char error[512];
    TideModel *models[3] = {f->model};
    for (int i = 1; i < 3; i++) {
        Translator t;
        write_model_into(&t, "en", i < 2 ? target_texts : others, 5U + (unsigned)i, f->path);
        models[i] = load(f->path);
        translator_free(&t);
    }
    TideSession *session;
    TideResult *result;
    assert_int_equal(tide_session_new(models, 3, NULL, &session, error, sizeof error), TIDE_UNSUPPORTED);
    assert_null(session);
    assert_non_null(strstr(error, "its target pieces are not those of the first model"));
    assert_int_equal(tide_session_new(models, 0, NULL, &session, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_session_new(NULL, 1, NULL, &session, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_string_equal(error, "a session needs at least one model");
    assert_int_equal(tide_session_new((TideModel *[]){f->model, NULL}, 2, NULL, &session, error, sizeof error),
                     TIDE_BAD_ARGUMENT);
    assert_string_equal(error, "model 2 is NULL");
    assert_int_equal(tide_session_new(models, 2, NULL, NULL, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_string_equal(error, "the session is NULL");
    assert_int_equal(tide_session_new(models, 2, NULL, &session, error, sizeof error), TIDE_OK);
    assert_int_equal(tide_translate(session, sources, 3, NULL, &result), TIDE_OK);
    assert_non_null(result->sentences[0]->hypotheses[0]->alignment.weights);
    tide_result_free(result);
    TideSession *twice, *once = open_session(models[1], 1);
    assert_int_equal(tide_session_new((TideModel *[]){models[1], models[1]}, 2, NULL, &twice, NULL, 0), TIDE_OK);
    const double own = pair_score(once, NULL), other = pair_score(f->session, NULL), mean = pair_score(session, NULL);
    assert_true(fabs(pair_score(twice, NULL) - own) < 1e-5);
    assert_true(fabs(mean - own) > 1e-3 && fabs(mean - other) > 1e-3); /* not that of the first model alone */
    TideShortlist *list;
    assert_int_equal(tide_shortlist_new(models[1], "潮\tsea\n", NULL, &list, error, sizeof error), TIDE_OK);
    const TideTranslateOptions words = {.size = sizeof words, .shortlist = list};
    assert_int_equal(tide_translate(session, sources, 1, &words, &result), TIDE_OK);
    tide_result_free(result);
    tide_shortlist_free(list);
    tide_session_free(once);
    tide_session_free(twice);
    for (int i = 1; i < 3; i++) tide_free(models[i]);
    tide_session_free(session);
}

/* Compares both measures of two hypotheses with those of score/. */
static void check_measures(const char *const *out, const char *const *ref, int lower, int chinese) {
    const TideScoreOptions options = {sizeof options, .lowercase = lower, .chinese = chinese};
    const Bleu bleu = bleu_corpus((char *const *)out, (char *const *)ref, 2, (BleuOptions){lower, chinese});
    const Chrf chrf = chrf_corpus((char *const *)out, (char *const *)ref, 2, lower);
    TideScore score;
    char line[256];
    assert_int_equal(tide_bleu(out, ref, 2, &options, &score), TIDE_OK);
    bleu_format(&bleu, line, sizeof line);
    assert_true(score.value == bleu.score);
    assert_string_equal(score.line, line);
    assert_int_equal(tide_chrf(out, ref, 2, &options, &score), TIDE_OK);
    chrf_format(&chrf, line, sizeof line);
    assert_true(score.value == chrf.score);
    assert_string_equal(score.line, line);
}

/* Several references of each hypothesis. */
static void measures_with_several_references(void **state) {
    (void)state;
    const char *const out[] = {"the tide went out today", "who is there"}, *const ref[] = {"the tide is out",
                                                                                           "who is here",
                                                                                           "the sea went out today",
                                                                                           "who is there now"};
    const References sets = {(char *const *const[]){(char *const *)ref, (char *const *)ref + 2}, 2};
    const TideScoreOptions two = {.size = sizeof two, .references = 2},
                           wrong = {.size = sizeof wrong, .references = -1};
    TideScore score, one;
    assert_int_equal(tide_bleu(out, ref, 2, &two, &score), TIDE_OK);
    assert_true(score.value == bleu_references((char *const *)out, sets, 2, (BleuOptions){0}).score);
    assert_int_equal(tide_bleu(out, ref, 2, NULL, &one), TIDE_OK);
    assert_true(one.value < score.value);
    assert_int_equal(tide_chrf(out, ref, 2, &two, &score), TIDE_OK);
    assert_true(score.value == chrf_references((char *const *)out, sets, 2, 0).score);
    assert_int_equal(tide_chrf(out, ref, 2, &wrong, &score), TIDE_BAD_ARGUMENT);
    enum { MOST = 1000, MANY = INT_MAX / MOST + 1 };
    const TideScoreOptions most = {.size = sizeof most, .references = MOST},
                           more = {.size = sizeof more, .references = MOST + 1};
    const char **same = mem_alloc(MANY * sizeof *same);
    for (int i = 0; i < MANY; i++) same[i] = out[0];
    assert_int_equal(tide_bleu(out, same, 1, &most, &score), TIDE_OK);
    assert_true(fabs(score.value - 100) < 1e-9);
    assert_int_equal(tide_bleu(out, same, 1, &more, &score), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_bleu(same, same, MANY, &most, &score), TIDE_BAD_ARGUMENT); /* more texts than INT_MAX */
    mem_free(same);
}

/* The measures are those of score/, with the same options, and wrong input is an error. */
static void measures(void **state) {
    (void)state;
    const char *const out[] = {"the Tide went out today .", "潮水退了 ,who is there?"}, *const ref[] = {
                                                                                            "the tide went out .",
                                                                                            "潮水没退 ,who is here?"};
    const char *const links[] = {"0-0 1-1"}, *const gold[] = {"0-0 1p1 2-2"}, *const wrong[] = {"0-0 1:1"};
    char error[256];
    TideScore score;
    TideAer aer;
    assert_int_equal(tide_bleu(out, out, 2, NULL, &score), TIDE_OK);
    assert_true(fabs(score.value - 100) < 1e-9);
    for (int lower = 0; lower < 2; lower++)
        for (int chinese = 0; chinese < 2; chinese++) check_measures(out, ref, lower, chinese);
    assert_int_equal(tide_bleu(out, ref, 0, NULL, &score), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_chrf(out, NULL, 1, NULL, &score), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_chrf(NULL, ref, 1, NULL, &score), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_bleu(out, ref, -1, NULL, &score), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_bleu(out, ref, 2, NULL, NULL), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_chrf(out, ref, 2, NULL, NULL), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_aer(links, gold, 1, &aer, error, sizeof error), TIDE_OK);
    assert_true(fabs(aer.rate - (1 - (1.0 + 2) / (2 + 2))) < 1e-12 && aer.precision == 1 && aer.recall == 0.5);
    assert_int_equal(tide_aer(wrong, gold, 1, &aer, error, sizeof error), TIDE_BAD_TEXT);
    assert_non_null(strstr(error, "links:1: "));
    assert_int_equal(tide_aer(gold, wrong, 1, &aer, error, sizeof error), TIDE_BAD_TEXT);
    assert_string_equal(error, "gold:1: '1:1' is not a link such as 3-4 (words are counted from 0)");
    assert_int_equal(tide_aer(links, gold, 1, NULL, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_string_equal(error, "the aer is NULL");
}

static void draws_alignments(void **state) {
    (void)state;
    static const char *const source[] = {"潮", "水", "</s>"}, *const target[] = {"▁tide", "</s>"};
    const char *bad[] = {"\xff", "b"};
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
    bad[0] = NULL;
    assert_int_equal(tide_draw(&a, TIDE_SVG, &text), TIDE_BAD_ARGUMENT);
    a = (TideAlignment){3, 2, source, target, NULL};
    assert_int_equal(tide_draw(&a, TIDE_SVG, &text), TIDE_BAD_ARGUMENT);
    a.weights = weights;
    assert_int_equal(tide_draw(&a, TIDE_SVG, NULL), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_draw(NULL, TIDE_SVG, &text), TIDE_BAD_ARGUMENT);
    a.source = NULL;
    assert_int_equal(tide_draw(&a, TIDE_SVG, &text), TIDE_BAD_ARGUMENT);
}

/* A number outside its limits is refused, and the error names both. */
static void numbers_have_limits(void **state) {
    Fixture *f = *state;
    static const struct {
        int threads, first, best, side;
        const char *error;
    } cases[] = {{-1, 0, 0, 0, "threads is -1, but must be between 0 and 1024"},
                 {1025, 0, 0, 0, "threads is 1025, but must be between 0 and 1024"},
                 {0, -1000001, 0, 0, "first is -1000001, but must be between -1000000 and 1000000"},
                 {0, 1000001, 0, 0, "first is 1000001, but must be between -1000000 and 1000000"},
                 {0, 0, -1, 0, "best is -1, but must be between 0 and 1000000"},
                 {0, 0, 1000001, 0, "best is 1000001, but must be between 0 and 1000000"},
                 {0, 0, 0, -1, "side is -1, but must be between 0 and 1"},
                 {0, 0, 0, 2, "side is 2, but must be between 0 and 1"}};
    char error[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const TideSessionOptions many = {sizeof many, cases[i].threads};
        const TideShortlistOptions words = {sizeof words, cases[i].first, cases[i].best};
        TideSession *session;
        TideShortlist *shortlist;
        TidePieces *pieces;
        TideStatus status;
        if (cases[i].threads) status = tide_session_new(&f->model, 1, &many, &session, error, sizeof error);
        else if (cases[i].first || cases[i].best)
            status = tide_shortlist_new(f->model, "a\tb", &words, &shortlist, error, sizeof error);
        else status = tide_tokenize(f->model, (TideSide)cases[i].side, "a", &pieces, error, sizeof error);
        assert_int_equal(status, TIDE_BAD_ARGUMENT);
        assert_string_equal(error, cases[i].error);
    }
    for (int i = -1; i < 2; i += 2) { /* the limits themselves */
        const TideShortlistOptions words = {sizeof words, i * 1000000, 1000000};
        TideShortlist *shortlist;
        assert_int_equal(tide_shortlist_new(f->model, "a\tb", &words, &shortlist, error, sizeof error), TIDE_OK);
        tide_shortlist_free(shortlist);
    }
}

/* What tide.h promises if a number is 0, or if there are no options. */
static void numbers_have_defaults(void **state) {
    Fixture *f = *state;
    static const struct {
        int given, threads, first, best; /* the number in all three places, and what it means there */
    } cases[] = {{0, 1, 1000, 100}, {1, 1, 1, 1}, {102, 102, 102, 102}, {1024, 1024, 1024, 103}};
    char error[256], lines[103 * 8] = ""; /* 103 translations of one word */
    for (int i = 0; i < 103; i++) snprintf(lines + strlen(lines), 8, "a\t%d\n", 100 + i);
    for (int i = -1; i < (int)(sizeof cases / sizeof *cases); i++) {
        const int row = i < 0 ? 0 : i;
        const TideSessionOptions many = {sizeof many, cases[row].given};
        const TideShortlistOptions words = {sizeof words, cases[row].given, cases[row].given};
        TideSession *session;
        TideShortlist *shortlist;
        assert_int_equal(tide_session_new(&f->model, 1, i < 0 ? NULL : &many, &session, error, sizeof error), TIDE_OK);
        assert_int_equal(session->threads, cases[row].threads);
        tide_session_free(session);
        assert_int_equal(tide_shortlist_new(f->model, lines, i < 0 ? NULL : &words, &shortlist, error, sizeof error),
                         TIDE_OK);
        assert_int_equal(shortlist->list.first, cases[row].first);
        assert_int_equal(arrlen(shortlist->list.translations[0]), cases[row].best);
        tide_shortlist_free(shortlist);
    }
    const TideShortlistOptions none = {sizeof none, -1, 0};
    TideShortlist *shortlist;
    assert_int_equal(tide_shortlist_new(f->model, lines, &none, &shortlist, error, sizeof error), TIDE_OK);
    assert_int_equal(shortlist->list.first, 0);
    tide_shortlist_free(shortlist);
}

/* One piece and 10000 pieces of a side are drawn; none and more are refused. */
static void draws_one_to_10000_pieces(void **state) {
    (void)state;
    enum { MOST = 10000 };
    static const char *pieces[MOST + 1];
    static const float weights[MOST + 1] = {0};
    static const struct {
        int sources, targets, picture;
        TideStatus status;
    } cases[] = {{1, 1, TIDE_SVG, TIDE_OK},
                 {1, 1, TIDE_PHARAOH, TIDE_OK},
                 {MOST, 1, TIDE_PHARAOH, TIDE_OK},
                 {1, MOST, TIDE_PHARAOH, TIDE_OK},
                 {0, 1, TIDE_SVG, TIDE_BAD_ARGUMENT},
                 {1, 0, TIDE_SVG, TIDE_BAD_ARGUMENT},
                 {-1, 1, TIDE_SVG, TIDE_BAD_ARGUMENT},
                 {MOST + 1, 1, TIDE_PHARAOH, TIDE_BAD_ARGUMENT},
                 {1, MOST + 1, TIDE_PHARAOH, TIDE_BAD_ARGUMENT},
                 {1, 1, TIDE_SVG - 1, TIDE_BAD_ARGUMENT},
                 {1, 1, TIDE_PHARAOH + 1, TIDE_BAD_ARGUMENT}};
    for (int i = 0; i <= MOST; i++) pieces[i] = "a";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const TideAlignment a = {cases[i].sources, cases[i].targets, pieces, pieces, weights};
        char *text;
        assert_int_equal(tide_draw(&a, (TidePicture)cases[i].picture, &text), cases[i].status);
        assert_int_equal(text != NULL, cases[i].status == TIDE_OK);
        tide_text_free(text);
    }
}

static void tells_about_a_model_and_the_library(void **state) {
    Fixture *f = *state;
    TideModelInfo info = {.size = sizeof info};
    assert_int_equal(tide_model_info(f->model, &info), TIDE_OK);
    assert_string_equal(info.source_language, "zh");
    assert_string_equal(info.target_language, "en");
    assert_non_null(strstr(info.configuration, "dim-rnn = 12\n"));
    assert_null(info.warning);
    long weights = 0;
    Tensor *tensors = model_tensors(&f->written);
    for (ptrdiff_t i = 0; i < arrlen(tensors); i++)
        weights += (long)(tensors[i].rows ? tensors[i].rows : 1) * tensors[i].cols;
    arrfree(tensors);
    assert_int_equal(info.parameters, weights);
    assert_int_equal(info.heads, 1);
    assert_int_equal(info.layers, 1);
    assert_int_equal(info.source_pieces, vocab_size(f->written.source.vocab));
    assert_int_equal(info.target_pieces, vocab_size(f->written.target.vocab));
    assert_int_equal(info.beam, f->written.options.beam_size);
    const size_t absurd[] = {0, sizeof info.size - 1, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        info.size = absurd[i];
        assert_int_equal(tide_model_info(f->model, &info), TIDE_BAD_ARGUMENT);
    }
    assert_int_equal(info.heads, 1); /* a refused struct stays as it is */
    assert_int_equal(tide_model_info(f->model, NULL), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_model_info(NULL, &info), TIDE_BAD_ARGUMENT);
    assert_string_equal(tide_version(), TIDE_VERSION);
    char right[64] = "";
    for (const char *const *name = tide_capabilities(); *name; name++)
        if (!strncmp(*name, "kernels-", 8)) snprintf(right, sizeof right, "%s", *name + 8);
    assert_string_equal(right, kernels->name);
    const Kernels *const usual = kernels, fresh = {.name = "simd1024"}; /* a set that was added to core/cpu.c */
    kernels = &fresh;
    assert_string_equal(*tide_capabilities(), "kernels-simd1024");
    kernels = usual;
    assert_string_equal(*tide_capabilities() + strlen("kernels-"), kernels->name);
    for (int status = TIDE_OK; status <= TIDE_INTERNAL; status++)
        assert_string_not_equal(tide_status_text((TideStatus)status), "unknown status");
    assert_string_equal(tide_status_text((TideStatus)(TIDE_INTERNAL + 1)), "unknown status");
    assert_string_equal(tide_status_text((TideStatus)-1), "unknown status");
}

/* ---- eight threads ---- */

enum { SESSIONS = 8, ROUNDS = 4 };

static void *work_alone(void *context) {
    char **texts = context;
    TideSession *session = (TideSession *)(void *)texts[0];
    for (int round = 0; round < ROUNDS; round++) {
        TideResult *result;
        const TideTranslateOptions options = {sizeof options, .beam = 1 + round};
        if (tide_translate(session, sources, 3, &options, &result)) return NULL;
        char *picture;
        if (tide_draw(&result->sentences[2]->hypotheses[0]->alignment, TIDE_SVG, &picture)) return NULL;
        texts[1 + round] = picture;
        tide_result_free(result);
    }
    return texts;
}

/* Sessions in eight threads share one model, to which only they have references. */
static void eight_threads_share_a_model(void **state) {
    Fixture *f = *state;
    char *texts[SESSIONS][1 + ROUNDS] = {{0}};
    TideModel *model = load(f->path);
    pthread_t threads[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) { texts[i][0] = (char *)open_session(model, 1 + i % 2); }
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
}

/* The log-probability of the first sentence's translation. */
static double first_score(TideModel *model) {
    TideSession *session;
    TideResult *result;
    const TideTranslateOptions options = {sizeof options, .beam = 3};
    assert_int_equal(tide_session_new(&model, 1, NULL, &session, NULL, 0), TIDE_OK);
    assert_int_equal(tide_translate(session, sources, 1, &options, &result), TIDE_OK);
    const double score = result->sentences[0]->hypotheses[0]->log_probability;
    tide_result_free(result);
    tide_session_free(session);
    return score;
}

/* A loaded model keeps its values if the file is replaced, overwritten, cut or deleted afterwards. */
static void a_file_may_be_loaded_twice_and_changed(void **state) {
    Fixture *f = *state;
    Translator other;
    TideModel *second = load(f->path);
    const double right = first_score(f->model);
    assert_true(first_score(second) == right);
    write_model(&other, 6, f->path);
    assert_true(first_score(second) == right);
    TideModel *third = load(f->path);
    assert_true(first_score(third) != right);
    const double changed = first_score(third);
    FILE *out = fopen(f->path, "r+b");
    for (int i = 0; i < 4096; i++) fputc(0xff, out);
    assert_int_equal(fclose(out), 0);
    assert_true(first_score(third) == changed);
    assert_int_equal(truncate(f->path, 0), 0);
    assert_true(first_score(third) == changed);
    unlink(f->path);
    assert_true(first_score(second) == right);
    tide_free(second);
    tide_free(third);
    translator_free(&other);
}

/* A model without a checksum loads with a warning; with a checksum there is none. */
static void warns_of_a_missing_checksum(void **state) {
    Fixture *f = *state;
    Err err;
    size_t size;
    char *bytes = file_read(f->path, &size, &err);
    memcpy(memmem(bytes, size, "\"checksum\"", 10), "\"other---\"", 10);
    assert_int_equal(output_write(f->path, bytes, size, &err), 0);
    TideModel *model = load(f->path);
    TideModelInfo info = {.size = sizeof info};
    assert_int_equal(tide_model_info(model, &info), TIDE_OK);
    assert_string_equal(info.warning, "the file has no checksum, so that damage to it would not be noticed");
    tide_free(model);
    mem_free(bytes);
}

/* Target pieces with Han are written in Chinese; in English only if the options allow it. */
static void han_is_written_in_chinese_only(void **state) {
    Fixture *f = *state;
    static char *const texts[] = {"海 is the sea.", "大家 is everyone.", "海边 is by the sea."};
    for (int i = 0; i < 3; i++) {
        Translator t;
        bool han = false;
        write_model_into(&t, i == 1 ? "zh" : "en", texts, 5, f->path);
        TideModel *model = load(f->path);
        TideSession *session = open_session(model, 1);
        tide_free(model);
        const TideTranslateOptions options = {sizeof options, .beam = 3, .allow_han = i == 2};
        TideResult *result;
        assert_int_equal(tide_translate(session, sources, 3, &options, &result), TIDE_OK);
        for (int k = 0; k < 3; k++) han = han || text_has_han(result->sentences[k]->hypotheses[0]->text);
        assert_int_equal(han, i > 0);
        tide_result_free(result);
        tide_session_free(session);
        translator_free(&t);
    }
}

/* A model in memory gives what its file gives, and needs the bytes no longer; damage is refused. */
static void a_model_may_be_in_memory(void **state) {
    Fixture *f = *state;
    Err err;
    size_t size;
    char error[256], *bytes = file_read(f->path, &size, &err);
    TideModel *model = NULL;
    assert_int_equal(tide_load_memory(bytes, size, &model, error, sizeof error), TIDE_OK);
    assert_string_equal(error, "");
    bytes[size - 1] ^= 1;
    TideModel *broken = model;
    assert_int_equal(tide_load_memory(bytes, size, &broken, error, sizeof error), TIDE_BAD_FILE);
    assert_non_null(strstr(error, "memory: "));
    assert_null(broken);
    for (size_t cut = 0; cut < size; cut += size / 7 + 1)
        assert_int_equal(tide_load_memory(bytes, cut, &broken, error, sizeof error), TIDE_BAD_FILE);
    assert_int_equal(tide_load_memory(NULL, 5, &broken, error, sizeof error), TIDE_BAD_ARGUMENT);
    memset(bytes, 0, size);
    mem_free(bytes);
    assert_true(first_score(model) == first_score(f->model));
    tide_free(model);
}

/* The pieces are those of the model's tokenisers. */
static void splits_text_into_pieces(void **state) {
    Fixture *f = *state;
    TidePieces *pieces;
    char error[256];
    assert_int_equal(tide_tokenize(f->model, TIDE_SOURCE, " 潮水ａｂ。", &pieces, error, sizeof error), TIDE_OK);
    const char *const source[] = {"潮", "水", "ab", "。"};
    assert_int_equal(pieces->count, 4);
    for (int i = 0; i < 4; i++) assert_string_equal(pieces->pieces[i], source[i]);
    tide_pieces_free(pieces);
    assert_int_equal(tide_tokenize(f->model, TIDE_TARGET, target_texts[1], &pieces, NULL, 0), TIDE_OK);
    char **right = side_split(&f->written.target, target_texts[1]);
    assert_int_equal(pieces->count, (int)arrlen(right));
    for (int i = 0; i < pieces->count; i++) assert_string_equal(pieces->pieces[i], right[i]);
    strings_free(right);
    tide_pieces_free(pieces);
    assert_int_equal(tide_tokenize(f->model, TIDE_SOURCE, "", &pieces, NULL, 0), TIDE_OK);
    assert_int_equal(pieces->count, 0);
    tide_pieces_free(pieces);
    tide_pieces_free(NULL);
    assert_int_equal(tide_tokenize(f->model, TIDE_SOURCE, "b\xff", &pieces, error, sizeof error), TIDE_BAD_TEXT);
    assert_string_equal(error, "text: not valid UTF-8 at byte 1");
    assert_null(pieces);
    assert_int_equal(tide_tokenize(f->model, (TideSide)2, "b", &pieces, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_int_equal(tide_tokenize(NULL, TIDE_SOURCE, "b", &pieces, error, sizeof error), TIDE_BAD_ARGUMENT);
}

static void says_why_a_model_cannot_be_loaded(void **state) {
    Fixture *f = *state;
    char error[256] = "", shorter[9];
    TideModel *model = (TideModel *)&error;
    assert_int_equal(tide_load("/nowhere/model", &model, error, sizeof error), TIDE_BAD_FILE);
    assert_null(model);
    assert_string_equal(error,
                        "/nowhere/model: No such file or directory; a model is a folder that `tide train` wrote, or "
                        "its model.safetensors");
    assert_int_equal(tide_load("/nowhere/model", &model, shorter, sizeof shorter), TIDE_BAD_FILE);
    assert_string_equal(shorter, "/nowhere");
    assert_int_equal(tide_load("/nowhere/model", &model, shorter, 0), TIDE_BAD_FILE);
    assert_string_equal(shorter, "/nowhere"); /* no room: not written */
    assert_int_equal(tide_load("/nowhere/model", &model, NULL, sizeof error), TIDE_BAD_FILE);
    assert_int_equal(tide_load(NULL, &model, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_string_equal(error, "the path is NULL");
    assert_int_equal(tide_load(f->path, NULL, error, sizeof error), TIDE_BAD_ARGUMENT);
    assert_string_equal(error, "the model is NULL");
}

/* The host program's allocator for cJSON is not replaced, and may fail. */
static void keeps_the_cjson_hooks_of_the_host(void **state) {
    Fixture *f = *state;
    char error[256] = "";
    cjson_refuse_begin();
    cjson_refuse(7);
    TideModel *model;
    assert_int_equal(tide_load(f->path, &model, error, sizeof error), TIDE_NO_MEMORY);
    assert_string_equal(error, "out of memory");
    cjson_refuse(0);
    model = load(f->path);
    cjson_refuse(1);
    assert_null(cJSON_CreateObject());
    cjson_refuse_end();
    tide_free(model);
}

static int sees_the_comma(void *context, int done, int all) {
    (void)done, (void)all;
    *(bool *)context = localeconv()->decimal_point[0] == ',';
    return 0;
}

/* The host's locale may write numbers with a comma, in the whole process or in one thread. tests/e2e/locale.sh makes
   this locale. */
static void works_in_any_locale(void **state) {
    Fixture *f = *state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip(); /* in `make test`, locale.sh runs it */
    assert_string_equal(localeconv()->decimal_point, ",");
    char *picture;
    setlocale(LC_ALL, "C");
    const double right = first_score(f->model);
    setlocale(LC_ALL, "de_DE.UTF-8");
    TideModel *process = load(f->path);
    assert_true(first_score(process) == right);
    assert_string_equal(localeconv()->decimal_point, ",");
    assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
    const locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
    uselocale(comma);
    TideModel *thread = load(f->path);
    assert_true(first_score(thread) == right);
    assert_ptr_equal(uselocale((locale_t)0), comma);
    bool seen = false; /* the callback runs in the locale of the host */
    TideResult *result;
    const TideTranslateOptions options = {sizeof options, .progress = sees_the_comma, .context = &seen};
    assert_int_equal(tide_translate(f->session, sources, 1, &options, &result), TIDE_OK);
    assert_true(seen);
    assert_int_equal(tide_draw(&result->sentences[0]->hypotheses[0]->alignment, TIDE_SVG, &picture), TIDE_OK);
    assert_non_null(strstr(picture, "stroke-width=\"0.6\""));
    assert_null(strstr(picture, "0,"));
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(comma);
    tide_text_free(picture);
    tide_result_free(result);
    tide_free(process);
    tide_free(thread);
}

/* Makes the numbers of some tensors of the fixture's model large, and opens a session with this model. */
static TideSession *overflowing(Fixture *f, const char *tensors, TideModel **model) {
    char path[SCRATCH_SIZE];
    Err err;
    scratch_file(path);
    const Params *params = &f->written.model.params;
    for (int i = 0; i < params->count; i++)
        for (size_t k = 0; strstr(params->list[i]->name, tensors) && k < var_size(&params->list[i]->var); k++)
            params_values(params, params->list[i])[k] = k % 2 ? 3e38f : -3e38f;
    assert_int_equal(save(&f->written, path, &err), 0);
    *model = load(path);
    unlink(path);
    return open_session(*model, 2);
}

/* The weights of a model are finite, but its numbers overflow: no call succeeds with an empty text or a score of NaN.
 */
static void fails_if_the_numbers_overflow(void **state) {
    TideModel *model;
    TideSession *session = overflowing(*state, "readout.Wo", &model);
    TideResult *result;
    const char *const text = "sentence 1: its probabilities are not finite: the numbers of the model overflow";
    assert_int_equal(tide_translate(session, sources, 3, NULL, &result), TIDE_UNSUPPORTED);
    assert_string_equal(tide_error(session), text);
    assert_null(result);
    assert_int_equal(tide_score(session, sources, targets, 3, NULL, &result), TIDE_UNSUPPORTED);
    assert_string_equal(tide_error(session), text);
    assert_null(result);
    tide_session_free(session);
    tide_free(model);
}

/* The same for the numbers of the attention: an alignment of NaN is an error. */
static void fails_if_an_alignment_overflows(void **state) {
    TideModel *model;
    TideSession *session = overflowing(*state, "attention.", &model);
    TideResult *result;
    assert_int_equal(tide_align(session, sources, targets, 3, NULL, &result), TIDE_UNSUPPORTED);
    assert_string_equal(tide_error(session), "pair 1: its alignment is not finite: the numbers of the model overflow");
    assert_null(result);
    tide_session_free(session);
    tide_free(model);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(fails_if_the_numbers_overflow),
        TEST(fails_if_an_alignment_overflows),
        TEST(a_model_without_attention_aligns_nothing),
        TEST(translates_as_the_program_does),
        TEST(aligns_and_scores_given_pairs),
        TEST(reads_tagged_sources),
        TEST(multiplies_bfloat16),
        TEST(knows_the_options_of_a_search),
        TEST(searches_the_words_of_a_shortlist),
        TEST(replaces_unknown_words),
        TEST(tells_settled_words),
        TEST(sentences_in_parts_keep_their_numbers),
        TEST(samples_in_parts_are_those_of_one_part),
        TEST(pairs_in_parts_keep_their_numbers),
        TEST(refuses_wrong_arguments),
        TEST(refuses_wrong_options),
        TEST(refuses_wrong_pointers),
        TEST(a_translation_has_its_prefix),
        TEST(explains_steps),
        TEST(refuses_wrong_steps),
        TEST(accepts_options_of_other_versions),
        TEST(structs_have_limits),
        TEST(can_be_cancelled),
        TEST(ensembles_need_the_same_pieces),
        TEST(measures),
        TEST(measures_with_several_references),
        TEST(draws_alignments),
        TEST(numbers_have_limits),
        TEST(numbers_have_defaults),
        TEST(draws_one_to_10000_pieces),
        TEST(tells_about_a_model_and_the_library),
        TEST(eight_threads_share_a_model),
        TEST(a_file_may_be_loaded_twice_and_changed),
        TEST(warns_of_a_missing_checksum),
        TEST(han_is_written_in_chinese_only),
        TEST(a_model_may_be_in_memory),
        TEST(splits_text_into_pieces),
        TEST(says_why_a_model_cannot_be_loaded),
        TEST(keeps_the_cjson_hooks_of_the_host),
        TEST(works_in_any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
