/* test_workspace.c: the memory of a batch is predicted before the update; an update on a batch in parts is the same. */
#include "io/ds.h"
#include "train/update.h"
#include "train/workspace.h"
#include "scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { VOCAB = 60, PAIRS = 200 };

typedef struct TestModel {
    const char *encoder, *attention;
    ModelConfig config;
    Dropout dropout;
} TestModel;

typedef struct Fixture {
    Threads *threads;
    Model model;
    Dropout dropout;
    Pairs pairs;
} Fixture;

/* Draws random pairs; one of them is long. */
static Pairs random_pairs(Rng *rng, int longest) {
    Pairs pairs = {0};
    Err err;
    assert_int_equal(records_open(&pairs.ids, scratch_folder(), &err), 0);
    for (; pairs.n < PAIRS; pairs.n++) {
        const int x = pairs.n == PAIRS / 2 ? longest : 1 + (int)rng_below(rng, 20);
        const int y = pairs.n == PAIRS / 2 ? longest : 1 + (int)rng_below(rng, 20);
        int ids[256];
        for (int i = 0; i < x + y; i++) ids[i] = (int)rng_below(rng, VOCAB);
        assert_int_equal(records_add(&pairs.ids, ids, (size_t)(x + y), &err), 0);
        arrput(pairs.source_length, x);
        arrput(pairs.target_length, y);
        arrput(pairs.line, pairs.n + 1);
    }
    assert_int_equal(records_flush(&pairs.ids, &err), 0);
    return pairs;
}

static Fixture fixture(const TestModel *of, int threads, int longest) {
    Fixture f = {.threads = threads_new(threads), .dropout = of->dropout};
    ModelConfig config = of->config;
    if (of->encoder) {
        config.encoder = encoder_kind(of->encoder);
        config.attention = attention_kind(of->attention);
    } else config.arch = arch_named("transformer");
    Rng rng = rng_seed(7, 1);
    model_init(&f.model, &config);
    params_allocate(&f.model.params);
    params_init(&f.model.params, SCHEME_BAHDANAU, 1);
    for (size_t i = 0; i < f.model.params.size; i++) f.model.params.values[i] += (real)(0.1 * rng_normal(&rng));
    f.pairs = random_pairs(&rng, longest);
    return f;
}

static void fixture_free(Fixture *f) {
    pairs_free(&f->pairs);
    model_free(&f->model);
    threads_free(f->threads);
}

#define SIZES .source_vocab = VOCAB, .target_vocab = VOCAB
#define USUAL SIZES, .emb = 24, .rnn = 40, .att = 32, .maxout = 16
static const TestModel configs[] = {
    {"bigru", "additive", {USUAL}, {0, 0, 0}},
    {"bigru", "additive", {USUAL, .readout_prev = true}, {0.1, 0.1, 0.1}},
    {"bigru", "additive", {SIZES, .emb = 3, .rnn = 5, .att = 7, .maxout = 3, .tied_embeddings = true}, {0.1, 0, 0.2}},
    {"bigru", "none", {SIZES, .emb = 17, .rnn = 33, .att = 9, .maxout = 50}, {0, 0.1, 0}},
    {"bigru", "dot", {USUAL}, {0.1, 0.1, 0}},
    {"bigru", "multi-head", {USUAL, .heads = 4}, {0, 0.1, 0}},
    {"deep-bigru", "additive", {USUAL, .depth = 3}, {0.1, 0.1, 0}},
    {"gru", "dot", {USUAL}, {0.1, 0.1, 0}},
    {"gru", "none", {USUAL}, {0, 0, 0}},
    {"cnn", "additive", {USUAL, .depth = 2, .window = 5}, {0, 0, 0}},
    {"self-attention", "additive", {USUAL, .depth = 2, .heads = 4, .ffn = 20}, {0.1, 0.1, 0}},
    {NULL, NULL, {USUAL, .depth = 2, .decoder_depth = 1, .heads = 4, .ffn = 20}, {0.1, 0.1, 0.2}},
};
enum { CONFIGS = sizeof configs / sizeof *configs };

/* Makes the model of the fixture its own teacher, for all pairs. */
static void open_teacher(Distillation *d, Fixture *f) {
    *d = (Distillation){.open = true};
    d->model.model = f->model;
    tape_init(&d->tape, f->threads, (Rng){4});
    arrput(f->pairs.sets, ((TrainSet){.end = PAIRS, .weight = 1, .distillation = 0.5}));
}

/* Returns the bytes that an update on these pairs takes; shards 1: they are not divided; teacher: NULL: none. */
static double bytes_of(Fixture *f, const int *which, int n, int shards, Distillation *teacher) {
    UpdateOptions options = {.label_smoothing = 0.1, .dropout = f->dropout};
    Tape tape;
    Batch batch;
    Teacher found;
    Err err;
    tape_init(&tape, f->threads, (Rng){3});
    assert_int_equal(pairs_fold(&tape.arena, &f->pairs, which, NULL, n, NULL, &batch, &err), 0);
    int shard[PAIRS];
    double nats[MOST_SHARDS];
    for (int i = 0; i < n; i++) shard[i] = i * i % shards;
    if (shards > 1) batch_shard(&tape.arena, &batch, shard, shards);
    if (teacher) {
        assert_int_equal(distillation_teach(teacher, &tape.arena, &f->pairs, which, n, &batch.target, &found, &err), 0);
        options.teacher = &found;
    }
    update_gradients(&tape, &f->model, &batch, &options, nats);
    const double used = (double)(arena_used(&tape.arena) + (teacher ? arena_used(&teacher->tape.arena) : 0));
    tape_free(&tape);
    return used;
}

static double need_of(const Fixture *f, const Workspace *w, const int *which, int n) {
    int x = 0, y = 0;
    for (int i = 0; i < n; i++) {
        if (f->pairs.source_length[which[i]] > x) x = f->pairs.source_length[which[i]];
        if (f->pairs.target_length[which[i]] > y) y = f->pairs.target_length[which[i]];
    }
    return workspace_need(w, n, x, y);
}

/* The prediction is enough for any batch, and close to the need if all sentences have the same length. */
static void no_batch_needs_more(void **state) {
    (void)state;
    for (int c = 0; c < 3 * CONFIGS; c++) {
        const int shards = c / CONFIGS == 1 ? 8 : 1;
        Fixture f = fixture(&configs[c % CONFIGS], 1 + c % CONFIGS, 60);
        Distillation own = {0}, *teacher = c < 2 * CONFIGS ? NULL : &own;
        if (teacher) open_teacher(teacher, &f);
        const Workspace w = workspace_measure(f.threads, &f.model, f.dropout, false, shards, PANELS_F32, teacher);
        for (size_t i = 0; i < f.model.params.size; i++) assert_true(f.model.params.gradients[i] == 0);
        Rng rng = rng_seed(11, (uint64_t)c);
        for (int round = 0; round < (c < CONFIGS ? 30 : 6); round++) {
            int which[PAIRS], n = 1 + (int)rng_below(&rng, round % 3 ? 40 : PAIRS);
            for (int i = 0; i < n; i++) which[i] = (int)rng_below(&rng, PAIRS);
            assert_true(bytes_of(&f, which, n, shards, teacher) <= need_of(&f, &w, which, n));
            for (int i = 1; i < n; i++) which[i] = which[0];
            const double used = bytes_of(&f, which, n, shards, teacher), need = need_of(&f, &w, which, n);
            assert_true(used <= need);
            if (n > 100 && c < 2) assert_true(need < 1.5 * used);
        }
        if (teacher) tape_free(&own.tape);
        fixture_free(&f);
    }
}

static void parts_fit(void **state) {
    (void)state;
    Fixture f = fixture(&configs[1], 2, 60);
    const Workspace w = workspace_measure(f.threads, &f.model, f.dropout, false, 1, PANELS_F32, NULL);
    int which[PAIRS];
    for (int i = 0; i < PAIRS; i++) which[i] = i;
    const double least = need_of(&f, &w, which + PAIRS / 2, 1), most = need_of(&f, &w, which, PAIRS);
    assert_int_equal(workspace_largest_pair(&w, &f.pairs), PAIRS / 2);
    assert_int_equal(workspace_parts(&w, most, &f.pairs, which, PAIRS), 1);
    assert_true(workspace_parts(&w, most - 1, &f.pairs, which, PAIRS) > 1);
    assert_int_equal(workspace_parts(&w, 0, &f.pairs, which, PAIRS), PAIRS);
    int before = PAIRS;
    for (int share = 0; share < 10; share++) {
        const double limit = least + (most - least) * share / 10;
        const int parts = workspace_parts(&w, limit, &f.pairs, which, PAIRS);
        assert_true(parts <= before && parts > 1);
        before = parts;
        for (int k = 0; k < parts; k++) {
            const int first = part_offset(PAIRS, parts, k), n = part_offset(PAIRS, parts, k + 1) - first;
            assert_true(n > 0 && bytes_of(&f, which + first, n, 1, NULL) <= limit);
        }
    }
    fixture_free(&f);
}

/* Computes the gradients of a batch that is split into `parts` parts; returns the loss. */
static double gradients_in(Fixture *f, int parts, real *gradients) {
    Params *params = &f->model.params;
    UpdateOptions options = {.label_smoothing = 0.1, .dropout = {0.2, 0.2, 0.2}};
    int which[PAIRS];
    double nats = 0, found;
    Tape tape;
    tape_init(&tape, f->threads, (Rng){3});
    for (int i = 0; i < PAIRS; i++) {
        which[i] = i;
        options.rows += f->pairs.target_length[i];
    }
    for (int k = 0; k < parts; k++) {
        const int first = part_offset(PAIRS, parts, k);
        Batch batch;
        Err err;
        tape_reset(&tape);
        assert_int_equal(pairs_fold(&tape.arena, &f->pairs, which + first, which + first,
                                    part_offset(PAIRS, parts, k + 1) - first, NULL, &batch, &err),
                         0);
        update_gradients(&tape, &f->model, &batch, &options, &found);
        nats += found;
    }
    memcpy(gradients, params->gradients, params->size * sizeof *gradients);
    memset(params->gradients, 0, params->size * sizeof *gradients);
    tape_free(&tape);
    return nats;
}

/* A pair has the same dropout mask in a part as in the whole batch. */
static void parts_of_model_add_up(const TestModel *of) {
    Fixture f = fixture(of, 2, 60);
    const size_t size = f.model.params.size;
    real *whole = mem_alloc(size * sizeof *whole), *sum = mem_alloc(size * sizeof *sum);
    const double nats = gradients_in(&f, 1, whole);
    double square = 0;
    for (size_t i = 0; i < size; i++) square += (double)whole[i] * (double)whole[i];
    for (int parts = 2; parts <= PAIRS; parts *= 4) {
        double difference = 0;
        assert_true(fabs(gradients_in(&f, parts, sum) - nats) < 1e-6 * nats);
        for (size_t i = 0; i < size; i++) difference += pow((double)(whole[i] - sum[i]), 2);
        assert_true(sqrt(difference / square) < 1e-5);
    }
    mem_free(whole);
    mem_free(sum);
    fixture_free(&f);
}

static void parts_add_up(void **state) {
    (void)state;
    for (int i = 0; i < CONFIGS; i++) parts_of_model_add_up(&configs[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_batch_needs_more),
        cmocka_unit_test(parts_fit),
        cmocka_unit_test(parts_add_up),
    };
    return cmocka_run_group_tests_name("workspace", tests, NULL, NULL);
}
