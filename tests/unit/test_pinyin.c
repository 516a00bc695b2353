/* test_pinyin.c: readings from a dictionary in the form of CC-CEDICT. */
#include "io/ds.h"
#include "scratch.h"
#include "text/pinyin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/* Reads a text as a dictionary. Returns NULL with *err filled if it is not valid; *err then has the path. */
static Pinyin *pinyin_from(const char *text, Err *err) {
    char path[SCRATCH_SIZE];
    scratch_text(path, text);
    Pinyin *pinyin = pinyin_read(path, err);
    if (!pinyin) assert_string_equal(err->path, path);
    unlink(path);
    return pinyin;
}

/* Checks the readings of a text: those of its characters, each with a space after it. */
static void assert_readings(const Pinyin *pinyin, const char *text, const char *expected) {
    char **readings = pinyin_of(pinyin, text), found[400] = "";
    for (ptrdiff_t i = 0; i < arrlen(readings); i++) strcat(strcat(found, readings[i]), " ");
    strings_free(readings);
    assert_string_equal(found, expected);
}

static void the_longest_word_is_read(void **state) {
    (void)state;
    Err err;
    Pinyin *p =
        pinyin_from("# a comment\n\n潮水 潮水 [chao2 shui3] /tide/\n潮 潮 [chao2] /tide/damp/\r\n"
                    "了 了 [liao3] /to finish/\n了 了 [le5] /(particle)/\n瞭 了 [liao3] /clear/\n"
                    "大意 大意 [da4 yi4] /gist/\n大意 大意 [da4 yi5] /careless/\n傳統 传统 [chuan2 tong3] /tradition/\n"
                    "退潮 退潮 [tui4 chao2] /to ebb/\n王 王 [Wang2] /surname/\n王 王 [wang2] /king/\n",
                    &err);
    assert_non_null(p);
    assert_readings(p, "潮水退了,ab。", "cháo shuǐ  liǎo/le     ");
    assert_readings(p, "大意", "dà yì/yi ");
    assert_readings(p, "傳統传统瞭", "chuán tǒng chuán tǒng liǎo ");
    assert_readings(p, "退潮水", "tuì cháo  "); /* from left to right */
    assert_readings(p, "王", "wáng ");
    assert_readings(p, "水大", "  ");
    assert_null(pinyin_of(p, ""));
    pinyin_free(p);
}

static void tones_are_marks(void **state) {
    (void)state;
    static const char *const syllables[][2] = {
        {"lu:4", "lǜ"},      {"nu:3", "nǚ"},  {"lu:e4", "lüè"}, {"gui1", "guī"}, {"jiu3", "jiǔ"},       {"gou3", "gǒu"},
        {"xiong2", "xióng"}, {"hao3", "hǎo"}, {"ai4", "ài"},    {"er2", "ér"},   {"zhuang1", "zhuāng"}, {"ma5", "ma"},
        {"r5", "r"},         {"m2", "ḿ"},     {"ng4", "ǹg"},    {"E2", "é"},     {"xx5", ""},           {"A", ""},
        {",", ""},           {"ma6", ""},     {"ma", ""},       {"ma11", ""},    {"abcdefgh1", ""},     {"3", ""},
    };
    for (size_t i = 0; i < sizeof syllables / sizeof *syllables; i++) {
        char line[100], expected[20];
        Err err;
        snprintf(line, sizeof line, "字 字 [%s] /x/\n", syllables[i][0]);
        snprintf(expected, sizeof expected, "%s ", syllables[i][1]);
        Pinyin *p = pinyin_from(line, &err);
        assert_non_null(p);
        assert_readings(p, "字", expected);
        pinyin_free(p);
    }
}

#define LONG           "子子子子子子子子子子子子子子子子子子子子子子子子子子子子子子子子子" /* 99 bytes */
#define EIGHT          "zi4 zi4 zi4 zi4 zi4 zi4 zi4 zi4 "
#define LONG_SYLLABLES EIGHT EIGHT EIGHT EIGHT

static void entries_fit_their_characters(void **state) {
    (void)state;
    Err err;
    Pinyin *p =
        pinyin_from("AA制 AA制 [A A zhi4] /to go Dutch/\n一點兒 一点儿 [yi1 dian3 r5] /a bit/\n"
                    "阿·山 阿·山 [A1 · Shan1] /a name/\n水水 水水 [shui3] /one syllable is missing/\n"
                    "子 子 [zi3] /child/\n" LONG " " LONG " [" LONG_SYLLABLES "zi4] /longer than a word may be/\n",
                    &err);
    assert_non_null(p);
    char **readings = pinyin_of(p, LONG);
    assert_int_equal(arrlen(readings), 33);
    assert_string_equal(readings[32], "zǐ");
    strings_free(readings);
    assert_readings(p, "AA制", "   "); /* a word begins with a Han character */
    assert_readings(p, "一点儿", "yī diǎn r ");
    assert_readings(p, "阿·山", "ā  shān ");
    assert_readings(p, "水水子", "  zǐ ");
    pinyin_free(p);
}

static void other_lines_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        long line;
        const char *reason;
    } bad[] = {
        {"", 0, "the dictionary has no entry"},
        {"# nothing\n", 0, "the dictionary has no entry"},
        {"潮 潮 [chao2] /tide/\n潮 潮\n", 2, "a line must be a word"},
        {"潮 潮 /tide/\n", 1, "a line must be a word"},
        {"潮\t潮\t[chao2] /tide/\n", 1, "a line must be a word"},
        {"潮 潮 [[chao2]] /tide/\n", 1, "a line must be a word"},
        {"潮 潮 [] /tide/\n", 1, "a line must be a word"},
        {"潮 潮 [chao2 /tide/\n", 1, "a line must be a word"},
        {"潮 潮 [chao2]\n", 1, "a line must be a word"},
        {"#\n潮 潮 [chao2] /\xff/\n", 2, "line is not valid UTF-8 (byte 18)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Err err = {0};
        assert_null(pinyin_from(bad[i].text, &err));
        assert_int_equal(err.line, bad[i].line);
        assert_memory_equal(err.reason, bad[i].reason, strlen(bad[i].reason));
    }
    Err err;
    assert_null(pinyin_read("/nonexistent/file", &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_word_is_read),
        cmocka_unit_test(tones_are_marks),
        cmocka_unit_test(entries_fit_their_characters),
        cmocka_unit_test(other_lines_are_refused),
    };
    return cmocka_run_group_tests_name("pinyin", tests, NULL, NULL);
}
