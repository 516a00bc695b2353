/* Promise 1: compares whole models of every kind and the optimisers with PyTorch's numbers (scripts/dev/make-fixtures).
   tide computes with float and in another order, so there is a tolerance; a wrong equation gives a much larger
   error. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/choice.h"
#include "core/ops.h"
#include "core/optimizer.h"
#include "model/model.h"

static const double TOLERANCE = 1e-4;

/* ---- the file ------------------------------------------------------------------------------------------ */

static cJSON *fixture;

static int load(void **unused) {
    (void)unused;
    static char json[1 << 19];
    FILE *file = fopen("tests/fixtures/model.json", "rb");
    if (!file) return -1;
    size_t n = fread(json, 1, sizeof json - 1, file);
    fclose(file);
    return (fixture = cJSON_ParseWithLength(json, n)) ? 0 : -1;
}

static int unload(void **unused) {
    (void)unused;
    cJSON_Delete(fixture);
    return 0;
}

static const cJSON *member(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!item) fail_msg("the fixture has no %s", name);
    return item;
}

static double number(const cJSON *object, const char *name) { return cJSON_GetNumberValue(member(object, name)); }
static int integer(const cJSON *object, const char *name) { return (int)number(object, name); }
static const char *text(const cJSON *object, const char *name) { return cJSON_GetStringValue(member(object, name)); }
static bool truth(const cJSON *object, const char *name) { return cJSON_IsTrue(member(object, name)); }

/* Copies a list of exactly n numbers. */
static void read_floats(const cJSON *list, float *to, int n) {
    assert_int_equal(cJSON_GetArraySize(list), n);
    const cJSON *item;
    cJSON_ArrayForEach(item, list) *to++ = (float)cJSON_GetNumberValue(item);
}

static void assert_close(const char *what, double x, double y) {
    if (!(fabs(x - y) <= TOLERANCE * fabs(y))) fail_msg("%s: %.9g instead of %.9g", what, x, y);
}

/* Fails unless ||x - y|| <= TOLERANCE ||y||. y must be a list of exactly n numbers. */
static void assert_near(const char *what, const float *x, int n, const cJSON *y) {
    assert_int_equal(cJSON_GetArraySize(y), n);
    double difference = 0, norm = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, y) {
        double right = cJSON_GetNumberValue(item), d = *x++ - right;
        difference += d * d;
        norm += right * right;
    }
    assert_true(norm > 0);
    double error = sqrt(difference / norm);
    if (!(error <= TOLERANCE)) fail_msg("%s: off by %g of its norm", what, error);
}

/* ---- the model ----------------------------------------------------------------------------------------- */

enum { SENTENCES = 5, LONGEST = 8 };

/* One side of the batch in the form that the model reads. */
typedef struct Side {
    int words[SENTENCES][LONGEST], length[SENTENCES];
    const int *ids[SENTENCES];
} Side;

static void read_side(const cJSON *lists, Side *side) {
    assert_int_equal(cJSON_GetArraySize(lists), SENTENCES);
    for (int i = 0; i < SENTENCES; i++) {
        const cJSON *list = cJSON_GetArrayItem(lists, i), *id;
        assert_true(cJSON_GetArraySize(list) <= LONGEST);
        side->ids[i] = side->words[i];
        cJSON_ArrayForEach(id, list) side->words[i][side->length[i]++] = id->valueint;
    }
}

static void read_parameters(const cJSON *values, Params *params) {
    assert_int_equal(cJSON_GetArraySize(values), params->count);
    for (int i = 0; i < params->count; i++) {
        Var *var = &params->list[i]->var;
        read_floats(member(values, params->list[i]->name), var->v, var->rows * var->cols);
    }
}

static void compare_gradients(const cJSON *gradients, const Params *params) {
    for (int i = 0; i < params->count; i++) {
        const Var *var = &params->list[i]->var;
        assert_near(params->list[i]->name, var->g, var->rows * var->cols, member(gradients, params->list[i]->name));
    }
}

/* The alignment of sentence b, in the decoder's order, is row b of every step; after the end of the source it is
   zero. */
static void compare_alignments(const cJSON *alignments, const Batch *batch, Var *const *alpha) {
    const Sequences *y = &batch->target;
    for (int b = 0; b < y->n; b++) {
        float matrix[LONGEST * LONGEST];
        int n = 0, length = batch->source.spans.length[b];
        for (int t = 0; t < y->length[b]; t++)
            for (int j = 0; j < alpha[t]->cols; j++) {
                float weight = alpha[t]->v[b * alpha[t]->cols + j];
                if (j < length) matrix[n++] = weight;
                else assert_true(weight == 0);
            }
        assert_near("alignment", matrix, n, cJSON_GetArrayItem(alignments, y->order[b]));
    }
}

static ModelConfig read_config(const cJSON *right) {
    return (ModelConfig){
        .source_vocab = integer(right, "source_vocab"),
        .target_vocab = integer(right, "target_vocab"),
        .arch = arch_named(text(right, "arch")),
        .emb = integer(right, "emb"),
        .rnn = integer(right, "rnn"),
        .att = integer(right, "att"),
        .maxout = integer(right, "maxout"),
        .encoder = encoder_kind(text(right, "encoder")),
        .attention = attention_kind(text(right, "attention")),
        .readout_prev = truth(right, "readout_prev"),
        .tied_embeddings = truth(right, "tied_embeddings"),
        .heads = integer(right, "heads"),
        .depth = integer(right, "depth"),
        .ffn = integer(right, "ffn"),
        .window = integer(right, "window"),
        .conditional = truth(right, "conditional"),
        .decoder_depth = integer(right, "decoder_depth"),
    };
}

static void compare_model(const cJSON *right, Tape *tape) {
    const ModelConfig config = read_config(right);
    print_message("%s, %s, %s%s\n", text(right, "arch"), text(right, "encoder"), text(right, "attention"),
                  config.conditional ? ", conditional" : "");
    assert_true(config.arch && config.encoder && config.attention);
    Model model;
    model_init(&model, &config);
    params_allocate(&model.params);
    read_parameters(member(right, "parameters"), &model.params);
    Side source = {0}, target = {0};
    read_side(member(right, "source"), &source);
    read_side(member(right, "target"), &target);

    tape->recording = true;
    Batch batch = batch_fold(&tape->arena, source.ids, source.length, target.ids, target.length, SENTENCES, NULL,
                             integer(right, "begin"));
    Forced forced = model_force(tape, &model, &batch, &(PassOptions){0});
    double nats;
    const Objective objective = {&batch.target, batch.target.rows, number(right, "smoothing"), NULL};
    Var *loss = model_loss(tape, &model, &forced, objective, &nats);
    tape_backward(tape, loss);

    assert_close("nats", nats, number(right, "nats"));
    assert_close("loss", loss->v[0], number(right, "loss"));
    compare_gradients(member(right, "gradients"), &model.params);
    if (model_aligns(&model)) compare_alignments(member(right, "alignments"), &batch, forced.alpha);
    else assert_null(forced.alpha[0]);
    tape_reset(tape);
    model_free(&model);
}

static void models_agree_with_pytorch(void **unused) {
    (void)unused;
    Threads *threads = threads_new(2);
    Tape tape;
    tape_init(&tape, threads, rng_seed(1, 1));
    const cJSON *right;
    cJSON_ArrayForEach(right, member(fixture, "models")) compare_model(right, &tape);
    tape_free(&tape);
    threads_free(threads);
}

/* ---- the optimisers ------------------------------------------------------------------------------------ */

static void compare_optimiser(const cJSON *right, Threads *threads) {
    float w[64] = {0}, g[64];
    const char *name = text(right, "name");
    const cJSON *weights = member(right, "weights"), *gradients = member(right, "gradients");
    const int n = cJSON_GetArraySize(cJSON_GetArrayItem(weights, 0)), steps = cJSON_GetArraySize(weights);
    assert_true(n <= 64 && steps == 3);
    Optimizer optimizer;
    optimizer_init(&optimizer, optimizer_kind(name), &(Segment){.rows = 1, .cols = n}, 1, (size_t)n);
    for (int step = 0; step < steps; step++) {
        read_floats(cJSON_GetArrayItem(gradients, step), g, n);
        const StepOptions options = {.rate = number(right, "rate"), .clip_norm = number(right, "clip_norm")};
        double norm = optimizer_step(&optimizer, threads, w, g, &options);
        assert_close("norm", norm, cJSON_GetNumberValue(cJSON_GetArrayItem(member(right, "norms"), step)));
        assert_near(name, w, n, cJSON_GetArrayItem(weights, step));
        for (int i = 0; i < n; i++) assert_true(g[i] == 0);
    }
    optimizer_free(&optimizer);
}

static void optimisers_agree_with_pytorch(void **unused) {
    (void)unused;
    Threads *threads = threads_new(1);
    const cJSON *right;
    cJSON_ArrayForEach(right, member(fixture, "optimisers")) compare_optimiser(right, threads);
    threads_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_agree_with_pytorch),
        cmocka_unit_test(optimisers_agree_with_pytorch),
    };
    return cmocka_run_group_tests_name("fixture", tests, load, unload);
}
