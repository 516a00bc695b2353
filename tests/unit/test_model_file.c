/* Tests model files and checkpoints: what they keep, and which are refused. */
#include "io/ds.h"
#include "io/files.h"
#include "train/checkpoint.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "random_model.h"
#include "scratch.h"

/* Writes a checkpoint of this model and a new optimizer to `dir`. */
static void save_checkpoint(const char *dir, const Translator *t, const char *optimizer, const TrainState *state) {
    Learner learner = {.translator = *t};
    Err err;
    options_default(train_option_tables, &learner.options);
    learner.options.model = t->options;
    params_optimizer(&t->model.params, optimizer_kind(optimizer), &learner.optimizer);
    assert_int_equal(checkpoint_save(dir, &learner, state, &err), 0);
    optimizer_free(&learner.optimizer);
}

static void write_model(Translator *t, uint64_t seed, const char *path) {
    write_model_into(t, "en", target_texts, seed, path);
}

/* Checks that a shared parameter has these values or their panels. */
static void check_shared(const Param *shared, const Var *values) {
    const Weight *weight = &shared->weight;
    if (weight->values) {
        assert_memory_equal(weight->values, values->v, var_size(values) * sizeof(real));
        return;
    }
    const size_t bytes = packed_size(PANELS_F32, values->rows, values->cols);
    const Operand b = {.k = values->rows, .n = values->cols, .b = values->v, .ld = values->cols};
    Threads *threads = threads_new(1);
    real *panels = mem_alloc_aligned(bytes);
    operand_pack(threads, b, panels);
    assert_memory_equal(weight->packed[0].panels, panels, bytes);
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
    Translator written, used;
    Learner learner;
    TrainState at = {0};
    write_model(&written, 5, path);
    save_checkpoint(dir, &written, "adam", &at);
    assert_int_equal(model_load(&used, dir, &err), 0);
    assert_int_equal(checkpoint_load(dir, &learner, &at, &warning, &err), 1);
    const Translator trained = learner.translator;
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
    optimizer_free(&learner.optimizer);
    translator_free(&written);
    translator_free(&used);
    translator_free(&learner.translator);
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
    assert_int_equal(model_save(&t, configuration, NULL, path, &err), 0);
    assert_int_equal(model_load(&read, path, &err), 0);
    assert_string_equal(read.configuration, configuration);
    assert_int_equal(read.options.dim_rnn, 12);
    translator_free(&read);
    assert_int_equal(model_save(&t, "dim-emb = 8\nnew-option\n", NULL, path, &err), 0);
    assert_int_equal(model_load(&read, path, &err), -1);
    assert_int_equal(err.line, 2);
    assert_string_equal(err.reason, "expected `key = value`");
    translator_free(&t);
    unlink(path);
}

/* A checkpoint keeps the metric of its best value. Without a metric, as in older checkpoints, it is BLEU. */
static void a_best_value_keeps_its_metric(void **state) {
    (void)state;
    char dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32];
    scratch_directory(dir);
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    Err err, warning;
    Translator t;
    write_model(&t, 5, path);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", dir);
    for (int m = 0; m < VALID_METRICS; m++) {
        const TrainState written = {.metric = (ValidMetric)m, .best = 12.3, .best_update = 7, .stalled = 2};
        Learner again;
        TrainState read = {.metric = VALID_PERPLEXITY};
        save_checkpoint(dir, &t, "adam", &written);
        assert_int_equal(checkpoint_load(dir, &again, &read, &warning, &err), 1);
        assert_int_equal(read.metric, written.metric);
        assert_true(read.best == written.best);
        assert_int_equal(read.best_update, 7);
        Safetensors *file = safetensors_open(path, &err);
        const char *text = safetensors_meta(file, "state");
        assert_int_equal(strstr(text, "metric") != NULL, m != VALID_BLEU);
        assert_int_equal(strstr(text, "best_bleu -0x1p+0") != NULL, m != VALID_BLEU);
        safetensors_close(file, 0, &err);
        learner_free(&again);
    }
    translator_free(&t);
    scratch_remove(dir);
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
                                 {.best = NAN},
                                 {.report_nats = INFINITY}};
    char dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32];
    scratch_directory(dir);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", dir);
    Err err, warning;
    Translator t;
    write_model(&t, 5, path);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        Learner read;
        TrainState at = {0};
        save_checkpoint(dir, &t, "adam", &states[i]);
        snprintf(path, sizeof path, "%s/checkpoint.prev.safetensors", dir);
        unlink(path);
        int status = checkpoint_load(dir, &read, &at, &warning, &err);
        assert_int_equal(status, i < 2 ? 1 : -1);
        if (status < 0) {
            assert_non_null(strstr(err.reason, "not a checkpoint of a training"));
            continue;
        }
        learner_free(&read);
    }
    translator_free(&t);
    scratch_remove(dir);
}

/* Sizes that differ from those of the tensors are refused before memory is allocated. */
static void sizes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    char dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32];
    scratch_directory(dir);
    Err err, warning;
    Translator t, read;
    Learner learner;
    TrainState at = {0};
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    write_model(&t, 5, path);
    t.options.dim_rnn = t.options.dim_emb = 65536;
    save_checkpoint(dir, &t, "sgd", &at);
    assert_int_equal(save(&t, path, &err), 0);
    assert_int_equal(model_load(&read, dir, &err), -1);
    assert_non_null(strstr(err.reason, "is needed"));
    assert_int_equal(checkpoint_load(dir, &learner, &at, &warning, &err), -1);
    assert_non_null(strstr(err.reason, "is needed"));
    translator_free(&t);
    scratch_remove(dir);
}

/* Writes a number into a tensor of a model file, whose checksum is then removed as a program that edits files would. */
static void spoil(const char *path, const char *tensor, size_t at, float number) {
    char quoted[64];
    Err err;
    size_t size;
    uint64_t header;
    char *bytes = file_read(path, &size, &err);
    assert_non_null(bytes);
    memcpy(&header, bytes, sizeof header);
    snprintf(quoted, sizeof quoted, "\"%s\":", tensor);
    const char *entry = memmem(bytes, size, quoted, strlen(quoted));
    assert_non_null(entry);
    const size_t begin = strtoull(strstr(entry, "offsets\":[") + strlen("offsets\":["), NULL, 10);
    memcpy(bytes + sizeof header + header + begin + at * sizeof number, &number, sizeof number);
    memcpy(memmem(bytes, size, "\"checksum\"", 10), "\"checkers\"", 10);
    FILE *out = fopen(path, "w");
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
    mem_free(bytes);
}

/* A model with a number that is not finite is refused, also in the scales of 8 bits, of which a product could overflow.
   A checkpoint is not: the training itself notices what is not finite. */
static void numbers_that_are_not_finite_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *tensor;
        size_t at;
        float number;
        bool quantized;
        const char *text;
    } cases[] = {
        {"encoder.E", 0, NAN, false, "tensor encoder.E is not finite at [0, 0]"},
        {"encoder.E", 8 * 3 + 5, INFINITY, false, "tensor encoder.E is not finite at [3, 5]"},
        {"readout.bo", 2, -INFINITY, false, "tensor readout.bo is not finite at [0, 2]"},
        {"attention.va", 9, NAN, true, "tensor attention.va is not finite at [9, 0]"},
        {"encoder.E.scale", 4, NAN, true, "tensor encoder.E.scale is not finite at [4, 0]"},
        {"attention.Wa.scale", 9, INFINITY, true, "tensor attention.Wa.scale is not finite at [0, 9]"},
        {"attention.Wa.scale", 3, -1e37f, true, "tensor attention.Wa.scale is not finite at [0, 3]"},
        {"attention.Wa.scale", 3, 1e36f, true, NULL},
        {"encoder.E", 1, 3e38f, false, NULL},
    };
    char path[SCRATCH_SIZE];
    scratch_file(path);
    Err err;
    Translator t, read;
    write_model(&t, 5, path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int trained = 0; trained < 2; trained++) {
            t.quantized = cases[i].quantized;
            assert_int_equal(save(&t, path, &err), 0);
            spoil(path, cases[i].tensor, cases[i].at, cases[i].number);
            const int status = trained ? model_load_trained(&read, path, &err) : model_load(&read, path, &err);
            assert_int_equal(status, cases[i].text ? -1 : 0);
            if (cases[i].text) assert_string_equal(err.reason, cases[i].text);
            translator_free(&read);
        }
    translator_free(&t);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(weights_are_shared_unless_they_are_trained),
        cmocka_unit_test(a_model_keeps_the_options_of_its_training),
        cmocka_unit_test(a_best_value_keeps_its_metric),
        cmocka_unit_test(a_state_that_no_training_reaches_is_refused),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
