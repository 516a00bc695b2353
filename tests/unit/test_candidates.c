/* Candidates of a hypothesis: the words that the search itself chooses, with their probabilities, also of an ensemble.
 */
#include "translate/candidates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "random_model.h"

enum { COUNT = 5 };

static bool is_banned(const BeamOptions *options, int id) {
    bool banned = false;
    for (int k = 0; k < options->banned_count; k++) banned |= options->banned[k] == id;
    return banned;
}

/* With a beam of one, the first candidate is the word of the hypothesis, and the probabilities multiply to its. */
static void check_hypothesis(Session *session, const Translations *found, int i, const BeamOptions *options) {
    const Hypothesis *h = &found->nbest[i].list[0];
    WordCandidate *candidates = mem_alloc((size_t)h->length * COUNT * sizeof *candidates), *one;
    double log_probability = 0;
    session_candidates(session, found, i, h, options, COUNT, candidates);
    for (int row = 0; row < h->length; row++) {
        const WordCandidate *best = candidates + (ptrdiff_t)row * COUNT;
        double sum = best->probability;
        assert_int_equal(best->id, h->ids[row]);
        for (int k = 1; k < COUNT; k++) {
            assert_true(best[k].probability > 0 && best[k].probability <= best[k - 1].probability);
            for (int other = 0; other < k; other++) assert_int_not_equal(best[k].id, best[other].id);
            assert_false(is_banned(options, best[k].id));
            sum += best[k].probability;
        }
        assert_true(sum < 1);
        log_probability += log(best->probability);
    }
    assert_true(fabs(log_probability - h->log_probability) < 1e-4);
    one = mem_alloc((size_t)h->length * sizeof *one);
    session_candidates(session, found, i, h, options, 1, one);
    for (int row = 0; row < h->length; row++) {
        assert_int_equal(one[row].id, candidates[(ptrdiff_t)row * COUNT].id);
        assert_true(one[row].probability == candidates[(ptrdiff_t)row * COUNT].probability);
    }
    mem_free(candidates);
    mem_free(one);
}

static void candidates_are_the_words_of_the_search(void **state) {
    (void)state;
    Translator models[2];
    const Translator *const members[] = {&models[0], &models[1]};
    for (uint64_t i = 0; i < 2; i++) load_random_model(&models[i], 5 + i);
    Threads *threads = threads_new(1);
    for (int count = 1; count <= 2; count++) {
        Session session;
        session_init(&session, members, count, threads);
        BeamOptions options = translator_beam_options(&models[0]);
        options.beam = 1;
        options.normalize = 0;
        Translations found = session_translate(&session, source_texts, 3, &options, 3, NULL, NULL);
        for (int i = 0; i < 3; i++) check_hypothesis(&session, &found, i, &options);
        translations_free(&found);
        session_free(&session);
    }
    for (int i = 0; i < 2; i++) translator_free(&models[i]);
    threads_free(threads);
}

/* A model with fewer words than are asked for. */
static void banned_words_are_no_candidates(void **state) {
    (void)state;
    Translator model;
    const Translator *const members[] = {&model};
    load_random_model(&model, 5);
    Threads *threads = threads_new(1);
    Session session;
    session_init(&session, members, 1, threads);
    const int words = vocab_size(model.target.vocab), all = words + 3;
    BeamOptions options = translator_beam_options(&model);
    Translations found = session_translate(&session, source_texts, 1, &options, 1, NULL, NULL);
    const Hypothesis *h = &found.nbest[0].list[0];
    WordCandidate *candidates = mem_alloc((size_t)h->length * (size_t)all * sizeof *candidates);
    session_candidates(&session, &found, 0, h, &options, all, candidates);
    for (int k = 0; k < all; k++) {
        assert_int_equal(candidates[k].id < 0, k >= words - options.banned_count);
        if (candidates[k].id < 0) assert_true(candidates[k].probability == 0);
        else assert_false(is_banned(&options, candidates[k].id));
    }
    mem_free(candidates);
    translations_free(&found);
    session_free(&session);
    translator_free(&model);
    threads_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_the_words_of_the_search),
        cmocka_unit_test(banned_words_are_no_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
