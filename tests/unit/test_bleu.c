/* Compares BLEU with sacreBLEU's results (tests/fixtures/scores) and with cases computed by hand. */
#include "scores.h"
#include "score/bootstrap.h"
#include "score/chrf.h"
#include "score/segment.h"

#include <string.h>
#include <utf8proc.h>

static void check_bleu(const cJSON *expected, char **hypotheses, char **references, int n) {
    Bleu bleu = bleu_corpus(hypotheses, references, n, (BleuOptions){0});
    assert_close(bleu.score, number(expected, "bleu"));
    assert_close(bleu.brevity_penalty, number(expected, "bp"));
    for (int k = 0; k < 4; k++)
        assert_close(bleu.precision[k],
                     cJSON_GetArrayItem(cJSON_GetObjectItem(expected, "precisions"), k)->valuedouble);
    assert_int_equal(bleu.hypothesis_length, (long)number(expected, "sys_len"));
    assert_int_equal(bleu.reference_length, (long)number(expected, "ref_len"));
    char line[200];
    bleu_format(&bleu, line, sizeof line);
    assert_string_equal(line, cJSON_GetObjectItem(expected, "line")->valuestring);
    assert_close(bleu_corpus(hypotheses, references, n, (BleuOptions){.lowercase = true}).score,
                 number(expected, "bleu_lc"));
    assert_close(bleu_corpus(hypotheses, references, n, (BleuOptions){.chinese = true}).score,
                 number(expected, "bleu_zh"));
}

static void test_equals_sacrebleu(void **state) {
    (void)state;
    for_each_case(check_bleu);
}

static void test_tokenize_13a(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"When the tide goes out.", "When the tide goes out ."},
        {"It's $3.50, not 1,000.5%!", "It's $ 3.50 , not 1,000.5 % !"},
        {"1990-1995 well-known 3-", "1990 - 1995 well-known 3 -"},
        {"9.0,9 0-9 :9/.", "9.0,9 0 - 9 : 9 / ."},
        {"U.S.-based, e.g. .5 5.", "U . S . -based , e . g . . 5 5 ."},
        {"a..b ... 1.,2", "a . . b . . . 1 . , 2"}, /* a rule does not match the same text twice */
        {"&quot;x&quot; &lt;b&gt; A&amp;B", "\" x \" < b > A & B"},
        {"&amp;lt;", "<"}, /* entities are replaced in sequence */
        {"a<skipped>b  \t c", "ab c"},
        {"line-\nbreak\nhere", "linebreak here"},
        {"\u3000潮水\u00a0退了\u2028。 ", "潮水 退了 。"},
        {"é.ü,1", "é . ü , 1"},
        {"a\x1f"
         "b\x7f"
         "c",
         "a b\x7f"
         "c"},
        {"not UTF-8 \xff\xe6.", "not UTF-8 \xff\xe6 ."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *tokens = tokenize_13a(cases[i][0]);
        assert_string_equal(tokens, cases[i][1]);
        mem_free(tokens);
    }
}

static void test_tokenize_zh(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"潮水退了，才知道。", "潮 水 退 了 ， 才 知 道 。"},
        {" 花3.5元买了Tom的书, 对吗? ", "花 3.5 元 买 了 Tom 的 书 , 对 吗 ?"},
        {"“好”…", "“ 好 ” …"},                            /* U+2001 to U+2A6D count as Chinese */
        {"a\u2000b", "a b"},                              /* white space, not Chinese */
        {"\U00020000\U0002a6d6", "\U00020000\U0002a6d6"}, /* Extension B does not count as Chinese, as in sacreBLEU */
        {"㐀䶵\u4db6\u9fbb\u9fbc", "㐀 䶵 \u4db6 \u9fbb \u9fbc"},
        {".5 &quot;1-2", ".5 & quot ; 1 - 2"}, /* entities are not replaced; no space is added before the line */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *tokens = tokenize_zh(cases[i][0]);
        assert_string_equal(tokens, cases[i][1]);
        mem_free(tokens);
    }
    char *hypothesis = "潮水退了", *reference = "潮水退去";
    assert_int_equal(bleu_corpus(&hypothesis, &reference, 1, (BleuOptions){.chinese = true}).correct[0], 3);
    assert_int_equal(bleu_corpus(&hypothesis, &reference, 1, (BleuOptions){0}).correct[0], 0);
}

typedef struct Range {
    int32_t first, last;
} Range;

static bool in_ranges(int32_t c, const Range *ranges, size_t n) {
    bool found = false;
    for (size_t i = 0; i < n; i++) found |= c >= ranges[i].first && c <= ranges[i].last;
    return found;
}

/* The characters that sacreBLEU takes as Chinese, and those for which Python's str.isspace is true. */
static const Range chinese[] = {{0x2001, 0x2a6d}, {0x2e80, 0x2fdf}, {0x2ff0, 0x303f}, {0x3100, 0x312f},
                                {0x31a0, 0x31ef}, {0x3200, 0x4db5}, {0x4e00, 0x9fbb}, {0xf900, 0xfa2d},
                                {0xfa30, 0xfa6a}, {0xfa70, 0xfad9}, {0xfe10, 0xfe1f}, {0xfe30, 0xfe4f},
                                {0xff00, 0xffef}},
                   spaces[] = {{0x09, 0x0d},     {0x1c, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},
                               {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
                               {0x205f, 0x205f}, {0x3000, 0x3000}};

static void test_kinds_of_characters(void **state) {
    (void)state;
    for (int32_t c = 0; c <= 0x10ffff; c++) {
        const bool space = in_ranges(c, spaces, sizeof spaces / sizeof *spaces);
        if (segment_space(c) != space) fail_msg("U+%04x is%s white space", (unsigned)c, space ? "" : " no");
        if (c < 0x80 || c > 0x12000 || (c >= 0xd800 && c < 0xe000)) continue;
        char text[16] = "a", expected[16];
        size_t n = (size_t)utf8proc_encode_char(c, (utf8proc_uint8_t *)text + 1);
        memcpy(text + 1 + n, "b", 2);
        if (space) strcpy(expected, "a b");
        else if (in_ranges(c, chinese, sizeof chinese / sizeof *chinese))
            snprintf(expected, sizeof expected, "a %.*s b", (int)n, text + 1);
        else strcpy(expected, text);
        char *tokens = tokenize_zh(text);
        if (strcmp(tokens, expected) != 0) fail_msg("U+%04x: '%s', not '%s'", (unsigned)c, tokens, expected);
        mem_free(tokens);
    }
}

static Bleu bleu_of(const char *hypothesis, const char *reference, bool lowercase) {
    char *hyp = mem_strdup(hypothesis), *ref = mem_strdup(reference);
    Bleu bleu = bleu_corpus(&hyp, &ref, 1, (BleuOptions){.lowercase = lowercase});
    mem_free(hyp);
    mem_free(ref);
    return bleu;
}

static void test_perfect(void **state) {
    (void)state;
    Bleu bleu = bleu_of("who is not wearing pants.", "who is not wearing pants.", 0);
    assert_close(bleu.score, 100);
    assert_int_equal(bleu.hypothesis_length, 6);
    assert_int_equal(bleu.total[3], 3);
}

/* The example of Papineni et al.: "the" matches at most twice, because the reference has it twice. */
static void test_clips_counts(void **state) {
    (void)state;
    Bleu bleu = bleu_of("the the the the the the the", "the cat is on the mat", 0);
    assert_int_equal(bleu.correct[0], 2);
    assert_close(bleu.precision[0], 200.0 / 7);
    assert_close(bleu.precision[1], 100.0 / (2 * 6)); /* smoothed: 1/2, 1/4, 1/8 of a match */
    assert_close(bleu.precision[2], 100.0 / (4 * 5));
    assert_close(bleu.precision[3], 100.0 / (8 * 4));
}

static void test_brevity_penalty(void **state) {
    (void)state;
    Bleu bleu = bleu_of("a b c d", "a b c d e f", 0);
    assert_close(bleu.brevity_penalty, exp(1 - 6.0 / 4));
    assert_close(bleu.score, 100 * exp(1 - 6.0 / 4));
    assert_close(bleu_of("a b c d e f", "a b c d", 0).brevity_penalty, 1);
    assert_close(bleu_of("a b c d e f", "a b c d e f", 0).brevity_penalty, 1);
    char longer[2 * 4 * 800 + 1] = "";
    for (int i = 0; i < 800; i++) strcat(longer, "a b c d ");
    assert_close(bleu_of("a b c d", longer, 0).brevity_penalty, exp(-700)); /* not smaller, so that it is above 0 */
}

static void test_nothing_matches(void **state) {
    (void)state;
    assert_close(bleu_of("a b c d", "e f g h", 0).score, 0);
    assert_close(bleu_of("a b c", "a b c", 0).score, 0); /* there are no 4-grams */
    Bleu bleu = bleu_of("a b c", "a b c", 0);
    assert_close(bleu_compute(&bleu), 0);
    bleu = bleu_of("a b c d", "e f g h", 0);
    assert_close(bleu_compute(&bleu), 0);
    bleu = bleu_of("", "", 0);
    assert_close(bleu.brevity_penalty, 1);
    assert_close(bleu_corpus(NULL, NULL, 0, (BleuOptions){0}).score, 0);
    char line[200];
    bleu_format(&bleu, line, sizeof line);
    assert_string_equal(line, "BLEU = 0.00 0.0/0.0/0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 0 ref_len = 0)");
}

static void test_lowercase(void **state) {
    (void)state;
    const char *hypothesis = "ÉCOLE ДОМ Ωm The end", *reference = "école дом ωM the END";
    assert_int_equal(bleu_of(hypothesis, reference, 0).correct[0], 0);
    assert_close(bleu_of(hypothesis, reference, 1).score, 100);
    assert_int_equal(bleu_of("\xff\xe6 A b", "\xff\xe6 a B", 1).correct[0], 3);
}

/* The numbers of numpy.random.default_rng(seed).choice(n, size) in NumPy 1.24. */
static void test_draws_the_samples_of_numpy(void **state) {
    (void)state;
    static const uint32_t few[] = {4, 1, 5, 2, 1, 5, 4, 4, 6, 2, 5, 2, 3, 4};
    static const uint32_t many[] = {2834714867, 2052539810, 2691641402, 1734877356,
                                    2327057070, 2500953064, 675621569,  166594732};
    NumpyRng rng = numpy_seed(12345), other = numpy_seed(7);
    for (int i = 0; i < 14; i++) assert_int_equal(numpy_below(&rng, 7), few[i]);
    for (int i = 0; i < 8; i++) assert_int_equal(numpy_below(&other, 3000000000), many[i]);
    NumpyRng same = rng;
    assert_int_equal(numpy_below(&rng, 1), 0); /* draws nothing */
    assert_int_equal(numpy_below(&rng, 3000000000), numpy_below(&same, 3000000000));
}

/* The example of sacreBLEU's README, with its scores. */
static void test_several_references(void **state) {
    (void)state;
    char *first[] = {"The dog bit the man.", "It was not unexpected.", "The man bit him first."};
    char *second[] = {"The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."};
    char *hypotheses[] = {"The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."};
    char *const *sets[] = {first, second}, *const * reversed[] = {second, first};
    char line[256];
    const Bleu bleu = bleu_references(hypotheses, (References){sets, 2}, 3, (BleuOptions){0});
    bleu_format(&bleu, line, sizeof line);
    assert_string_equal(line, "BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)");
    assert_close(bleu_references(hypotheses, (References){reversed, 2}, 3, (BleuOptions){0}).score, bleu.score);
    const Chrf chrf = chrf_references(hypotheses, (References){sets, 2}, 3, 0);
    chrf_format(&chrf, line, sizeof line);
    assert_string_equal(line, "chrF2 = 59.73");
    /* of two references that are equally close in length, the shorter one counts */
    char *longer[] = {"a b c d e f g h"}, *shorter[] = {"a b c d"}, *between[] = {"a b c d e f"};
    char *const *upwards[] = {shorter, longer}, *const * downwards[] = {longer, shorter};
    assert_int_equal(bleu_references(between, (References){upwards, 2}, 1, (BleuOptions){0}).reference_length, 4);
    assert_int_equal(bleu_references(between, (References){downwards, 2}, 1, (BleuOptions){0}).reference_length, 4);
    /* of two references with the same chrF, the first one counts */
    char *four[] = {"wxyz"}, *three[] = {"uvw"}, *none[] = {"abc"};
    char *const *falling[] = {four, three}, *const * rising[] = {three, four};
    assert_int_equal(chrf_references(none, (References){falling, 2}, 1, 0).reference[0], 4);
    assert_int_equal(chrf_references(none, (References){rising, 2}, 1, 0).reference[0], 3);
    /* the same reference twice changes nothing */
    char *const *twice[] = {first, first};
    assert_close(bleu_references(hypotheses, (References){twice, 2}, 3, (BleuOptions){0}).score,
                 bleu_corpus(hypotheses, first, 3, (BleuOptions){0}).score);
    assert_close(chrf_references(hypotheses, (References){twice, 2}, 3, 1).score,
                 chrf_corpus(hypotheses, first, 3, 1).score);
}

/* The expected values are those of the same test in Python with NumPy. */
static void test_paired_bootstrap(void **state) {
    (void)state;
    enum { N = 8 };
    char *references[N] = {"the tide goes out", "the sea is calm",      "who wore no trousers", "now we know who",
                           "the ship is late",  "we wait for the tide", "a storm is near",      "go home now"};
    char *own[N] = {"the tide goes out",      "the sea is quiet", "who wore no trousers", "we know who now",
                    "the ship is late today", "we wait for tide", "a storm is near",      "go home"};
    char *other[N] = {"the tide went out",   "a sea is calm",          "who had no trousers on", "now we know",
                      "the ship comes late", "we waited for the tide", "storm is near",          "go home now"};
    char *const *sets[] = {references};
    const References only = {sets, 1};
    const Comparison c = bleu_compare(own, other, only, N, (BleuOptions){0}, 1000);
    assert_close(c.own.bleu.score, 70.64377122730329);
    assert_close(c.other.bleu.score, 31.251915096103165);
    assert_close(c.own.mean, 69.38014820418728);
    assert_close(c.own.half, 21.92838160695911);
    assert_close(c.other.mean, 31.553104917436954);
    assert_close(c.other.half, 13.371416043559513);
    assert_close(c.p, 3.0 / 1001);
    const Comparison same = bleu_compare(own, own, only, N, (BleuOptions){0}, 40);
    assert_close(same.p, 1.0 / 41); /* as in sacreBLEU: no difference is not explained by chance */
    assert_close(same.own.half, 21.92838160695911);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_the_samples_of_numpy),
        cmocka_unit_test(test_several_references),
        cmocka_unit_test(test_paired_bootstrap),
        cmocka_unit_test(test_equals_sacrebleu),
        cmocka_unit_test(test_tokenize_13a),
        cmocka_unit_test(test_tokenize_zh),
        cmocka_unit_test(test_kinds_of_characters),
        cmocka_unit_test(test_perfect),
        cmocka_unit_test(test_clips_counts),
        cmocka_unit_test(test_brevity_penalty),
        cmocka_unit_test(test_nothing_matches),
        cmocka_unit_test(test_lowercase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
