/* The choice of search options: it has the BLEU of a search with these options, and no other pair of values has more;
   and the fitted confidence. */
#include "translate/confidence.h"
#include "translate/tune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "random_model.h"

enum { N = 4 };
static char *sources[N] = {"潮水退了", "", "大海", "谁没穿"};
static char *references[N] = {"the tide is out", "none", "the sea", "who wore none"};

/* BLEU and the number of tokens: BLEU alone is often 0 for random weights. */
static double sum_of(const Bleu *bleu) { return bleu->score + (double)bleu->hypothesis_length; }

static double search_of(Session *session, const BeamOptions *options) {
    Translations found = session_translate(session, sources, N, options, 2, NULL, NULL);
    char *texts[N];
    for (int i = 0; i < N; i++) texts[i] = translation_text(&found, i, 0);
    const Bleu bleu = bleu_corpus(texts, references, N, (BleuOptions){.chinese = true});
    for (int i = 0; i < N; i++) mem_free(texts[i]);
    translations_free(&found);
    return sum_of(&bleu);
}

static void the_choice_is_that_of_searches(void **state) {
    (void)state;
    static const double normalize[] = {0, 0.5, 1, 2}, penalty[] = {2, 0, -0.5, -3};
    Translator model;
    int different = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        load_random_model(&model, seed);
        const Translator *const members[] = {&model};
        Threads *threads = threads_new(2);
        Session session;
        session_init(&session, members, 1, threads);
        BeamOptions options = translator_beam_options(&model);
        options.beam = 6;
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++) {
                SearchChoice before;
                const SearchChoice one =
                    session_tune(&session, sources, references, N, &options, (BleuOptions){.chinese = true},
                                 &normalize[i], 1, &penalty[k], 1, &before, NULL, NULL);
                BeamOptions tried = options;
                tried.normalize = normalize[i];
                tried.word_penalty = penalty[k];
                assert_true(sum_of(&one.bleu) == search_of(&session, &tried));
                assert_true(sum_of(&before.bleu) == search_of(&session, &options));
                different += sum_of(&one.bleu) != sum_of(&before.bleu);
            }
        double most = 0;
        const SearchChoice best =
            session_tune(&session, sources, references, N, &options, (BleuOptions){.chinese = true}, normalize, 4,
                         penalty, 4, NULL, NULL, NULL);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++) {
                const SearchChoice one =
                    session_tune(&session, sources, references, N, &options, (BleuOptions){.chinese = true},
                                 &normalize[i], 1, &penalty[k], 1, NULL, NULL, NULL);
                if (one.bleu.score > most) most = one.bleu.score;
            }
        assert_true(best.bleu.score == most);
        session_free(&session);
        threads_free(threads);
        translator_free(&model);
    }
    assert_true(different > 10);
}

/* ---- confidence ------------------------------------------------------------------------------------------------- */

static void a_mapping_is_found_again(void **state) {
    (void)state;
    enum { COUNT = 200 };
    static const double mappings[][2] = {{1.5, 2.5}, {0, 0.1}, {-3, 9}, {20, 4}};
    for (size_t k = 0; k < sizeof mappings / sizeof *mappings; k++) {
        double m[COUNT], q[COUNT], found[2];
        ModelOptions options = {.confidence = {mappings[k][0], mappings[k][1]}};
        for (int i = 0; i < COUNT; i++) {
            m[i] = -4.0 * i / COUNT;
            q[i] = 1 / (1 + exp(-(mappings[k][0] + mappings[k][1] * m[i])));
            assert_true(fabs(confidence_of(&options, 3 * m[i], 3) - q[i]) < 1e-12);
        }
        assert_true(confidence_fit(m, q, COUNT, found));
        for (int i = 0; i < 2; i++) assert_true(fabs(found[i] - mappings[k][i]) < 1e-5 * (1 + fabs(mappings[k][i])));
    }
    assert_true(confidence_of(&(ModelOptions){0}, -1, 1) == -1);
    assert_true(confidence_of(&(ModelOptions){.confidence = {1, 1}}, 0, 0) == -1);
}

/* The likelihood of the mapping is the largest: its gradient is 0. */
static void a_mapping_of_noise_has_no_gradient(void **state) {
    (void)state;
    enum { COUNT = 60 };
    double m[COUNT], q[COUNT], found[2], gradient[2] = {0};
    for (int i = 0; i < COUNT; i++) {
        m[i] = -0.1 * (i * 7 % 23);
        q[i] = (i * 11 % 17) / 40.0 + 0.2 * m[i] + 0.5;
        if (q[i] < 0) q[i] = 0;
    }
    assert_true(confidence_fit(m, q, COUNT, found));
    const ModelOptions options = {.confidence = {found[0], found[1]}};
    for (int i = 0; i < COUNT; i++) {
        const double rest = q[i] - confidence_of(&options, m[i], 1);
        gradient[0] += rest;
        gradient[1] += rest * m[i];
    }
    assert_true(fabs(gradient[0]) < 1e-6 && fabs(gradient[1]) < 1e-6);
}

static void without_a_connection_there_is_no_mapping(void **state) {
    (void)state;
    const double same[] = {-1, -1, -1, -1}, falling[] = {-1, -2, -3, -4}, up[] = {0.1, 0.2, 0.4, 0.9},
                 ones[] = {1, 1, 1, 1};
    double found[2] = {7, 7};
    assert_false(confidence_fit(same, up, 4, found));
    assert_true(found[0] == 0 && found[1] == 0);
    assert_false(confidence_fit(falling, up, 4, found)); /* the less probable, the better */
    assert_false(confidence_fit(falling, ones, 4, found));
    assert_false(confidence_fit(falling, up, 0, found));
    assert_true(found[0] == 0 && found[1] == 0);
    assert_true(correlation(falling, falling, 4) > 0.999999 && correlation(falling, same, 4) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_choice_is_that_of_searches),
                                       cmocka_unit_test(a_mapping_is_found_again),
                                       cmocka_unit_test(a_mapping_of_noise_has_no_gradient),
                                       cmocka_unit_test(without_a_connection_there_is_no_mapping)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
