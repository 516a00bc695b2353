/* Tests translate/translation_memory: what it finds equals a plain scan, also after removals and replacements, with
   several threads, and after memory was refused. */
#include "core/rng.h"
#include "core/scope.h"
#include "io/ds.h"
#include "text/edit_distance.h"
#include "text/unicode.h"
#include "translate/translation_memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "scratch.h"

/* ---- a plain memory -------------------------------------------------------------------------------------------- */

enum { LONG = 300 /* characters */, TEXT = 4 * LONG + 1, PAIRS = 500 };

typedef struct Plain {
    char source[TEXT], target[32];
    long id, order;
} Plain;

static Plain plain[PAIRS];
static int plain_count;

static int plain_find(const char *source) {
    for (int i = 0; i < plain_count; i++)
        if (!strcmp(plain[i].source, source)) return i;
    return -1;
}

static void plain_remove(int i) { plain[i] = plain[--plain_count]; }

/* The Levenshtein distance, from its definition. */
static int plain_distance(const char *one, const char *other) {
    int row[LONG + 1], n = 0, m = 0;
    int32_t a[LONG], b[LONG];
    while (*one) a[n++] = utf8_next(&one);
    while (*other) b[m++] = utf8_next(&other);
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1, diagonal = i - 1, above; j <= m; j++, diagonal = above) {
            above = row[j];
            if (j == 1) row[0] = i;
            row[j] = smaller(diagonal + (a[i - 1] != b[j - 1]), smaller(above, row[j - 1]) + 1);
        }
    return row[m] + (m ? 0 : n);
}

static double plain_similarity(const char *one, const char *other) {
    return 1 - (double)plain_distance(one, other) / larger((int)utf8_count(one), (int)utf8_count(other));
}

static const char *query;
static int by_similarity(const void *left, const void *right) {
    const Plain *a = left, *b = right;
    const double x = plain_similarity(query, a->source), y = plain_similarity(query, b->source);
    if (x != y) return x > y ? -1 : 1;
    return a->order > b->order ? -1 : 1;
}

/* ---- random sentences ------------------------------------------------------------------------------------------ */

/* Appends a character: one of a few that are frequent, or a rare one. */
static void append(char *text, Rng *rng) {
    static const char *const often[] = {"我", "的", "你", "。", "a", "e", " a", "𠀀", "é"};
    char rare[5] = {(char)0xe5, (char)(0x80 + rng_below(rng, 64)), (char)(0x80 + rng_below(rng, 64))};
    strcat(text, rng_below(rng, 3) ? often[rng_below(rng, 9)] : rare);
}

static void draw_sentence(char text[TEXT], Rng *rng) {
    const int n = 1 + (int)rng_below(rng, rng_below(rng, 8) ? 12 : LONG / 2);
    *text = '\0';
    for (int i = 0; i < n; i++) append(text, rng);
}

/* Replaces, deletes or inserts up to `edits` characters. */
static void edit(char text[TEXT], int edits, Rng *rng) {
    char old[TEXT];
    strcpy(old, text);
    const size_t n = utf8_count(old);
    *text = '\0';
    for (const char *at = old; *at;) {
        const size_t length = utf8_length(at);
        const uint32_t kind = edits > 0 ? rng_below(rng, (uint32_t)(3 * n) / (uint32_t)edits + 3) : 3;
        if (kind <= 1) append(text, rng);
        if (kind >= 1 && kind != 2) strncat(text, at, length);
        at += length;
    }
    if (!*text) append(text, rng);
}

/* A sentence that is new, or similar to one of the memory. */
static void draw_query(char text[TEXT], Rng *rng) {
    draw_sentence(text, rng);
    if (!plain_count || !rng_below(rng, 3)) return;
    strcpy(text, plain[rng_below(rng, (uint32_t)plain_count)].source);
    edit(text, (int)rng_below(rng, 5), rng);
}

/* Normalises as the memory does. */
static void normalise(char text[TEXT]) {
    char *normal = text_normalise(text, strlen(text), NULL);
    strcpy(text, normal);
    mem_free(normal);
}

/* ---- equal to a plain scan ------------------------------------------------------------------------------------- */

static void distances_are_exact(void **state) {
    (void)state;
    Rng rng = rng_seed(1, 0);
    for (int i = 0; i < 3000; i++) {
        char a[TEXT], b[TEXT];
        draw_sentence(a, &rng);
        strcpy(b, a);
        if (i % 4) edit(b, (int)rng_below(&rng, 20), &rng);
        else draw_sentence(b, &rng);
        EditPattern p = edit_pattern(a);
        const int expected = plain_distance(a, b), n = (int)utf8_count(b), most = (int)rng_below(&rng, 30);
        assert_int_equal(edit_distance(&p, b, n, LONG), expected);
        if (expected <= most) assert_int_equal(edit_distance(&p, b, n, most), expected);
        else assert_true(edit_distance(&p, b, n, most) > most);
        edit_pattern_free(&p);
    }
    EditPattern empty = edit_pattern("");
    assert_int_equal(edit_distance(&empty, "我的", 2, 9), 2);
    edit_pattern_free(&empty);
    EditPattern two = edit_pattern("我的");
    assert_int_equal(edit_distance(&two, "", 0, 9), 2);
    edit_pattern_free(&two);
}

static void check_similar(TranslationMemory *tm, const char *source, int most, double least) {
    Similar *similar = tm_similar(tm, source, most, least);
    query = source;
    qsort(plain, (size_t)plain_count, sizeof *plain, by_similarity);
    int expected = 0;
    while (expected < smaller(most, plain_count) && plain_similarity(source, plain[expected].source) >= least)
        expected++;
    assert_int_equal(arrlen(similar), expected);
    for (int i = 0; i < expected; i++) {
        assert_string_equal(similar[i].source, plain[i].source);
        assert_string_equal(similar[i].target, plain[i].target);
        assert_int_equal(similar[i].id, plain[i].id);
        assert_true(similar[i].similarity == plain_similarity(source, plain[i].source));
    }
    tm_similar_free(similar);
}

static void check_find(TranslationMemory *tm, const char *source) {
    long id = -1;
    char *target = tm_find(tm, source, &id);
    const int i = plain_find(source);
    assert_int_equal(target != NULL, i >= 0);
    if (i >= 0) assert_string_equal(target, plain[i].target);
    assert_int_equal(id, i < 0 ? -1 : plain[i].id);
    mem_free(target);
}

/* Puts or removes a pair in both memories. */
static void change(TranslationMemory *tm, const char *source, long step, Rng *rng) {
    const int i = plain_find(source);
    if (rng_below(rng, 3) == 0 || plain_count == PAIRS) {
        const bool right = rng_below(rng, 2);
        assert_int_equal(tm_remove(tm, source, i < 0 || right ? (i < 0 ? 0 : plain[i].id) : -5), i >= 0 && right);
        if (i >= 0 && right) plain_remove(i);
    } else {
        if (i >= 0) plain_remove(i);
        Plain *p = &plain[plain_count++];
        snprintf(p->source, sizeof p->source, "%s", source);
        snprintf(p->target, sizeof p->target, "target %ld", step);
        p->id = 1000 + step / 2;
        p->order = step;
        tm_put(tm, source, p->target, p->id);
    }
    assert_int_equal(tm_count(tm), plain_count);
}

static void finds_what_a_plain_scan_finds(void **state) {
    (void)state;
    Rng rng = rng_seed(2, 0);
    TranslationMemory *tm = tm_new();
    plain_count = 0;
    assert_null(tm_similar(tm, "我", 3, 0));
    assert_null(tm_find(tm, "我", NULL));
    assert_false(tm_remove(tm, "我", 0));
    for (long step = 0; step < 1500; step++) {
        char text[TEXT];
        draw_query(text, &rng);
        normalise(text);
        if (!*text) continue;
        check_find(tm, text);
        if (step % 15 == 0) check_similar(tm, text, 1 + (int)rng_below(&rng, 8), rng_below(&rng, 11) / 10.0);
        change(tm, text, step, &rng);
    }
    check_similar(tm, plain[0].source, PAIRS + 1, 0);
    tm_free(tm);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(distances_are_exact),
                                       cmocka_unit_test(finds_what_a_plain_scan_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
