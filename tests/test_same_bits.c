/* Promise 2: a few training steps end in the same bits whatever the number of threads and the instruction
   set; and, once warm, allocate nothing. The batch is large enough for every op to be shared out among
   threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels.h"
#include "core/ops.h"
#include "core/optimizer.h"
#include "model/model.h"

enum { SENTENCES = 150, LONGEST = 3, VOCAB = 240, BEGIN = 2 };

/* A batch of random sentences; the same number gives the same batch. */
static Batch batch_draw(Arena *arena, uint64_t number) {
    static int ids[2][SENTENCES][LONGEST];
    const int *rows[2][SENTENCES];
    int length[2][SENTENCES];
    Rng rng = rng_seed(number, 1);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < SENTENCES; i++) {
            length[side][i] = 1 + (int)rng_below(&rng, LONGEST);
            rows[side][i] = ids[side][i];
            for (int t = 0; t < length[side][i]; t++) ids[side][i][t] = (int)rng_below(&rng, VOCAB);
        }
    return batch_fold(arena, rows[0], length[0], rows[1], length[1], SENTENCES, BEGIN);
}

typedef struct Training {
    Model model;
    Optimizer optimizer;
    Tape tape;
} Training;

static void training_begin(Training *t, Threads *threads) {
    const ModelConfig config = {.source_vocab = VOCAB,
                                .target_vocab = VOCAB,
                                .emb = 66,
                                .rnn = 30,
                                .att = 20,
                                .maxout = 10,
                                .attention = &attention_additive,
                                .dropout_embedding = 0.2,
                                .dropout_annotation = 0.1,
                                .dropout_readout = 0.3};
    model_init(&t->model, &config);
    params_allocate(&t->model.params);
    params_init(&t->model.params, 1);
    optimizer_init(&t->optimizer, OPTIMIZER_ADAM, t->model.params.size);
    tape_init(&t->tape, threads, rng_seed(1, 99));
}

static void training_end(Training *t) {
    tape_free(&t->tape);
    optimizer_free(&t->optimizer);
    model_free(&t->model);
}

static double training_step(Training *t, Threads *threads, uint64_t number) {
    Params *params = &t->model.params;
    t->tape.recording = true;
    Batch batch = batch_draw(&t->tape.arena, number);
    Var *logits = model_force(&t->tape, &t->model, &batch).logits;
    double nats;
    Var *loss = cross_entropy(&t->tape, logits, batch.target.ids, 0.1, &nats);
    tape_backward(&t->tape, loss);
    optimizer_step(&t->optimizer, threads, params->values, params->gradients, 1e-3, 1);
    tape_reset(&t->tape);
    return nats;
}

/* Three updates; fills what must be the same: the losses on the way, and the weights, which the caller
   releases. */
static real *train(int threads_wanted, double nats[3], size_t *size) {
    Threads *threads = threads_new(threads_wanted);
    Training t;
    training_begin(&t, threads);
    for (uint64_t step = 0; step < 3; step++) nats[step] = training_step(&t, threads, step);
    *size = t.model.params.size * sizeof(real);
    real *weights = memcpy(mem_alloc(*size), t.model.params.values, *size);
    training_end(&t);
    threads_free(threads);
    return weights;
}

static void any_threads_and_kernels_end_in_the_same_bits(void **unused) {
    (void)unused;
    static const int counts[] = {1, 2, 3, 8};
    double right[3], nats[3];
    size_t size;
    real *first = train(1, right, &size);
    assert_true(isfinite(right[2]));
    for (int set = 0; kernels_at(set); set++)
        for (int i = 0; i < 4; i++) {
            kernels = kernels_at(set);
            real *weights = train(counts[i], nats, &size);
            if (memcmp(weights, first, size) || memcmp(nats, right, sizeof nats))
                fail_msg("%s with %d threads differs", kernels->name, counts[i]);
            mem_free(weights);
        }
    mem_free(first);
    kernels_choose("auto");
}

static void a_step_allocates_nothing_once_warm(void **unused) {
    (void)unused;
    Threads *threads = threads_new(3);
    Training t;
    training_begin(&t, threads);
    long warm = 0;
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t number = 0; number < 2; number++) training_step(&t, threads, number);
        if (round == 0) warm = mem_count();
    }
    assert_int_equal(mem_count(), warm);
    training_end(&t);
    threads_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_threads_and_kernels_end_in_the_same_bits),
        cmocka_unit_test(a_step_allocates_nothing_once_warm),
    };
    return cmocka_run_group_tests_name("same bits", tests, NULL, NULL);
}
