/* test_alignment.c: alignments by piece and by word, their formats, sets of links and their error rate. */
#include "core/choice.h"
#include "io/ds.h"
#include "translate/alignment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- alignments ---- */

/* The source is 潮水 退 了 by character, with space marks; the target is "The tide goes" in BPE pieces. */
static char *const source[] = {"潮", "水", "▁", "退", "▁", "了", "</s>"};
static char *const target[] = {"▁The", "▁ti", "de", "▁goes", "</s>"};
// clang-format off
static const float weights[] = {
    .10f, .50f, .10f, .10f, .10f, .05f, .05f,
    .60f, .10f, .05f, .05f, .05f, .05f, .10f,
    .20f, .50f, .05f, .05f, .05f, .05f, .10f,
    .05f, .05f, .10f, .20f, .30f, .20f, .10f,
    .05f, .05f, .05f, .05f, .10f, .10f, .60f,
};
// clang-format on

static Alignment tide_alignment(void) { return alignment_new(source, COUNT(source), target, COUNT(target), weights); }

static void assert_near(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-6)) fail_msg("%.9g is not %.9g", actual, expected);
}

typedef void Format(FILE *out, const Alignment *alignment);

static void write_hard(FILE *out, const Alignment *a) {
    Link *links = alignment_links(a, 0, false);
    links_print(out, links, (int)arrlen(links));
    arrfree(links);
}
static void write_third(FILE *out, const Alignment *a) {
    Link *links = alignment_links(a, 0.3, false);
    links_print(out, links, (int)arrlen(links));
    arrfree(links);
}
static void write_ends(FILE *out, const Alignment *a) {
    Link *links = alignment_links(a, 0, true);
    links_print(out, links, (int)arrlen(links));
    arrfree(links);
}
static void write_matrix(FILE *out, const Alignment *a) { alignment_matrix(out, a, 7); }

/* Compares the printed alignment with expected; releases the alignment. */
static void assert_format(Alignment a, Format *format, const char *expected) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    format(out, &a);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    alignment_free(&a);
}

static void pieces_are_linked(void **state) {
    (void)state;
    assert_format(tide_alignment(), write_hard, "1-0 0-1 1-2 4-3");
    assert_format(tide_alignment(), write_third, "1-0 0-1 1-2 4-3");
    Alignment none = tide_alignment();
    ((float *)none.weight)[6] = 0.9f; /* "The" is aligned to </s> */
    assert_format(none, write_hard, "0-1 1-2 4-3");
    assert_format(tide_alignment(), write_ends, "1-0 0-1 1-2 4-3 6-4");
    Alignment to_end = tide_alignment();
    ((float *)to_end.weight)[6] = 0.9f;
    assert_format(to_end, write_ends, "6-0 0-1 1-2 4-3 6-4");
}

static void words_have_the_mean_of_rows_and_the_sum_of_columns(void **state) {
    (void)state;
    static char *const words[] = {"潮水", "退", "了", "</s>"}, *const english[] = {"The", "tide", "goes", "</s>"};
    static const double expected[4][4] = {{.6, .2, .15, .05}, {.7, .1, .1, .1}, {.1, .3, .5, .1}, {.1, .1, .2, .6}};
    Alignment a = tide_alignment();
    alignment_merge_words(&a);
    assert_int_equal(a.n_source, 4);
    assert_int_equal(a.n_target, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(a.source[i], words[i]);
        assert_string_equal(a.target[i], english[i]);
        for (int j = 0; j < 4; j++) assert_near((double)a.weight[4 * i + j], expected[i][j]);
    }
    assert_format(a, write_hard, "0-0 0-1 2-2");
}

static void a_side_without_spaces_keeps_its_pieces(void **state) {
    (void)state;
    static char *const x[] = {"潮", "水", "</s>"}, *const y[] = {"a", "b", "</s>"};
    static const float w[] = {.5f, .3f, .2f, .1f, .8f, .1f, .2f, .2f, .6f};
    Alignment a = alignment_new(x, 3, y, 3, w);
    alignment_merge_words(&a);
    assert_memory_equal(a.weight, w, sizeof w);
    assert_format(a, write_hard, "0-0 1-1");
}

static void a_translation_may_be_cut(void **state) {
    (void)state;
    static char *const x[] = {"潮", "水", "</s>"}, *const y[] = {"▁a", "▁b", "c"};
    static const float w[] = {.5f, .3f, .2f, .1f, .8f, .1f, .2f, .6f, .2f};
    assert_format(alignment_new(x, 3, y, 3, w), write_hard, "0-0 1-1 1-2");
    Alignment a = alignment_new(x, 3, y, 3, w);
    alignment_merge_words(&a);
    assert_int_equal(a.n_target, 2);
    assert_string_equal(a.target[1], "bc");
    assert_format(a, write_hard, "0-0 1-1");
}

static void assert_links(Link *links, const char *expected) {
    char text[1024] = "";
    for (ptrdiff_t i = 0; i < arrlen(links); i++)
        sprintf(text + strlen(text), "%s%d%c%d", i ? " " : "", links[i].source, links[i].possible ? 'p' : '-',
                links[i].target);
    assert_string_equal(text, expected);
    arrfree(links);
}

/* The first of equal weights is the link of a piece; a weight that is equal to the threshold is one. */
static void equal_weights_have_an_order(void **state) {
    (void)state;
    static char *const x[] = {"a", "b", "</s>"}, *const y[] = {"▁c", "</s>"};
    static const float w[] = {.375f, .375f, .25f, 0, .5f, .5f};
    Alignment a = alignment_new(x, 3, y, 2, w);
    assert_links(alignment_links(&a, 0, false), "0-0");
    assert_links(alignment_links(&a, 0, true), "0-0 1-1");
    assert_links(alignment_links(&a, .375, false), "0-0 1-0");
    assert_links(alignment_links(&a, .25, true), "0-0 1-0 2-0 1-1 2-1");
    alignment_free(&a);
    Err err;
    static const float nan[] = {0, 0, NAN, 0, 0, 0};
    a = alignment_new(x, 3, y, 2, nan);
    assert_int_equal(alignment_check(&a, 4, &err), -1);
    assert_string_equal(err.reason, "pair 5: its alignment is not finite: the numbers of the model overflow");
    alignment_free(&a);
}

static void shifting_takes_the_next_step(void **state) {
    (void)state;
    Alignment a = tide_alignment();
    alignment_shift(&a);
    assert_memory_equal(a.weight, weights + 7, 4UL * 7 * sizeof *weights);
    assert_memory_equal(a.weight + 4L * 7, weights + 4L * 7, 7 * sizeof *weights);
    assert_format(a, write_hard, "0-0 1-1 4-2");
}

static void formats_are_as_specified(void **state) {
    (void)state;
    static char *const x[] = {"a", "b", "</s>"}, *const y[] = {"▁c", "</s>"};
    static const float w[] = {.25f, .5f, .25f, 0, .125f, .875f};
    assert_format(alignment_new(x, 3, y, 2, w), alignment_soft, "0.25,0.5,0.25 0,0.125,0.875");
    assert_format(alignment_new(x, 3, y, 2, w), write_matrix,
                  "7 ||| ▁c ||| 0 ||| a b ||| 3 2\n0.25 0.5 0.25\n0 0.125 0.875\n");
    assert_format(alignment_new(x, 3, y, 2, w), alignment_json,
                  "{\"source\": [\"a\", \"b\", \"</s>\"], \"target\": [\"▁c\", \"</s>\"], "
                  "\"matrix\": [[0.2500, 0.5000, 0.2500], [0.0000, 0.1250, 0.8750]]}");
}

/* ---- links ---- */

static Link *parsed(const char *line, int first) {
    Link *links = NULL;
    Err err;
    if (links_parse(line, first, "gold", 3, &links, &err)) fail_msg("%s", err.reason);
    return links;
}

static void links_are_read_in_both_forms(void **state) {
    (void)state;
    assert_links(parsed("", 0), "");
    assert_links(parsed("0-0  1p2 13-21-P\t4-4-S \r", 0), "0-0 1p2 13p21 4-4");
    assert_links(parsed("1-1 2p3", 1), "0-0 1p2");
    static const char *const broken[] = {
        "1", "1-", "-1", "1-x", "1-2-Q", "1p2-P", "1-2-", "a-b", "1 - 2", "9999999-1", "99999999999999999999-1"};
    for (int i = 0; i < COUNT(broken); i++) {
        Link *links = NULL;
        Err err;
        assert_int_equal(links_parse(broken[i], 0, "gold", 3, &links, &err), -1);
        assert_string_equal(err.path, "gold");
        assert_int_equal(err.line, 3);
        arrfree(links);
    }
    Link *links = NULL;
    Err err;
    assert_int_equal(links_parse("0-1", 1, "gold", 3, &links, &err), -1);
    assert_non_null(strstr(err.reason, "counted from 1"));
}

static void assert_reason(const char *line, const char *reason) {
    Link *links = NULL;
    Err err;
    assert_int_equal(links_parse(line, 0, "gold", 3, &links, &err), -1);
    assert_string_equal(err.reason, reason);
    arrfree(links);
}

/* Words have the numbers 0 to 2^20 - 1; an error shows at most 40 bytes of whole characters. */
static void links_have_limits(void **state) {
    (void)state;
    assert_links(parsed("1048575-0 9-1048575", 0), "1048575-0 9-1048575");
    assert_reason("1048576-0", "'1048576-0' is not a link such as 3-4 (words are counted from 0)");
    assert_reason("/-0", "'/-0' is not a link such as 3-4 (words are counted from 0)");
    assert_reason(":-0", "':-0' is not a link such as 3-4 (words are counted from 0)");
    assert_reason("a234567890123456789012345678901234567890 1-1",
                  "'a234567890123456789012345678901234567890' is not a link such as 3-4 (words are counted from 0)");
    assert_reason("a2345678901234567890123456789012345678901",
                  "'a234567890123456789012345678901234567890' is not a link such as 3-4 (words are counted from 0)");
    assert_reason("a23456789012345678901234567890123456789潮",
                  "'a23456789012345678901234567890123456789' is not a link such as 3-4 (words are counted from 0)");
    const Link link = {2, 4, false};
    Err err;
    assert_int_equal(links_check(&link, 1, 3, 5, "links", 7, &err), 0);
    assert_int_equal(links_check(&link, 1, 2, 5, "links", 7, &err), -1);
    assert_string_equal(err.reason, "the link 2-4, but the pair has 2 and 5 words");
    assert_int_equal(links_check(&link, 1, 3, 4, "links", 7, &err), -1);
    assert_int_equal(err.line, 7);
}

static void add_sentence(Aer *aer, const char *found, const char *gold) {
    Link *a = parsed(found, 0), *g = parsed(gold, 0);
    aer_add(aer, a, (int)arrlen(a), g, (int)arrlen(g));
    arrfree(a);
    arrfree(g);
}

/* The alignment error rate of Och & Ney; the expected values were computed by hand. */
static void the_error_rate_is_as_defined(void **state) {
    (void)state;
    Aer aer = {0};
    assert_near(aer_rate(&aer), 1);
    assert_near(aer_precision(&aer), 0);
    assert_near(aer_recall(&aer), 0);
    add_sentence(&aer, "0-0 1-1 2-2 2-2", "0-0 1p1 3-3");
    assert_int_equal(aer.found, 3);
    assert_int_equal(aer.sure, 2);
    assert_int_equal(aer.possible, 3);
    assert_near(aer_precision(&aer), 2. / 3);
    assert_near(aer_recall(&aer), 1. / 2);
    assert_near(aer_rate(&aer), 1 - (1. + 2) / (3 + 2));
    add_sentence(&aer, "", "5-5 5p5"); /* sure and possible counts as sure */
    assert_int_equal(aer.sure, 3);
    assert_int_equal(aer.possible, 4);
    assert_near(aer_rate(&aer), 1 - (1. + 2) / (3 + 3));
}

/* Each link is counted once, wherever a table has it. */
static void the_error_rate_counts_all_links(void **state) {
    (void)state;
    for (int i = 0; i < 64 * 64; i++) {
        const Link link = {i / 64, i % 64, i % 3 == 0};
        Aer aer = {0};
        aer_add(&aer, &link, 1, &link, 1);
        assert_true(aer.found == 1 && aer.possible == 1 && aer.found_possible == 1);
        assert_true(aer.sure == !link.possible && aer.found_sure == !link.possible);
    }
}

static Link *symmetrized(Symmetrization kind, const char *forward, const char *reverse) {
    Link *a = parsed(forward, 0), *b = parsed(reverse, 0);
    Link *links = links_symmetrize(kind, a, (int)arrlen(a), b, (int)arrlen(b));
    arrfree(a);
    arrfree(b);
    return links;
}

static void two_directions_are_symmetrised(void **state) {
    (void)state;
    assert_int_equal(choice_find(symmetrization_names, "grow-diag-final-and"), GROW_DIAG_FINAL_AND);
    assert_int_equal(choice_find(symmetrization_names, "grow"), -1);
    const char *forward = "0-0 1-1 2-1 5-4", *reverse = "0-0 1-1 1-2 3-5 5-5";
    assert_links(symmetrized(INTERSECTION, forward, reverse), "0-0 1-1");
    assert_links(symmetrized(UNION, forward, reverse), "0-0 1-1 2-1 1-2 5-4 3-5 5-5");
    /* 2-1 and 1-2 are next to 1-1; 5-4 joins two unaligned words; 5 is then aligned, and 3-5 joins two unaligned words
     */
    assert_links(symmetrized(GROW_DIAG_FINAL_AND, forward, reverse), "0-0 1-1 2-1 1-2 5-4 3-5");
    /* horizontal and vertical neighbours of a link come before diagonal ones */
    assert_links(symmetrized(GROW_DIAG_FINAL_AND, "1-0 1-1", "0-0 1-1"), "0-0 1-0 1-1");
    assert_links(symmetrized(GROW_DIAG_FINAL_AND, "", ""), "");
    assert_links(symmetrized(GROW_DIAG_FINAL_AND, "3-2", ""), "3-2");
}

static bool has_link(const Link *links, int word, int other) {
    bool found = false;
    for (ptrdiff_t i = 0; i < arrlen(links); i++) found |= links[i].source == word && links[i].target == other;
    return found;
}

/* Each of the eight neighbours of a link is taken, and nothing further away. Another link keeps the last step from
   taking the diagonal ones. */
static void all_neighbours_are_grown(void **state) {
    (void)state;
    enum { AT = 5, FAR = 12 };
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++) {
            const Link both[] = {{AT, AT, false}, {FAR, AT + i, false}},
                       forward[] = {{AT + j, AT + i, false}, both[0], both[1]};
            const int n = j ? 2 : 1;
            Link *links = links_symmetrize(GROW_DIAG_FINAL_AND, forward, n + 1, both, n);
            assert_true(has_link(links, AT, AT));
            assert_int_equal(has_link(links, AT + j, AT + i), abs(i) < 2 && abs(j) < 2);
            arrfree(links);
        }
}

static void weights_of_two_directions_are_averaged(void **state) {
    (void)state;
    static const float forward[] = {.5f, .25f, 0, 0, .75f, 0}, reverse[] = {.25f, 0, .25f, .25f, 0, 0};
    static const float soft[] = {1.f / 3, .25f, 0, 0, .375f, 0}, mean[] = {.375f, .25f, 0, 0, .5f, 0};
    float found[6];
    matrices_mean(SOFT_LINKS, forward, reverse, 2, 3, found);
    for (int i = 0; i < 6; i++) assert_near(found[i], soft[i]);
    matrices_mean(MEAN_LINKS, forward, reverse, 2, 3, found);
    for (int i = 0; i < 6; i++) assert_near(found[i], mean[i]);
    assert_links(links_of_matrices(MEAN_LINKS, forward, reverse, 2, 3, .375), "0-0 1-1");
    assert_links(links_of_matrices(SOFT_LINKS, forward, reverse, 2, 3, .3), "0-0 1-1");
    assert_links(links_of_matrices(SOFT_LINKS, forward, reverse, 2, 3, .25), "0-0 1-0 1-1");
}

static void grown_links_lie_between_intersection_and_union(void **state) {
    (void)state;
    uint64_t random = 5;
    for (int round = 0; round < 500; round++) {
        Link *a[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 12; i++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                arrput(a[k], ((Link){(int)(random >> 40) % 8, (int)(random >> 50) % 8, false}));
            }
        Link *sets[3];
        for (int kind = INTERSECTION; kind <= GROW_DIAG_FINAL_AND; kind++)
            sets[kind] = links_symmetrize((Symmetrization)kind, a[0], 12, a[1], 12);
        static const int inside[][2] = {{INTERSECTION, GROW_DIAG_FINAL_AND}, {GROW_DIAG_FINAL_AND, UNION}};
        for (int k = 0; k < 2; k++) {
            Aer aer = {0};
            const Link *small = sets[inside[k][0]], *large = sets[inside[k][1]];
            aer_add(&aer, small, (int)arrlen(small), large, (int)arrlen(large));
            assert_int_equal(aer.found_sure, aer.found);
        }
        for (int kind = 0; kind < 3; kind++) arrfree(sets[kind]);
        arrfree(a[0]);
        arrfree(a[1]);
    }
}

/* Instruction sets give NaN different signs, which printf would write. */
static void nan_is_written_without_a_sign(void **unused) {
    (void)unused;
    static char *const x[] = {"a", "b"}, *const y[] = {"c"};
    for (int negative = 0; negative < 2; negative++) {
        const float nan = copysignf(NAN, negative ? -1 : 1), w[] = {nan, -INFINITY};
        assert_format(alignment_new(x, 2, y, 1, w), alignment_soft, "nan,-inf");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_is_written_without_a_sign),
        cmocka_unit_test(pieces_are_linked),
        cmocka_unit_test(words_have_the_mean_of_rows_and_the_sum_of_columns),
        cmocka_unit_test(a_side_without_spaces_keeps_its_pieces),
        cmocka_unit_test(a_translation_may_be_cut),
        cmocka_unit_test(shifting_takes_the_next_step),
        cmocka_unit_test(formats_are_as_specified),
        cmocka_unit_test(equal_weights_have_an_order),
        cmocka_unit_test(links_are_read_in_both_forms),
        cmocka_unit_test(links_have_limits),
        cmocka_unit_test(the_error_rate_is_as_defined),
        cmocka_unit_test(the_error_rate_counts_all_links),
        cmocka_unit_test(two_directions_are_symmetrised),
        cmocka_unit_test(all_neighbours_are_grown),
        cmocka_unit_test(weights_of_two_directions_are_averaged),
        cmocka_unit_test(grown_links_lie_between_intersection_and_union),
    };
    return cmocka_run_group_tests_name("alignment", tests, NULL, NULL);
}
