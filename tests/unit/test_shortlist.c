/* Tests shortlists: exactly the words that the translation of a sentence may contain. */
#include "translate/shortlist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "words.h"

/* By frequency, then in byte order: ▁the ▁sea ▁New ▁York ▁a ▁new ▁tide ▁wave. */
static char *const sentences[] = {"the the the sea sea", "a new wave New York tide"};

/* The words besides the specials, each with a bar behind it. */
static void check_words(const Shortlist *s, const char *sentence, const char *expected) {
    char text[200] = "", *const one[] = {(char *)sentence};
    ColumnSet *sets = shortlist_sets(s, one, 1);
    for (int i = 0; i < sets->count; i++) {
        const char *piece = vocab_piece(s->target->vocab, sets->ids[i]);
        assert_true(i >= ID_SPECIALS || sets->ids[i] == i);
        if (i < ID_SPECIALS) continue;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s|", piece);
    }
    shortlist_sets_free(sets, 1);
    assert_string_equal(text, expected);
}

static void the_words_of_a_sentence(void **state) {
    static const char lines[] = "海\ttide\t0.2\n海\tsea wave\t0.3\n海\ta\t0.1\n海水\tnew York\nab\tthe\n12\ta\t0\n";
    static const struct {
        int first, best;
        const char *sentence, *expected;
    } cases[] = {{0, 10, "海", "sea|a|tide|wave|"},
                 {0, 3, "海", "sea|a|tide|wave|"},
                 {0, 2, "海", "sea|tide|wave|"},
                 {0, 1, "海", "sea|wave|"},
                 {0, 0, "海", ""},
                 {0, 1, "大海水", "sea|New|York|new|wave|"}, /* both texts; a translation may begin a sentence */
                 {0, 1, "海 水", "sea|wave|"},
                 {0, 1, "ab", "the|"},
                 {0, 1, "x ab 12", "the|a|"},
                 {0, 1, "abc 123 xab 012", ""}, /* no part of a run of letters or digits */
                 {0, 1, "", ""},
                 {1, 1, "12", "the|a|"},
                 {2, 1, "x", "the|sea|"},
                 {8, 1, "x", "the|sea|New|York|a|new|tide|wave|"},
                 {100, 1, "x", "the|sea|New|York|a|new|tide|wave|"}};
    Side side;
    Shortlist s;
    Err err;
    (void)state;
    side_learn(&side, TOKENIZER_NONE, words_of(TOKENIZER_NONE, sentences, 2), 0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(shortlist_parse(&s, lines, &side, cases[i].first, cases[i].best, &err), 0);
        check_words(&s, cases[i].sentence, cases[i].expected);
        shortlist_free(&s);
    }
    assert_int_equal(shortlist_parse(&s, "海\tsea\t1\n海\ttide\t1\n海\twave\t1\n", &side, 0, 2, &err), 0);
    check_words(&s, "海", "sea|tide|"); /* of equals, the first ones of the file */
    shortlist_free(&s);
    assert_null(shortlist_sets(&s, NULL, 0)); /* not read */
    assert_int_equal(shortlist_parse(&s, "海\tsea\n海\n", &side, 0, 2, &err), -1);
    assert_int_equal(err.line, 2);
    shortlist_free(&s);
    side_free(&side);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_words_of_a_sentence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
