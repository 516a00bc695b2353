/* The choice of search options: it has the BLEU of a search with these options, and no other pair of values has more.
 */
#include "translate/tune.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_choice_is_that_of_searches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
