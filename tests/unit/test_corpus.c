/* test_corpus.c: the steps from files to clean sentence pairs: readers, catalogues, sentences, filters, splits. */
#include "core/scope.h"
#include "corpus/clean.h"
#include "corpora.h"
#include "io/ds.h"
#include "io/files.h"
#include "text/normal_lines.h"
#include "corpus/partition.h"
#include "text/sentences.h"
#include "readers.h"
#include "scratch.h"
#include "text/placeholder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void assert_err(const Err *err, const char *path, long line, const char *reason) {
    assert_string_equal(err->path, path);
    assert_int_equal(err->line, line);
    if (!strstr(err->reason, reason)) fail_msg("reason is \"%s\", expected \"%s\"", err->reason, reason);
}

/* ---- files ---- */

static char directory[SCRATCH_SIZE];

static int make_directory(void **state) {
    (void)state;
    scratch_directory(directory);
    return chdir(directory);
}

static int remove_directory(void **state) {
    (void)state;
    scratch_remove(directory);
    return chdir("/");
}

static void write_bytes(const char *path, const char *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

/* Compares lines, joined with |, with expected; releases the lines. */
static void assert_lines(char **lines, const char *expected) {
    char *text = NULL;
    for (ptrdiff_t i = 0; i < arrlen(lines); i++) {
        if (i > 0) arrput(text, '|');
        for (const char *c = lines[i]; *c; c++) arrput(text, *c);
    }
    arrput(text, '\0');
    assert_string_equal(text, expected);
    arrfree(text);
    strings_free(lines);
}

static void lines_are_read_and_normalised(void **state) {
    (void)state;
    Err err;
    write_text("a", "\xEF\xBB\xBFone  two\r\n\r\n\u3000潮水，\nlast\rline");
    assert_lines(lines_read("a", 0, &err), "one two||潮水,|last line");
    write_text("a", "\n");
    assert_lines(lines_read("a", 0, &err), "");
    write_text("a", "");
    char **none = lines_read("a", 1, &err);
    assert_non_null(none);
    assert_int_equal(arrlen(none), 0);
    strings_free(none);
    write_text("a", "from stdin\n");
    assert_non_null(freopen("a", "rb", stdin));
    assert_lines(lines_read("-", 0, &err), "from stdin");
    assert_null(lines_read(NULL, 0, &err));
    assert_err(&err, "standard input", 0, "file is empty");
}

static void lines_report_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        long line;
        const char *reason;
    } cases[] = {
        {"", 0, 0, "file is empty"},
        {"\xEF\xBB\xBF", 3, 0, "file is empty"},
        {"ok\nab\xff\n", 7, 2, "line is not valid UTF-8 (byte 3)"},
        {"\xff\xfe"
         "a\0",
         4, 1, "line is not valid UTF-8 (byte 1); it is UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`"},
        {"\xb3\xb1\xcb\xae\n", 5, 1,
         "line is not valid UTF-8 (byte 1); it may be GB18030 or Big5: convert it, as with `iconv -f GB18030 -t "
         "UTF-8`"},
        {"ok\nok\na\0b\n", 10, 3, "line holds a NUL (byte 2), as text in UTF-16 does"},
        {"cut \xe6\xbd", 6, 1, "line is not valid UTF-8 (byte 5)"},
    };
    Err err;
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_bytes("a", cases[i].bytes, cases[i].n);
        assert_null(lines_read("a", 0, &err));
        assert_err(&err, "a", cases[i].line, cases[i].reason);
    }
    assert_null(lines_read("missing", 1, &err));
    assert_err(&err, "missing", 0, "No such file or directory");
    assert_null(lines_read(".", 1, &err));
    assert_err(&err, ".", 0, "Is a directory");
}

static void a_long_line_is_read_whole(void **state) {
    (void)state;
    enum { SIZE = 3 << 20 };
    Err err;
    char *text = mem_alloc(SIZE);
    memset(text, 'x', SIZE);
    write_bytes("a", text, SIZE);
    char **lines = lines_read("a", 0, &err);
    assert_int_equal(arrlen(lines), 1);
    assert_int_equal(strlen(lines[0]), SIZE);
    strings_free(lines);
    size_t size;
    char *bytes = file_read("a", &size, &err);
    assert_int_equal(size, SIZE);
    assert_memory_equal(bytes, text, SIZE);
    assert_int_equal(bytes[SIZE], '\0');
    mem_free(bytes);
    mem_free(text);
}

static int open_files(void) {
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;
    assert_non_null(folder);
    while (readdir(folder)) n++;
    closedir(folder);
    return n;
}

/* Opens a file as lines, and allocates memory before it closes the file. */
static void open_lines(void *path) {
    LineReader lines;
    Err err;
    if (line_reader_open(&lines, path, &err)) return;
    mem_free(mem_alloc(1));
    assert_int_equal(line_reader_next(&lines, &err), 1);
    assert_string_equal(lines.line, "x");
    line_reader_close(&lines);
}

static void refused_memory_leaves_no_open_file(void **state) {
    (void)state;
    static const char packed[] = "\x1f\x8b\x08\0\0\0\0\0\0\3\xab\xe0\2\0\x1f\x08\xea\x46\2\0\0\0"; /* "x\n" */
    char plain_name[] = "a", packed_name[] = "b", reason[160], *const names[] = {plain_name, packed_name};
    write_text("a", "x\n");
    write_bytes("b", packed, sizeof packed - 1);
    for (int i = 0; i < 2; i++) {
        const int before = open_files();
        Scope scope = {0};
        ScopeEnd end = SCOPE_REFUSED;
        long n = 0;
        while (end == SCOPE_REFUSED) {
            mem_fail_nth(++n);
            end = scope_run(&scope, open_lines, names[i], reason, sizeof reason);
            mem_fail_nth(0);
            assert_int_equal(open_files(), before);
        }
        assert_int_equal(end, SCOPE_DONE);
        assert_true(n > 1);
        scope_release(&scope);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no program is left */
}

static void assert_counts(const Corpus *corpus, int pairs, long read, long empty) {
    assert_int_equal(corpus_size(corpus), pairs);
    assert_int_equal(arrlen(corpus->target), pairs);
    assert_int_equal(corpus->read, read);
    assert_int_equal(corpus->dropped_empty, empty);
}

static void aligned_files_become_pairs(void **state) {
    (void)state;
    Corpus corpus = {0};
    Err err;
    write_text("a", "潮水退了\r\n\n 只有 \n \n完");
    write_text("b", "the tide is out\nnobody\n\u00a0\n\t\nend\n");
    assert_int_equal(corpus_read(&corpus, open_line_corpus("a", "b", &err), "a", &err), 0);
    assert_counts(&corpus, 2, 5, 3);
    assert_string_equal(corpus.source[1], "完");
    assert_string_equal(corpus.target[1], "end");
    corpus_free(&corpus);
    assert_counts(&corpus, 0, 0, 0);
}

static void aligned_files_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *a, *b, *path;
        long line;
        const char *reason;
    } cases[] = {
        {"1\n2\n3\n", "1\n2\n3\n4\n", "b", 4, "a has 3 lines but b has 4"},
        {"1\n2\n3\n", "1\n", "a", 2, "a has 3 lines but b has 1"},
        {"1\n", "", "a", 1, "a has 1 lines but b has 0"},
        {"1\n\n", "\n2\n", "a", 0, "no sentence pairs"},
        {"1\n", "\xff\n", "b", 1, "not valid UTF-8"},
    };
    Corpus corpus = {0};
    Err err;
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_text("a", cases[i].a);
        write_text("b", cases[i].b);
        assert_int_equal(corpus_read(&corpus, open_line_corpus("a", "b", &err), "a", &err), -1);
        assert_err(&err, cases[i].path, cases[i].line, cases[i].reason);
        assert_counts(&corpus, 0, 0, 0);
    }
    assert_int_equal(corpus_read(&corpus, open_line_corpus("a", "-", &err), "a", &err), -1);
    assert_err(&err, "-", 0, "No such file");
}

static void tab_separated_columns_become_pairs(void **state) {
    (void)state;
    Corpus corpus = {0};
    Err err;
    write_text("a", "\xEF\xBB\xBFHi.\t嗨。\tCC-BY 2.0 \xff\r\nRun!\t你跑吧！\r\n\r\n\t空\nWait\t\tx\n");
    assert_int_equal(corpus_read(&corpus, open_corpus(FORM_TSV, "a", TARGET, &err), "a", &err), 0);
    assert_counts(&corpus, 2, 5, 3);
    assert_string_equal(corpus.source[1], "你跑吧!");
    assert_string_equal(corpus.target[1], "Run!");
    corpus_free(&corpus);
    assert_int_equal(corpus_read(&corpus, open_corpus(FORM_TSV, "a", SOURCE, &err), "a", &err), 0);
    assert_string_equal(corpus.source[0], "Hi.");
    assert_string_equal(corpus.target[0], "嗨。");
    corpus_free(&corpus);
}

static const char no_chinese[] =
    "most of the first 2 lines have no column with Chinese; --columns SOURCE TARGET chooses the columns";
static const char no_english[] =
    "most of the first 2 lines have no column with English; --columns SOURCE TARGET chooses the columns";

static void tables_that_are_broken(void **state) {
    (void)state;
    static const struct {
        CorpusForm form;
        const char *text;
        long line;
        const char *reason;
    } cases[] = {
        {FORM_TSV, "a\t海\nno tab\n", 2, "line has no tab between the two texts"},
        {FORM_TSV, "1\t海\t2\tsea\n1\t海\n", 2, "row has 2 columns, and no column 4"},
        {FORM_TSV, "a\t海\nok\t\xe6\n", 2, "line is not valid UTF-8 (byte 4)"},
        {FORM_TSV, "\xe6\tb\n", 1, "line is not valid UTF-8 (byte 1)"},
        {FORM_TSV, "", 0, "no sentence pairs"},
        {FORM_TSV, "\n\n", 0, "no sentence pairs"},
        {FORM_TSV, "a\tb\nsea\tlac\n", 0, no_chinese},
        {FORM_TSV, "1\t海\n2\t湖\n", 0, no_english},
        {FORM_CSV, "a,b\nsea,lac\n", 0, no_chinese},
        {FORM_CSV, "zh,en\n", 0, "no sentence pairs"},
        {FORM_CSV, "zh,en\nsea,海\n", 0, no_chinese},
        {FORM_CSV, "zh,en\n海\n", 2, "row has 1 column, and no column 2"},
        {FORM_CSV, "zh,en\n海,sea\n湖,\"a\nlake\n", 3, "a quote of this row is not closed"},
        {FORM_CSV, "zh,en\n\"海\"x,sea\n", 2,
         "text after the quote that closes a cell; a quote inside a cell is doubled"},
        {FORM_CSV, "zh,en\n海,\"a \"\"\xe6\"\n", 2, "line is not valid UTF-8 (byte 10)"},
        {FORM_JSONL, "", 0, "no sentence pairs"},
        {FORM_JSONL, "\n{\"zh\": \"海\", \"en\": \"sea\"\n", 2, "line is not an object of JSON"},
        {FORM_JSONL, "[\"海\", \"sea\"]\n", 1, "line is not an object of JSON"},
        {FORM_JSONL, "{\"zh\": \"海\", \"en\": 3}\n", 1, "\"en\" is not a string"},
        {FORM_JSONL, "{\"zh\": \"海\\u0000\", \"en\": \"sea\"}\n", 1, "line holds a NUL"},
        {FORM_JSONL, "{\"zh\": \"海\", \"en\": \"\xe6\"}\n", 1, "line is not valid UTF-8 (byte 22)"},
        {FORM_JSONL, "{\"id\": 1, \"zh\": \"海\"}\n", 0, "no line has both \"en\" and \"zh\"; the names are: id zh"},
    };
    Corpus corpus = {0};
    Err err;
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_text("a", cases[i].text);
        assert_int_equal(corpus_read(&corpus, open_corpus(cases[i].form, "a", SOURCE, &err), "a", &err), -1);
        assert_err(&err, "a", cases[i].line, cases[i].reason);
        assert_counts(&corpus, 0, 0, 0);
    }
    assert_int_equal(corpus_read(&corpus, open_corpus(FORM_TSV, ".", SOURCE, &err), ".", &err), -1);
    assert_err(&err, ".", 0, "Is a directory");
}

/* Reads one pair of a table and checks it and the note about its columns. */
static void check_table(CorpusForm form, const char *text, const int columns[2], const char *const langs[2],
                        const char *note, const char *source, const char *target) {
    const CorpusFiles files = {form, {"a", NULL}, {columns[0], columns[1]}};
    RawPair pair;
    Err err = {0};
    write_text("a", text);
    Reader *reader = reader_open(&files, langs, &err);
    if (!reader) fail_msg("%s: %s", text, err.reason);
    assert_string_equal(reader_note(reader) ? reader_note(reader) : "", note);
    assert_int_equal(reader_next(reader, &pair, &err), 1);
    for (int i = 0; i < 2; i++) {
        const char *expected = i ? target : source;
        if (pair.size[i] != strlen(expected) || memcmp(pair.text[i], expected, pair.size[i]) != 0)
            fail_msg("'%s' gave '%.*s', not '%s'", text, (int)pair.size[i], pair.text[i], expected);
    }
    reader_close(reader);
}

#define SEVEN_ROWS                                                                                                     \
    "一。\tA B\tOne.\n二。\tA B\tTwo.\n三。\tA B\tThree.\n四。\tA B\tFour.\n五。\tA B\tFive.\n六。\tA "    \
    "B\tSix.\n七。\tA B\tSeven.\n"

#define SAME_ROWS "海。\tSea.\n海。\tSea.\n海。\tSea.\n海。\tSea.\n海。\tSea.\n海。\tSea.\n海。\tSea.\n海。\tSea.\n"

static void columns_are_found(void **state) {
    (void)state;
    static const char *const zh_en[] = {"zh", "en"}, *const en_zh[] = {"en-GB", "cmn"}, *const zh_fr[] = {"zh", "fr"},
                             *const de_fr[] = {"de", "fr"}, *const fr_en[] = {"fr", "en"},
                             *const en_fr[] = {"en", "fr"};
    static const int found[2] = {0}, chosen[2] = {3, 1}, outer[2] = {1, 3};
    static const struct {
        CorpusForm form;
        const char *text;
        const int *columns;
        const char *const *langs;
        const char *note, *source, *target;
    } cases[] = {
        /* the usual order, without and with a choice */
        {FORM_TSV, "The sea.\t海。\n", found, zh_en, "", "海。", "The sea."},
        {FORM_TSV, "The sea.\t海。\n", found, en_zh, "", "The sea.", "海。"},
        {FORM_TSV, "The sea.\t海。\tCC-BY 2.0\n", found, zh_en, "a: columns 2 and 1: Chinese, English", "海。",
         "The sea."},
        /* numbers, names, codes and addresses are no texts */
        {FORM_TSV, "7\t海。\t8\tThe sea.\n", found, zh_en, "a: columns 2 and 4: Chinese, English", "海。", "The sea."},
        {FORM_TSV, "7\t海。\t8\tThe sea.\n", found, en_zh, "a: columns 4 and 2: English, Chinese", "The sea.", "海。"},
        {FORM_TSV, "7\tThe sea.\t海。\n", found, zh_en, "a: columns 3 and 2: Chinese, English", "海。", "The sea."},
        {FORM_TSV, "海。\tThe sea.\n", found, zh_en, "a: columns 1 and 2: Chinese, English", "海。", "The sea."},
        {FORM_TSV, "苹果 iPhone。\tI see 海.\n", found, zh_en, "a: columns 1 and 2: Chinese, English", "苹果 iPhone。",
         "I see 海."},
        {FORM_TSV, "7\t海。\tanna\t8\tThe sea.\n", found, zh_en, "a: columns 2 and 5: Chinese, English", "海。",
         "The sea."},
        {FORM_TSV, "海。\tA B\tSea.\n" SEVEN_ROWS, found, zh_en, "a: columns 1 and 3: Chinese, English", "海。",
         "Sea."},
        {FORM_TSV, "7\tLa mer.\t海。\n", found, zh_fr, "a: columns 3 and 2: Chinese, fr", "海。", "La mer."},
        /* the nearer column, then the first; a column in which most texts have spaces is better */
        {FORM_TSV, "7\t海。\tA sea.\tA lake.\n", found, zh_en, "a: columns 2 and 3: Chinese, English", "海。",
         "A sea."},
        {FORM_TSV, "La mer.\tLe lac.\t海。\n", found, zh_fr, "a: columns 3 and 2: Chinese, fr", "海。", "Le lac."},
        {FORM_TSV, "La mer.\t海。\tLe lac.\n", found, zh_fr, "a: columns 2 and 1: Chinese, fr", "海。", "La mer."},
        {FORM_TSV, "海。\tAnna\tThe sea.\n湖。\tAnna B\tThe lake.\n", found, zh_en,
         "a: columns 1 and 3: Chinese, English", "海。", "The sea."},
        /* the script of half of the rows is enough; a column that never changes is a text if there are few rows, or no
           other columns */
        {FORM_TSV, "海。\tThe sea.\nabc\tThe lake.\n", found, zh_en, "a: columns 1 and 2: Chinese, English", "海。",
         "The sea."},
        {FORM_TSV, SEVEN_ROWS, found, zh_en, "a: columns 1 and 2: Chinese, English", "一。", "A B"},
        {FORM_TSV, SAME_ROWS, found, zh_en, "a: columns 1 and 2: Chinese, English", "海。", "Sea."},
        /* neither language is Chinese: English is the first column */
        {FORM_TSV, "1\tla mer\tthe sea\n", found, fr_en, "", "la mer", "1"},
        {FORM_TSV, "1\tla mer\tthe sea\n", found, en_fr, "", "1", "la mer"},
        {FORM_TSV, "das Meer\tsea\tla mer\n", chosen, de_fr, "", "la mer", "das Meer"},
        {FORM_TSV, "2\t海\t1\n", chosen, zh_en, "", "1", "2"},
        /* headers of a CSV */
        {FORM_CSV, "id,English,zh-CN\n7,The sea.,海。\n", found, zh_en, "", "海。", "The sea."},
        {FORM_CSV, "target,source\r\nla mer,\"das \"\"Meer\"\",\nda\"\r\n", found, de_fr, "", "das \"Meer\",\nda",
         "la mer"},
        {FORM_CSV, "\"原文\",\"译文\"\n海。,The sea.\n", found, zh_en,
         "a: columns 1 and 2: Chinese, English; line 1 is a header", "海。", "The sea."},
        {FORM_CSV, "The sea.,海。\n", found, zh_en, "", "海。", "The sea."},
        {FORM_CSV, "zh,en,x\n海。,,The sea.\n", outer, zh_en, "", "海。", "The sea."},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        check_table(cases[i].form, cases[i].text, cases[i].columns, cases[i].langs, cases[i].note, cases[i].source,
                    cases[i].target);
}

/* The rows that were read to find the columns are read once, as those after them; the number of a line counts them. */
static void many_rows_are_read_once(void **state) {
    (void)state;
    enum { ROWS = 2500 };
    Corpus corpus = {0};
    Err err;
    for (int csv = 0; csv < 2; csv++) {
        FILE *out = fopen("a", "w");
        assert_non_null(out);
        for (int i = 0; i < ROWS; i++)
            fprintf(out, csv ? "%d,\"the, \nsea %d\",海%d\n" : "%d\tthe sea %d\t海%d\n", i, i, i);
        fclose(out);
        assert_int_equal(corpus_read(&corpus, open_corpus(csv ? FORM_CSV : FORM_TSV, "a", TARGET, &err), "a", &err), 0);
        assert_counts(&corpus, ROWS, ROWS, 0);
        for (int i = 0; i < ROWS; i++) {
            char expected[32];
            snprintf(expected, sizeof expected, "海%d", i);
            assert_string_equal(corpus.source[i], expected);
            assert_int_equal(corpus.line[i], csv ? 2 * i + 1 : i + 1);
        }
        corpus_free(&corpus);
    }
}

static void objects_become_pairs(void **state) {
    (void)state;
    Corpus corpus = {0};
    Err err;
    write_text("a",
               "{\"zh\": \"海\\n洋\", \"en\": \"the \\u0073ea\", \"id\": {\"zh\": 1}}\n\n"
               "{\"id\": 2, \"translation\": {\"eng\": \"lake\", \"zh-TW\": \"湖\"}}\r\n"
               "{\"translation\": \"x\", \"zh_cn\": \"河\", \"zh\": null, \"en\": \"river\"}\n{\"en\": \"alone\"}");
    assert_int_equal(corpus_read(&corpus, open_corpus(FORM_JSONL, "a", TARGET, &err), "a", &err), 0);
    assert_counts(&corpus, 2, 5, 3);
    assert_string_equal(corpus.source[0], "海 洋");
    assert_string_equal(corpus.target[0], "the sea");
    assert_string_equal(corpus.source[1], "湖");
    assert_int_equal(corpus.line[1], 3);
    corpus_free(&corpus);
}

/* ---- catalogues ---- */

/* A message of a catalogue as msgfmt writes it. The strings may contain NULs, so each has its size. */
typedef struct Entry {
    const char *original;
    size_t original_size;
    const char *translation;
    size_t translation_size;
} Entry;

#define ENTRY(original, translation)                                                                                   \
    { original, sizeof(original) - 1, translation, sizeof(translation) - 1 }

static void put_word(char **bytes, size_t at, uint32_t word, bool swapped) {
    if (swapped) word = __builtin_bswap32(word);
    memcpy(*bytes + at, &word, sizeof word);
}

/* Returns a catalogue as a stb_ds array of bytes. */
static char *catalogue(const Entry *entries, uint32_t n, bool swapped) {
    char *bytes = NULL;
    arrsetlen(bytes, 28 + 16 * (size_t)n);
    memset(bytes, 0, arrlenu(bytes));
    const uint32_t header[] = {0x950412de, 0, n, 28, 28 + 8 * n};
    for (size_t i = 0; i < COUNT(header); i++) put_word(&bytes, 4 * i, header[i], swapped);
    for (uint32_t i = 0; i < 2 * n; i++) {
        const Entry *entry = &entries[i % n];
        const char *text = i < n ? entry->original : entry->translation;
        size_t size = i < n ? entry->original_size : entry->translation_size;
        put_word(&bytes, 28 + 8 * (size_t)i, (uint32_t)size, swapped);
        put_word(&bytes, 28 + 8 * (size_t)i + 4, (uint32_t)arrlenu(bytes), swapped);
        for (size_t k = 0; k < size; k++) arrput(bytes, text[k]);
        arrput(bytes, '\0');
    }
    return bytes;
}

static const Entry messages[] = {
    ENTRY("", "Content-Type: text/plain; charset=UTF-8\n"),
    ENTRY("apple\0apples", "苹果"),
    ENTRY("menu\4Open", "打开"),
    ENTRY("menu\4%d file\0%d files", "一个文件\0两个文件\0许多文件"),
    ENTRY("Not translated", ""),
};

static void catalogues_become_pairs(void **state) {
    (void)state;
    static const char *const expected[][2] = {
        {"apple", "苹果"}, {"apples", "苹果"}, {"Open", "打开"}, {"%d file", "一个文件"}, {"%d files", "许多文件"}};
    for (int swapped = 0; swapped < 2; swapped++) {
        Err err;
        char *bytes = catalogue(messages, COUNT(messages), swapped);
        write_bytes("a", bytes, arrlenu(bytes));
        arrfree(bytes);
        Corpus corpus = {0};
        assert_int_equal(corpus_read(&corpus, open_corpus(FORM_MO, "a", TARGET, &err), "a", &err), 0);
        assert_counts(&corpus, COUNT(expected), 7, 2);
        for (size_t i = 0; i < COUNT(expected); i++) {
            assert_string_equal(corpus.target[i], expected[i][0]);
            assert_string_equal(corpus.source[i], expected[i][1]);
        }
        corpus_free(&corpus);
    }
}

static void plural_forms_are_known_as_such(void **state) {
    (void)state;
    Err err;
    RawPair pair;
    char *bytes = catalogue(messages, COUNT(messages), false);
    write_bytes("a", bytes, arrlenu(bytes));
    arrfree(bytes);
    Reader *reader = open_corpus(FORM_MO, "a", SOURCE, &err);
    static const struct {
        long line;
        bool same_message;
    } expected[] = {{1, false}, {2, false}, {2, true}, {3, false}, {4, false}, {4, true}, {5, false}};
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(reader_next(reader, &pair, &err), 1);
        assert_int_equal(pair.line, expected[i].line);
        assert_int_equal(pair.same_message, expected[i].same_message);
    }
    assert_int_equal(reader_next(reader, &pair, &err), 0);
    reader_close(reader);
}

static void broken_catalogues_are_refused(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint32_t word;
        long line;
        const char *reason;
    } cases[] = {
        {0, 0x12345678, 0, "is not a gettext catalogue"},
        {4, 0x00020000, 0, "later format (2)"},
        {8, 0xffffffff, 0, "the tables of its 4294967295 messages"},
        {12, 0xfffffff0, 0, "is cut off"},
        {16, 1000, 0, "is cut off"},
        {28 + 8, 1000, 2, "is not within the file"},            /* length of the second original */
        {28 + 16 + 4, 0xffffffff, 3, "is not within the file"}, /* offset of the third original */
        {28 + 40, 0xffffffff, 1, "is not within the file"},     /* length of the first translation */
        {28 + 40, 5, 1, "is not within the file"},              /* no NUL after the string */
    };
    Err err;
    Corpus corpus = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *bytes = catalogue(messages, COUNT(messages), false);
        put_word(&bytes, cases[i].at, cases[i].word, false);
        write_bytes("a", bytes, arrlenu(bytes));
        arrfree(bytes);
        assert_int_equal(corpus_read(&corpus, open_corpus(FORM_MO, "a", SOURCE, &err), "a", &err), -1);
        assert_err(&err, "a", cases[i].line, cases[i].reason);
    }
    char *bytes = catalogue(messages, COUNT(messages), false);
    for (size_t size = 0; size < arrlenu(bytes); size++) {
        write_bytes("a", bytes, size);
        assert_int_equal(corpus_read(&corpus, open_corpus(FORM_MO, "a", SOURCE, &err), "a", &err), -1);
    }
    arrfree(bytes);
    assert_counts(&corpus, 0, 0, 0);
}

/* n messages that all use the same string of n bytes would take n² steps. */
static void messages_that_share_their_bytes_are_refused(void **state) {
    (void)state;
    enum { MESSAGES = 50 };
    Err err;
    Corpus corpus = {0};
    Entry entries[MESSAGES];
    for (int i = 0; i < MESSAGES; i++) entries[i] = (Entry)ENTRY("message", "消息");
    for (int shared = 1; shared <= MESSAGES; shared += MESSAGES - 1) {
        char *bytes = catalogue(entries, MESSAGES, false);
        for (size_t table = 0; table < 2 && shared > 1; table++)
            for (size_t i = 0; i < MESSAGES; i++) {
                const size_t at = 28 + 8 * (MESSAGES * table + i), size = arrlenu(bytes);
                put_word(&bytes, at, (uint32_t)(size - 1 - (28 + 16 * MESSAGES)), false);
                put_word(&bytes, at + 4, 28 + 16 * MESSAGES, false);
            }
        write_bytes("a", bytes, arrlenu(bytes));
        arrfree(bytes);
        assert_int_equal(corpus_read(&corpus, open_corpus(FORM_MO, "a", TARGET, &err), "a", &err), shared > 1 ? -1 : 0);
        if (shared > 1) assert_err(&err, "a", 0, "its 50 messages share bytes");
        corpus_free(&corpus);
    }
}

/* ---- sentences ---- */

static void assert_sentences(const char *text, bool chinese, const char *expected) {
    assert_lines(sentences_split(text, chinese), expected);
}

static void sentences_are_split_at_their_ends(void **state) {
    (void)state;
    assert_sentences("", false, "");
    assert_sentences("One only", false, "One only");
    assert_sentences("It rains. Stay! Why? Because", false, "It rains.|Stay!|Why?|Because");
    assert_sentences("Ask Mr. Smith or J. Doe, e.g. at 5 p.m. Then go.", false,
                     "Ask Mr. Smith or J. Doe, e.g. at 5 p.m. Then go.");
    assert_sentences("It costs 3.50. No. 5 is alive! v1.2 is out.", false,
                     "It costs 3.50.|No. 5 is alive! v1.2 is out.");
    assert_sentences("Well... I see. \"Go!\" he said. \"Run.\" She ran.", false,
                     "Well... I see.|\"Go!\" he said.|\"Run.\"|She ran.");
    assert_sentences("“Stop.” “No.” (He left.) What?! Yes.", false, "“Stop.”|“No.”|(He left.)|What?!|Yes.");
    assert_sentences("She was ill.” Then", false, "She was ill.”|Then");
    assert_sentences("下雨了。别走!为什么?因为", true, "下雨了。|别走!|为什么?|因为");
    assert_sentences("“停。”他说。「好!」", true, "“停。”|他说。|「好!」");
    assert_sentences("他说。\"你好。\"我走了......真的?!好。", true, "他说。|\"你好。\"|我走了......真的?!|好。");
    assert_sentences("价格是3.50元。 完", true, "价格是3.50元。|完");
}

/* ---- filters ---- */

typedef struct Judged {
    const char *english, *chinese;
    Reason reason;
} Judged;

static void assert_judged(const Judged *cases, size_t count, const CleanLimits *limits) {
    for (size_t i = 0; i < count; i++) {
        const Reason reason = clean_judge(cases[i].english, cases[i].chinese, limits);
        if (reason != cases[i].reason)
            fail_msg("\"%s\", \"%s\": %s, expected %s", cases[i].english, cases[i].chinese, reason_texts[reason].name,
                     reason_texts[cases[i].reason].name);
    }
}

static void pairs_are_dropped_for_a_reason(void **state) {
    (void)state;
    static const Judged cases[] = {
        {"The tide is out.", "潮水退了。", KEPT},
        {"He paid $5, or 10% of it; R&D, 3 > 2?", "他付了5美元。", MARKUP},
        {"He paid $5, or 10% of it.", "他付了5美元,即10%。", KEPT},
        {"Café naïve", "咖啡", KEPT},
        {"", "空", EMPTY},
        {"empty", "", EMPTY},
        {"OK", "OK", IDENTICAL},
        {"三", "三", IDENTICAL},
        {"%s is here", "这里", MARKUP},
        {"Here", "%1$s在这里", MARKUP},
        {"<b>Bold</b>", "粗体", MARKUP},
        {"You have {count}", "你有", MARKUP},
        {"Take $item_name now", "拿", MARKUP},
        {"Tom&nbsp;Smith", "汤姆", MARKUP},
        {"One\\nTwo", "一", MARKUP},
        {"100%% sure", "肯定", MARKUP},
        {"Hello", "Hallo!", NOT_CHINESE},
        {"Hello", "はい", NOT_CHINESE},
        {"42", "四十二", NOT_ENGLISH},
        {"Привет", "你好", NOT_ENGLISH},
        {"The character 中", "中字", NOT_ENGLISH},
        {"a b c d e f g h i j", "一二三四五六七", KEPT},
        {"a b c d e f g h i j k", "一二三四五六七", TOO_LONG},
        {"I’d we’d he'd it'd a b c d e f", "一二三四五六七", KEPT}, /* an apostrophe is within a word */
        {"a", "一二三四五六七八九十一", TOO_LONG},
        {"a", "一二三四五六七八", KEPT},
        {"a", "一二三四五六七八九", RATIO},
        {"a b c d e f g h i", "一", RATIO},
    };
    assert_judged(cases, COUNT(cases), &(CleanLimits){.most_words = 10, .most_ratio = 3});
    for (int i = 0; i < REASONS; i++) assert_true(reason_texts[i].name && reason_texts[i].about);
}

/* Which characters, and which pairs of them, are markup: of all printable characters of ASCII. */
static void markup_is_known_by_its_characters(void **state) {
    (void)state;
    static const char alone[] = "<>{}|_^`", before[] = "$%\\";
    static const char *const after[] = {"_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ{", "%", "nt\""};
    const CleanLimits limits = {.most_words = 10, .most_ratio = 30};
    for (int c = ' '; c <= '~'; c++) {
        char text[] = "one ? two";
        text[4] = (char)c;
        assert_int_equal(clean_judge(text, "一二", &limits), strchr(alone, c) ? MARKUP : KEPT);
        for (size_t i = 0; i < sizeof before - 1; i++) {
            char both[] = "one $? two";
            both[4] = before[i];
            both[5] = (char)c;
            const bool markup =
                strchr(alone, c) || strchr(after[i], c) || (before[i] == '%' && placeholder_length(both + 4));
            assert_int_equal(clean_judge(both, "一二", &limits), markup ? MARKUP : KEPT);
        }
    }
}

/* If placeholders are kept, both sides must have the same ones. */
static void pairs_with_placeholders_are_kept(void **state) {
    (void)state;
    static const Judged cases[] = {
        {"Open %s in {app}.", "在{app}中打开%s。", KEPT},
        {"<b>Bold</b>&nbsp;text", "<b>粗体</b>&nbsp;字", KEPT},
        {"%s of %s files", "%s个文件", MARKUP},
        {"%s of %d files", "%s个文件,共%s", MARKUP},
        {"%s is here", "这里", MARKUP},
        {"_Open %s", "打开%s", MARKUP},
        {"%s: $name", "%s:名", MARKUP},
        {"{name}: %d", "%d岁{name}", NOT_ENGLISH},
        {"%s", "%s", IDENTICAL},
        {"Open", "打开", KEPT},
    };
    assert_judged(cases, COUNT(cases), &(CleanLimits){.most_words = 10, .most_ratio = 3, .placeholders = true});
}

/* ---- splits ---- */

static uint64_t rng_state = 7;

static int below(int n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((rng_state >> 33) % (uint64_t)n);
}

enum { CROWD = 4000 };

/* Draws pairs of numbered sentences; some sentences are in several pairs, and some pairs are repeated. */
static void random_pairs(int pairs[CROWD][2]) {
    for (int i = 0; i < CROWD; i++) {
        int from = i > 0 ? below(i) : 0, kind = i > 0 ? below(20) : 3; /* 0, 1: repeats one side; 2: repeats both */
        for (int side = 0; side < 2; side++)
            pairs[i][side] = kind == side || kind == 2 ? pairs[from][side] : below(2 * CROWD);
    }
}

static unsigned char *split_pairs(int pairs[CROWD][2], long dev, long test) {
    static PairKeys keys[CROWD];
    for (int i = 0; i < CROWD; i++) {
        /* sentences that differ only in case, punctuation or spaces count as the same sentence, but give another pair
         */
        static const char *const marks[] = {".", "!", " ?"};
        char source[32], target[32];
        snprintf(source, sizeof source, "句子%d%s", pairs[i][0], marks[(pairs[i][0] + pairs[i][1]) % 3]);
        snprintf(target, sizeof target, "%s %d", (pairs[i][0] + pairs[i][1]) % 2 ? "Sentence" : "sentence",
                 pairs[i][1]);
        keys[i] = pair_keys(source, target);
    }
    return partition(keys, CROWD, dev, test);
}

static void no_part_shares_a_sentence_with_another(void **state) {
    (void)state;
    static int pairs[CROWD][2];
    for (int round = 0; round < 5; round++) {
        random_pairs(pairs);
        unsigned char *part = split_pairs(pairs, 300, 200);
        long count[PARTS + 1] = {0};
        for (int i = 0; i < CROWD; i++) {
            count[part[i]]++;
            for (int k = 0; k < i; k++) {
                const bool same[2] = {pairs[i][0] == pairs[k][0], pairs[i][1] == pairs[k][1]};
                if (part[i] == REPEATED || part[k] == REPEATED) continue;
                assert_false(same[0] && same[1]);
                if (same[0] || same[1]) assert_int_equal(part[i], part[k]);
            }
        }
        assert_int_equal(count[DEV], 300);
        assert_int_equal(count[TEST], 200);
        assert_true(count[REPEATED] > 0);
        mem_free(part);
    }
}

static void the_order_of_pairs_does_not_matter(void **state) {
    (void)state;
    static int pairs[CROWD][2], shuffled[CROWD][2];
    int order[CROWD];
    random_pairs(pairs);
    for (int i = 0; i < CROWD; i++) order[i] = i;
    for (int i = CROWD - 1; i > 0; i--) {
        int k = below(i + 1), t = order[i];
        order[i] = order[k], order[k] = t;
    }
    for (int i = 0; i < CROWD; i++) memcpy(shuffled[i], pairs[order[i]], sizeof *pairs);
    unsigned char *part = split_pairs(pairs, 300, 200), *other = split_pairs(shuffled, 300, 200);
    for (int i = 0; i < CROWD; i++)
        if (part[order[i]] != REPEATED && other[i] != REPEATED) assert_int_equal(part[order[i]], other[i]);
    mem_free(part);
    mem_free(other);
}

/* If all pairs are connected by shared sentences, any split would leak, so nothing is held out. */
static void one_large_group_is_not_cut(void **state) {
    (void)state;
    PairKeys keys[100];
    for (int i = 0; i < 100; i++) {
        char target[32];
        snprintf(target, sizeof target, "answer %d", i);
        keys[i] = pair_keys("好", target);
    }
    unsigned char *part = partition(keys, 100, 20, 20);
    for (int i = 0; i < 100; i++) assert_int_equal(part[i], TRAIN);
    mem_free(part);
    mem_free(partition(keys, 0, 20, 20));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_and_normalised),
        cmocka_unit_test(lines_report_what_is_wrong),
        cmocka_unit_test(a_long_line_is_read_whole),
        cmocka_unit_test(refused_memory_leaves_no_open_file),
        cmocka_unit_test(aligned_files_become_pairs),
        cmocka_unit_test(aligned_files_that_do_not_fit),
        cmocka_unit_test(tab_separated_columns_become_pairs),
        cmocka_unit_test(tables_that_are_broken),
        cmocka_unit_test(columns_are_found),
        cmocka_unit_test(many_rows_are_read_once),
        cmocka_unit_test(objects_become_pairs),
        cmocka_unit_test(catalogues_become_pairs),
        cmocka_unit_test(plural_forms_are_known_as_such),
        cmocka_unit_test(broken_catalogues_are_refused),
        cmocka_unit_test(messages_that_share_their_bytes_are_refused),
        cmocka_unit_test(sentences_are_split_at_their_ends),
        cmocka_unit_test(pairs_are_dropped_for_a_reason),
        cmocka_unit_test(pairs_with_placeholders_are_kept),
        cmocka_unit_test(markup_is_known_by_its_characters),
        cmocka_unit_test(no_part_shares_a_sentence_with_another),
        cmocka_unit_test(the_order_of_pairs_does_not_matter),
        cmocka_unit_test(one_large_group_is_not_cut),
    };
    return cmocka_run_group_tests_name("corpus", tests, make_directory, remove_directory);
}
