/* Tests the file of corrections: what it accepts, that no acknowledged correction is lost by a kill, a torn line or a
   full disk, that only one process changes it, that deleted texts leave it, and its translation memory. Also tests the
   terms that corrections propose. */
#include "core/rng.h"
#include "corpus/correction_terms.h"
#include "corpus/correction_check.h"
#include "corpus/correction_file.h"
#include "io/ds.h"
#include "io/files.h"
#include "readers.h"
#include "scratch.h"
#include "limit_files.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST = 1 << 20 };
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TIME         "2026-11-29T12:00:00Z"
#define ENTRY(id, source, correction)                                                                                  \
    "{\"id\":" id ",\"time\":\"" TIME "\",\"model\":\"m\",\"langs\":[\"zh\",\"en\"],\"source\":\"" source              \
    "\",\"translation\":\"It goes.\",\"correction\":\"" correction "\"}\n"

static char scratch[SCRATCH_SIZE], path[PATH_SIZE];

static int set_up(void **state) {
    (void)state;
    scratch_directory(scratch);
    path_in(path, scratch, "keys/a.jsonl");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    scratch_remove(scratch);
    return 0;
}

/* ---- what the tests share ---------------------------------------------------------------------------------------- */

static Correction pair(const char *source, const char *correction) {
    return (Correction){.time = (char *)TIME,
                        .model = (char *)"m",
                        .langs = {(char *)"zh", (char *)"en"},
                        .source = (char *)source,
                        .translation = (char *)"It goes.",
                        .correction = (char *)correction};
}

static CorrectionFile *open_file(void) {
    Err err, warning;
    CorrectionFile *file = corrections_open(path, MOST, &warning, &err);
    if (!file) fail_msg("%s:%ld: %s", err.path, err.line, err.reason);
    assert_string_equal(warning.reason, "");
    return file;
}

/* Opens the file, which has a fault that is repaired. */
static CorrectionFile *open_faulty(const char *warned) {
    Err err, warning;
    CorrectionFile *file = corrections_open(path, MOST, &warning, &err);
    if (!file) fail_msg("%s:%ld: %s", err.path, err.line, err.reason);
    if (!strstr(warning.reason, warned)) fail_msg("warning: %s", warning.reason);
    return file;
}

static long add(CorrectionFile *file, const char *source, const char *correction) {
    Err err;
    long id = 0;
    const Correction c = pair(source, correction);
    if (corrections_add(file, &c, &id, &err)) fail_msg("%s: %s", source, err.reason);
    return id;
}

static void drop(CorrectionFile *file, long id) {
    Err err;
    if (corrections_delete(file, id, &err)) fail_msg("%s", err.reason);
}

static void put(const char *text) {
    Err err;
    char keys[PATH_SIZE];
    path_in(keys, scratch, "keys");
    assert_int_equal(directory_make(keys, &err), 0);
    FILE *out = fopen(path, "wb");
    assert_true(fwrite(text, 1, strlen(text), out) == strlen(text));
    assert_int_equal(fclose(out), 0);
}

static void assert_text(const char *expected) {
    Err err;
    char *text = file_read(path, NULL, &err);
    assert_non_null(text);
    assert_string_equal(text, expected);
    mem_free(text);
}

static bool text_has(const char *part) {
    Err err;
    char *text = file_read(path, NULL, &err);
    const bool has = strstr(text, part);
    mem_free(text);
    return has;
}

/* Checks the entries: "ID correction" for each, with a newline after it. */
static void assert_entries(const Correction *all, int n, const char *expected) {
    char text[1024] = "";
    for (int i = 0; i < n; i++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%ld %s\n", all[i].id, all[i].correction);
    }
    assert_string_equal(text, expected);
}

static void assert_file(const CorrectionFile *file, const char *expected) {
    int n;
    const Correction *all = corrections_all(file, &n);
    assert_entries(all, n, expected);
}

static void assert_read(const char *expected) {
    Err err;
    Correction *all = corrections_read(path, &err);
    if (!all) fail_msg("%s:%ld: %s", err.path, err.line, err.reason);
    assert_entries(all, (int)arrlen(all), expected);
    corrections_free(all);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static void corrections_are_kept(void **state) {
    (void)state;
    char directory[PATH_SIZE];
    struct stat info;
    CorrectionFile *file = open_file();
    Correction c = pair(" 潮水\t退了。\n", "\t“The \\ tide” <went> out.　");
    long id;
    Err err;
    c.translation = NULL;
    assert_int_equal(corrections_add(file, &c, &id, &err), 0);
    assert_int_equal(id, 1);
    assert_int_equal(add(file, "海很大。", "The sea is vast."), 2);
    assert_text("{\"id\":1,\"time\":\"" TIME
                "\",\"model\":\"m\",\"langs\":[\"zh\",\"en\"],\"source\":\"潮水\\t退了。\","
                "\"correction\":\"“The \\\\ tide” <went> out.\"}\n" ENTRY("2", "海很大。", "The sea is vast."));
    corrections_close(file);
    assert_read("1 “The \\ tide” <went> out.\n2 The sea is vast.\n");
    file = open_file();
    int n;
    const Correction *all = corrections_all(file, &n);
    assert_int_equal(n, 2);
    assert_null(all[0].translation);
    assert_string_equal(all[1].translation, "It goes.");
    assert_string_equal(all[0].source, "潮水\t退了。");
    assert_string_equal(all[1].time, TIME);
    assert_string_equal(all[1].langs[0], "zh");
    assert_string_equal(all[1].langs[1], "en");
    assert_string_equal(all[1].model, "m");
    assert_int_equal(add(file, "船。", "A boat."), 3);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(info.st_size, corrections_size(file));
    path_in(directory, scratch, "keys");
    assert_int_equal(stat(directory, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    corrections_close(file);
}

static void a_correction_gets_the_time(void **state) {
    (void)state;
    char before[32], after[32];
    Correction c = pair("海。", "The sea.");
    CorrectionFile *file = open_file();
    Err err;
    long id;
    int n;
    struct tm parts;
    time_t now = time(NULL);
    c.time = NULL;
    strftime(before, sizeof before, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    assert_int_equal(corrections_add(file, &c, &id, &err), 0);
    now = time(NULL);
    strftime(after, sizeof after, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    const char *written = corrections_all(file, &n)->time;
    assert_true(strcmp(before, written) <= 0 && strcmp(written, after) <= 0);
    corrections_close(file);
}

/* The correction that counts is not written again; an earlier one is, because it then counts again. */
static void the_last_correction_counts(void **state) {
    (void)state;
    CorrectionFile *file = open_file();
    assert_int_equal(add(file, "海 ＡＢ", "the sea AB"), 1);
    assert_int_equal(add(file, "船很大。", "A big boat."), 2);
    for (int i = 0; i < 1000; i++) assert_int_equal(add(file, "海 ＡＢ", " the sea AB "), 1);
    assert_int_equal(add(file, "海 AB", "the ocean AB"), 3);
    assert_int_equal(add(file, "海 ＡＢ", "the sea AB"), 4);
    drop(file, 1);
    assert_int_equal(add(file, "海 ＡＢ", "the sea AB"), 4);
    assert_int_equal(add(file, "船很大。", "A big boat."), 2);
    int n;
    const Correction *all = corrections_all(file, &n), **current = corrections_current(all, n);
    assert_int_equal(arrlen(current), 2);
    assert_int_equal(current[0]->id, 2);
    assert_int_equal(current[1]->id, 4);
    arrfree(current);
    assert_null(corrections_current(NULL, 0));
    Correction other = pair("海 AB", "das Meer AB");
    long id;
    Err err;
    other.langs[1] = (char *)"de";
    assert_int_equal(corrections_add(file, &other, &id, &err), 0);
    all = corrections_all(file, &n);
    current = corrections_current(all, n);
    assert_int_equal(arrlen(current), 3);
    arrfree(current);
    corrections_close(file);
}

static void deleted_texts_are_gone(void **state) {
    (void)state;
    Err err;
    CorrectionFile *file = open_file();
    add(file, "海。", "The sea.");
    add(file, "海。", "The secret sea.");
    add(file, "船。", "The secret boat.");
    drop(file, 2);
    drop(file, 3);
    assert_file(file, "1 The sea.\n");
    assert_read("1 The sea.\n");
    assert_int_equal(corrections_delete(file, 3, &err), 1);
    assert_string_equal(err.reason, "has no correction 3");
    assert_int_equal(add(file, "船。", "A boat."), 4);
    corrections_close(file);
    assert_true(text_has("secret"));
    file = open_file();
    assert_text(ENTRY("1", "海。", "The sea.") ENTRY("4", "船。", "A boat."));
    drop(file, 4);
    corrections_close(file);
    file = open_file();
    assert_text(ENTRY("1", "海。", "The sea.") "{\"deleted\":4}\n");
    drop(file, 1);
    corrections_close(file);
    for (int i = 0; i < 3; i++) {
        file = open_file();
        assert_text("{\"deleted\":4}\n");
        assert_file(file, "");
        corrections_close(file);
    }
    file = open_file();
    assert_int_equal(add(file, "船。", "A boat."), 5);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    corrections_close(file);
}

static void a_full_file_refuses(void **state) {
    (void)state;
    Err err, warning;
    long id;
    const Correction c = pair("船很大。", "A big boat.");
    CorrectionFile *file = open_file();
    add(file, "海。", "The sea.");
    const size_t size = corrections_size(file);
    corrections_close(file);
    const size_t line = strlen(ENTRY("2", "船很大。", "A big boat.")), limits[] = {0, 1, size, size + line - 1};
    for (size_t i = 0; i < COUNT(limits); i++) {
        file = corrections_open(path, limits[i], &warning, &err);
        assert_int_equal(corrections_add(file, &c, &id, &err), -1);
        assert_non_null(strstr(err.reason, "is full"));
        assert_int_equal(corrections_size(file), size);
        corrections_close(file);
    }
    file = corrections_open(path, size + line, &warning, &err);
    assert_int_equal(corrections_add(file, &c, &id, &err), 0);
    assert_int_equal(corrections_size(file), size + line);
    drop(file, id);
    corrections_close(file);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

typedef struct Case {
    const char *source, *correction, *target, *reason; /* reason NULL: accepted */
} Case;

static void assert_case(const Case *t) {
    Err err = {0};
    Correction c = pair(t->source, t->correction);
    c.langs[1] = (char *)t->target;
    const int status = correction_check(&c, &err);
    if (status != (t->reason ? -1 : 0)) fail_msg("'%.40s' -> '%.40s': %s", t->source, t->correction, err.reason);
    if (t->reason && !strstr(err.reason, t->reason)) fail_msg("'%.40s': %s", t->correction, err.reason);
}

static void corrections_are_checked(void **state) {
    (void)state;
    static const Case cases[] = {
        {"海很大。", "The sea is vast.", "en", NULL},
        {"", "The sea.", "en", "the source is empty"},
        {"海。", "", "en", "the correction is empty"},
        {" \n\t　", "The sea.", "en", "the source is empty"},
        {"海。", " \u2028\u00a0\r\n", "en", "the correction is empty"},
        {"海\xff。", "The sea.", "en", "the source is not valid UTF-8"},
        {"海。", "The sea\xe6\xb5.", "en", "the correction is not valid UTF-8"},
        {"海。", "\xed\xa0\x80", "en", "the correction is not valid UTF-8"},
        {"海。", "The\nsea.", "en", "the correction has a line break or a control character (U+000A)"},
        {"海。\r船。", "The sea.", "en", "the source has a line break or a control character (U+000D)"},
        {"海。", "The \x1b[31msea.", "en", "(U+001B)"},
        {"海。", "The \x7fsea.", "en", "(U+007F)"},
        {"海。", "The \xc2\x85sea.", "en", "(U+0085)"},
        {"海。", "The \u2029sea.", "en", "(U+2029)"},
        {"海。\n", "\n The\tsea. \r\n", "en", NULL},
        {"OK", "OK", "en", "the correction is the source"},
        {"ＯＫ  go", "OK go", "en", "the correction is the source"},
        {"海很大。", "北京大学", "en", "not in the language \"en\""},
        {"海很大。", "Море большое.", "en", "not in the language \"en\""},
        {"海很大。", "大海 is big", "de", NULL},
        {"海很大。", "海很大，很大 is", "de", "not in the language \"de\""},
        {"“海”是一个字。", "“海” is a character.", "en", NULL},
        {"2008年", "2008", "en", NULL},
        {"The sea is vast.", "大海无边。", "zh", NULL},
        {"The sea is vast.", "The ocean is vast.", "zh", "not in the language \"zh\""},
        {"The sea is vast.", "うみ", "zh-TW", "not in the language \"zh-TW\""},
        {"The sea is vast.", "うみはひろい。", "ja", NULL},
        {"The sea is vast.", "The ocean.", "jpn", "not in the language \"jpn\""},
        {"The sea is vast.", "바다는 넓다.", "ko", NULL},
        {"GitHub, iPhone 15!", "GitHub、iPhone 15！", "zh", NULL},
        {"GitHub, iPhone 15!", "GitLab、iPhone 15！", "zh", "not in the language \"zh\""},
        {"100%", "99 %。", "zh", NULL},
        {"<script>alert(1)</script>海", "<b onclick=\"x\">The sea</b> &amp;", "en", NULL},
        {"海。", "The sea is a body of salt water that covers most of it.", "en", "too long to be"},
        {"The sea is a body of salt water that covers most of it.", "海", "zh", "too short to be"},
        {"画蛇添足", "to ruin the effect by adding something superfluous", "en", NULL},
        {"海。", "The sea.", "", "a code of a language"},
        {"海。", "The sea.", "e\"n", "a code of a language"},
        {"海。", "The sea.", "en/../..", "a code of a language"},
        {"海。", "The sea.", "a23456789-123456789-123456789-123456", "a code of a language"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) assert_case(&cases[i]);
}

static char *repeated(const char *text, int n) {
    char *all = mem_alloc(strlen(text) * (size_t)n + 1), *end = all;
    for (*end = '\0'; n > 0; n--) end = stpcpy(end, text);
    return all;
}

static void long_texts_are_refused(void **state) {
    (void)state;
    Err err;
    char *most = repeated("海", CORRECTION_CHARACTERS), *more = repeated("海", CORRECTION_CHARACTERS + 1),
         *english = repeated("a", CORRECTION_CHARACTERS), *huge = repeated("sea ", 10 << 18);
    assert_case(&(Case){most, english, "en", NULL});
    assert_case(&(Case){more, english, "en", "the source has more than 2000 characters"});
    assert_case(&(Case){most, huge, "en", "the correction has more than 2000 characters"});
    Correction c = pair("海。", "The sea.");
    c.translation = huge;
    assert_int_equal(correction_check(&c, &err), -1);
    assert_string_equal(err.reason, "the translation has more than 2000 characters");
    c.translation = (char *)"a\xff";
    assert_int_equal(correction_check(&c, &err), -1);
    assert_string_equal(err.reason, "the translation is not valid UTF-8");
    c.translation = (char *)"";
    assert_int_equal(correction_check(&c, &err), 0);
    c.model = (char *)"a\nb";
    assert_int_equal(correction_check(&c, &err), -1);
    c.model = (char *)"m";
    c.time = (char *)"2026-11-29 12:00";
    assert_int_equal(correction_check(&c, &err), -1);
    mem_free(most);
    mem_free(more);
    mem_free(english);
    mem_free(huge);
}

/* A refused correction leaves no trace. */
static void adding_checks(void **state) {
    (void)state;
    Err err;
    long id = -1;
    CorrectionFile *file = open_file();
    const Correction c = pair("海。", "海。");
    assert_int_equal(corrections_add(file, &c, &id, &err), -1);
    assert_string_equal(err.reason, "the correction is the source");
    assert_int_equal(id, -1);
    assert_int_equal(corrections_size(file), 0);
    assert_file(file, "");
    corrections_close(file);
    assert_text("");
}

/* ---- hostile and broken files ------------------------------------------------------------------------------------ */

static void broken_lines_are_errors(void **state) {
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"nonsense\n", "line is not an object of JSON as tide writes it"},
        {"[1]\n", "line is not an object"},
        {"{\"id\":2\n", "line is not an object"},
        {"{\"id\":2,\"x\":\"\\u0000\"}\n", "line is not an object"},
        {"{\"id\":2,\"x\":\"\xff\"}\n", "line is not an object"},
        {"{\"id\":2,\"x\":\"\\ud800\"}\n", "line is not an object"},
        {"{\"id\":2,\"x\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}\n",
         "line is not an object"},
        {ENTRY("1", "a", "b"), "\"id\" is not"},
        {ENTRY("0", "a", "b"), "\"id\" is not"},
        {ENTRY("-2", "a", "b"), "\"id\" is not"},
        {ENTRY("2.5", "a", "b"), "\"id\" is not"},
        {ENTRY("1e300", "a", "b"), "\"id\" is not"},
        {ENTRY("\"2\"", "a", "b"), "\"id\" is not"},
        {"{\"id\":2}\n", "\"time\" is not"},
        {"{\"id\":2,\"time\":\"2026-11-29T12:00:00\"}\n", "\"time\" is not"},
        {"{\"id\":2,\"time\":\"" TIME "\",\"langs\":[\"zh\"]}\n", "\"langs\" is not"},
        {"{\"id\":2,\"time\":\"" TIME "\",\"langs\":{\"a\":\"zh\",\"b\":\"en\"}}\n", "\"langs\" is not"},
        {"{\"id\":2,\"time\":\"" TIME "\",\"langs\":[\"zh\",\"en\"],\"model\":\"m\",\"source\":\"a\"}\n",
         "\"model\", \"source\" or \"correction\" is not a string"},
        {"{\"id\":2,\"time\":\"" TIME "\",\"langs\":[\"zh\",\"en\"],\"model\":\"m\",\"source\":\"a\","
         "\"correction\":\"b\",\"translation\":7}\n",
         "\"translation\" is not a string"},
        {"{\"deleted\":0}\n", "\"deleted\" is not"},
        {"{\"deleted\":\"1\"}\n", "\"deleted\" is not"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[1024];
        Err err, warning;
        snprintf(text, sizeof text, "%s\n%s%s", ENTRY("1", "海。", "The sea."), cases[i].line, ENTRY("9", "a", "b"));
        put(text);
        for (int reading = 0; reading < 2; reading++) {
            if (reading) assert_null(corrections_read(path, &err));
            else assert_null(corrections_open(path, MOST, &warning, &err));
            assert_string_equal(err.path, path);
            assert_int_equal(err.line, 3);
            if (!strstr(err.reason, cases[i].reason)) fail_msg("%s: %s", cases[i].line, err.reason);
            assert_text(text);
        }
    }
}

static void a_deep_line_is_an_error(void **state) {
    (void)state;
    Err err;
    char *deep = repeated("[", 1 << 20);
    deep[(1 << 20) - 1] = '\n';
    put(deep);
    assert_null(corrections_read(path, &err));
    assert_int_equal(err.line, 1);
    mem_free(deep);
}

/* Wherever a kill cuts the last line, the entries before it are kept, and the file can be used. */
static void a_torn_line_is_cut_off(void **state) {
    (void)state;
    static const char first[] = ENTRY("1", "海。", "The sea."), second[] = ENTRY("2", "船。", "A boat.");
    for (size_t n = 0; n < strlen(second); n++) {
        char text[2 * sizeof first + sizeof second];
        snprintf(text, sizeof text, "%s%.*s", first, (int)n, second);
        const bool complete = n + 1 == strlen(second); /* only the newline is missing */
        put(text);
        assert_read(complete ? "1 The sea.\n2 A boat.\n" : "1 The sea.\n");
        assert_text(text);
        CorrectionFile *file = open_faulty(n == 0 || complete ? "" : "an incomplete last line");
        snprintf(text, sizeof text, "%s%s", first, complete ? second : "");
        assert_text(text);
        assert_int_equal(add(file, "鱼。", "A fish."), complete ? 3 : 2);
        corrections_close(file);
        assert_read(complete ? "1 The sea.\n2 A boat.\n3 A fish.\n" : "1 The sea.\n2 A fish.\n");
        corrections_close(open_file());
    }
}

static void the_last_id_has_no_successor(void **state) {
    (void)state;
    Err err;
    long id;
    const Correction c = pair("海。", "The sea.");
    put("{\"deleted\":1073741824}\n");
    CorrectionFile *file = open_file();
    assert_int_equal(corrections_add(file, &c, &id, &err), -1);
    corrections_close(file);
    corrections_close(open_file());
}

static void only_files_are_opened(void **state) {
    (void)state;
    Err err, warning;
    assert_null(corrections_open(scratch, MOST, &warning, &err));
    assert_non_null(strstr(err.reason, "Is a directory"));
    assert_null(corrections_open("/dev/full", MOST, &warning, &err));
    assert_null(corrections_read("/no/such", &err));
    assert_null(corrections_open("/no/such/folder/a", MOST, &warning, &err));
    assert_string_equal(err.path, "/no/such/folder");
}

/* ---- several processes, kills, full disks ------------------------------------------------------------------------ */

static void a_second_opener_is_refused(void **state) {
    (void)state;
    Err err, warning;
    CorrectionFile *file = open_file();
    add(file, "海。", "The sea.");
    drop(file, 1);
    const pid_t child = fork();
    if (child == 0)
        _exit(corrections_open(path, MOST, &warning, &err) ||
              strcmp(err.reason, "another tide process uses this file") != 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    corrections_close(file);
    file = open_file(); /* the file was written anew: the new one is locked, too */
    assert_text("{\"deleted\":1}\n");
    assert_null(corrections_open(path, MOST, &warning, &err));
    assert_string_equal(err.path, path);
    assert_read("");
    corrections_close(file);
    corrections_close(open_file());
}

static void a_removed_file_takes_nothing(void **state) {
    (void)state;
    Err err;
    long id;
    const Correction c = pair("海。", "The sea.");
    CorrectionFile *file = open_file();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(corrections_add(file, &c, &id, &err), -1);
    assert_non_null(strstr(err.reason, "was removed"));
    corrections_close(file);
}

static void tell(int out, long number) {
    if (write(out, &number, sizeof number) != sizeof number) _exit(1);
}

/* Adds corrections, and deletes every fourth, until the process is killed. Writes to the pipe the id of each correction
   after it was added; 0 before the last one is deleted, and its id with a minus afterwards. */
static void add_until_killed(int out) {
    Err err, warning;
    CorrectionFile *file = corrections_open(path, MOST, &warning, &err);
    if (!file) _exit(1);
    for (long i = 0;; i++) {
        char source[64], correction[64];
        long id;
        snprintf(source, sizeof source, "海 %d %ld", getpid(), i);
        snprintf(correction, sizeof correction, "sea %d %ld", getpid(), i);
        const Correction c = pair(source, correction);
        if (corrections_add(file, &c, &id, &err)) _exit(1);
        tell(out, id);
        if (i % 4 != 3) continue;
        tell(out, 0);
        if (corrections_delete(file, id, &err)) _exit(1);
        tell(out, -id);
    }
}

/* Runs add_until_killed for some microseconds, and puts what was acknowledged at the end of a stb_ds array. */
static void kill_adder(long **acknowledged, uint32_t microseconds) {
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) add_until_killed(ends[1]);
    close(ends[1]);
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000L}, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    for (long id; read(ends[0], &id, sizeof id) == sizeof id;) arrput(*acknowledged, id);
    close(ends[0]);
}

static bool is_there(const CorrectionFile *file, long id) {
    int n;
    const Correction *all = corrections_all(file, &n);
    for (int i = 0; i < n; i++)
        if (all[i].id == id) return true;
    return false;
}

/* Checks what was acknowledged: additions are in the file unless their deletion has begun, deletions are not, and no id
   was used twice. */
static void assert_acknowledged(const CorrectionFile *file, const long *acknowledged) {
    long last = 0;
    for (ptrdiff_t i = 0; i < arrlen(acknowledged); i++) {
        const long id = acknowledged[i];
        const bool kept = id > 0 && (i + 1 == arrlen(acknowledged) || acknowledged[i + 1] != 0);
        if (kept && !is_there(file, id)) fail_msg("correction %ld is lost", id);
        if (id < 0 && is_there(file, -id)) fail_msg("correction %ld is still there", -id);
        if (id <= 0) continue;
        assert_true(id > last);
        last = id;
    }
}

static void a_kill_loses_nothing(void **state) {
    (void)state;
    enum { KILLS = 30, LONGEST = 20000 }; /* microseconds */
    Rng rng = rng_seed(1, 0);
    long *acknowledged = NULL;
    for (int k = 0; k < KILLS; k++) {
        Err err, warning;
        kill_adder(&acknowledged, rng_below(&rng, LONGEST));
        if (k % 3 != 2) continue; /* the next adder writes the file anew, and may be killed meanwhile */
        CorrectionFile *file = corrections_open(path, MOST, &warning, &err);
        if (!file) fail_msg("%s:%ld: %s", err.path, err.line, err.reason);
        assert_acknowledged(file, acknowledged);
        corrections_close(file);
    }
    assert_true(arrlen(acknowledged) > KILLS);
    arrfree(acknowledged);
}

/* Whatever part of a line fits, the file is as before, and takes the line when there is room. */
static void a_full_disk_is_an_error(void **state) {
    (void)state;
    static const char first[] = ENTRY("1", "海。", "The sea."), line[] = ENTRY("2", "船。", "A boat.");
    Err err;
    long id;
    const Correction c = pair("船。", "A boat.");
    CorrectionFile *file = open_file();
    add(file, "海。", "The sea.");
    for (size_t n = 0; n < strlen(line); n += 10) {
        limit_files(strlen(first) + n);
        assert_int_equal(corrections_add(file, &c, &id, &err), -1);
        assert_string_equal(err.path, path);
        assert_string_equal(err.reason, "cannot be written: File too large");
        if (n < 30) assert_int_equal(corrections_delete(file, 1, &err), -1);
        limit_files(RLIM_INFINITY);
        assert_text(first);
        assert_file(file, "1 The sea.\n");
    }
    assert_int_equal(add(file, "船。", "A boat."), 2);
    drop(file, 1);
    corrections_close(file);
    limit_files(20); /* the file cannot be written anew, but it can be used */
    file = open_faulty("still has the texts of deleted corrections: cannot be written: File too large");
    limit_files(RLIM_INFINITY);
    assert_file(file, "2 A boat.\n");
    assert_true(text_has("The sea."));
    corrections_close(file);
    file = open_file();
    assert_text(line);
    corrections_close(file);
}

/* ---- translation memories ---------------------------------------------------------------------------------------- */

static void a_translation_memory_is_read_back(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"“海” & <船> ]]>", "The \"sea\" & <boat> 'x' ]]> &amp;"},
        {"海\t船", "sea\tboat"},
        {"海\r\n船", "sea\r\nboat"},
        {"海\x01船\x1b", "sea\x7f \uFFFF\uFFFE boat \U0001F30A"},
    };
    static const char *const read_back[][2] = {
        {"“海” & <船> ]]>", "The \"sea\" & <boat> 'x' ]]> &amp;"},
        {"海\t船", "sea\tboat"},
        {"海\r\n船", "sea\r\nboat"},
        {"海\uFFFD船\uFFFD", "sea\x7f \uFFFD\uFFFD boat \U0001F30A"},
    };
    Correction all[COUNT(pairs)];
    const Correction *pointers[COUNT(pairs)];
    char file[PATH_SIZE];
    Err err;
    RawPair raw;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        all[i] = pair(pairs[i][0], pairs[i][1]);
        all[i].id = (long)i + 1;
        all[i].model = (char *)"a<b>&\"\x02";
        pointers[i] = &all[i];
    }
    path_in(file, scratch, "memory.tmx");
    FILE *out = fopen(file, "wb");
    corrections_write_tmx(out, pointers, COUNT(pairs));
    assert_int_equal(fclose(out), 0);
    char *text = file_read(file, NULL, &err);
    assert_non_null(strstr(text, "<tu tuid=\"2\" creationdate=\"20261129T120000Z\" srclang=\"zh\">\n"
                                 "<prop type=\"x-model\">a&#60;b&#62;&#38;&#34;\uFFFD</prop>\n"
                                 "<tuv xml:lang=\"zh\"><seg>海\t船</seg></tuv>\n"));
    mem_free(text);
    Reader *reader = open_corpus(FORM_TMX, file, 1, &err);
    if (!reader && strstr(err.reason, "needs expat")) {
        print_message("skipped: reading the translation memory: %s\n", err.reason);
        return;
    }
    assert_non_null(reader);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (reader_next(reader, &raw, &err) != 1) fail_msg("%ld: %s", err.line, err.reason);
        for (int side = 0; side < 2; side++) {
            assert_int_equal(raw.size[side], strlen(read_back[i][side]));
            assert_memory_equal(raw.text[side], read_back[i][side], raw.size[side]);
        }
    }
    assert_int_equal(reader_next(reader, &raw, &err), 0);
    reader_close(reader);
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

/* A sentence, its translation and its correction. */
typedef const char *Row[3];

/* Checks the terms of some rows: "SOURCE BEFORE AFTER COUNT" for each, with a newline after it. */
static void assert_terms(const Row *rows, int n, const char *source, const char *target, const char *expected) {
    Correction all[16];
    const Correction *pointers[16];
    char text[1024] = "";
    assert_true(n <= (int)COUNT(all));
    for (int i = 0; i < n; i++) {
        all[i] = pair(rows[i][0], rows[i][2]);
        all[i].translation = (char *)rows[i][1];
        all[i].langs[0] = (char *)source;
        all[i].langs[1] = (char *)target;
        pointers[i] = &all[i];
    }
    TermProposal *terms = correction_terms(pointers, n, (const char *const[]){source, target});
    for (ptrdiff_t i = 0; i < arrlen(terms); i++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s|%s|%s|%d\n", terms[i].source, terms[i].before, terms[i].after,
                 terms[i].count);
    }
    assert_string_equal(text, expected);
    correction_terms_free(terms);
    assert_null(correction_terms(pointers, n, (const char *const[]){source, "fr"}));
    assert_null(correction_terms(pointers, n, (const char *const[]){"fr", target}));
}

static void terms_are_proposed(void **state) {
    (void)state;
    static const Row chinese[] = {
        {"潮水退了。", "The water went out.", "The tide went out."},
        {"我们看潮水。", "We watch the water .", "We watch the tide!"},
        {"潮水很大。", "A big water and water.", "A big tide and tide."},
        {"船上有帆布。", "The ship has cloth.", "The ship has sail cloth."},
        {"帆布是白的。", "It is plain cloth.", "It is white canvas."},
        {"他买了帆布，很贵。", "He bought plain cloth; dear!", "He bought white canvas; dear!"},
        {"这是帆布。", "This is plain cloth", "This is white canvas"},
        {"帆布。", "The plain cloth", "The white canvas"},
        {"潮水。", NULL, "The tide."},
        {"潮\xff水。", "The water.", "The tide."},
    };
    assert_terms(chinese, 2, "zh", "en", "");
    assert_terms(chinese, 3, "zh", "en", "潮水|water|tide|3\n");
    assert_terms(chinese, COUNT(chinese), "zh", "en", "帆布|plain cloth|white canvas|4\n潮水|water|tide|3\n");
    static const Row english[] = {
        {"Our server is new.", "我们的服务器是新的。", "我们的伺服器是新的。"},
        {"A server, please!", "请给我服务器！", "请给我伺服器！"},
        {"He sold one server yesterday.", "昨天他卖了服务器", "昨天他卖了伺服器"},
        {"The servers are old.", "服务器旧了。", "主机旧了。"},
        {"Many servers fell.", "很多服务器坏了。", "很多电脑坏了。"},
        {"No servers here.", "这里没有服务器。", "这里没有它。"},
        {"Every observer is here.", "服务员在这里。", "观察者在这里。"},
    };
    assert_terms(english, COUNT(english), "en", "zh-TW", "server|服务器|伺服器|3\n");
    static const Row latin[] = {
        {"My phone", "我的iPhone", "我的iPad"},
        {"This phone is here", "这iPhone在这里", "这iPad在这里"},
        {"A phone", "iPhone", "iPad"},
    };
    assert_terms(latin, COUNT(latin), "en", "zh", "phone|iPhone|iPad|3\n");
    static const Row comma[] = {
        {"My server", "我的服务器", "我的伺服器"},
        {"A server", "服务器", "伺服器"},
        {"This server", "这服务器", "这伺服，器"},
    };
    assert_terms(comma, COUNT(comma), "en", "zh", "server|服务|伺服|3\n");
}

/* A text that often stands in sentences without the new word is no source of it. */
static void terms_must_predict(void **state) {
    (void)state;
    static const Row rows[] = {
        {"他的海。", "His lake.", "His sea."},    {"她的海。", "Her lake.", "Her sea."},
        {"他的海！", "His lake!", "His sea!"},    {"他的船。", "His ship.", "His boat."},
        {"她的鱼。", "Her fishes.", "Her fish."}, {"他的桥。", "His span.", "His bridge."},
        {"她的灯。", "Her light.", "Her lamp."},
    };
    assert_terms(rows, COUNT(rows), "zh", "en", "的海|lake|sea|3\n");
    static const Row words[] = {
        {"eine See", "a lake", "a sea"},   {"keine See", "no lake", "no sea"}, {"See!", "lake!", "sea!"},
        {"Seemann", "lake man", "sailor"}, {"Seehund", "lake dog", "seal"},    {"Seestern", "lake star", "starfish"},
        {"Seegras", "lake grass", "weed"},
    };
    assert_terms(words, COUNT(words), "de", "en", "See|lake|sea|3\n");
    static const Row without[] = {
        {"他的海。", "His lake.", "His sea."},    {"他的水。", "His lake.", "His sea."},
        {"他的河。", "His lake.", "His sea."},    {"他的船。", "His ship.", "His boat."},
        {"他的鱼。", "His fishes.", "His fish."}, {"他的灯。", "His light.", "His lamp."},
    };
    assert_terms(without, COUNT(without), "zh", "en", "");
}

/* Changes of very long or very different texts, and of marks only, propose nothing. */
static void some_changes_are_no_terms(void **state) {
    (void)state;
    static const Row marks[] = {
        {"海。", "Sea.", "Sea!"}, {"海船。", "Sea boat.", "Sea boat!"}, {"大海。", "Big sea.", "Big sea!"}};
    assert_terms(marks, COUNT(marks), "zh", "en", "");
    static const Row character[] = {{"海甲", "a lake", "a sea"}, {"乙海", "no lake", "no sea"}, {"海", "lake", "sea"}};
    assert_terms(character, COUNT(character), "zh", "en", "");
    char *before = repeated("a ", 1000), *after = repeated("b ", 1000);
    const Row row = {"海船", before, after},
              rows[] = {{row[0], row[1], row[2]}, {row[0], row[1], row[2]}, {row[0], row[1], row[2]}};
    assert_terms(rows, COUNT(rows), "zh", "en", "");
    for (int i = 2; i < 1999; i++) after[i] = before[i]; /* only the first and the last word differ */
    after[1998] = 'b';
    assert_terms(rows, COUNT(rows), "zh", "en", "");
    memset(after, 'b', 18);
    for (int i = 1; i < 18; i += 2) after[i] = ' ';
    before[18] = after[18] = '\0'; /* nine words */
    assert_terms(rows, COUNT(rows), "zh", "en", "");
    before[16] = after[16] = '\0';
    assert_terms(rows, COUNT(rows), "zh", "en", "海船|a a a a a a a a|b b b b b b b b|3\n");
    for (int words = 200; words <= 201; words++) { /* a sentence, a paragraph */
        char *source = repeated("海 ", words);
        const Row long_rows[] = {{source, "a", "b"}, {source, "a", "b"}, {source, "a", "b"}};
        assert_terms(long_rows, COUNT(long_rows), "zh", "en", words > 200 ? "" : "海 海 海 海 海 海 海 海|a|b|3\n");
        mem_free(source);
    }
    mem_free(before);
    mem_free(after);
    assert_null(correction_terms(NULL, 0, (const char *const[]){"zh", "en"}));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(corrections_are_kept),         TEST(a_correction_gets_the_time),
        TEST(the_last_correction_counts),   TEST(deleted_texts_are_gone),
        TEST(a_full_file_refuses),          TEST(corrections_are_checked),
        TEST(long_texts_are_refused),       TEST(adding_checks),
        TEST(broken_lines_are_errors),      TEST(a_deep_line_is_an_error),
        TEST(a_torn_line_is_cut_off),       TEST(the_last_id_has_no_successor),
        TEST(only_files_are_opened),        TEST(a_second_opener_is_refused),
        TEST(a_removed_file_takes_nothing), TEST(a_kill_loses_nothing),
        TEST(a_full_disk_is_an_error),      TEST(a_translation_memory_is_read_back),
        TEST(terms_are_proposed),           TEST(terms_must_predict),
        TEST(some_changes_are_no_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
