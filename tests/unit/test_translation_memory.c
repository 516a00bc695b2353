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
    int32_t a[LONG] = {0}, b[LONG] = {0};
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

/* Replaces, deletes or inserts about `edits` characters. */
static void edit(char text[TEXT], int edits, Rng *rng) {
    enum { REPLACE, DELETE, INSERT, KEEP };
    char old[TEXT];
    strcpy(old, text);
    const uint32_t n = (uint32_t)utf8_count(old);
    *text = '\0';
    for (const char *at = old; *at; at += utf8_length(at)) {
        const uint32_t kind = rng_below(rng, n) < (uint32_t)edits ? rng_below(rng, KEEP) : KEEP;
        if (kind == REPLACE || kind == INSERT) append(text, rng);
        if (kind == INSERT || kind == KEEP) strncat(text, at, utf8_length(at));
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

/* ---- sources as they come --------------------------------------------------------------------------------------- */

static void sources_are_normalised(void **state) {
    (void)state;
    TranslationMemory *tm = tm_new();
    long id = 0;
    tm_put(tm, " 他说\tＡ。 ", " as it is ", 7);
    char *target = tm_find(tm, "他说 A。", &id);
    assert_string_equal(target, " as it is ");
    assert_int_equal(id, 7);
    mem_free(target);
    Similar *similar = tm_similar(tm, "他说  A。", 1, 1);
    assert_string_equal(similar->source, "他说 A。");
    tm_similar_free(similar);
    assert_null(tm_find(tm, " ", NULL));
    assert_null(tm_similar(tm, "", 5, 0));
    assert_null(tm_similar(tm, "他", 0, 0));
    assert_false(tm_remove(tm, "他说 A。", 8));
    assert_true(tm_remove(tm, "他说Ａ。", 7) == false && tm_remove(tm, "他说　Ａ。", 7));
    assert_int_equal(tm_count(tm), 0);
    tm_free(tm);
    tm_free(NULL);
}

/* A text of n characters, two of which are frequent in it; different for each `number`. The caller owns it. */
static char *long_text(int n, uint64_t number) {
    Rng rng = rng_seed(number, 3);
    char *text = mem_alloc((size_t)n * 3 + 1), *end = text;
    for (int i = 0; i < n; i++) end = stpcpy(end, rng_below(&rng, 2) ? "我" : "的");
    return text;
}

/* Sources that are too long are found, but are similar to nothing. */
static void long_sources_are_only_found(void **state) {
    (void)state;
    TranslationMemory *tm = tm_new();
    for (int n = TM_LONGEST; n <= TM_LONGEST + 1; n++) {
        char *text = long_text(n, 1);
        tm_put(tm, text, "long", n);
        char *found = tm_find(tm, text, NULL);
        assert_string_equal(found, "long");
        mem_free(found);
        Similar *similar = tm_similar(tm, text, 5, 0);
        assert_int_equal(arrlen(similar), n == TM_LONGEST);
        if (similar) assert_int_equal(similar->id, TM_LONGEST);
        tm_similar_free(similar);
        if (n > TM_LONGEST) assert_true(tm_remove(tm, text, n));
        mem_free(text);
    }
    assert_int_equal(tm_count(tm), 1);
    tm_free(tm);
}

/* Texts that no signature excludes: 3000 of them would be 192 million steps. The search ends before, with what is most
   promising: the same source. */
static void the_work_is_bounded(void **state) {
    (void)state;
    enum { TEXTS = 3000 };
    TranslationMemory *tm = tm_new();
    for (uint64_t i = 0; i < TEXTS; i++) {
        char *text = long_text(TM_LONGEST, i);
        tm_put(tm, text, "t", (long)i);
        mem_free(text);
    }
    char *text = long_text(TM_LONGEST, 17);
    Similar *similar[2];
    for (int i = 0; i < 2; i++) similar[i] = tm_similar(tm, text, TEXTS, 0);
    const ptrdiff_t n = arrlen(similar[0]);
    assert_in_range(n, 1, TEXTS / 4);
    assert_int_equal(arrlen(similar[1]), n);
    for (ptrdiff_t i = 0; i < n; i++) assert_int_equal(similar[0][i].id, similar[1][i].id);
    for (int i = 0; i < 2; i++) tm_similar_free(similar[i]);
    mem_free(text);
    tm_free(tm);
}

/* ---- corpora ---------------------------------------------------------------------------------------------------- */

static void corpora_are_read(void **state) {
    (void)state;
    static const char *const langs[2] = {"zh", "en"};
    char path[SCRATCH_SIZE];
    Err err;
    TmCounts counts;
    TranslationMemory *tm = tm_new();
    scratch_text(path, "你好。\tHello.\n\tempty\n再见。\t \n\xff\tbroken\nno tab\n你好。\tHi  there.\n");
    assert_int_equal(tm_read(tm, &(CorpusFiles){FORM_TSV, {path}, {1, 2}}, langs, 40, &counts, &err), 0);
    assert_int_equal(counts.added, 2);
    assert_int_equal(counts.dropped, 4);
    assert_int_equal(tm_count(tm), 1);
    long id = 0;
    char *target = tm_find(tm, "你好。", &id);
    assert_string_equal(target, "Hi there.");
    assert_int_equal(id, 41);
    mem_free(target);
    unlink(path);
    assert_int_equal(tm_read(tm, &(CorpusFiles){FORM_TSV, {path}, {1, 2}}, langs, 0, &counts, &err), -1);
    assert_string_equal(err.path, path);
    assert_int_equal(counts.added + counts.dropped, 0);
    tm_free(tm);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

enum { READERS = 3, ROUNDS = 300, SOURCES = 20 };

static void source_of(char text[32], int i) { snprintf(text, 32, "第%d句话。", i % SOURCES); }

/* Each target ends with its source, whoever writes in between. */
static void *read_pairs(void *context) {
    TranslationMemory *tm = context;
    for (int i = 0; i < ROUNDS; i++) {
        char source[32];
        source_of(source, i);
        char *target = tm_find(tm, source, NULL);
        if (target && !ends_with(target, source)) return tm;
        mem_free(target);
        Similar *similar = tm_similar(tm, source, 4, 0.5);
        for (ptrdiff_t k = 0; k < arrlen(similar); k++)
            if (!ends_with(similar[k].target, similar[k].source)) return tm;
        tm_similar_free(similar);
    }
    return NULL;
}

static void *write_pairs(void *context) {
    for (int i = 0; i < 3 * ROUNDS; i++) {
        char source[32], target[64];
        source_of(source, i * 7);
        snprintf(target, sizeof target, "%d %s", i, source);
        if (i % 3) tm_put(context, source, target, 0);
        else tm_remove(context, source, 0);
    }
    return NULL;
}

static void threads_share_a_memory(void **state) {
    (void)state;
    TranslationMemory *tm = tm_new();
    pthread_t threads[READERS + 1];
    for (int i = 0; i <= READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < READERS ? read_pairs : write_pairs, tm), 0);
    for (int i = 0; i <= READERS; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    tm_free(tm);
}

/* ---- refused memory --------------------------------------------------------------------------------------------- */

typedef struct Call {
    TranslationMemory *tm;
    long refused; /* which allocation of the call is refused */
    int pairs;
} Call;

static void put_next(void *context) {
    const Call *c = context;
    char source[32];
    source_of(source, c->pairs);
    mem_fail_nth(c->refused);
    tm_put(c->tm, source, "t", c->pairs);
    mem_fail_nth(0);
}

static void ask(void *context) {
    const Call *c = context;
    mem_fail_nth(c->refused);
    char *target = tm_find(c->tm, "第3句话。", NULL);
    Similar *similar = tm_similar(c->tm, "第3句话。", 3, 0.5);
    mem_fail_nth(0);
    assert_string_equal(target, "t");
    assert_int_equal(arrlen(similar), 3);
    mem_free(target);
    tm_similar_free(similar);
}

static void ask_too_much(void *context) { tm_similar(((Call *)context)->tm, "我", 1, 2); }

/* Runs work in a scope and refuses its first allocation, then the second one, until it succeeds. Returns how often
   memory was refused. A lock that is not released would stop the test. */
static long run_refused(void (*work)(void *), Call *c) {
    for (c->refused = 1;; c->refused++) {
        Scope scope = {0};
        char reason[64];
        const long before = tm_count(c->tm);
        const ScopeEnd end = scope_run(&scope, work, c, reason, sizeof reason);
        mem_fail_nth(0);
        assert_int_equal(scope.count, 0); /* what the memory keeps belongs to no scope */
        scope_release(&scope);
        if (end == SCOPE_DONE) return c->refused - 1;
        assert_int_equal(end, SCOPE_REFUSED);
        assert_int_equal(tm_count(c->tm), before);
        tm_put(c->tm, "lock", "free", 0);
        assert_true(tm_remove(c->tm, "lock", 0));
    }
}

static void refused_memory_changes_nothing(void **state) {
    (void)state;
    Call c = {.tm = tm_new()};
    long refused = 0;
    for (; c.pairs < SOURCES; c.pairs++) {
        refused += run_refused(put_next, &c);
        assert_int_equal(tm_count(c.tm), c.pairs + 1);
    }
    assert_true(refused > 2L * SOURCES);
    assert_true(run_refused(ask, &c) > 10);
    Scope scope = {0};
    char reason[200];
    assert_int_equal(scope_run(&scope, ask_too_much, &c, reason, sizeof reason), SCOPE_FAILED);
    tm_put(c.tm, "lock", "free", 0);
    assert_int_equal(tm_count(c.tm), SOURCES + 1);
    tm_free(c.tm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_exact),    cmocka_unit_test(finds_what_a_plain_scan_finds),
        cmocka_unit_test(sources_are_normalised), cmocka_unit_test(long_sources_are_only_found),
        cmocka_unit_test(the_work_is_bounded),    cmocka_unit_test(corpora_are_read),
        cmocka_unit_test(threads_share_a_memory), cmocka_unit_test(refused_memory_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
