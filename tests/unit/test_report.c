/* test_report.c: the data that the report gets from the files of a training, for any contents of these files. */
#include "view/report.h"
#include "io/files.h"
#include "refusal.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#define REPORT(update) "{\"update\": " #update ", \"epoch\": 0.5, \"loss\": 5.5, \"ppl\": 244.7}\n"
#define FRAME(update)                                                                                                  \
    "{\"update\": " #update ", \"alignments\": [\n"                                                                    \
    "{\"source\": [\"潮\", \"</s>\"], \"target\": [\"▁tide\", \"</s>\"], \"matrix\": [[0.75, 0.25], [0.1, "         \
    "0.9]]}\n]}\n"

/* ---- a training's directory ----------------------------------------------------------------------------------- */

static char dir[SCRATCH_SIZE];

static int make_directory(void **state) {
    (void)state;
    char path[SCRATCH_SIZE + 64];
    scratch_directory(dir);
    snprintf(path, sizeof path, "%s/align", dir);
    return mkdir(path, 0777);
}

static int remove_directory(void **state) {
    (void)state;
    scratch_remove(dir);
    return 0;
}

static FILE *begin(const char *name) {
    char path[SCRATCH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static void put(const char *name, const char *text) {
    FILE *file = begin(name);
    fputs(text, file);
    fclose(file);
}

/* Reads a page. Returns its data; *page gets the whole page. */
static cJSON *data_of(const char *name, char **page) {
    Err err;
    char path[SCRATCH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    char *text = file_read(path, NULL, &err), *start = strstr(text, "id=\"data\">"),
         *end = start ? strstr(start, "</script>") : NULL;
    if (!end) fail_msg("no data in %s", path);
    start += strlen("id=\"data\">");
    cJSON *data = cJSON_ParseWithLength(start, (size_t)(end - start));
    assert_non_null(data);
    if (page) *page = text;
    else mem_free(text);
    return data;
}

/* Writes the report and reads it, as data_of does. */
static cJSON *report(char **page) {
    Err err;
    if (report_write(dir, &err)) fail_msg("%s:%ld: %s", err.path, err.line, err.reason);
    return data_of("report.html", page);
}

static void assert_fails(const char *name, long line, const char *reason) {
    Err err;
    char path[SCRATCH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(report_write(dir, &err), -1);
    assert_string_equal(err.path, path);
    assert_int_equal(err.line, line);
    assert_string_equal(err.reason, reason);
}

static int size(const cJSON *data, const char *name) { return cJSON_GetArraySize(cJSON_GetObjectItem(data, name)); }

/* Returns the update of entry i of a list; a negative i counts from the end. */
static long update_at(const cJSON *data, const char *name, int i) {
    const cJSON *list = cJSON_GetObjectItem(data, name);
    const cJSON *item = cJSON_GetArrayItem(list, i < 0 ? cJSON_GetArraySize(list) + i : i);
    return (long)cJSON_GetObjectItem(item, "update")->valuedouble;
}

/* ---- tests ---------------------------------------------------------------------------------------------------- */

static void a_training_becomes_a_page(void **state) {
    (void)state;
    put("train.jsonl",
        REPORT(50) "{\"update\": 50, \"valid_loss\": 3.5, \"bleu\": 1.25, \"best\": true}\n" REPORT(100));
    put("align/00000050.json", FRAME(50));
    put("align/00000050.json.tmp", "{");
    put("align/notes.json", "[]");
    cJSON *data = report(NULL);
    assert_int_equal(size(data, "reports"), 2);
    assert_int_equal(size(data, "validations"), 1);
    assert_int_equal(size(data, "frames"), 1);
    char *frames = cJSON_PrintUnformatted(cJSON_GetObjectItem(data, "frames"));
    assert_non_null(strstr(frames, "[\"潮\",\"</s>\"]"));
    assert_non_null(strstr(frames, "\"matrix\":[[7500,2500],[1000,9000]]"));
    cJSON_free(frames);
    cJSON_Delete(data);
}

static void a_training_may_have_no_alignments(void **state) {
    (void)state;
    char path[SCRATCH_SIZE + 64];
    put("train.jsonl", "");
    snprintf(path, sizeof path, "%s/align", dir);
    assert_int_equal(remove(path), 0);
    cJSON *data = report(NULL);
    assert_int_equal(size(data, "reports") + size(data, "validations") + size(data, "frames"), 0);
    cJSON_Delete(data);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    Err err;
    assert_int_equal(report_write("/no/such", &err), -1);
    assert_string_equal(err.path, "/no/such/train.jsonl");
    assert_string_equal(err.reason, "No such file or directory");
}

static void a_line_that_is_still_written_is_left_out(void **state) {
    (void)state;
    static const char *const torn[] = {"{", "{\"update\": 15", "{\"update\": 150, \"loss\": 1}", "\xe6\xbd"};
    for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
        char log[256];
        snprintf(log, sizeof log, "%s%s", REPORT(50) REPORT(100), torn[i]);
        put("train.jsonl", log);
        cJSON *data = report(NULL);
        assert_int_equal(size(data, "reports"), 2);
        cJSON_Delete(data);
    }
}

static void a_broken_line_is_named_and_the_page_stays(void **state) {
    (void)state;
    static const char *const broken[] = {"{\n",
                                         "\n",
                                         "{\"update\": 100} {}\n",
                                         "[100]\n",
                                         "{\"update\": \"100\"}\n",
                                         "{\"update\": 1e999}\n",
                                         "nul\n",
                                         "{\"updat\xe6\n"};
    char *before, *after, path[SCRATCH_SIZE + 64], log[256];
    Err err;
    put("train.jsonl", REPORT(50));
    cJSON_Delete(report(&before));
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        snprintf(log, sizeof log, "%s%s%s", REPORT(50), broken[i], REPORT(150));
        put("train.jsonl", log);
        assert_fails("train.jsonl", 2, "is not a line of a training's log");
    }
    snprintf(path, sizeof path, "%s/report.html", dir);
    after = file_read(path, NULL, &err);
    assert_string_equal(after, before);
    mem_free(before);
    mem_free(after);
}

static void broken_alignments_are_named(void **state) {
    (void)state;
    static const char *const broken[] = {
        "",
        "{\"update\": 50}",
        "{\"update\": 50, \"alignments\": {}}",
        "{\"update\": 50, \"alignments\": [1]}",
        "{\"update\": 50, \"alignments\": []} 1",
        "{\"update\": 50, \"alignments\": [{\"source\": [\"a\"], \"target\": [\"b\"]}]}",
        "{\"update\": 50, \"alignments\": [{\"source\": [\"a\"], \"target\": [\"b\"], \"matrix\": []}]}",
        "{\"update\": 50, \"alignments\": [{\"source\": [\"a\"], \"target\": [\"b\"], \"matrix\": [[0.5, 0.5]]}]}",
        "{\"update\": 50, \"alignments\": [{\"source\": [\"a\"], \"target\": [\"b\"], \"matrix\": [[\"1\"]]}]}",
        "{\"update\": 50, \"alignments\": [{\"source\": [1], \"target\": [\"b\"], \"matrix\": [[1]]}]}",
    };
    put("train.jsonl", REPORT(50));
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        put("align/00000050.json", broken[i]);
        assert_fails("align/00000050.json", 0, "is not a set of alignments");
    }
}

/* A killed training continues from its checkpoint. The log is cut back to this update, but alignments are not. */
static void alignments_later_than_the_log_are_left_out(void **state) {
    (void)state;
    put("train.jsonl", REPORT(50) REPORT(100));
    put("align/00000050.json", FRAME(50));
    put("align/00000100.json", FRAME(100));
    put("align/00000150.json", FRAME(150));
    cJSON *data = report(NULL);
    assert_int_equal(size(data, "frames"), 2);
    assert_int_equal(update_at(data, "frames", -1), 100);
    cJSON_Delete(data);
}

static void what_is_not_text_is_refused(void **state) {
    (void)state;
    Err err;
    put("train.jsonl", "{\"update\": 1}\n{\"update\": 2, \"note\": \"\xff\"}\n");
    assert_int_equal(report_write(dir, &err), -1);
    assert_int_equal(err.line, 2);
}

static void text_cannot_leave_the_data(void **state) {
    (void)state;
    char *page;
    put("train.jsonl", "{\"update\": 50, \"note\": \"</script><script>alert(1)</script><!--\"}\n");
    put("align/00000050.json", "{\"update\": 50, \"alignments\": [{\"source\": "
                               "[\"</script><script>alert(2)</script>\", \"\xff\x01\t\", \"<!--\"],"
                               "\"target\": [\"\\\"\\\\\\u0007]]>&amp;\"], \"matrix\": [[1e999, -1, 0.5]]}]}");
    cJSON *data = report(&page);
    assert_null(strstr(page, "alert(1)</"));
    assert_null(strstr(page, "alert(2)</"));
    assert_null(strstr(page, "<!--"));
    for (const char *c = page; *c; c++) assert_true(*c == '\n' || (unsigned char)*c >= ' ');
    char *frames = cJSON_PrintUnformatted(cJSON_GetObjectItem(data, "frames"));
    assert_non_null(strstr(frames, "</script><script>alert(2)</script>"));
    assert_non_null(strstr(frames, "[[10000,0,5000]]"));
    cJSON_free(frames);
    cJSON_Delete(data);
    mem_free(page);
}

static void a_long_log_is_thinned(void **state) {
    (void)state;
    FILE *log = begin("train.jsonl");
    for (int update = 1; update <= 5000; update++) {
        fprintf(log, "{\"update\": %d, \"loss\": 1}\n", update);
        if (update % 2) continue;
        fprintf(log, "{\"update\": %d, \"valid_loss\": 1, \"best\": %s}\n", update,
                update == 2 || update == 3334 ? "true" : "false");
    }
    fclose(log);
    cJSON *data = report(NULL);
    const cJSON *line;
    bool has_best = false;
    cJSON_ArrayForEach(line, cJSON_GetObjectItem(data, "validations")) has_best =
        has_best || cJSON_GetObjectItem(line, "update")->valuedouble == 3334;
    assert_true(has_best);
    assert_int_equal(size(data, "reports"), 1000);
    assert_in_range(size(data, "validations"), 1000, 1001);
    assert_int_equal(update_at(data, "reports", 0), 1);
    assert_int_equal(update_at(data, "reports", -1), 5000);
    assert_int_equal(update_at(data, "validations", 0), 2);
    assert_int_equal(update_at(data, "validations", -1), 5000);
    for (int i = 1; i < 1000; i++)
        assert_in_range(update_at(data, "reports", i) - update_at(data, "reports", i - 1), 5, 6);
    cJSON_Delete(data);
}

static void write_frames(int count, size_t padding) {
    FILE *log = begin("train.jsonl");
    for (int i = 1; i <= count; i++) {
        char name[64];
        snprintf(name, sizeof name, "align/%08d.json", 10 * i);
        FILE *file = begin(name);
        fprintf(file, "{\"update\": %d, \"alignments\": []}%*s\n", 10 * i, (int)padding, "");
        fclose(file);
        fprintf(log, "{\"update\": %d, \"valid_loss\": 1}\n", 10 * i);
    }
    fclose(log);
}

static void many_alignments_are_thinned(void **state) {
    (void)state;
    static const struct {
        int count;
        size_t padding;
        int left;
    } cases[] = {{1, 0, 1}, {2, 0, 2}, {100, 0, 100}, {101, 0, 100}, {250, 0, 100}, {12, 1 << 20, 7}, {3, 9 << 20, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_frames(cases[i].count, cases[i].padding);
        cJSON *data = report(NULL);
        assert_int_equal(size(data, "frames"), cases[i].left);
        assert_int_equal(update_at(data, "frames", 0), 10);
        assert_int_equal(update_at(data, "frames", -1), 10 * cases[i].count);
        cJSON_Delete(data);
    }
}

/* The alignments of the best validation stay, and the page is told how many there are. */
static void thinned_alignments_keep_the_best(void **state) {
    (void)state;
    write_frames(250, 0);
    FILE *log = begin("train.jsonl");
    fputs("{\"update\": 1230, \"valid_loss\": 1, \"best\": true}\n{\"update\": 2500, \"loss\": 1}\n", log);
    fclose(log);
    cJSON *data = report(NULL);
    bool has_best = false;
    for (int k = 0; k < size(data, "frames"); k++) has_best |= update_at(data, "frames", k) == 1230;
    assert_true(has_best);
    assert_int_equal(size(data, "frames"), 101);
    assert_int_equal(cJSON_GetObjectItem(data, "recorded")->valueint, 250);
    cJSON_Delete(data);
}

/* ---- translations of the dev set ---- */

#define VALIDATION(update, best) "{\"update\": " #update ", \"valid_loss\": 1, \"best\": " #best "}\n"

static void make_valid(void) {
    char path[SCRATCH_SIZE + 64];
    snprintf(path, sizeof path, "%s/valid", dir);
    assert_int_equal(mkdir(path, 0777), 0);
}

/* Returns the translations in the data of the report as JSON; the caller owns it. */
static char *outputs(void) {
    cJSON *data = report(NULL);
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(data, "outputs"));
    cJSON_Delete(data);
    return text;
}

static void assert_outputs(const char *expected) {
    char *text = outputs();
    assert_string_equal(text, expected);
    cJSON_free(text);
}

static void translations_stand_beside_their_pairs(void **state) {
    (void)state;
    put("train.jsonl", VALIDATION(10, true) VALIDATION(20, true));
    assert_outputs("null");
    make_valid();
    assert_outputs("null");
    put("valid/source.txt", "潮\n水\n");
    put("valid/reference.txt", "tide\nwater\n");
    assert_outputs("null");
    put("valid/00000010.out", "a\n\n");
    put("valid/00000020.out", "</script>\nb \x01\xff\n");
    put("valid/00000030.out", "later than the log\n");
    put("valid/00000020.out.0.tmp", "");
    put("valid/1.out", "");
    assert_outputs(
        "{\"total\":2,\"pairs\":[[\"潮\",\"tide\"],[\"水\",\"water\"]],\"recorded\":2,\"validations\":[{\"update\":10,"
        "\"texts\":[\"a\",\"\"],\"scores\":[0,0]},{\"update\":20,\"texts\":[\"</script>\",\"b "
        "\xef\xbf\xbd\xef\xbf\xbd\"],\"scores\":[10,0]}]}");
    put("train.jsonl", VALIDATION(10, true) "{\"update\": 10, \"changed\": \"dev set\"}\n" VALIDATION(20, true));
    assert_outputs(
        "{\"total\":2,\"pairs\":[[\"潮\",\"tide\"],[\"水\",\"water\"]],\"recorded\":1,\"validations\":[{\"update\":20,"
        "\"texts\":[\"</script>\",\"b \xef\xbf\xbd\xef\xbf\xbd\"],\"scores\":[10,0]}]}");
}

static void files_that_end_too_early_are_named(void **state) {
    (void)state;
    make_valid();
    put("train.jsonl", VALIDATION(10, true));
    put("valid/00000010.out", "a\nb\n");
    assert_fails("valid/source.txt", 0, "No such file or directory");
    put("valid/source.txt", "");
    assert_fails("valid/source.txt", 0, "is empty");
    put("valid/source.txt", "1\n2\n3\n");
    put("valid/reference.txt", "1\n2\n3\n");
    assert_fails("valid/00000010.out", 0, "has 2 lines, but the dev set has more");
    put("valid/reference.txt", "1\n");
    assert_fails("valid/reference.txt", 0, "has 1 lines, but the dev set has more");
}

/* ---- two trainings ---- */

/* Compares the training with another one in its directory. Returns the data of the page. */
static cJSON *compare(void) {
    Err err;
    char other[SCRATCH_SIZE + 64];
    snprintf(other, sizeof other, "%s/other", dir);
    if (report_compare(dir, other, &err)) fail_msg("%s:%ld: %s", err.path, err.line, err.reason);
    return data_of("comparison.html", NULL);
}

static void make_other(void) {
    static const char *const names[] = {"other", "other/valid"};
    for (int i = 0; i < 2; i++) {
        char path[SCRATCH_SIZE + 64];
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
}

static void assert_same_dev_set(cJSON_bool (*is)(const cJSON *const)) {
    cJSON *data = compare();
    assert_true(is(cJSON_GetObjectItem(data, "sameDevSet")));
    cJSON_Delete(data);
}

static void two_trainings_are_compared(void **state) {
    (void)state;
    Err err;
    put("train.jsonl", VALIDATION(10, true) REPORT(20));
    put("align/00000010.json", FRAME(10));
    assert_int_equal(report_compare(dir, "nowhere", &err), -1);
    assert_string_equal(err.path, "nowhere/train.jsonl");
    make_other();
    put("other/train.jsonl", VALIDATION(30, true));
    cJSON *data = compare();
    const cJSON *other = cJSON_GetObjectItem(data, "other");
    assert_string_equal(cJSON_GetObjectItem(other, "name")->valuestring, "other");
    assert_int_equal(update_at(data, "validations", 0), 10);
    assert_int_equal(update_at(other, "validations", 0), 30);
    assert_int_equal(size(data, "frames") + size(other, "frames"), 0);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(other, "options")));
    cJSON_Delete(data);
    put("other/model.safetensors", "no model");
    char path[SCRATCH_SIZE + 64];
    snprintf(path, sizeof path, "%s/other", dir);
    assert_int_equal(report_compare(path, dir, &err), -1);
    assert_non_null(strstr(err.path, "other/model.safetensors"));
}

static void dev_sets_are_compared(void **state) {
    (void)state;
    static const char *const files[] = {"valid/source.txt", "valid/reference.txt", "other/valid/source.txt",
                                        "other/valid/reference.txt"};
    make_valid();
    make_other();
    put("train.jsonl", REPORT(20));
    put("other/train.jsonl", REPORT(20));
    for (int i = 0; i < 4; i++) {
        assert_same_dev_set(cJSON_IsNull);
        put(files[i], "a\n");
    }
    assert_same_dev_set(cJSON_IsTrue);
    for (int i = 0; i < 4; i++) {
        put(files[i], "b\n");
        assert_same_dev_set(cJSON_IsFalse);
        put(files[i], "a\na\n");
        assert_same_dev_set(cJSON_IsFalse);
        put(files[i], "a\n");
    }
}

static void put_lines(const char *name, int lines, int length) {
    FILE *file = begin(name);
    for (int i = 0; i < lines; i++) fprintf(file, "%0*d\n", length, i);
    fclose(file);
}

/* The page has the first pairs, and evenly spaced validations with the first, the last and the best. */
static void translations_are_limited(void **state) {
    (void)state;
    static const struct {
        int pairs, length, validations, pairs_left, validations_left;
    } cases[] = {{499, 1, 3, 499, 3},
                 {1000, 5, 40, 500, 40},
                 {600, 5, 99, 500, 41},
                 {300, 8000, 1, 87, 1},
                 {2, 1 << 20, 2, 1, 2}};
    make_valid();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_lines("valid/source.txt", cases[i].pairs, cases[i].length);
        put_lines("valid/reference.txt", cases[i].pairs, cases[i].length);
        FILE *log = begin("train.jsonl");
        for (int k = 1; k <= cases[i].validations; k++) {
            char name[64];
            snprintf(name, sizeof name, "valid/%08d.out", k);
            put_lines(name, cases[i].pairs, cases[i].length);
            fprintf(log, "{\"update\": %d, \"valid_loss\": 1, \"best\": %s}\n", k, k <= 50 ? "true" : "false");
        }
        fclose(log);
        cJSON *data = report(NULL), *found = cJSON_GetObjectItem(data, "outputs");
        assert_int_equal(cJSON_GetObjectItem(found, "total")->valueint, cases[i].pairs);
        assert_int_equal(size(found, "pairs"), cases[i].pairs_left);
        assert_int_equal(size(found, "validations"), cases[i].validations_left);
        assert_int_equal(cJSON_GetObjectItem(found, "recorded")->valueint, cases[i].validations);
        assert_int_equal(update_at(found, "validations", 0), 1);
        assert_int_equal(update_at(found, "validations", -1), cases[i].validations);
        bool best = false;
        for (int k = 0; k < cases[i].validations_left; k++) {
            const cJSON *texts =
                cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(found, "validations"), k), "texts");
            assert_int_equal(cJSON_GetArraySize(texts), cases[i].pairs_left);
            best |= update_at(found, "validations", k) == (cases[i].validations < 50 ? cases[i].validations : 50);
        }
        assert_true(best);
        cJSON_Delete(data);
    }
}

/* If any allocation of cJSON fails, the report is written or an error gives the reason. */
static void without_memory_there_is_no_report(void **state) {
    (void)state;
    Err err;
    long refusals = 0;
    put("train.jsonl", REPORT(1) REPORT(2));
    put("align/00000001.json", FRAME(1));
    cjson_refuse_begin();
    for (bool refused = true; refused; refusals += refused) {
        cjson_refuse(refusals + 1);
        const int status = report_write(dir, &err);
        if (status) assert_string_equal(err.reason, "no memory for the report");
        refused = cjson_refused();
        assert_int_equal(status, refused ? -1 : 0);
    }
    cjson_refuse_end();
    assert_true(refusals > 30);
}

int main(void) {
#define TEST(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        TEST(a_training_becomes_a_page),
        TEST(a_training_may_have_no_alignments),
        TEST(what_is_missing_is_named),
        TEST(a_line_that_is_still_written_is_left_out),
        TEST(a_broken_line_is_named_and_the_page_stays),
        TEST(broken_alignments_are_named),
        TEST(alignments_later_than_the_log_are_left_out),
        TEST(what_is_not_text_is_refused),
        TEST(text_cannot_leave_the_data),
        TEST(a_long_log_is_thinned),
        TEST(many_alignments_are_thinned),
        TEST(thinned_alignments_keep_the_best),
        TEST(translations_stand_beside_their_pairs),
        TEST(files_that_end_too_early_are_named),
        TEST(translations_are_limited),
        TEST(two_trainings_are_compared),
        TEST(dev_sets_are_compared),
        TEST(without_memory_there_is_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
