/* test_page.c: the page of alignments as a file: for any text it is complete in itself, and its data is that of the
   alignments. */
#include "core/base.h"
#include "core/rng.h"
#include "io/ds.h"
#include "text/tokenizer.h"
#include "text/unicode.h"
#include "view/alignments_page.h"
#include "view/spelling.h"
#include "view/web.h"
#include "words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cJSON.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- pages ---- */

typedef struct Page {
    char *html;
    cJSON *data;
} Page;

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) n++;
    return n;
}

static cJSON *data_of(const char *html) {
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    const char *data = strstr(html, begin);
    assert_non_null(data);
    data += strlen(begin);
    const char *end = strstr(data, "</script>");
    assert_non_null(end);
    cJSON *parsed = cJSON_ParseWithLength(data, (size_t)(end - data));
    assert_non_null(parsed);
    return parsed;
}

static Page page_end(AlignmentsPage *page, const char *title) {
    Page written;
    size_t size;
    FILE *out = open_memstream(&written.html, &size);
    assert_int_equal(alignments_page_write(page, out, "", title, false), 0);
    fclose(out);
    assert_int_equal(strlen(written.html), size);
    assert_true(utf8_valid(written.html, size));
    alignments_page_free(page);
    written.data = data_of(written.html);
    return written;
}

static void page_free(Page *page) {
    free(page->html);
    cJSON_Delete(page->data);
}

/* Makes a page of one sentence with one hypothesis. */
static Page page_of(const char *source, const Alignment *alignment, const char *target) {
    AlignmentsPage page;
    alignments_page_init(&page);
    alignments_page_sentence(&page, source);
    alignments_page_hypothesis(&page, alignment, target, -1.5);
    return page_end(&page, "title");
}

static const cJSON *at(const cJSON *array, int i) {
    const cJSON *item = cJSON_GetArrayItem(array, i);
    assert_non_null(item);
    return item;
}
static const cJSON *get(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_non_null(item);
    return item;
}
static const cJSON *first_hypothesis(const Page *page) {
    return at(get(at(get(page->data, "sentences"), 0), "hypotheses"), 0);
}

static void assert_texts(const cJSON *array, const char *const *texts, int n) {
    assert_int_equal(cJSON_GetArraySize(array), n);
    for (int i = 0; i < n; i++) assert_string_equal(at(array, i)->valuestring, texts[i]);
}
static void assert_numbers(const cJSON *array, const int *numbers, int n) {
    assert_int_equal(cJSON_GetArraySize(array), n);
    for (int i = 0; i < n; i++) assert_int_equal(at(array, i)->valueint, numbers[i]);
}

static void data_is_what_was_given(void **state) {
    (void)state;
    static char *const x[] = {"潮", "水", "</s>"}, *const y[] = {"▁The", "▁ti", "de", ",", "▁\\_", "</s>"};
    static const char *const target[] = {"The", " ti", "de", ",", " ▁", "</s>"};
    static const int words[] = {0, 1, 1, 1, 2, 3}, pieces[] = {0, 1, 2};
    static const float weights[6 * 3] = {0.5f, 0.25f, 0.25f, NAN, INFINITY, -1, 0.00004f, 0.00006f, 0.9999f, 0};
    static const int rows[3][3] = {{5000, 2500, 2500}, {0, 10000, 0}, {0, 1, 9999}};
    Page page = page_of("潮水", &(Alignment){x, 3, y, 6, weights}, "The tide, _");
    const cJSON *hypothesis = first_hypothesis(&page), *alignment = get(hypothesis, "alignment");
    assert_string_equal(get(at(get(page.data, "sentences"), 0), "text")->valuestring, "潮水");
    assert_string_equal(get(hypothesis, "text")->valuestring, "The tide, _");
    assert_true(get(hypothesis, "score")->valuedouble == -1.5);
    assert_texts(get(alignment, "target"), target, 6);
    assert_numbers(get(alignment, "targetWord"), words, 6);
    assert_numbers(get(alignment, "sourceWord"), pieces, 3);
    assert_int_equal(cJSON_GetArraySize(get(alignment, "matrix")), 6);
    for (int i = 0; i < 3; i++) assert_numbers(at(get(alignment, "matrix"), i), rows[i], 3);
    assert_true(cJSON_IsFalse(get(page.data, "byWord")));
    page_free(&page);
}

static void links_belong_to_their_hypothesis(void **state) {
    (void)state;
    static char *const x[] = {"a", "b", "</s>"};
    static const float weights[3 * 3] = {1};
    static const Link gold[] = {{0, 1, false}, {1, 0, true}};
    static const int first[] = {0, 1, 0}, second[] = {1, 0, 1};
    const PageLinks sets[] = {{"gold", gold, 2, NAN}, {"attention", NULL, 0, 0.25}};
    AlignmentsPage page;
    alignments_page_init(&page);
    alignments_page_sentence(&page, "a b");
    alignments_page_hypothesis(&page, &(Alignment){x, 3, x, 3, weights}, "a b", NAN);
    alignments_page_links(&page, sets, 2);
    alignments_page_hypothesis(&page, &(Alignment){x, 3, x, 3, weights}, "b", NAN);
    Page made = page_end(&page, "links");
    const cJSON *hypotheses = get(at(get(made.data, "sentences"), 0), "hypotheses");
    const cJSON *links = get(at(hypotheses, 0), "links"), *right = get(links, "gold"), *own = get(links, "attention");
    assert_int_equal(cJSON_GetArraySize(get(right, "links")), 2);
    assert_numbers(at(get(right, "links"), 0), first, 3);
    assert_numbers(at(get(right, "links"), 1), second, 3);
    assert_null(cJSON_GetObjectItem(right, "aer"));
    assert_int_equal(cJSON_GetArraySize(get(own, "links")), 0);
    assert_true(get(own, "aer")->valuedouble == 0.25);
    assert_null(cJSON_GetObjectItem(at(hypotheses, 1), "links"));
    page_free(&made);
}

static void a_page_may_be_empty(void **state) {
    (void)state;
    static char *const x[] = {"a", "</s>"};
    AlignmentsPage page;
    alignments_page_init(&page);
    Page none = page_end(&page, "nothing");
    assert_int_equal(cJSON_GetArraySize(get(none.data, "sentences")), 0);
    page_free(&none);
    alignments_page_init(&page);
    alignments_page_sentence(&page, "");
    alignments_page_sentence(&page, "a");
    alignments_page_hypothesis(&page, &(Alignment){x, 2, x, 2, NULL}, "a", NAN);
    alignments_page_hypothesis(&page, &(Alignment){x, 2, x, 0, (float[1]){0}}, "", -2);
    Page some = page_end(&page, "no weights");
    const cJSON *sentences = get(some.data, "sentences"), *hypotheses = get(at(sentences, 1), "hypotheses");
    assert_int_equal(cJSON_GetArraySize(get(at(sentences, 0), "hypotheses")), 0);
    assert_true(cJSON_IsNull(get(get(at(hypotheses, 0), "alignment"), "matrix")));
    assert_null(cJSON_GetObjectItem(at(hypotheses, 0), "score"));
    assert_int_equal(cJSON_GetArraySize(get(get(at(hypotheses, 1), "alignment"), "matrix")), 0);
    page_free(&some);
    alignments_page_init(&page);
    alignments_page_free(&page); /* a page that was not written */
}

static void hostile_text_stays_text(void **state) {
    (void)state;
    static char *const x[] = {"</script>", "<!--<script>", "\"", "\\\\", "\\", "'", "\x01\x7f", "\xff\xe6\xbd", "</s>"};
    static const char *const shown[] = {"</script>", "<!--<script>", "\"", "\\", "\\", "'", "��", "���", "</s>"};
    static const float weights[9 * 9] = {1};
    static const char text[] = "</script>\t\"\\ \xe6\n]]>";
    AlignmentsPage empty;
    alignments_page_init(&empty);
    Page plain = page_end(&empty, "title");
    AlignmentsPage full;
    alignments_page_init(&full);
    alignments_page_sentence(&full, text);
    alignments_page_hypothesis(&full, &(Alignment){x, 9, x, 9, weights}, text, 0);
    Page page = page_end(&full, "</title><script>alert(1)</script>&amp;");
    static const char *const marks[] = {"<script", "</script", "<title", "</title", "<!--", "alert(1)<"};
    for (int i = 0; i < COUNT(marks) - 1; i++)
        assert_int_equal(count(page.html, marks[i]), count(plain.html, marks[i]));
    assert_non_null(strstr(page.html, "<title>&lt;/title>&lt;script>alert(1)&lt;/script>&amp;amp;</title>"));
    const cJSON *hypothesis = first_hypothesis(&page), *source = get(get(hypothesis, "alignment"), "source");
    assert_string_equal(get(hypothesis, "text")->valuestring, "</script> \"\\ � ]]>");
    for (int i = 0; i < 9; i++) {
        const char *piece = at(source, i)->valuestring;
        assert_string_equal(piece + (*piece == ' '), shown[i]); /* the space before such a piece may differ */
    }
    for (const char *c = page.html; *c; c++) assert_true(*c == '\n' || (*c & 0xe0));
    page_free(&page);
    page_free(&plain);
}

static void a_page_names_no_address(void **state) {
    (void)state;
    AlignmentsPage none;
    alignments_page_init(&none);
    Page page = page_end(&none, "title");
    assert_int_equal(count(page.html, "http"), count(page.html, "http-equiv") + count(page.html, "http://www.w3.org/"));
    assert_null(strstr(page.html, "src="));
    assert_null(strstr(page.html, "@import"));
    assert_null(strstr(page.html, "url("));
    assert_true(strlen(page.html) < 40000);
    page_free(&page);
}

static void a_full_disk_is_noticed(void **state) {
    (void)state;
    AlignmentsPage page;
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    setvbuf(full, NULL, _IONBF, 0);
    alignments_page_init(&page);
    assert_int_equal(alignments_page_write(&page, full, "", "title", true), -1);
    alignments_page_free(&page);
    fclose(full);
}

/* ---- spelling ---- */

/* Returns random text of characters that tokenisers and pages treat specially. */
static char *random_text(Rng *rng) {
    static const char *const parts[] = {"a",  "b", "bc", "潮", "水", " ", " ", "▁",
                                        "\\", "_", ".",  "，", "3",  "é", "<", "\""};
    char bytes[400] = "";
    for (int n = (int)rng_below(rng, 30); n > 0; n--) strcat(bytes, parts[rng_below(rng, COUNT(parts))]);
    return text_normalise(bytes, strlen(bytes), NULL);
}

/* Checks that the pieces of a side, joined as the script of the page joins them, give the text. */
static void assert_joined(const cJSON *side, const char *text) {
    char joined[800] = "", *end = joined;
    for (int i = 0; i < cJSON_GetArraySize(side); i++) end = stpcpy(end, at(side, i)->valuestring);
    assert_string_equal(joined, text);
}

static void assert_spelled(const Tokenizer *tokenizer, const char *text) {
    char **pieces = tokenizer_split(tokenizer, text);
    int n = (int)arrlen(pieces);
    char *sentence = pieces_sentence(pieces, n);
    assert_string_equal(sentence, text);
    Page page = page_of(text, &(Alignment){pieces, n, pieces, n, NULL}, text);
    assert_joined(get(get(first_hypothesis(&page), "alignment"), "source"), text);
    page_free(&page);
    mem_free(sentence);
    strings_free(pieces);
}

static void pieces_join_to_their_sentence(void **state) {
    (void)state;
    Rng rng = rng_seed(7, 0);
    char *sentences[40];
    for (int i = 0; i < COUNT(sentences); i++) sentences[i] = random_text(&rng);
    Tokenizer bpe = {TOKENIZER_BPE, merges_of(sentences, COUNT(sentences), 20)};
    for (int i = 0; i < 1000; i++) {
        char *text = random_text(&rng);
        assert_spelled(&bpe, text);
        mem_free(text);
    }
    bpe_free(bpe.bpe);
    for (int i = 0; i < COUNT(sentences); i++) mem_free(sentences[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_is_what_was_given),        cmocka_unit_test(links_belong_to_their_hypothesis),
        cmocka_unit_test(a_page_may_be_empty),           cmocka_unit_test(hostile_text_stays_text),
        cmocka_unit_test(a_page_names_no_address),       cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(pieces_join_to_their_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
