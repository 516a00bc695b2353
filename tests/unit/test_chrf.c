/* Compares chrF with sacreBLEU's results (tests/fixtures/scores) and with cases computed by hand. */
#include "scores.h"
#include "score/chrf.h"

static void check_chrf(const cJSON *expected, char **hypotheses, char **references, int n) {
    assert_close(chrf_corpus(hypotheses, references, n, 0).score, number(expected, "chrf2"));
}

static void test_equals_sacrebleu(void **state) {
    (void)state;
    for_each_case(check_chrf);
}

/* Returns chrF of a hypothesis and a reference; their lines are separated by '\n'. */
static Chrf chrf_of(const char *hypothesis, const char *reference, int lowercase) {
    char hyp_text[200], ref_text[200];
    snprintf(hyp_text, sizeof hyp_text, "%s\n", hypothesis);
    snprintf(ref_text, sizeof ref_text, "%s\n", reference);
    char **hypotheses = split_lines(hyp_text), **references = split_lines(ref_text);
    assert_int_equal(arrlen(hypotheses), arrlen(references));
    Chrf chrf = chrf_corpus(hypotheses, references, (int)arrlen(hypotheses), lowercase);
    arrfree(hypotheses);
    arrfree(references);
    return chrf;
}

static double f2(double precision, double recall) { return 100 * 5 * precision * recall / (4 * precision + recall); }

static void test_cases_computed_by_hand(void **state) {
    (void)state;
    const struct {
        const char *hypothesis, *reference;
        double score;
    } cases[] = {
        {"who wears pants", "who wears pants", 100},
        {"潮水退了", "潮水退了", 100}, /* only the orders with n-grams count: four */
        {"abcd", "abce", 100 * (3 / 4.0 + 2 / 3.0 + 1 / 2.0 + 0) / 4},
        {"ab", "abcd", f2((2 / 2.0 + 1 / 1.0) / 2, (2 / 4.0 + 1 / 3.0) / 2)},
        {"abcd", "ab", f2((2 / 4.0 + 1 / 3.0) / 2, (2 / 2.0 + 1 / 1.0) / 2)},
        {"aaaa", "aa", f2((2 / 4.0 + 1 / 3.0) / 2, 1)}, /* clipped counts */
        {"𠮷é", "𠮷e", 100 * (1 / 2.0 + 0) / 2},        /* characters, not bytes */
        {"abc", "def", 0},
        {"", "abc", 0},
        {"abc", "", 0},
        {"", "", 0},
        /* counts of the corpus, not a mean over sentences: 3 of 5, 2 of 3, 1 of 1 */
        {"abc\nxy", "abc\npq", 100 * (3 / 5.0 + 2 / 3.0 + 1) / 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_close(chrf_of(cases[i].hypothesis, cases[i].reference, 0).score, cases[i].score);
    assert_close(chrf_corpus(NULL, NULL, 0, 0).score, 0);
}

/* "xyz" has bigrams and a trigram, its reference "x" has none; both sides of the other pair have them. */
static void test_orders_that_a_reference_lacks(void **state) {
    (void)state;
    Chrf chrf = chrf_of("xyz\nabc", "x\nabc", 0);
    static const long hypothesis[CHRF_ORDERS] = {6, 2, 1}, reference[CHRF_ORDERS] = {4, 2, 1};
    assert_memory_equal(chrf.hypothesis, hypothesis, sizeof hypothesis);
    assert_memory_equal(chrf.reference, reference, sizeof reference);
    assert_close(chrf.score, f2((4 / 6.0 + 1 + 1) / 3, 1));
    chrf = chrf_of("x\nabc", "xyz\nabc", 0); /* with the sides swapped, the missing n-grams count as not found */
    assert_memory_equal(chrf.hypothesis, reference, sizeof reference);
    assert_int_equal(chrf.reference[1], 4);
    assert_close(chrf.score, f2(1, (4 / 6.0 + 2 / 4.0 + 1 / 2.0) / 3));
}

static void test_white_space_is_left_out(void **state) {
    (void)state;
    assert_close(chrf_of("a b\u3000c\td\u00a0e\u2028f\x1c", " abcdef", 0).score, 100);
    assert_int_equal(chrf_of(" \u3000", "a", 0).hypothesis[0], 0);
    assert_int_equal(chrf_of("\u200b", "a", 0).hypothesis[0], 1); /* Python does not treat it as white space */
}

static void test_lowercase(void **state) {
    (void)state;
    assert_close(chrf_of("ÉCOLE ДОМ", "école дом", 0).score, 0);
    assert_close(chrf_of("ÉCOLE ДОМ", "école дом", 1).score, 100);
}

/* The command line refuses invalid UTF-8; the function counts each invalid byte as a character. */
static void test_bytes_that_are_not_utf8(void **state) {
    (void)state;
    assert_close(chrf_of("a\xff", "a\xff", 0).score, 100);
    assert_close(chrf_of("a\xff", "a\xfe", 0).score, 100 * (1 / 2.0 + 0) / 2);
}

static void test_format(void **state) {
    (void)state;
    char line[50];
    chrf_format(&(Chrf){.score = 87.584885}, line, sizeof line);
    assert_string_equal(line, "chrF2 = 87.58");
    chrf_format(&(Chrf){.score = 100}, line, sizeof line);
    assert_string_equal(line, "chrF2 = 100.00");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_sacrebleu),
        cmocka_unit_test(test_cases_computed_by_hand),
        cmocka_unit_test(test_orders_that_a_reference_lacks),
        cmocka_unit_test(test_white_space_is_left_out),
        cmocka_unit_test(test_lowercase),
        cmocka_unit_test(test_bytes_that_are_not_utf8),
        cmocka_unit_test(test_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
