/* test_guides.c: links between words become links between pieces, and the links of a batch are at the right rows. */
#include "io/ds.h"
#include "train/guides.h"
#include "aligner/links.h"
#include "words.h"
#include "readers.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Four pairs; the second has an empty side. There are no merges, so the pieces of an English word are ▁ and its
   letters. */
static const char zh[] = "潮水 退了\n\n谁没穿\n潮水\n", en[] = "tide out\nx\nwho not\ntide\n";

typedef struct Fixture {
    char zh[SCRATCH_SIZE], en[SCRATCH_SIZE], links[SCRATCH_SIZE];
    DiskCorpus corpus;
    Side source, target;
    Pairs pairs;
    bool null;
} Fixture;

static void write_file(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static Fixture fixture(int max_length) {
    Fixture f = {0};
    Err err;
    scratch_text(f.zh, zh);
    scratch_text(f.en, en);
    scratch_text(f.links, "");
    assert_int_equal(disk_corpus_open(&f.corpus, scratch_folder(), false, &err), 0);
    assert_int_equal(disk_corpus_read(&f.corpus, open_line_corpus(f.zh, f.en, &err), f.zh, NULL, NULL, &err), 0);
    WordCounts words[2] = {0};
    const TokenizerKind kinds[2] = {TOKENIZER_CHAR, TOKENIZER_BPE};
    DiskPair pair;
    assert_int_equal(disk_corpus_rewind(&f.corpus, &err), 0);
    while (disk_corpus_next(&f.corpus, &pair, &err) > 0)
        for (int i = 0; i < 2; i++) words_count(&words[i], kinds[i], pair.text[i]);
    side_learn(&f.source, kinds[SOURCE], words[SOURCE], 0, 0);
    side_learn(&f.target, kinds[TARGET], words[TARGET], 0, 0);
    assert_int_equal(
        pairs_encode(&f.pairs, &f.corpus, NULL, &f.source, &f.target, max_length, scratch_folder(), NULL, NULL, &err),
        0);
    return f;
}

static void fixture_free(Fixture *f) {
    unlink(f->zh);
    unlink(f->en);
    unlink(f->links);
    pairs_free(&f->pairs);
    side_free(&f->source);
    side_free(&f->target);
    disk_corpus_close(&f->corpus);
}

static int read_guides(Fixture *f, const char *links, Guides *guides, Err *err) {
    write_file(f->links, links);
    return guides_read(guides, f->links, &f->corpus, &f->pairs, &f->source, &f->target, scratch_folder(), f->null, err);
}

enum { MOST = 64 };

/* Reads the links of a pair; returns their number. */
static int links_of(const Guides *guides, int i, Link links[MOST]) {
    int numbers[2 * MOST];
    Err err;
    const int n = (int)records_length(&guides->links, i) / 2;
    assert_true(n <= MOST);
    assert_int_equal(records_read(&guides->links, i, numbers, &err), 0);
    for (ptrdiff_t k = 0; k < n; k++) links[k] = (Link){numbers[2 * k], numbers[2 * k + 1], false};
    return n;
}

static void assert_links(const Guides *guides, int i, const char *expected) {
    char text[256] = "";
    Link links[MOST];
    const int n = links_of(guides, i, links);
    for (int k = 0; k < n; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d-%d ", links[k].source, links[k].target);
    assert_string_equal(text, expected);
}

/* The pieces are 潮 水 ▁ 退 了 </s> and ▁ t i d e ▁ o u t </s>. A space mark belongs to the word after it. */
static void words_become_pieces(void **state) {
    (void)state;
    Fixture f = fixture(0);
    Guides guides;
    Err err;
    assert_int_equal(read_guides(&f, "1-1 0-0 1p1\n\n0-0 2-1\n\n", &guides, &err), 0);
    assert_int_equal(arrlen(guides.links.ends), 3);
    assert_links(&guides, 0,
                 "0-0 1-0 0-1 1-1 0-2 1-2 0-3 1-3 0-4 1-4 2-5 3-5 4-5 2-6 3-6 4-6 2-7 3-7 4-7 2-8 3-8 4-8 ");
    assert_links(&guides, 1, "0-0 0-1 0-2 0-3 2-4 2-5 2-6 2-7 "); /* a source without spaces: links are by piece */
    assert_links(&guides, 2, "");
    guides_free(&guides);
    fixture_free(&f);
}

/* Pieces without links are linked to </s>, but not in a pair without links. */
static void unlinked_words_go_to_the_end(void **state) {
    (void)state;
    Fixture f = fixture(0);
    Guides guides;
    Err err;
    f.null = true;
    assert_int_equal(read_guides(&f, "0-1\n\n0-0\n\n", &guides, &err), 0);
    assert_links(&guides, 0, "5-0 5-1 5-2 5-3 5-4 0-5 1-5 0-6 1-6 0-7 1-7 0-8 1-8 5-9 ");
    assert_links(&guides, 1, "0-0 0-1 0-2 0-3 3-4 3-5 3-6 3-7 3-8 ");
    assert_links(&guides, 2, "");
    guides_free(&guides);
    fixture_free(&f);
}

/* A pair that is too long for training does not shift the lines of the other pairs. */
static void lines_stay_with_their_pairs(void **state) {
    (void)state;
    Fixture f = fixture(8);
    Guides guides;
    Err err;
    assert_int_equal(f.pairs.n, 2);
    assert_int_equal(read_guides(&f, "7-7\n9-9\n1-1\n0-0\n", &guides, &err), 0);
    assert_int_equal(arrlen(guides.links.ends), 2);
    assert_links(&guides, 0, "1-4 1-5 1-6 1-7 ");
    assert_links(&guides, 1, "0-0 0-1 0-2 0-3 0-4 ");
    guides_free(&guides);
    fixture_free(&f);
}

static void a_batch_has_links_by_row(void **state) {
    (void)state;
    Fixture f = fixture(0);
    Guides guides;
    Err err;
    Arena arena = {0};
    assert_int_equal(read_guides(&f, "0-0 1-1\n\n0-0 2-1\n1-0\n", &guides, &err), 0);
    const int which[] = {2, 0, 1};
    Batch batch;
    Guide guide;
    assert_int_equal(pairs_fold(&arena, &f.pairs, which, NULL, 3, NULL, &batch, &err), 0);
    const Sequences *y = &batch.target;
    assert_int_equal(guides_fold(&arena, &guides, which, y, &guide, &err), 0);
    int links = 0, all = 0;
    for (int t = 0; t < y->steps; t++)
        for (int b = 0; b < sequences_live(y, t); b++) {
            Link list[MOST];
            const int n = links_of(&guides, which[y->order[b]], list);
            const int row = sequences_row(y, t, b);
            int at = guide.begin[row];
            for (int k = 0; k < n; k++)
                if (list[k].target == t) assert_int_equal(guide.column[at++], list[k].source);
            assert_int_equal(at, guide.begin[row + 1]);
            links += at - guide.begin[row];
        }
    for (int i = 0; i < 3; i++) all += (int)records_length(&guides.links, i) / 2;
    assert_int_equal(links, all);
    arena_free(&arena);
    guides_free(&guides);
    fixture_free(&f);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *links, *reason;
        long line;
    } cases[] = {{"0-0\n\n0-0\n", "has 3 lines, but the training set has 4", 0},
                 {"\n\n\n\n\n", "has 5 lines, but the training set has 4", 0},
                 {"", "has 0 lines, but the training set has 4", 0},
                 {"2-0\n\n\n\n", "the link 2-0, but the pair has 2 and 2 words", 1},
                 {"\n\n0-2\n\n", "the link 0-2, but the pair has 3 and 2 words", 3},
                 {"\n\n\nx\n", "'x' is not a link such as 3-4 (words are counted from 0)", 4}};
    Fixture f = fixture(0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Guides guides;
        Err err;
        assert_int_equal(read_guides(&f, cases[i].links, &guides, &err), -1);
        assert_string_equal(err.reason, cases[i].reason);
        assert_string_equal(err.path, f.links);
        assert_int_equal(err.line, cases[i].line);
        assert_null(guides.links.file);
    }
    fixture_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_pieces),          cmocka_unit_test(unlinked_words_go_to_the_end),
        cmocka_unit_test(lines_stay_with_their_pairs),  cmocka_unit_test(a_batch_has_links_by_row),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("guides", tests, NULL, NULL);
}
