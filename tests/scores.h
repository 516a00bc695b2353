/* scores.h: the shared cases that sacreBLEU scored, and what the tests of scores do with them. */
#ifndef TIDE_TESTS_SCORES_H
#define TIDE_TESTS_SCORES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "text/ds.h"

/* The text of a file of the shared BLEU data, or NULL where it is absent. */
static char *read_shared(const char *name, const char *extension) {
    const char *shared = getenv("TIDE_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/data/bleu/%s%s", shared ? shared : "../shared", name, extension);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    for (int c; (c = getc(file)) != EOF;) arrput(text, (char)c);
    arrput(text, '\0');
    fclose(file);
    return text;
}

/* Cuts text into its lines in place: a stb_ds array. */
static char **split_lines(char *text) {
    char **lines = NULL;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        arrput(lines, line);
    }
    return lines;
}

static void assert_close(double actual, double expected) {
    if (fabs(actual - expected) > 1e-12 * fabs(expected)) fail_msg("%.17g is not %.17g", actual, expected);
}

static double number(const cJSON *object, const char *name) {
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
}

/* Checks the scores of n hypotheses against what is expected of them. */
typedef void CaseCheck(const cJSON *expected, char **hypotheses, char **references, int n);

static void check_case(const cJSON *expected, CaseCheck *check) {
    char *hyp_text = read_shared(expected->string, ".hyp"), *ref_text = read_shared(expected->string, ".ref");
    assert_true(hyp_text && ref_text);
    char **hypotheses = split_lines(hyp_text), **references = split_lines(ref_text);
    assert_int_equal(arrlen(references), arrlen(hypotheses));
    check(expected, hypotheses, references, (int)arrlen(hypotheses));
    arrfree(hypotheses);
    arrfree(references);
    arrfree(hyp_text);
    arrfree(ref_text);
}

/* Skips the test where the shared data is absent. */
static void for_each_shared_case(CaseCheck *check) {
    char *text = read_shared("expected", ".json");
    if (!text) {
        print_message("skipped: no data/bleu/expected.json under $TIDE_SHARED (or ../shared)\n");
        skip();
    }
    cJSON *cases = cJSON_Parse(text), *expected;
    assert_non_null(cases);
    cJSON_ArrayForEach(expected, cases) check_case(expected, check);
    cJSON_Delete(cases);
    arrfree(text);
}

#endif
