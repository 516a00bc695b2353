/* scores.h: loads the cases that scripts/dev/make-scores scored with sacreBLEU, for the tests of BLEU and chrF. */
#ifndef TIDE_TESTS_SCORES_H
#define TIDE_TESTS_SCORES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "io/ds.h"
#include "io/files.h"

/* Returns the text of a file in tests/fixtures/scores; release with mem_free. */
static char *read_fixture(const char *name, const char *extension) {
    char path[512];
    Err err;
    snprintf(path, sizeof path, "tests/fixtures/scores/%s%s", name, extension);
    char *text = file_read(path, NULL, &err);
    if (!text) fail_msg("%s: %s", err.path, err.reason);
    return text;
}

/* Splits text into its lines in place. Returns a stb_ds array of pointers into text. */
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

/* Compares the scores of n hypotheses with the expected scores of a case. */
typedef void CaseCheck(const cJSON *expected, char **hypotheses, char **references, int n);

static void check_case(const cJSON *expected, CaseCheck *check) {
    char *hyp_text = read_fixture(expected->string, ".hyp"), *ref_text = read_fixture(expected->string, ".ref");
    char **hypotheses = split_lines(hyp_text), **references = split_lines(ref_text);
    assert_int_equal(arrlen(references), arrlen(hypotheses));
    check(expected, hypotheses, references, (int)arrlen(hypotheses));
    arrfree(hypotheses);
    arrfree(references);
    mem_free(hyp_text);
    mem_free(ref_text);
}

static void for_each_case(CaseCheck *check) {
    char *text = read_fixture("expected", ".json");
    cJSON *cases = cJSON_Parse(text), *expected;
    assert_true(cJSON_GetArraySize(cases) > 0);
    cJSON_ArrayForEach(expected, cases) check_case(expected, check);
    cJSON_Delete(cases);
    mem_free(text);
}

#endif
