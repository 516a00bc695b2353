/* Many sessions on one model: each computes in its own thread the same bits as without other threads, whichever session
   packs the weights first, while other models are loaded and released. */
#include "core/choice.h"
#include "translate/session.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "hash.h"
#include "random_model.h"
#include "scratch.h"

enum { SESSIONS = 8, SENTENCES = 3, ROUNDS = 6 };

/* The options with which a session translates, aligns and scores. */
typedef struct Job {
    int beam;
    AttentionOptions attention;
    int threads;
} Job;
static const Job jobs[SESSIONS] = {
    {1, {false, 0, 0}, 1}, {5, {false, 0, 0}, 1}, {3, {true, 0, 0}, 1},  {2, {false, 1, 1}, 2},
    {4, {false, 1, 2}, 1}, {1, {true, 0, 2}, 1},  {6, {false, 0, 1}, 2}, {2, {false, 0, 0}, 1},
};

/* Runs a job; returns a hash of all its results. */
static uint64_t run_job(const Translator *translator, const Job *job) {
    const Alignments there = model_alignments(&translator->model);
    uint64_t hash = HASH_START;
    Session session;
    Threads *threads = threads_new(job->threads);
    session_init(&session, &translator, 1, threads);
    BeamOptions options = translator_beam_options(translator);
    options.beam = options.alignments = job->beam;
    options.attention = job->attention;
    if (options.attention.head > there.heads) options.attention.head = 0;
    if (options.attention.layer > there.layers) options.attention.layer = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Translations found = session_translate(&session, source_texts, SENTENCES, &options, 2, NULL, NULL);
        for (int i = 0; i < SENTENCES; i++)
            for (int k = 0; k < found.nbest[i].count; k++) {
                const Hypothesis *h = &found.nbest[i].list[k];
                hash_hypothesis(&hash, h);
                Alignment a = translation_alignment(&found, i, h);
                hash_alignment(&hash, &a);
                alignment_free(&a);
            }
        translations_free(&found);
        Alignment alignments[SENTENCES];
        session_align(&session, source_texts, target_texts, SENTENCES, options.attention, alignments);
        for (int i = 0; i < SENTENCES; i++) {
            hash_alignment(&hash, &alignments[i]);
            alignment_free(&alignments[i]);
            PairScore score = session_score(&session, source_texts[i], target_texts[i], options.attention);
            hash_bytes(&hash, &score.log_probability, sizeof score.log_probability);
            hash_bytes(&hash, &score.pieces, sizeof score.pieces);
        }
    }
    session_free(&session);
    threads_free(threads);
    return hash;
}

typedef struct Worker {
    const Translator *translator;
    const Job *job;
    pthread_barrier_t *start;
    uint64_t hash;
} Worker;

static void *work(void *context) {
    Worker *worker = context;
    pthread_barrier_wait(worker->start);
    worker->hash = run_job(worker->translator, worker->job);
    return NULL;
}

/* A thread that loads, uses and releases other models until the sessions are done. */
typedef struct Loader {
    const char *path;
    pthread_barrier_t *start;
    atomic_bool done;
    int loaded, failed;
    uint64_t expected; /* the hash of each */
} Loader;

static void *load_others(void *context) {
    Loader *loader = context;
    pthread_barrier_wait(loader->start);
    do {
        Translator other;
        Err err;
        if (model_load(&other, loader->path, &err)) {
            loader->failed++;
            continue;
        }
        if (run_job(&other, &jobs[1]) != loader->expected) loader->failed++;
        loader->loaded++;
        translator_free(&other);
    } while (!loader->done);
    return NULL;
}

/* Checks that each weight is stored once for all sessions: as values or as panels; as both if products and single rows
   are read. */
static void check_stored_once(const Params *params) {
    for (int i = 0; i < params->count; i++) {
        const Param *p = params->list[i];
        const Weight *weight = &p->weight;
        const int stored = (weight->values != NULL) + weight->ready[0] + weight->ready[1];
        if (stored < 1 || stored > 1 + p->table) fail_msg("%s is stored %d times", p->name, stored);
    }
}

/* Runs eight sessions at once on a model whose weights are not packed yet, and a ninth thread with other models. */
static void check_sessions(const ModelOptions *model, const ModelOptions *other) {
    char dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32], other_path[SCRATCH_SIZE + 32];
    scratch_directory(dir);
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    snprintf(other_path, sizeof other_path, "%s/other.safetensors", dir);
    Translator alone, shared, written;
    Err err;
    uint64_t expected[SESSIONS];
    pthread_barrier_t start;
    write_random_model(&written, model, target_texts, 3, path);
    translator_free(&written);
    write_random_model(&written, other, target_texts, 4, other_path);
    translator_free(&written);
    assert_int_equal(model_load(&alone, path, &err), 0);
    for (int i = 0; i < SESSIONS; i++) expected[i] = run_job(&alone, &jobs[i]);
    for (int i = 1; i < SESSIONS; i++) assert_true(expected[i] != expected[0]); /* the options change the result */
    if (model_alignments(&alone.model).heads > 1)
        assert_true(expected[3] != expected[7]); /* so does the choice of the head */
    translator_free(&alone);
    Loader loader = {.path = other_path, .start = &start};
    assert_int_equal(model_load(&alone, other_path, &err), 0);
    loader.expected = run_job(&alone, &jobs[1]);
    translator_free(&alone);

    assert_int_equal(model_load(&shared, path, &err), 0);
    pthread_barrier_init(&start, NULL, SESSIONS + 1);
    pthread_t threads[SESSIONS], ninth;
    Worker workers[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) {
        workers[i] = (Worker){&shared, &jobs[i], &start, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    assert_int_equal(pthread_create(&ninth, NULL, load_others, &loader), 0);
    for (int i = 0; i < SESSIONS; i++) pthread_join(threads[i], NULL);
    loader.done = true;
    pthread_join(ninth, NULL);
    for (int i = 0; i < SESSIONS; i++) assert_true(workers[i].hash == expected[i]);
    check_stored_once(&shared.model.params);
    assert_true(loader.loaded > 0);
    assert_int_equal(loader.failed, 0);
    pthread_barrier_destroy(&start);
    translator_free(&shared);
    scratch_remove(dir);
}

static ModelOptions options_of(const char *attention, const char *arch) {
    ModelOptions options = small_options("en");
    options.attention = choice_find(attention_names, attention);
    options.arch = choice_find(arch_names, arch);
    options.heads = 2;
    options.dim_ffn = 12;
    return options;
}

static void sessions_do_not_disturb_each_other(void **state) {
    (void)state;
    const ModelOptions additive = options_of("additive", "rnnsearch"), heads = options_of("multi-head", "rnnsearch");
    const ModelOptions transformer = options_of("additive", "transformer");
    ModelOptions tied = additive;
    tied.tied_embeddings = true;
    tied.dim_maxout = tied.dim_emb;
    check_sessions(&additive, &transformer);
    check_sessions(&heads, &additive);
    check_sessions(&transformer, &heads);
    check_sessions(&tied, &tied);
}

/* Pairs are aligned together as long as their number, and with the longest text their bytes, stay small. */
static void long_pairs_are_aligned_in_small_batches(void **state) {
    (void)state;
    enum { N = 70, LONG = 1 << 12, HUGE_TEXT = 1 << 16 };
    char *huge = mem_alloc(HUGE_TEXT + 1), *shorts[N], *longs[N];
    memset(huge, 'x', HUGE_TEXT);
    huge[HUGE_TEXT] = '\0';
    for (int i = 0; i < N; i++) shorts[i] = "x", longs[i] = huge + HUGE_TEXT - LONG;
    assert_int_equal(align_most(shorts, shorts, N), MOST_PAIRS);
    assert_int_equal(align_most(shorts, shorts, MOST_PAIRS), MOST_PAIRS);
    assert_int_equal(align_most(shorts, shorts, 3), 3);
    assert_int_equal(align_most(longs, shorts, N), 8); /* 8 · 2^12 = 2^15 bytes */
    assert_int_equal(align_most(shorts, longs, N), 8);
    assert_int_equal(align_most(longs, shorts, 5), 5);
    shorts[2] = huge;
    assert_int_equal(align_most(longs, shorts, N), 2);
    assert_int_equal(align_most(longs + 2, shorts + 2, N - 2), 1);
    mem_free(huge);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_do_not_disturb_each_other),
        cmocka_unit_test(long_pairs_are_aligned_in_small_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
