/* Tests JSON: strings are written as cJSON writes them, and cJSON reads them back; a failed allocation is reported. */
#include "core/base.h"
#include "io/files.h"
#include "io/json.h"
#include "refusal.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Returns the text in JSON, as json_string writes it; release with mem_free. */
static char *string_of(const char *text) {
    MemoryFile memory;
    json_string(memory_open(&memory), text);
    return memory_close(&memory, NULL);
}

static void assert_as_cjson(const char *text) {
    cJSON *string = cJSON_CreateString(text);
    char *right = cJSON_PrintUnformatted(string), *json = string_of(text);
    assert_string_equal(json, right);
    cJSON *back = cJSON_Parse(json);
    assert_string_equal(cJSON_GetStringValue(back), text);
    cJSON_free(right);
    mem_free(json);
    cJSON_Delete(string);
    cJSON_Delete(back);
}

static void strings_are_written_as_cjson_writes_them(void **state) {
    (void)state;
    char all[256];
    for (int c = 1; c < 256; c++) {
        all[c - 1] = (char)c;
        assert_as_cjson((char[]){(char)c, '\0'});
        assert_as_cjson((char[]){'a', (char)c, (char)c, 'b', '\0'});
    }
    all[255] = '\0';
    assert_as_cjson(all);
    assert_as_cjson("");
    assert_as_cjson("潮水退了,\"才\\知道\"\n谁没穿裤子。");
}

typedef void Writer(FILE *out);

static void assert_written(const char *right, Writer *write) {
    MemoryFile memory;
    write(memory_open(&memory));
    char *json = memory_close(&memory, NULL);
    assert_string_equal(json, right);
    mem_free(json);
}

static char *const texts[] = {"a", "\"", "海"};
static void write_none(FILE *out) { json_strings(out, texts, 0, ","); }
static void write_close(FILE *out) { json_strings(out, texts, 3, ","); }
static void write_apart(FILE *out) { json_strings(out, texts, 3, ", "); }
static void write_numbers(FILE *out) {
    const double numbers[] = {0.5, -1.23456, 3e20, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 6; i++) {
        json_number(out, numbers[i], 4 * (i != 2));
        fputc(' ', out);
    }
}

static void arrays_and_numbers_are_json(void **state) {
    (void)state;
    assert_written("[]", write_none);
    assert_written("[\"a\",\"\\\"\",\"海\"]", write_close);
    assert_written("[\"a\", \"\\\"\", \"海\"]", write_apart);
    assert_written("0.5000 -1.2346 300000000000000000000 null null null ", write_numbers);
}

static void a_format_writes_json(void **state) {
    (void)state;
    MemoryFile memory;
    json_print(memory_open(&memory), "{%s:%d,%s:%.2f,%s:%.6f}\n", "a\"b", -7, "c", 0.5, "%d", NAN);
    char *text = memory_close(&memory, NULL);
    assert_string_equal(text, "{\"a\\\"b\":-7,\"c\":0.50,\"%d\":null}\n");
    mem_free(text);
}

static void what_is_one_value_is_parsed(void **state) {
    (void)state;
    static const struct {
        const char *json;
        size_t values; /* 0: not parsed */
    } cases[] = {{"1", 1},
                 {" [] \t\r\n", 2},
                 {"{\"a\":[1,2,{\"b\":null}]}", 6},
                 {"\"a,[{\\\",\\\\\"", 1},
                 {"[\"\\\\\",1]", 3},
                 {"", 0},
                 {"[1", 0},
                 {"1 2", 0},
                 {"{}x", 0},
                 {"tide", 0},
                 {" ", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].json;
        cJSON *json = json_parse(text, strlen(text));
        if (json ? !cases[i].values : errno != EINVAL) fail_msg("%s: %s", text, json ? "parsed" : "errno");
        if (cases[i].values && (!json || json_values(text, strlen(text)) < cases[i].values)) fail_msg("%s", text);
        cJSON_Delete(json);
    }
    assert_null(json_parse("1\0", 2));
    cJSON *first = json_parse("12", 1);
    assert_true(cJSON_GetNumberValue(first) == 1);
    cJSON_Delete(first);
    assert_int_equal(json_values("[0,0,0,0,0]", 11), 6);
    assert_int_equal(json_values("{\"a\":1,\"b\":[2]}", 15), 4);
}

static void a_failed_allocation_is_not_bad_json(void **state) {
    (void)state;
    static const char text[] = "{\"a\": [1, \"b\"], \"c\": {\"d\": null}}";
    int refusals = 0;
    cjson_refuse_begin();
    for (;; refusals++) {
        cjson_refuse(refusals + 1);
        cJSON *json = json_parse(text, strlen(text));
        if (!json) assert_int_equal(errno, ENOMEM);
        cJSON_Delete(json);
        if (json) break;
    }
    cjson_refuse_end();
    assert_true(refusals > 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_written_as_cjson_writes_them),
        cmocka_unit_test(arrays_and_numbers_are_json),
        cmocka_unit_test(a_format_writes_json),
        cmocka_unit_test(what_is_one_value_is_parsed),
        cmocka_unit_test(a_failed_allocation_is_not_bad_json),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
