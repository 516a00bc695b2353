/* training.h: trains a small model with odd layer sizes for a few updates on random sentences. Uses only core/ and
   model/. */
#ifndef TIDE_TESTS_TRAINING_H
#define TIDE_TESTS_TRAINING_H

#include "core/ops.h"
#include "core/optimizer.h"
#include "kinds.h"

#include <string.h>

/* A batch of SENTENCES has so many rows that most ops split their work among threads. */
enum { SENTENCES = 280, LONGEST = 3, VOCAB = 241, BOS = 2, UPDATES = 3 };

typedef struct Sentences {
    int ids[SENTENCES][LONGEST], length[SENTENCES];
    const int *rows[SENTENCES];
} Sentences;

static void sentences_draw(Sentences *s, Rng *rng) {
    for (int i = 0; i < SENTENCES; i++) {
        s->rows[i] = s->ids[i];
        s->length[i] = 1 + (int)rng_below(rng, LONGEST);
        for (int t = 0; t < s->length[i]; t++) s->ids[i][t] = (int)rng_below(rng, VOCAB);
    }
}

/* Returns a batch of n random sentence pairs; `number` is the seed. */
static Batch batch_draw(Arena *arena, uint64_t number, int n) {
    static Sentences source, target;
    Rng rng = rng_seed(number, 1);
    sentences_draw(&source, &rng);
    sentences_draw(&target, &rng);
    return batch_fold(arena, source.rows, source.length, target.rows, target.length, n, NULL, BOS);
}

typedef struct Training {
    int sentences;        /* in a batch; at most SENTENCES */
    PanelFormat products; /* of weights: see Tape */
    Threads *threads;
    Model model;
    PassOptions pass;
    Optimizer optimizer;
    Tape tape;
} Training;

static void training_begin(Training *t, const char *kind, int sentences, int threads) {
    ModelConfig config = {
        .source_vocab = VOCAB, .target_vocab = VOCAB, .emb = 66, .rnn = 33, .att = 21, .maxout = 11, .heads = 3};
    t->pass = (PassOptions){.dropout = {.embedding = 0.2, .annotation = 0.1, .readout = 0.3}};
    choose_kind(&config, kind);
    t->sentences = sentences;
    t->products = PANELS_F32;
    t->threads = threads_new(threads);
    model_init(&t->model, &config);
    params_allocate(&t->model.params);
    params_init(&t->model.params, SCHEME_BAHDANAU, 1);
    /* Large weights, as after a long training: no distribution is close to uniform. */
    Rng rng = rng_seed(2, 1);
    for (size_t i = 0; i < t->model.params.size; i++) t->model.params.values[i] += (real)(0.3 * rng_normal(&rng));
    params_optimizer(&t->model.params, optimizer_kind("adam"), &t->optimizer);
    tape_init(&t->tape, t->threads, rng_seed(1, 99));
}

static void training_end(Training *t) {
    tape_free(&t->tape);
    optimizer_free(&t->optimizer);
    model_free(&t->model);
    threads_free(t->threads);
}

/* Makes one update with batch `number`; returns its loss in nats per token. */
static inline double training_step(Training *t, uint64_t number) {
    Params *params = &t->model.params;
    t->tape.recording = true;
    t->tape.products = t->products;
    Batch batch = batch_draw(&t->tape.arena, number, t->sentences);
    Forced forced = model_force(&t->tape, &t->model, &batch, &t->pass);
    double nats;
    const Objective objective = {&batch.target, batch.target.rows, 0.1, NULL};
    tape_backward(&t->tape, model_loss(&t->tape, &t->model, &forced, objective, &nats));
    optimizer_step(&t->optimizer, t->threads, params->values, params->gradients,
                   &(StepOptions){.rate = 1e-3, .clip_norm = 1});
    tape_reset(&t->tape);
    return nats;
}

#endif
