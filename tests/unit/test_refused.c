/* test_refused.c: memory that the C library or cJSON refuses is refused memory, not a file that cannot be used. */
#include "core/scope.h"
#include "corpus/corpus.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/lines.h"
#include "io/numbered.h"
#include "readers.h"
#include "refusal.h"
#include "scratch.h"

#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- functions of the C library that fail if this is their name ---- */

static const char *failing = "";

static bool fails(const char *name) {
    if (strcmp(name, failing) != 0) return false;
    errno = ENOMEM;
    return true;
}

#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

FILE *fopen(const char *path, const char *mode) {
    return fails("fopen") ? NULL : REAL(FILE * (*)(const char *, const char *), "fopen")(path, mode);
}
FILE *fdopen(int fd, const char *mode) {
    return fails("fdopen") ? NULL : REAL(FILE * (*)(int, const char *), "fdopen")(fd, mode);
}
DIR *opendir(const char *path) { return fails("opendir") ? NULL : REAL(DIR * (*)(const char *), "opendir")(path); }

/* glibc's getline. NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
ssize_t __getdelim(char **line, size_t *capacity, int end, FILE *stream) {
    if (fails("getline")) return -1;
    return REAL(ssize_t(*)(char **, size_t *, int, FILE *), "__getdelim")(line, capacity, end, stream);
}
ssize_t getline(char **line, size_t *capacity, FILE *stream) { return __getdelim(line, capacity, '\n', stream); }

/* ---- what needs memory ---- */

static char path[SCRATCH_SIZE];

static void open_file(void *context) {
    Err err;
    FILE *file = file_open(context, "r", &err);
    if (file) fclose(file);
}

static void make_temporary(void *context) {
    Err err;
    (void)context;
    FILE *file = file_temporary(scratch_folder(), &err);
    if (file) fclose(file);
}

static void list_numbers(void *context) {
    Err err;
    long *numbers = NULL;
    (void)context;
    numbered_list(scratch_folder(), ".json", &numbers, &err);
    arrfree(numbers);
}

static void read_lines(void *context) {
    Err err;
    LineReader lines;
    if (line_reader_open(&lines, context, &err)) return;
    while (line_reader_next(&lines, &err) > 0)
        ;
    line_reader_close(&lines);
}

static Reader *reader; /* is opened outside of the scope, so that the test can close it after a refusal */

static void read_json(void *context) {
    Err err;
    RawPair pair;
    (void)context;
    while (reader_next(reader, &pair, &err) > 0)
        ;
    reader_close(reader);
    reader = NULL;
}

static ScopeEnd end_of(void (*work)(void *)) {
    char reason[160];
    Scope scope = {0};
    const ScopeEnd end = scope_run(&scope, work, path, reason, sizeof reason);
    scope_release(&scope);
    return end;
}

static void the_c_library_may_refuse_memory(void **state) {
    (void)state;
    static const struct {
        const char *name;
        void (*work)(void *);
    } cases[] = {{"fopen", open_file}, {"fdopen", make_temporary}, {"opendir", list_numbers}, {"getline", read_lines}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(end_of(cases[i].work), SCOPE_DONE);
        failing = cases[i].name;
        const ScopeEnd end = end_of(cases[i].work);
        failing = "";
        if (end != SCOPE_REFUSED) fail_msg("%s: %d", cases[i].name, (int)end);
    }
}

static void cjson_may_refuse_memory(void **state) {
    (void)state;
    Err err;
    cjson_refuse_begin();
    long n = 0;
    for (bool refused = true; refused;) {
        reader = open_corpus(FORM_JSONL, path, SOURCE, &err);
        assert_non_null(reader);
        cjson_refuse(++n);
        const ScopeEnd end = end_of(read_json);
        refused = cjson_refused();
        if (reader) reader_close(reader);
        if (end != (refused ? SCOPE_REFUSED : SCOPE_DONE)) fail_msg("allocation %ld: %d", n, (int)end);
    }
    cjson_refuse_end();
    assert_true(n > 4);
}

static int make_file(void **state) {
    (void)state;
    scratch_text(path, "{\"zh\": \"海\", \"en\": \"sea\"}\n");
    return 0;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_c_library_may_refuse_memory),
        cmocka_unit_test(cjson_may_refuse_memory),
    };
    return cmocka_run_group_tests_name("refused", tests, make_file, remove_file);
}
