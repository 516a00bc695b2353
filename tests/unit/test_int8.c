/* Models with weights of 8 bits: the products are those of int8, and every instruction set and number of threads gives
   the same bits, alone and in an ensemble with a model of floats. */
#include "core/choice.h"
#include "core/kernels.h"
#include "translate/session.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "hash.h"
#include "random_model.h"
#include "scratch.h"

enum { SENTENCES = 3, KINDS = 6, MOST_MEMBERS = 2 };

static ModelOptions options_of(int kind) {
    static const char *const attentions[] = {"additive", "multi-head", "coverage", "none"};
    ModelOptions o = small_options("en");
    if (kind < 4) o.attention = choice_find(attention_names, attentions[kind]);
    o.heads = 2;
    if (kind == 1) o.tied_embeddings = true, o.dim_maxout = o.dim_emb;
    if (kind == 2) o.encoder = choice_find(encoder_names, "cnn");
    if (kind == 3) o.encoder = choice_find(encoder_names, "deep-bigru"), o.enc_depth = 2;
    if (kind >= 4) o.arch = choice_find(arch_names, "transformer"), o.tied_embeddings = kind == 5, o.dim_ffn = 50;
    return o;
}

/* Translates with an ensemble, and aligns and scores with its first model. Returns a hash of all results; scores
   receives the log-probabilities. */
static uint64_t results_of(const Translator *const *members, int count, int threads, double scores[SENTENCES]) {
    const Translator *first = members[0];
    uint64_t hash = HASH_START;
    Session session;
    Threads *pool = threads_new(threads);
    session_init(&session, members, count, pool);
    const BeamOptions options = translator_beam_options(first);
    Translations found = session_translate(&session, source_texts, SENTENCES, &options, 2, NULL, NULL);
    for (int i = 0; i < SENTENCES; i++)
        for (int k = 0; k < found.nbest[i].count; k++) {
            const Hypothesis *h = &found.nbest[i].list[k];
            hash_hypothesis(&hash, h);
        }
    translations_free(&found);
    for (int i = 0; i < SENTENCES; i++) {
        scores[i] = session_score(&session, source_texts[i], target_texts[i], options.attention).log_probability;
        hash_bytes(&hash, &scores[i], sizeof scores[i]);
    }
    if (model_alignments(&first->model).heads > 0) {
        Alignment a[SENTENCES];
        session_align(&session, source_texts, target_texts, SENTENCES, options.attention, a);
        for (int i = 0; i < SENTENCES; i++) {
            hash_alignment(&hash, &a[i]);
            alignment_free(&a[i]);
        }
    }
    session_free(&session);
    threads_free(pool);
    return hash;
}

/* Checks that matrices are stored as integers, and tables, too. */
static void check_stored(const Params *params) {
    for (int i = 0; i < params->count; i++) {
        const Param *p = params->list[i];
        const bool matrix = p->var.rows > 1 && p->var.cols > 1;
        assert_int_equal(p->int8, matrix);
        assert_int_equal(p->weight.packed[0].format, matrix ? PANELS_I8 : PANELS_F32);
        assert_int_equal(p->var.v != NULL, !matrix);
        assert_int_equal(p->weight.values != NULL, !matrix || p->table);
    }
}

/* The files of a model with random weights: its weights as floats, and its weights with 8 bits. */
static void write_models(int kind, char floats[SCRATCH_SIZE], char int8[SCRATCH_SIZE]) {
    Err err;
    Translator written;
    const ModelOptions options = options_of(kind);
    scratch_file(floats);
    scratch_file(int8);
    write_random_model(&written, &options, target_texts, (uint64_t)kind + 1, floats);
    translator_free(&written);
    assert_int_equal(model_copy(floats, NULL, true, int8, &err), 0);
}

/* Computes with all sets of kernels and up to eight threads: the int8 model, the ensemble of it with a model of floats,
   and this ensemble in the other order. */
static void check_kind(int kind) {
    static const int counts[] = {1, 2, 3, 8};
    char floats[SCRATCH_SIZE], int8[SCRATCH_SIZE];
    uint64_t right[3] = {0};
    write_models(kind, floats, int8);
    for (int set = 0; kernels_at(set); set++) {
        Err err;
        Translator exact, rounded;
        double expected[SENTENCES], scores[SENTENCES];
        kernels = kernels_at(set);
        assert_int_equal(model_load(&exact, floats, &err), 0);
        assert_int_equal(model_load(&rounded, int8, &err), 0);
        assert_true(rounded.quantized && !exact.quantized);
        check_stored(&rounded.model.params);
        const Translator *const members[][MOST_MEMBERS] = {{&rounded, NULL}, {&rounded, &exact}, {&exact, &rounded}};
        const Translator *const alone[] = {&exact};
        const uint64_t of_floats = results_of(alone, 1, 1, expected);
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < (i ? 1 : 4); c++) {
                const uint64_t hash = results_of(members[i], i ? 2 : 1, counts[c], scores);
                if (!right[i]) right[i] = hash;
                if (hash != right[i]) fail_msg("kind %d, %s, %d threads", kind, kernels->name, counts[c]);
                assert_true(hash != of_floats);
                for (int s = 0; s < SENTENCES; s++) assert_true(fabs(scores[s] / expected[s] - 1) < 0.05);
            }
        translator_free(&exact);
        translator_free(&rounded);
    }
    unlink(floats);
    unlink(int8);
    assert_int_equal(kernels_choose("auto"), 0);
}

static void every_set_and_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) check_kind(kind);
}

/* Scales that products cannot use: the weights become floats. */
static void other_scales_are_multiplied(void **state) {
    (void)state;
    Params params = {0};
    params_add_table(&params, "E", 5, 3, INIT_ZERO, 0);
    params_add(&params, "W", 5, 3, INIT_ZERO, 0);
    params_add(&params, "b", 1, 3, INIT_ZERO, 0);
    params_add(&params, "v", 5, 1, INIT_ZERO, 0);
    params_add(&params, "long", GEMM_I8_MOST_K + 1, 2, INIT_ZERO, 0);
    static const bool columns[] = {false, true, false, false, false}, rows[] = {true, false, false, false, false};
    for (int i = 0; i < params.count; i++) {
        param_use_int8(params.list[i], false);
        assert_int_equal(params.list[i]->int8, columns[i]);
        param_use_int8(params.list[i], true);
        assert_int_equal(params.list[i]->int8, rows[i]);
    }
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_and_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(other_scales_are_multiplied),
    };
    return cmocka_run_group_tests_name("int8", tests, NULL, NULL);
}
