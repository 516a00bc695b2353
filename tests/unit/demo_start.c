/* usage: demo_start BATCHES STATE
   Makes the first updates of the demo's training (scripts/demo) with the batches that demo_batches wrote, and writes
   the numbers that a checkpoint has then. Uses only core/ and model/, so that it runs on a machine without other
   libraries. */
#include "core/ops.h"
#include "core/optimizer.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOS = 2, MOST_PAIRS = 8192 };

typedef struct Start {
    ModelConfig config;
    int init, seed, updates;
    double learn_rate, label_smoothing, clip_norm, smoothing;
    Dropout dropout;
} Start;

static int number(FILE *in) {
    int n;
    CHECK(fscanf(in, "%d", &n) == 1, "a number is missing"); /* NOLINT(cert-err34-c): demo_batches wrote it */
    return n;
}

static double real_number(FILE *in) {
    double x;
    CHECK(fscanf(in, "%la", &x) == 1, "a number is missing"); /* NOLINT(cert-err34-c) */
    return x;
}

static Start read_start(FILE *in) {
    Start s = {0};
    s.config.attention = attention_kind("additive");
    s.config.source_vocab = number(in);
    s.config.target_vocab = number(in);
    s.config.emb = number(in);
    s.config.rnn = number(in);
    s.config.att = number(in);
    s.config.maxout = number(in);
    s.config.conditional = number(in);
    s.init = number(in);
    s.seed = number(in);
    s.learn_rate = real_number(in);
    s.label_smoothing = real_number(in);
    s.dropout.embedding = real_number(in);
    s.dropout.annotation = real_number(in);
    s.dropout.readout = real_number(in);
    s.clip_norm = real_number(in);
    s.smoothing = real_number(in);
    s.updates = number(in);
    return s;
}

static Batch read_batch(FILE *in, Arena *arena) {
    const int n = number(in);
    CHECK(n > 0 && n <= MOST_PAIRS, "a batch of %d pairs", n);
    const int **ids[2];
    int *length[2];
    for (int side = 0; side < 2; side++) {
        ids[side] = arena_alloc(arena, (size_t)n * sizeof *ids[side]);
        length[side] = arena_alloc(arena, (size_t)n * sizeof *length[side]);
    }
    for (int i = 0; i < n; i++) {
        for (int side = 0; side < 2; side++) length[side][i] = number(in);
        for (int side = 0; side < 2; side++) {
            int *sentence = arena_alloc(arena, (size_t)length[side][i] * sizeof *sentence);
            for (int k = 0; k < length[side][i]; k++) sentence[k] = number(in);
            ids[side][i] = sentence;
        }
    }
    return batch_fold(arena, ids[0], length[0], ids[1], length[1], n, NULL, BOS);
}

static void update(Tape *tape, Model *model, Optimizer *optimizer, const Start *s, int number_of_update, FILE *in) {
    Params *params = &model->params;
    tape_reset(tape);
    tape->recording = true;
    tape->rng = rng_seed((uint64_t)s->seed, 0x64726f706f7574u + (uint64_t)number_of_update); /* as in train/trainer.c */
    const Batch batch = read_batch(in, &tape->arena);
    const Forced forced = model_force(tape, model, &batch, &(PassOptions){.dropout = s->dropout});
    double nats;
    const Objective objective = {&batch.target, batch.target.rows, s->label_smoothing, NULL};
    tape_backward(tape, model_loss(tape, model, &forced, objective, &nats));
    optimizer_step(optimizer, tape->threads, params->values, params->gradients,
                   &(StepOptions){s->learn_rate, s->clip_norm, s->smoothing, 8});
}

static void write_tensor(FILE *out, const char *name, const real *values, size_t n) {
    fprintf(out, "%s\n", name);
    fwrite(values, sizeof *values, n, out);
}

static void write_state(FILE *out, const Params *params, const Optimizer *optimizer) {
    for (int i = 0; i < params->count; i++) {
        const Var *var = &params->list[i]->var;
        write_tensor(out, params->list[i]->name, params_values(params, params->list[i]),
                     (size_t)(var->rows ? var->rows : 1) * (size_t)var->cols);
    }
    write_tensor(out, "optimizer.moment1", optimizer->slots[0], optimizer->size);
    write_tensor(out, "optimizer.moment2", optimizer->slots[1], optimizer->size);
    write_tensor(out, "optimizer.average", optimizer->average, optimizer->size);
}

int main(int argc, char **argv) {
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL, *out = in ? fopen(argv[2], "wb") : NULL;
    if (!out) return 2;
    const Start start = read_start(in);
    Model model;
    Optimizer optimizer;
    Tape tape;
    Threads *threads = threads_new(1);
    model_init(&model, &start.config);
    params_allocate(&model.params);
    params_init(&model.params, (InitScheme)start.init, (uint64_t)start.seed);
    params_optimizer(&model.params, optimizer_kind("adam"), &optimizer);
    optimizer_keep_average(&optimizer, model.params.values);
    tape_init(&tape, threads, (Rng){1});
    for (int k = 0; k < start.updates; k++) update(&tape, &model, &optimizer, &start, k, in);
    write_state(out, &model.params, &optimizer);
    fclose(in);
    tape_free(&tape);
    optimizer_free(&optimizer);
    model_free(&model);
    threads_free(threads);
    return fclose(out) != 0;
}
