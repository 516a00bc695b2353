/* curve.c: trains a model with tide's core/ and model/, compiled with double, for scripts/dev/compare-curves, which
   compares the losses with PyTorch's. In double, rounding cannot explain a difference.

   Standard input: NAME VALUE for each setting below; for each parameter, in the order of declaration, NAME ROWS COLS,
   the end of the line and its doubles in binary; for each update the number of pairs, then for each pair its source and
   its target, each as length and ids. Prints the loss of each update in nats per target piece at once. */
#include "core/choice.h"
#include "core/ops.h"
#include "core/optimizer.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- input ----------------------------------------------------------------------------------------------- */

typedef struct Word {
    char text[32];
} Word;

static bool read_word(Word *word) { return scanf("%31s", word->text) == 1; }

static Word next_word(void) {
    Word word;
    CHECK(read_word(&word), "a word is missing");
    return word;
}

static double number_of(Word word) {
    char *end;
    const double x = strtod(word.text, &end);
    CHECK(!*end, "%s is no number", word.text);
    return x;
}

static int next_integer(void) { return (int)number_of(next_word()); }

static void expect(const char *name) {
    const Word found = next_word();
    CHECK(!strcmp(found.text, name), "%s instead of %s", found.text, name);
}

static Word word(const char *name) {
    expect(name);
    return next_word();
}

static int integer(const char *name) {
    expect(name);
    return next_integer();
}

static double number(const char *name) {
    expect(name);
    return number_of(next_word());
}

static ModelConfig read_config(void) {
    ModelConfig c = {0};
    c.source_vocab = integer("source_vocab");
    c.target_vocab = integer("target_vocab");
    c.arch = arch_named(word("arch").text);
    c.encoder = encoder_kind(word("encoder").text);
    c.attention = attention_kind(word("attention").text);
    c.emb = integer("emb");
    c.rnn = integer("rnn");
    c.att = integer("att");
    c.maxout = integer("maxout");
    c.heads = integer("heads");
    c.depth = integer("depth");
    c.ffn = integer("ffn");
    c.window = integer("window");
    c.decoder_depth = integer("decoder_depth");
    c.conditional = integer("conditional");
    c.readout_prev = integer("readout_prev");
    c.tied_embeddings = integer("tied_embeddings");
    CHECK(c.arch && c.encoder && c.attention, "no such arch, encoder or attention");
    return c;
}

static void read_weights(const Params *params) {
    for (int i = 0; i < params->count; i++) {
        const Var *var = &params->list[i]->var;
        expect(params->list[i]->name);
        const int rows = next_integer(), cols = next_integer();
        CHECK(rows == var->rows && cols == var->cols, "%s [%d, %d]", params->list[i]->name, rows, cols);
        const size_t size = (size_t)rows * (size_t)cols;
        CHECK(getchar() == '\n' && fread(var->v, sizeof *var->v, size, stdin) == size, "%s is cut short",
              params->list[i]->name);
    }
}

static const int *read_sentence(Arena *arena, int *length) {
    *length = next_integer();
    CHECK(*length > 0, "an empty sentence");
    int *ids = arena_alloc(arena, (size_t)*length * sizeof *ids);
    for (int i = 0; i < *length; i++) ids[i] = next_integer();
    return ids;
}

static Batch read_batch(Arena *arena, int n, int begin) {
    CHECK(n > 0, "an empty batch");
    const size_t size = (size_t)n;
    const int **x = arena_alloc(arena, size * sizeof *x), **y = arena_alloc(arena, size * sizeof *y);
    int *x_length = arena_alloc(arena, size * sizeof(int)), *y_length = arena_alloc(arena, size * sizeof(int));
    for (int i = 0; i < n; i++) {
        x[i] = read_sentence(arena, &x_length[i]);
        y[i] = read_sentence(arena, &y_length[i]);
    }
    return batch_fold(arena, x, x_length, y, y_length, n, NULL, begin);
}

/* ---- training -------------------------------------------------------------------------------------------- */

/* Computes the gradients as src/train/update.c does; returns the loss in nats per target piece. */
static double gradients(Tape *tape, Model *model, const Batch *batch, double label_smoothing) {
    const int rows = batch->target.rows;
    double nats;
    tape->recording = true;
    Forced forced = model_force(tape, model, batch, &(PassOptions){0});
    tape_backward(tape,
                  model_loss(tape, model, &forced, (Objective){&batch->target, rows, label_smoothing, NULL}, &nats));
    return nats / rows;
}

static void train(Tape *tape, Model *model, Optimizer *optimizer, double label_smoothing, int begin,
                  const StepOptions *step) {
    for (Word n; read_word(&n);) {
        tape_reset(tape);
        const Batch batch = read_batch(&tape->arena, (int)number_of(n), begin);
        printf("%.17g\n", gradients(tape, model, &batch, label_smoothing));
        fflush(stdout);
        optimizer_step(optimizer, tape->threads, model->params.values, model->params.gradients, step);
    }
}

int main(void) {
    const ModelConfig config = read_config();
    const int begin = integer("begin");
    const OptimizerKind *kind = optimizer_kind(word("optimizer").text);
    CHECK(kind, "no such optimizer");
    const double rate = number("learn_rate"), clip_norm = number("clip_norm"), smoothing = number("label_smoothing");
    Model model;
    model_init(&model, &config);
    params_allocate(&model.params);
    read_weights(&model.params);

    Threads *threads = threads_new(1);
    Tape tape;
    Optimizer optimizer;
    tape_init(&tape, threads, rng_seed(1, 1));
    params_optimizer(&model.params, kind, &optimizer);
    train(&tape, &model, &optimizer, smoothing, begin, &(StepOptions){.rate = rate, .clip_norm = clip_norm});
    optimizer_free(&optimizer);
    tape_free(&tape);
    threads_free(threads);
    model_free(&model);
    return 0;
}
