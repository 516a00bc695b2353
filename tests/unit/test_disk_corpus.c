/* test_disk_corpus.c: a corpus on the disk gives the same data as a corpus in memory. */
#include "core/rng.h"
#include "corpus/batches.h"
#include "io/ds.h"
#include "words.h"
#include "corpora.h"
#include "limit_files.h"
#include "readers.h"
#include "scratch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PAIRS = 3000 };
static char path[SCRATCH_SIZE];

/* Writes random pairs of words and numbers; some pairs have an empty side. */
static void write_pairs(void) {
    FILE *out = fopen(path, "w");
    Rng rng = rng_seed(1, 1);
    assert_non_null(out);
    for (int i = 0; i < PAIRS; i++) {
        for (int n = (int)rng_below(&rng, 12); n > 0; n--)
            fprintf(out, "%s%d ", &"word"[n % 3], (int)rng_below(&rng, 500));
        fputc('\t', out);
        for (int n = (int)rng_below(&rng, 12); n > 0; n--) fputs(n % 2 ? "潮水" : "退ａ", out);
        fputc('\n', out);
    }
    fclose(out);
}

static int make_file(void **state) {
    (void)state;
    scratch_file(path);
    write_pairs();
    return 0;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static Reader *open_file(void) {
    Err err;
    return open_corpus(FORM_TSV, path, SOURCE, &err);
}

typedef struct Both {
    Corpus memory;
    DiskCorpus disk;
} Both;

static Both read_both(void) {
    Both both = {0};
    Err err;
    assert_int_equal(corpus_read(&both.memory, open_file(), path, &err), 0);
    assert_int_equal(disk_corpus_open(&both.disk, scratch_folder(), false, &err), 0);
    assert_int_equal(disk_corpus_read(&both.disk, open_file(), path, NULL, NULL, &err), 0);
    return both;
}

static void both_free(Both *both) {
    corpus_free(&both->memory);
    disk_corpus_close(&both->disk);
}

static void reading_gives_the_pairs_in_memory(void **state) {
    (void)state;
    Both both = read_both();
    const Corpus *corpus = &both.memory;
    DiskPair pair;
    Err err;
    assert_int_equal(both.disk.n, corpus_size(corpus));
    assert_int_equal(both.disk.read, PAIRS);
    assert_int_equal(both.disk.dropped_empty, corpus->dropped_empty);
    assert_true(corpus->dropped_empty > 0);
    for (int walk = 0; walk < 2; walk++) {
        assert_int_equal(disk_corpus_rewind(&both.disk, &err), 0);
        for (int i = 0; i < corpus_size(corpus); i++) {
            assert_int_equal(disk_corpus_next(&both.disk, &pair, &err), 1);
            assert_string_equal(pair.text[SOURCE], corpus->source[i]);
            assert_string_equal(pair.text[TARGET], corpus->target[i]);
            assert_int_equal(pair.line, corpus->line[i]);
        }
        assert_int_equal(disk_corpus_next(&both.disk, &pair, &err), 0);
    }
    both_free(&both);
}

static void assert_counts(const DiskCorpus *corpus, long pairs, long read, long empty) {
    assert_int_equal(corpus->n, pairs);
    assert_int_equal(arrlen(corpus->text[SOURCE]), pairs);
    assert_int_equal(arrlen(corpus->text[TARGET]), pairs);
    assert_int_equal(corpus->read, read);
    assert_int_equal(corpus->dropped_empty, empty);
}

/* A second file is added to the pairs of the first one. An error keeps the pairs before it. */
static void readers_add_their_pairs(void **state) {
    (void)state;
    char files[3][SCRATCH_SIZE];
    DiskCorpus corpus;
    DiskPair pair;
    Err err;
    scratch_text(files[0], "one\t一\n\n\t二\nthree\t三\n");
    scratch_text(files[1], "four\t四\n");
    scratch_text(files[2], "five\t五\nsix\n");
    assert_int_equal(disk_corpus_open(&corpus, scratch_folder(), true, &err), 0);
    assert_int_equal(
        disk_corpus_read(&corpus, open_corpus(FORM_TSV, files[0], SOURCE, &err), files[0], NULL, NULL, &err), 0);
    assert_counts(&corpus, 2, 4, 2);
    assert_int_equal(
        disk_corpus_read(&corpus, open_corpus(FORM_TSV, files[1], TARGET, &err), files[1], NULL, NULL, &err), 0);
    assert_counts(&corpus, 3, 5, 2);
    assert_int_equal(
        disk_corpus_read(&corpus, open_corpus(FORM_TSV, files[2], SOURCE, &err), files[2], NULL, NULL, &err), -1);
    assert_int_equal(err.line, 2);
    assert_counts(&corpus, 4, 6, 2);
    assert_int_equal(disk_corpus_rewind(&corpus, &err), 0);
    static const char *const expected[] = {"one", "three", "四", "five"};
    static const long lines[] = {1, 4, 1, 1}, numbers[] = {1, 4, 5, 6};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(disk_corpus_next(&corpus, &pair, &err), 1);
        assert_string_equal(pair.text[SOURCE], expected[i]);
        assert_string_equal(corpus.text[SOURCE][i], expected[i]);
        assert_string_equal(pair.text[TARGET], corpus.text[TARGET][i]);
        assert_int_equal(pair.line, lines[i]);
        assert_int_equal(pair.number, numbers[i]);
    }
    disk_corpus_close(&corpus);
    assert_counts(&corpus, 0, 6, 2);
    for (int i = 0; i < 3; i++) unlink(files[i]);
}

typedef struct Languages {
    Side side[2];
} Languages;

static Languages languages(const Corpus *corpus) {
    Languages l;
    const int n = corpus_size(corpus);
    side_learn(&l.side[SOURCE], TOKENIZER_BPE, words_of(TOKENIZER_BPE, corpus->source, n), 200, 0);
    side_learn(&l.side[TARGET], TOKENIZER_CHAR, words_of(TOKENIZER_CHAR, corpus->target, n), 0, 0);
    return l;
}

static void languages_free(Languages *l) {
    for (int i = 0; i < 2; i++) side_free(&l->side[i]);
}

/* Checks that the ids of pair i are x and y. */
static void assert_ids(const Pairs *pairs, int i, const int *x, const int *y) {
    int ids[256];
    Err err;
    assert_int_equal(pairs->source_length[i], arrlen(x));
    assert_int_equal(pairs->target_length[i], arrlen(y));
    assert_int_equal(records_length(&pairs->ids, i), arrlen(x) + arrlen(y));
    assert_int_equal(records_read(&pairs->ids, i, ids, &err), 0);
    assert_memory_equal(ids, x, arrlenu(x) * sizeof *x);
    assert_memory_equal(ids + arrlen(x), y, arrlenu(y) * sizeof *y);
}

static void ids_are_those_of_the_text(void **state) {
    (void)state;
    enum { MAX_LENGTH = 14 };
    Both both = read_both();
    const Corpus *corpus = &both.memory;
    Languages l = languages(corpus);
    Pairs pairs, again, all;
    Err err;
    int n = 0;
    const Side *x_side = &l.side[SOURCE], *y_side = &l.side[TARGET];
    const char *dir = scratch_folder();
    assert_int_equal(pairs_encode(&pairs, &both.disk, NULL, x_side, y_side, MAX_LENGTH, dir, NULL, NULL, &err), 0);
    assert_int_equal(pairs_encode(&again, &both.disk, NULL, x_side, y_side, MAX_LENGTH, dir, NULL, NULL, &err), 0);
    assert_int_equal(pairs_encode(&all, &both.disk, NULL, x_side, y_side, 0, dir, NULL, NULL, &err), 0);
    for (int i = 0; i < corpus_size(corpus); i++) {
        int *x = side_encode(&l.side[SOURCE], corpus->source[i]), *y = side_encode(&l.side[TARGET], corpus->target[i]);
        if (arrlen(x) - 1 <= MAX_LENGTH && arrlen(y) - 1 <= MAX_LENGTH) {
            assert_ids(&pairs, n, x, y);
            assert_int_equal(pairs.line[n], corpus->line[i]);
            n++;
        }
        arrfree(x);
        arrfree(y);
    }
    assert_int_equal(pairs.n, n);
    assert_true(pairs.dropped_long > 0 && pairs.dropped_long == corpus_size(corpus) - n);
    assert_true(pairs.hash == again.hash && pairs.hash != all.hash);
    assert_int_equal(all.n, corpus_size(corpus));
    pairs_free(&pairs);
    pairs_free(&again);
    pairs_free(&all);
    languages_free(&l);
    both_free(&both);
}

/* Encodes more words than a SideCache holds; words that were dropped from it are encoded again. */
static void dropped_words_are_encoded_again(void **state) {
    (void)state;
    enum { WORDS = 300000 };
    char *sentence = mem_strdup("潮 水 退");
    Side side;
    side_learn(&side, TOKENIZER_NONE, words_of(TOKENIZER_NONE, &sentence, 1), 0, 0);
    int *expected = side_encode(&side, sentence);
    SideCache *memory = side_cache(&side);
    for (int i = 0; i < WORDS; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        int *ids = side_cache_encode(memory, text), *known = i % 1000 ? NULL : side_cache_encode(memory, sentence);
        assert_int_equal(arrlen(ids), 2);
        assert_int_equal(ids[0], ID_UNK);
        if (known) assert_memory_equal(known, expected, 4 * sizeof *expected);
        arrfree(ids);
        arrfree(known);
    }
    side_cache_free(memory);
    arrfree(expected);
    side_free(&side);
    mem_free(sentence);
}

static int cancel(void *context, long done, long all) {
    long *asked = context;
    ++*asked;
    return done >= 2000 || (all && done == all);
}

static void long_work_is_cancelled(void **state) {
    (void)state;
    Both both = read_both();
    Languages l = languages(&both.memory);
    DiskCorpus corpus;
    Pairs pairs;
    Err err;
    long asked = 0;
    assert_int_equal(disk_corpus_open(&corpus, scratch_folder(), false, &err), 0);
    assert_int_equal(disk_corpus_read(&corpus, open_file(), path, cancel, &asked, &err), -1);
    assert_string_equal(err.reason, "stopped while it was read");
    assert_true(asked > 0);
    disk_corpus_close(&corpus);
    asked = 0;
    assert_int_equal(pairs_encode(&pairs, &both.disk, NULL, &l.side[SOURCE], &l.side[TARGET], 0, scratch_folder(),
                                  cancel, &asked, &err),
                     -1);
    assert_string_equal(err.reason, "stopped while the corpus was encoded");
    assert_true(asked > 0);
    languages_free(&l);
    both_free(&both);
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    Both both = read_both();
    Languages l = languages(&both.memory);
    DiskCorpus corpus;
    Pairs pairs;
    Err err;
    assert_int_equal(disk_corpus_rewind(&both.disk, &err), 0); /* flushes all pairs to the file */
    for (rlim_t bytes = 0; bytes < 40000; bytes += 9000) {
        limit_files(bytes);
        assert_int_equal(disk_corpus_open(&corpus, scratch_folder(), false, &err), 0);
        int failed =
            disk_corpus_read(&corpus, open_file(), path, NULL, NULL, &err) || disk_corpus_rewind(&corpus, &err);
        assert_int_equal(failed, 1);
        assert_string_equal(err.path, scratch_folder());
        assert_non_null(strstr(err.reason, "File too large"));
        disk_corpus_close(&corpus);
        assert_int_equal(pairs_encode(&pairs, &both.disk, NULL, &l.side[SOURCE], &l.side[TARGET], 0, scratch_folder(),
                                      NULL, NULL, &err),
                         -1);
        assert_non_null(strstr(err.reason, "File too large"));
        assert_null(pairs.ids.file);
    }
    limit_files(RLIM_INFINITY);
    assert_int_equal(disk_corpus_open(&corpus, "/no/such", false, &err), -1);
    assert_string_equal(err.path, "/no/such");
    disk_corpus_close(&corpus);
    languages_free(&l);
    both_free(&both);
}

static void records_that_end_early_are_an_error(void **state) {
    (void)state;
    Records records;
    Err err;
    const int numbers[] = {1, 2, 3};
    int back[3];
    assert_int_equal(records_open(&records, scratch_folder(), &err), 0);
    assert_int_equal(records_add(&records, numbers, 3, &err), 0);
    assert_int_equal(records_add(&records, NULL, 0, &err), 0);
    assert_int_equal(records_add(&records, numbers, 2, &err), 0);
    assert_int_equal(records_flush(&records, &err), 0);
    assert_int_equal(records_length(&records, 1), 0);
    assert_int_equal(records_read(&records, 2, back, &err), 0);
    assert_memory_equal(back, numbers, 2 * sizeof *back);
    assert_int_equal(ftruncate(fileno(records.file), 16), 0);
    assert_int_equal(records_read(&records, 0, back, &err), 0);
    assert_int_equal(records_read(&records, 2, back, &err), -1);
    assert_string_equal(err.reason, "cannot use the temporary file in this directory: it ends too early");
    records_close(&records);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_gives_the_pairs_in_memory),
        cmocka_unit_test(readers_add_their_pairs),
        cmocka_unit_test(ids_are_those_of_the_text),
        cmocka_unit_test(dropped_words_are_encoded_again),
        cmocka_unit_test(long_work_is_cancelled),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(records_that_end_early_are_an_error),
    };
    return cmocka_run_group_tests_name("disk corpus", tests, make_file, remove_file);
}
