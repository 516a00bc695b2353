/* Tests parameters: their initial values, and the average of them that the optimiser keeps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/base.h"
#include "core/choice.h"
#include "core/optimizer.h"
#include "model/model.h"

static Model model_new(const char *attention, InitScheme scheme, bool tied) {
    const ModelConfig config = {.source_vocab = 300,
                                .source_words = 400,
                                .target_vocab = 200,
                                .emb = 64,
                                .rnn = 48,
                                .att = 80,
                                .maxout = tied ? 64 : 40,
                                .attention = attention_kind(attention),
                                .tied_embeddings = tied,
                                .heads = 4};
    Model model;
    model_init(&model, &config);
    params_allocate(&model.params);
    params_init(&model.params, scheme, 5);
    return model;
}

static const Param *param_of(const Model *model, const char *name) {
    for (int i = 0; i < model->params.count; i++)
        if (!strcmp(model->params.list[i]->name, name)) return model->params.list[i];
    return NULL;
}

static double deviation_of(const Model *model, const char *name) {
    const Var *var = &param_of(model, name)->var;
    const int n = var->rows * var->cols;
    double square = 0;
    for (int i = 0; i < n; i++) square += (double)var->v[i] * (double)var->v[i];
    return sqrt(square / n);
}

static void weights_are_initialised_by_the_scheme(void **unused) {
    (void)unused;
    const struct {
        const char *attention, *name;
        double bahdanau, lecun;
    } right[] = {
        {"additive", "encoder.E", 0.01, 1 / sqrt(64)},
        {"additive", "encoder.E_word", 0.01, 1 / sqrt(400)},
        {"additive", "state.E", 0.01, 1 / sqrt(64)},
        {"additive", "encoder.fwd.W", 0.01, 1 / sqrt(64)},
        {"additive", "attention.Ua", 0.001, 1 / sqrt(96)},
        {"additive", "attention.va", 0, 1 / sqrt(80)},
        {"coverage", "attention.Ua", 0.001, 1 / sqrt(96)},
        {"coverage", "attention.va", 0, 1 / sqrt(80)},
        {"coverage", "attention.Vb", 0, 0},
        {"additive", "state.Ws", 0.01, 1 / sqrt(48)},
        {"additive", "readout.Wo", 0.01, 1 / sqrt(40)},
        {"additive", "readout.bo", 0, 0},
        {"additive", "encoder.fwd.b", 0, 0},
        {"additive", "encoder.fwd.U", 1 / sqrt(48), 1 / sqrt(48)},
        {"general", "attention.Wa", 0.01, 1 / sqrt(96)},
        {"scaled-dot", "attention.Wq", 0.01, 1 / sqrt(48)},
        {"scaled-dot", "attention.Wk", 0.01, 1 / sqrt(96)},
        {"multi-head", "attention.Wq", 0.01, 1 / sqrt(48)},
        {"multi-head", "attention.Wk", 0.01, 1 / sqrt(96)},
        {"multi-head", "attention.Wv", 0.01, 1 / sqrt(96)},
        {"multi-head", "attention.Wo", 0.01, 1 / sqrt(80)},
    };
    for (int scheme = SCHEME_LECUN; scheme <= SCHEME_BAHDANAU; scheme++) {
        for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
            Model model = model_new(right[i].attention, (InitScheme)scheme, false);
            const double expected = scheme == SCHEME_LECUN ? right[i].lecun : right[i].bahdanau;
            assert_true(fabs(deviation_of(&model, right[i].name) - expected) <= 0.15 * expected);
            model_free(&model);
        }
    }
    assert_int_equal(choice_find(init_names, "bahdanau"), SCHEME_BAHDANAU);
    assert_int_equal(choice_find(init_names, "lecun"), SCHEME_LECUN);
    assert_int_equal(choice_find(init_names, "glorot"), -1);
}

static void a_tied_output_has_no_weights_of_its_own(void **unused) {
    (void)unused;
    Model loose = model_new("additive", SCHEME_LECUN, false), tied = model_new("additive", SCHEME_LECUN, true);
    assert_non_null(param_of(&loose, "readout.Wo"));
    assert_null(param_of(&tied, "readout.Wo"));
    model_free(&loose);
    model_free(&tied);
}

/* An optimizer that records its arguments: the kind of each segment, and how often it got each number. */
static void mark(const SegmentUpdate *u) {
    const size_t n = (size_t)u->segment->rows * (size_t)u->segment->cols;
    assert_true(u->steps == 1 && u->rate == 0.5 && !u->slots[1]);
    for (size_t i = 0; i < n; i++) {
        u->w[i] = (real)u->segment->kind;
        u->slots[0][i] += 1;
        u->g[i] = 0;
    }
}

static SegmentKind right_kind(const char *name) {
    static const char *const tables[] = {"encoder.E", "encoder.E_word", "state.E"};
    static const char *const vectors[] = {"encoder.fwd.b", "encoder.bwd.b", "state.b",   "state.bs",
                                          "attention.va",  "readout.bt",    "readout.bo"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!strcmp(name, tables[i])) return SEGMENT_TABLE;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!strcmp(name, vectors[i])) return SEGMENT_VECTOR;
    return SEGMENT_MATRIX;
}

static void an_optimizer_receives_each_parameter_once(void **unused) {
    (void)unused;
    static const OptimizerKind marking = {"marking", 1, mark};
    Model model = model_new("additive", SCHEME_LECUN, false);
    Params *params = &model.params;
    Threads *threads = threads_new(2);
    Optimizer optimizer;
    params_optimizer(params, &marking, &optimizer);
    params->gradients[0] = 1;
    assert_true(optimizer_step(&optimizer, threads, params->values, params->gradients, &(StepOptions){.rate = 0.5}) ==
                1);
    double numbers = 0;
    for (size_t i = 0; i < params->size; i++) numbers += (double)optimizer.slots[0][i];
    assert_true(numbers == (double)params_weights(params)); /* padding is left out */
    for (int i = 0; i < params->count; i++) {
        const Param *param = params->list[i];
        const real kind = (real)right_kind(param->name);
        for (size_t k = 0; k < var_size(&param->var); k++)
            if (optimizer.slots[0][param->offset + k] != 1 || param->var.v[k] != kind)
                fail_msg("%s: %g times, kind %g", param->name, (double)optimizer.slots[0][param->offset + k],
                         (double)param->var.v[k]);
    }
    optimizer_free(&optimizer);
    threads_free(threads);
    model_free(&model);
}

static void optimizers_are_known_by_name(void **unused) {
    (void)unused;
    assert_string_equal(optimizer_kind("adam")->name, "adam");
    assert_int_equal(optimizer_kind("adadelta")->slots, 2);
    assert_int_equal(optimizer_kind("sgd")->slots, 0);
    assert_ptr_equal(optimizer_kind_at(choice_find(optimizer_names, "sgd")), optimizer_kind("sgd"));
    assert_null(optimizer_kind("ada"));
}

static void the_average_follows(double eta) {
    enum { N = 5000, STEPS = 60 }; /* N: more than the optimiser's block */
    const StepOptions options = {.rate = 0.5, .smoothing = 0.2, .eta = eta};
    static real w[N], g[N];
    static double average[N];
    Threads *threads = threads_new(2);
    Optimizer optimizer;
    optimizer_init(&optimizer, optimizer_kind("sgd"), &(Segment){.rows = 1, .cols = N}, 1, N);
    for (int i = 0; i < N; i++) average[i] = w[i] = (real)(i % 7);
    optimizer_keep_average(&optimizer, w);
    for (int step = 1; step <= STEPS; step++) {
        for (int i = 0; i < N; i++) g[i] = (real)((i + step) % 5 - 2);
        optimizer_step(&optimizer, threads, w, g, &options);
        for (int i = 0; i < N; i++) average[i] += fmax(0.2, (eta + 1) / (eta + 2 + step)) * ((double)w[i] - average[i]);
    }
    for (int i = 0; i < N; i++) assert_true(fabs(average[i] - (double)optimizer.average[i]) < 1e-4);
    optimizer_free(&optimizer);
    threads_free(threads);
}

static void the_average_follows_the_weights(void **unused) {
    (void)unused;
    the_average_follows(8);
    the_average_follows(1);
}

static void values_are_swapped_completely(void **unused) {
    (void)unused;
    Model model = model_new("additive", SCHEME_LECUN, false);
    const size_t size = model.params.size * sizeof(real);
    real *other = mem_alloc_aligned(size), *const mine = model.params.values, *const theirs = other;
    memset(other, 0, size);
    params_exchange(&model.params, &other);
    assert_ptr_equal(other, mine);
    assert_true(deviation_of(&model, "readout.Wo") == 0);
    params_exchange(&model.params, &other);
    assert_ptr_equal(other, theirs);
    assert_true(deviation_of(&model, "readout.Wo") > 0);
    mem_free(other);
    model_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_initialised_by_the_scheme),
        cmocka_unit_test(a_tied_output_has_no_weights_of_its_own),
        cmocka_unit_test(an_optimizer_receives_each_parameter_once),
        cmocka_unit_test(optimizers_are_known_by_name),
        cmocka_unit_test(the_average_follows_the_weights),
        cmocka_unit_test(values_are_swapped_completely),
    };
    return cmocka_run_group_tests_name("parameters", tests, NULL, NULL);
}
