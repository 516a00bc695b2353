/* test_text.c: normalisation, BPE, tokenisers and vocabularies. */
#include "core/choice.h"
#include "text/bpe.h"
#include "io/ds.h"
#include "corpus/noise.h"
#include "text/passage.h"
#include "text/placeholder.h"
#include "text/side.h"
#include "io/string_table.h"
#include "text/tokenizer.h"
#include "text/unicode.h"
#include "text/vocab.h"
#include "words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <utf8proc.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- generated text ---- */

static uint64_t rng_state;

static size_t below(size_t n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(rng_state >> 33) % n;
}

/* Text that is hard for tokenisers; the last snippets are white space and control characters. */
// clang-format off
static const char *const SNIPPETS[] = {
    "潮", "水", "退", "了", "々", "〇", "𠮷", "𪚥", "a", "b", "it", "Didn", "é", "e\u0301", "ß", "ﬁ", "ñ", "Ω",
    "ж", "か", "カ", "ｶﾞ", "ー", "한", "\u1112\u1161\u11ab", "ث", "ﷺ", "न\u093f", "ก\u0e33", "1", "2", "42",
    "½", "²", "٣", "Ａ", "ｚ", "７", "！", "，", "。", "\u201c", "\u201d", "\u2018", "\u2019", "'", "\"",
    "\u2581", "_", "\\", "\\_", "\\\\", "<s>", "</s>", "<", "-", "…", "¨", "´", "\u0301", "\u0323",
    "\u0327", "\u20dd", "\ufe0f", "\u200d", "\u200b", "\ufeff", "😀", "👍🏽", "👩\u200d🚀", "🇨🇳",
    "👨\u200d👩\u200d👧\u200d👦", "👩🏿\u200d❤\ufe0f\u200d👨🏻", "❤\ufe0e", "1\ufe0f\u20e3", "🇨", "🏴\U000e0067\U000e0062\U000e007f",
    "漢\U000e0100", "\ufe00", "\u0308", "\u0345", "\u3099", "\u05b4", "q\u0307\u0323", "\u1ab0", "\U0001e944",
    "\U00020000", "\U0002a700", "\U0002b740", "\U0002b820", "\U0002ceb0", "\U00030000", "\U00031350", "\U0002f800",
    "\U0001d11e", "\U0001d15e", "\U0001d165", "𝔘", "𝟘", "％", "｛", "｝", "＜ｂ＞", "＆", "；", "＼", "￣", "￥", "｟", "｠",
    "\U000e0100", "\uffff", "\U0010ffff", " ", "  ", "\u00a0", "\u3000", "\u2028", "\t", "\r", "\n",
    "\xc2\x85", "\x01", "\x7f",
};
// clang-format on

// clang-format off
static const char *const PLACEHOLDERS[] = {
    "⦅a⦆", "⦅⦆", "⦅北京:1\\▁⦆", "⦅a⦅b⦆",
    "%s", "%d", "%c", "%p", "%i", "%lu", "%lld", "%zu", "%hhx", "%jd", "%td", "%Lf", "%qd", "%1$s", "%12$-5.2f",
    "%(name)s", "%(a\\▁b)s", "%-+#08.3e", "%*d", "%.*f", "%.f", "%5c",
    "{}", "{0}", "{name}", "{a.b[0]:>3}", "{▁}", "{\\}", "{北京}",
    "<b>", "</b>", "<br/>", "<color_red>", "<A\\_▁>", "</s>", "<pad>",
    "&nbsp;", "&#160;", "&#xA0;", "&#X0;", "&frac12;",
};

static const char *const BROKEN_PLACEHOLDERS[] = {
    "", "a", "⦅", "⦅a", "⦅a b⦆", "a⦆", "\xe2\x81\x81",
    "%", "%%", "%%d", "% d", "%5", "%-", "%of", "%sa", "%dZ", "%1$", "%1$ d", "%()s", "%(a b)s", "%(as", "%(a(b)s", "%(a)",
    "%hlld", "%llld", "%5.2", "%.", "%n", "%$s", "%潮",
    "{", "}", "{a", "{a b}", "{a{b}", "{ }",
    "<", "<>", "<1>", "</>", "<a", "<a b>", "<a<b>", "</ a>", "<-a>", "<潮>", "< b>",
    "&", "&;", "&#;", "&#x;", "&nbsp", "&1a;", "&a b;", "&#1f;", "&é;",
};
// clang-format on

/* Returns an entry of one of the lists. */
static const char *random_snippet(void) {
    switch (below(5)) {
    case 0: return PLACEHOLDERS[below(COUNT(PLACEHOLDERS))];
    case 1: return BROKEN_PLACEHOLDERS[below(COUNT(BROKEN_PLACEHOLDERS))];
    default: return SNIPPETS[below(COUNT(SNIPPETS))];
    }
}

/* Makes a string of up to 30 snippets; one in eight is a random code point instead. */
static void random_text(char text[1024]) {
    char *end = text;
    *end = '\0';
    for (size_t i = below(31); i > 0; i--) {
        if (below(8) > 0) {
            end = stpcpy(end, random_snippet());
            continue;
        }
        utf8proc_int32_t c = (utf8proc_int32_t)below(below(2) ? 0x3000 : 0x110000);
        if (c == 0 || (c >= 0xD800 && c < 0xE000)) c = 'x';
        end += utf8proc_encode_char(c, (utf8proc_uint8_t *)end);
        *end = '\0';
    }
}

static char *normalised(const char *text) {
    size_t bad = 0;
    char *result = text_normalise(text, strlen(text), &bad);
    if (!result) fail_msg("\"%s\" is refused at byte %zu", text, bad);
    return result;
}

/* ---- unicode ---- */

static void normalise_gives_nfkc_and_single_spaces(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {" \t\u3000 ", ""},
        {"  a \t b\r\n", "a b"},
        {"a\u00a0\u2003\u2028\xc2\x85\x01\x7f"
         "b",
         "a b"},
        {"Ｈｅｌｌｏ，　１２", "Hello, 12"},
        {"ﬁ ½ ²", "fi 1\u20442 2"},
        {"e\u0301", "é"},
        {"¨", "\u0308"},
        {"a ¨", "a \u0308"},
        {"潮水退了，才知道", "潮水退了,才知道"},
        {"ｶﾞ", "ガ"},
        {"\u1112\u1161\u11ab", "한"},
        {"a\u0301\u0323", "ạ\u0301"},
        {"👩\u200d🚀", "👩\u200d🚀"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = normalised(cases[i][0]);
        assert_string_equal(text, cases[i][1]);
        mem_free(text);
    }
}

static void normalise_is_idempotent(void **state) {
    (void)state;
    char text[1024];
    rng_state = 1;
    for (int i = 0; i < 5000; i++) {
        random_text(text);
        char *once = normalised(text), *twice = normalised(once);
        assert_string_equal(once, twice);
        assert_null(strstr(once, "  "));
        assert_true(*once != ' ' && (!*once || once[strlen(once) - 1] != ' '));
        mem_free(once);
        mem_free(twice);
    }
}

static void normalise_agrees_with_utf8proc(void **state) {
    (void)state;
    char text[1024];
    rng_state = 2;
    int compared = 0;
    for (int i = 0; i < 5000; i++) {
        random_text(text);
        utf8proc_uint8_t *expected = utf8proc_NFKC((const utf8proc_uint8_t *)text);
        char *plain = normalised((const char *)expected), *got = normalised(text);
        assert_string_equal(got, plain);
        compared += strcmp(got, (const char *)expected) == 0;
        free(expected);
        mem_free(plain);
        mem_free(got);
    }
    assert_true(compared > 100);
}

/* ASCII has its own code in text_normalise, except for a character before a non-ASCII one: both give the same
   result. */
static void normalise_treats_ascii_like_the_rest(void **state) {
    (void)state;
    rng_state = 7;
    for (int i = 0; i < 5000; i++) {
        char text[40], expected[48];
        size_t n = below(30);
        for (size_t k = 0; k < n; k++) text[k] = (char)(1 + (below(3) ? 30 + below(5) : below(127)));
        strcpy(text + n, "");
        char *got = normalised(text);
        sprintf(expected, "%s%sé", got, *got ? " " : "");
        strcpy(text + n, " é");
        char *whole = normalised(text);
        assert_string_equal(whole, expected);
        mem_free(got);
        mem_free(whole);
    }
}

/* Every character whose NFKC contains no blank, before and after a letter. */
static void every_character_becomes_its_nfkc(void **state) {
    (void)state;
    for (int32_t c = 0x21; c < 0x30000; c++) {
        char text[16] = "x";
        if (c == 0x7f || (c >= 0x80 && c < 0xa0) || (c >= 0xd800 && c < 0xe000)) continue;
        strcpy(text + 1 + utf8proc_encode_char(c, (utf8proc_uint8_t *)text + 1), "y");
        char *expected = (char *)utf8proc_NFKC((const utf8proc_uint8_t *)text), *got = normalised(text);
        if (!strchr(expected, ' ') && c != 0x2028 && c != 0x2029 && c != 0x1680) assert_string_equal(got, expected);
        free(expected);
        mem_free(got);
    }
}

static void normalise_names_the_first_bad_byte(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n, bad;
    } cases[] = {
        {"\xff", 1, 0},
        {"ab\x80", 3, 2},
        {"a\xe6\xbd", 3, 1},
        {"\xc0\xaf", 2, 0},
        {"\xed\xa0\x80", 3, 0},
        {"x\xf4\x90\x80\x80", 5, 1},
        {"ab\0c", 4, 2},
        {"\xe6\xbd\xae\xe6", 4, 3},
        {"\0", 1, 0},
        {"\xe0\x80\xaf", 3, 0},
        {"\xf0\x80\x80\xaf", 4, 0},
        {"a\xed\xa0\xbd\xed\xb8\x80", 7, 1},
        {"\xf8\x88\x80\x80\x80", 5, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t bad = 99;
        char *exact = malloc(cases[i].n); /* exact size: the sanitizer detects a read past the end */
        memcpy(exact, cases[i].bytes, cases[i].n);
        assert_null(text_normalise(exact, cases[i].n, &bad));
        assert_int_equal(bad, cases[i].bad);
        assert_null(text_normalise(exact, cases[i].n, NULL));
        free(exact);
    }
}

/* Surrogates and numbers above U+10FFFF are not valid, although their bytes have the pattern of UTF-8. */
static void only_characters_are_valid(void **state) {
    (void)state;
    for (uint32_t c = 0x800; c < 0x200000; c += c < 0x10000 ? 1 : 0xfff) {
        char bytes[5] = {(char)(0xf0 | c >> 18), (char)(0x80 | (c >> 12 & 0x3f)), (char)(0x80 | (c >> 6 & 0x3f)),
                         (char)(0x80 | (c & 0x3f))};
        bool valid = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
        char *begin = bytes;
        if (c < 0x10000) *++begin = (char)(0xe0 | c >> 12);
        size_t n = strlen(begin), bad = 99;
        char *text = text_normalise(begin, n, &bad);
        assert_int_equal(text != NULL, valid);
        assert_int_equal(bad, valid ? 99 : 0);
        assert_int_equal(utf8_valid(begin, n), valid);
        mem_free(text);
    }
}

/* Hostile input: 200,000 combining marks in the wrong order must not take quadratic time. */
static void normalise_orders_many_marks(void **state) {
    (void)state;
    enum { MARKS = 200000 };
    char *text = mem_alloc(1 + 4 * MARKS + 1), *end = text;
    *end++ = 'x';
    for (int i = 0; i < MARKS; i++) end = stpcpy(end, "\u0302"); /* class 230 */
    for (int i = 0; i < MARKS; i++) end = stpcpy(end, "\u0331"); /* class 220 */
    char *got = normalised(text);
    assert_memory_equal(got, "x\u0331\u0331", 5);
    assert_memory_equal(got + 1 + 2L * MARKS, "\u0302\u0302", 4);
    assert_int_equal(strlen(got), 1 + 4 * MARKS);
    mem_free(got);
    mem_free(text);
}

static void characters_and_their_classes(void **state) {
    (void)state;
    const char *at = "a潮𠮷";
    assert_int_equal(utf8_count(at), 3);
    assert_int_equal(utf8_next(&at), 'a');
    assert_int_equal(utf8_length(at), 3);
    assert_int_equal(utf8_next(&at), 0x6F6E);
    assert_int_equal(utf8_next(&at), 0x20BB7);
    assert_int_equal(*at, '\0');
    assert_true(utf8_valid("潮a", 4) && !utf8_valid("潮a", 2) && utf8_valid("", 0));
    assert_true(is_han(0x6F6E) && is_han(0x20BB7) && is_han(0x3005) && is_han(0x3007) && is_han(0x31350));
    assert_false(is_han('a') || is_han(0x304B) || is_han(0xFF0C) || is_han(0x1F600));
    assert_true(is_letter('a') && is_letter(0xE9) && is_letter(0x304B));
    assert_false(is_letter(0x6F6E) || is_letter('1') || is_letter(0x301) || is_letter('_') || is_letter(0x3005));
    assert_true(is_mark(0x301) && is_mark(0xFE0F) && is_mark(0x093F) && !is_mark('a'));
    assert_true(is_digit('7') && is_digit(0x663) && !is_digit(0xBD));
}

/* The blocks of Han characters in Unicode, and 々 and 〇. */
static void han_characters_are_those_of_unicode(void **state) {
    (void)state;
    static const utf8proc_int32_t blocks[][2] = {{0x3005, 0x3005}, {0x3007, 0x3007}, {0x3400, 0x4DBF},
                                                 {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x3FFFD}};
    for (utf8proc_int32_t c = 0; c < 0x110000; c++) {
        bool han = false;
        for (size_t i = 0; i < COUNT(blocks); i++) han |= c >= blocks[i][0] && c <= blocks[i][1];
        if (is_han(c) != han) fail_msg("U+%04X", (unsigned)c);
    }
}

/* Two equal characters of ASCII are one piece if they are letters or digits. */
static void letters_and_digits_are_in_runs(void **state) {
    (void)state;
    for (char c = '!'; c < 0x7f; c++) {
        const char text[] = {c, c, '\0'};
        char **pieces = tokenizer_split(&(Tokenizer){.kind = TOKENIZER_CHAR}, text);
        const bool run = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (arrlen(pieces) != (run ? 1 : 2)) fail_msg("%td pieces of '%s'", arrlen(pieces), text);
        strings_free(pieces);
    }
}

/* Every character, by itself and after characters that are not Han. */
static void text_has_han_agrees_with_is_han(void **state) {
    (void)state;
    assert_false(text_has_han(""));
    for (utf8proc_int32_t c = 1; c < 0x110000; c++) {
        if (c >= 0xD800 && c < 0xE000) continue;
        char text[16] = "▁a";
        size_t n = strlen(text);
        utf8proc_encode_char(c, (utf8proc_uint8_t *)text + n);
        if (text_has_han(text) != is_han(c) || text_has_han(text + n) != is_han(c)) fail_msg("U+%04X", (unsigned)c);
    }
}

static void chinese_has_full_width_punctuation(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"潮水退了,才知道谁没穿裤子。", "潮水退了，才知道谁没穿裤子。"},
        {"真的?!你说:好;不好!", "真的？！你说：好；不好！"},
        {"Tom,你好,Tom!", "Tom,你好，Tom！"},         /* only after a Han character */
        {"3:30来,有1,000人?", "3:30来，有1,000人？"}, /* not inside numbers */
        {"Hello, Tom?", "Hello, Tom?"},
        {"有7?没有7!", "有7？没有7！"},
        {"(是)...是.", "(是)...是."},
        /* placeholders, URLs and runs without Han keep their marks */
        {"一个&nbsp;词;另一个&#160;词", "一个&nbsp;词；另一个&#160;词"},
        {"研发(R&D),好", "研发(R&D)，好"},
        {"把{a:b}放在{0:>3}里:好", "把{a:b}放在{0:>3}里：好"},
        {"见https://a.b/c?b=c,d;e:还有:好", "见https://a.b/c?b=c,d;e:还有：好"},
        {"写信给mailto:a@b.c,好吗?", "写信给mailto:a@b.c,好吗？"},
        {"空间http:好,坏", "空间http:好，坏"},
        {"用<a:b>和⦅c:d,e⦆,好", "用<a:b>和⦅c:d,e⦆，好"},
        {"若3<5,对", "若3<5,对"},
        {"用 foo:bar, baz; 好,好", "用 foo:bar, baz; 好，好"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = text_full_width(cases[i][0]);
        assert_string_equal(text, cases[i][1]);
        mem_free(text);
    }
}

static void chinese_sentences_have_no_spaces_between(void **state) {
    (void)state;
    static const char source[] = "The tide is out. The sea is calm.\n He left.  Nobody knows. ";
    static const char *const chinese[] = {"潮水退了。", "大海很安静。", "他走了。", "没有人知道。"};
    Passage passage = passage_split(source, false, PASSAGE_TEXT);
    assert_int_equal(arrlen(passage.sentences), 4);
    char *text = passage_join(&passage, chinese, false);
    assert_string_equal(text, "潮水退了。大海很安静。\n 他走了。没有人知道。 ");
    mem_free(text);
    text = passage_join(&passage, (const char *const *)passage.sentences, true);
    assert_string_equal(text, source);
    mem_free(text);
    passage_free(&passage);
}

static void tags_of_subtitles_end_in_their_line(void **state) {
    (void)state;
    static const char source[] = "1\n00:00:01,000 --> 00:00:02,500\n<p a=\"b>The tide is out.\n\n"
                                 "2\n00:00:03,000 --> 00:00:04,000\nHere <b and {\\an8\nare text.\n";
    static const char *const sentences[] = {"The tide is out.", "Here <b and {\\an8 are text."};
    Passage passage = passage_split(source, false, PASSAGE_SUBTITLES);
    assert_int_equal(arrlen(passage.sentences), 2);
    for (int i = 0; i < 2; i++) assert_string_equal(passage.sentences[i], sentences[i]);
    assert_string_equal(passage.between[0], "1\n00:00:01,000 --> 00:00:02,500\n<p a=\"b>");
    assert_string_equal(passage.between[1], "\n\n2\n00:00:03,000 --> 00:00:04,000\n");
    passage_free(&passage);
}

/* The model reads its own translations as it wrote them, and a stream does not change what it has shown. */
static void full_width_keeps_nfkc_and_beginnings(void **state) {
    (void)state;
    static const char *const parts[] = {"潮", "水", ",",  "?", "!", ":", ";",    "a", "7", " ", "。",
                                        "é",  "▁",  "𠀀", "{", "}", "&", "http", "<", ">", "⦅", "⦆"};
    rng_state = 1;
    for (int i = 0; i < 20000; i++) {
        char text[64] = "";
        for (size_t n = below(12); n--;) strcat(text, parts[below(sizeof parts / sizeof *parts)]);
        char *once = normalised(text), *wide = text_full_width(once), *twice = text_full_width(wide);
        char *back = normalised(wide);
        assert_string_equal(back, once);
        assert_string_equal(twice, wide);
        for (const char *end = once; *end; utf8_next(&end)) { /* the beginnings of the text */
            char beginning[64] = "";
            memcpy(beginning, once, (size_t)(end - once));
            char *begun = text_full_width(beginning);
            assert_true(starts_with(wide, begun));
            mem_free(begun);
        }
        mem_free(once);
        mem_free(wide);
        mem_free(twice);
        mem_free(back);
    }
}

/* ---- noise ---- */

enum { NOISY = 20001, TAG = 7, FIRST_PIECE = 1000 };

/* Adds noise to the pieces 1000, 1001, .. and a tag. Returns the new number. */
static int add_noise(Noise noise, long update, int index, int n, int *ids) {
    const UpdateNoise options = {noise, 5, update};
    for (int i = 0; i < n - 1; i++) ids[i] = FIRST_PIECE + i;
    ids[n - 1] = TAG;
    const int left = noise_add(&options, index, ids, n);
    assert_int_equal(ids[left - 1], TAG);
    return left;
}

static void assert_near(int value, double expected) { assert_true(value > 0.95 * expected && value < 1.05 * expected); }

static void noise_removes_pieces(void **state) {
    (void)state;
    static int ids[NOISY];
    const int left = add_noise((Noise){.drop = 0.3}, 1, 0, NOISY, ids);
    assert_near(left, 0.7 * NOISY);
    for (int i = 1; i < left - 1; i++) assert_true(ids[i] > ids[i - 1]);
    for (int k = 0; k < 100; k++)
        assert_true(add_noise((Noise){.drop = 0.9}, k, 1, 2, ids) == 2 && ids[0] == FIRST_PIECE);
    assert_int_equal(add_noise((Noise){.drop = 0.9, .blank = 0.9, .swap = 9}, 1, 1, 1, ids), 1);
}

static void noise_blanks_pieces(void **state) {
    (void)state;
    static int ids[NOISY];
    int blank = 0;
    assert_int_equal(add_noise((Noise){.blank = 0.2}, 1, 0, NOISY, ids), NOISY);
    for (int i = 0; i < NOISY - 1; i++) {
        blank += ids[i] == ID_UNK;
        assert_true(ids[i] == ID_UNK || ids[i] == FIRST_PIECE + i);
    }
    assert_near(blank, 0.2 * NOISY);
}

static void noise_moves_pieces(void **state) {
    (void)state;
    enum { DISTANCE = 4 };
    static int ids[NOISY];
    static bool seen[NOISY];
    int moved = 0, most = 0;
    assert_int_equal(add_noise((Noise){.swap = DISTANCE}, 1, 0, NOISY, ids), NOISY);
    for (int i = 0; i < NOISY - 1; i++) {
        const int from = ids[i] - FIRST_PIECE, by = abs(from - i);
        assert_false(seen[from]);
        seen[from] = true;
        moved += by > 0;
        if (by > most) most = by;
    }
    assert_int_equal(most, DISTANCE - 1);
    assert_true(moved > NOISY / 2);
    add_noise((Noise){.swap = 1}, 1, 0, NOISY, ids);
    for (int i = 0; i < NOISY - 1; i++) assert_int_equal(ids[i], FIRST_PIECE + i);
}

/* The noise of a pair differs in each update and from that of other pairs. */
static void noise_depends_on_update_and_index(void **state) {
    (void)state;
    enum { N = 50 };
    const Noise noise = {0.1, 0.1, 3};
    int ids[4][N];
    const int left = add_noise(noise, 3, 2, N, ids[0]);
    assert_int_equal(add_noise(noise, 3, 2, N, ids[1]), left);
    assert_memory_equal(ids[0], ids[1], (size_t)left * sizeof(int));
    add_noise(noise, 4, 2, N, ids[2]);
    add_noise(noise, 3, 1, N, ids[3]);
    assert_memory_not_equal(ids[0], ids[2], sizeof ids[0]);
    assert_memory_not_equal(ids[0], ids[3], sizeof ids[0]);
    assert_memory_not_equal(ids[2], ids[3], sizeof ids[0]);
}

/* ---- string tables ---- */

/* Adds numbers as text, each twice, in an order that jumps; every string keeps its number, its text and its address. */
static void string_table_numbers_distinct_strings(void **state) {
    (void)state;
    enum { STRINGS = 5000, STEP = 2347 };
    StringTable table = {0};
    const char *first = NULL;
    char text[16];
    assert_int_equal(string_table_find(&table, "", 0), -1);
    for (int i = 0; i < 2 * STRINGS; i++) {
        const int n = snprintf(text, sizeof text, "%d?", i * STEP % STRINGS);
        text[n - 1] = 'x'; /* not part of the string */
        assert_int_equal(string_table_add(&table, text, (size_t)n - 1), i % STRINGS);
        if (!first) first = table.strings[0];
    }
    assert_int_equal(string_table_count(&table), STRINGS);
    assert_ptr_equal(table.strings[0], first);
    for (int i = 0; i < STRINGS; i++) {
        snprintf(text, sizeof text, "%d", i * STEP % STRINGS);
        assert_string_equal(table.strings[i], text);
        assert_int_equal(string_table_find(&table, text, strlen(text)), i);
    }
    assert_int_equal(string_table_find(&table, "12", 1), string_table_find(&table, "1", 1));
    assert_int_equal(string_table_find(&table, "-1", 2), -1);
    string_table_free(&table);
}

/* The empty string is a string, and a string may be longer than a block of the table. */
static void string_table_takes_any_length(void **state) {
    (void)state;
    enum { LONG = 100000 };
    StringTable table = {0};
    char *text = mem_alloc(LONG);
    memset(text, 'a', LONG);
    string_table_reserve_lines(&table, "a\nb\nc");
    for (int n = 0; n < LONG; n = 7 * n + 1) string_table_add(&table, text, (size_t)n);
    const int last = string_table_count(&table) - 1;
    assert_int_equal(string_table_find(&table, text, 0), 0);
    assert_int_equal(strlen(table.strings[last]), 19608);
    assert_int_equal(string_table_find(&table, text, 19608), last);
    assert_int_equal(string_table_find(&table, text, 19607), -1);
    mem_free(text);
    string_table_free(&table);
}

/* ---- bpe ---- */

/* Returns the pieces as one string, separated by '|'; releases the pieces. */
static char *shown(char **pieces) {
    size_t size = 1;
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) size += strlen(pieces[i]) + 1;
    char *text = mem_zalloc(size);
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        if (i > 0) strcat(text, "|");
        strcat(text, pieces[i]);
    }
    strings_free(pieces);
    return text;
}

static void assert_pieces(char **pieces, const char *expected) {
    char *text = shown(pieces);
    assert_string_equal(text, expected);
    mem_free(text);
}

static void assert_applied(const Bpe *bpe, const char *word, const char *expected) {
    char **pieces = NULL;
    bpe_apply(bpe, word, &pieces);
    assert_pieces(pieces, expected);
}

static void assert_format(const Bpe *bpe, const char *expected) {
    char *text = bpe_format(bpe);
    assert_string_equal(text, expected);
    mem_free(text);
}

static void bpe_learns_the_most_frequent_pairs(void **state) {
    (void)state;
    char *words[] = {"low", "lower", "newest", "widest"};
    const long counts[] = {5, 2, 6, 3};
    Bpe *bpe = bpe_learn(words, counts, 4, 4);
    assert_format(bpe, "e s\nes t\nl o\nlo w\n"); /* es and est occur 9 times; lo and ow 7 times: lo is first */
    assert_int_equal(bpe_merges(bpe), 4);
    assert_applied(bpe, "lowest", "low|est");
    assert_applied(bpe, "潮est𠮷", "潮|est|𠮷");
    assert_applied(bpe, "", "");
    bpe_free(bpe);
}

static void bpe_stops_when_no_pair_occurs_twice(void **state) {
    (void)state;
    char *words[] = {"ab", "cd", "x", ""};
    const long counts[] = {2, 1, 100, 7};
    Bpe *bpe = bpe_learn(words, counts, 4, 100);
    assert_format(bpe, "a b\n");
    bpe_free(bpe);
    bpe = bpe_learn(words, counts, 4, 0);
    assert_format(bpe, "");
    assert_applied(bpe, "ab", "a|b");
    bpe_free(bpe);
    bpe = bpe_learn(NULL, NULL, 0, 10);
    assert_int_equal(bpe_merges(bpe), 0);
    bpe_free(bpe);
    bpe_free(NULL);
}

static void bpe_merges_runs_from_the_left(void **state) {
    (void)state;
    char *words[] = {"aaaaa"};
    const long counts[] = {1};
    Bpe *bpe = bpe_learn(words, counts, 1, 10);
    assert_format(bpe, "a a\n"); /* after the merge, in aa aa a, no pair occurs twice */
    assert_applied(bpe, "aaaaa", "aa|aa|a");
    bpe_free(bpe);
}

/* BPE by its definition: counts all pairs again for every merge; pieces are strings. */
enum { NAIVE_WORDS = 40, NAIVE_LENGTH = 12 };

typedef struct Naive {
    char pieces[NAIVE_WORDS][NAIVE_LENGTH][NAIVE_LENGTH + 1];
    int lengths[NAIVE_WORDS];
    const long *counts;
    int n;
} Naive;

static long naive_count(const Naive *naive, const char *left, const char *right) {
    long count = 0;
    for (int w = 0; w < naive->n; w++)
        for (int i = 0; i + 1 < naive->lengths[w]; i++)
            if (!strcmp(naive->pieces[w][i], left) && !strcmp(naive->pieces[w][i + 1], right))
                count += naive->counts[w];
    return count;
}

static void naive_merge(Naive *naive, const char *left, const char *right) {
    for (int w = 0; w < naive->n; w++) {
        int out = 0;
        for (int in = 0; in < naive->lengths[w]; in++) {
            char piece[NAIVE_LENGTH + 1];
            strcpy(piece, naive->pieces[w][in]);
            if (in + 1 < naive->lengths[w] && !strcmp(piece, left) && !strcmp(naive->pieces[w][in + 1], right))
                strcat(piece, naive->pieces[w][++in]);
            strcpy(naive->pieces[w][out++], piece);
        }
        naive->lengths[w] = out;
    }
}

/* Makes one merge and writes "left right\n" to line; returns false if no pair occurs twice. */
static bool naive_step(Naive *naive, char line[64]) {
    long most = 1;
    char left[NAIVE_LENGTH + 1] = "", right[NAIVE_LENGTH + 1] = "";
    for (int w = 0; w < naive->n; w++)
        for (int i = 0; i + 1 < naive->lengths[w]; i++) {
            const char *a = naive->pieces[w][i], *b = naive->pieces[w][i + 1];
            long count = naive_count(naive, a, b);
            int order = strcmp(a, left) ? strcmp(a, left) : strcmp(b, right);
            if (count < most || (count == most && (most == 1 || order >= 0))) continue;
            most = count;
            strcpy(left, a);
            strcpy(right, b);
        }
    if (most < 2) return false;
    naive_merge(naive, left, right);
    sprintf(line, "%s %s\n", left, right);
    return true;
}

static void naive_start(Naive *naive, char *const *words, const long *counts, int n) {
    *naive = (Naive){.counts = counts, .n = n};
    for (int w = 0; w < n; w++) {
        naive->lengths[w] = (int)strlen(words[w]);
        for (int i = 0; i < naive->lengths[w]; i++) naive->pieces[w][i][0] = words[w][i];
    }
}

static void assert_learned(char *const *words, const long *counts, int n, int merges) {
    static Naive naive;
    char expected[1 << 14] = "", line[64];
    naive_start(&naive, words, counts, n);
    for (int i = 0; i < merges && naive_step(&naive, line); i++) strcat(expected, line);
    Bpe *bpe = bpe_learn(words, counts, n, merges);
    assert_format(bpe, expected);
    for (int w = 0; w < n; w++) {
        char **pieces = NULL;
        bpe_apply(bpe, words[w], &pieces);
        assert_int_equal(arrlen(pieces), naive.lengths[w]);
        for (int i = 0; i < naive.lengths[w]; i++) assert_string_equal(pieces[i], naive.pieces[w][i]);
        strings_free(pieces);
    }
    bpe_free(bpe);
}

/* The learned merges are those of the definition. Applying them splits the words into the pieces that learning ended
   with. */
static void bpe_does_what_the_definition_says(void **state) {
    (void)state;
    rng_state = 3;
    for (int round = 0; round < 150; round++) {
        char letters[NAIVE_WORDS][NAIVE_LENGTH + 1] = {{0}}, *words[NAIVE_WORDS];
        long counts[NAIVE_WORDS];
        int n = 1 + (int)below(NAIVE_WORDS);
        size_t alphabet = 1 + below(4);
        for (int w = 0; w < n; w++) {
            for (size_t i = below(NAIVE_LENGTH); i > 0; i--) letters[w][i - 1] = (char)('a' + below(alphabet));
            words[w] = letters[w];
            counts[w] = 1 + (long)below(5);
        }
        assert_learned(words, counts, n, 60);
    }
}

static void bpe_text_form_round_trips(void **state) {
    (void)state;
    Err err;
    const char *text = "▁ t\n▁t he\nh e\n潮 水\n\\ _\n";
    Bpe *bpe = bpe_parse(text, "m", &err);
    assert_non_null(bpe);
    assert_format(bpe, text);
    assert_applied(bpe, "▁the", "▁the"); /* "▁t he" applies only after "h e", which is a later merge */
    assert_applied(bpe, "the潮水", "t|he|潮水");
    bpe_free(bpe);
    bpe = bpe_parse("a b", "m", &err);
    assert_format(bpe, "a b\n");
    bpe_free(bpe);
    bpe = bpe_parse("", "m", &err);
    assert_int_equal(bpe_merges(bpe), 0);
    bpe_free(bpe);
}

static void assert_err(const Err *err, const char *path, long line, const char *reason) {
    assert_string_equal(err->path, path);
    assert_int_equal(err->line, line);
    if (!strstr(err->reason, reason)) fail_msg("reason is \"%s\", expected \"%s\"", err->reason, reason);
}

static void bpe_refuses_broken_merges(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
        long line;
    } cases[] = {
        {"ab\n", "two pieces", 1},        {"a b\n\nc d\n", "two pieces", 2},  {"a b c\n", "two pieces", 1},
        {" b\n", "two pieces", 1},        {"a \n", "two pieces", 1},          {"a b\nc d\na b\n", "second time", 3},
        {"a b\nc  d\n", "two pieces", 2}, {"a \xe6\n", "not valid UTF-8", 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Err err;
        assert_null(bpe_parse(cases[i].text, "bpe", &err));
        assert_err(&err, "bpe", cases[i].line, cases[i].reason);
    }
}

/* ---- placeholders ---- */

static void placeholders_are_recognised(void **state) {
    (void)state;
    char text[128];
    for (size_t i = 0; i < COUNT(PLACEHOLDERS); i++) {
        size_t n = strlen(PLACEHOLDERS[i]);
        assert_int_equal(placeholder_length(PLACEHOLDERS[i]), n);
        for (size_t k = 0; k < 4; k++) { /* the text after a placeholder does not belong to it */
            sprintf(text, "%s%s", PLACEHOLDERS[i], (const char *const[]){" a", "9", "潮}", "\u0301>;⦆"}[k]);
            assert_int_equal(placeholder_length(text), n);
        }
    }
    for (size_t i = 0; i < COUNT(BROKEN_PLACEHOLDERS); i++)
        if (placeholder_length(BROKEN_PLACEHOLDERS[i])) fail_msg("\"%s\" is a placeholder", BROKEN_PLACEHOLDERS[i]);
}

/* A placeholder has at most 60 bytes, a protected sequence at most 100. */
static void placeholders_are_short(void **state) {
    (void)state;
    static const struct {
        const char *begin, *end;
        int most;
    } cases[] = {{"{", "}", 60}, {"<b", ">", 60}, {"%1", "d", 60}, {"%(", ")s", 60}, {"&#", ";", 60}, {"⦅", "⦆", 100}};
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int n = 0; n < 200; n++) {
            char text[256], digits[201] = "";
            memset(digits, '1', (size_t)n + 1);
            int length = sprintf(text, "%s%.*s%s", cases[i].begin, n + 1, digits, cases[i].end);
            assert_int_equal(placeholder_length(text), length <= cases[i].most ? length : 0);
        }
}

/* ---- tokenizer ---- */

static const Tokenizer CHARACTERS = {TOKENIZER_CHAR, NULL}, AT_SPACES = {TOKENIZER_NONE, NULL};

static void tokenizers_have_names(void **state) {
    (void)state;
    assert_int_equal(choice_find(tokenizer_names, "char"), TOKENIZER_CHAR);
    assert_int_equal(choice_find(tokenizer_names, "bpe"), TOKENIZER_BPE);
    assert_int_equal(choice_find(tokenizer_names, "none"), TOKENIZER_NONE);
    assert_int_equal(choice_find(tokenizer_names, "words"), -1);
    assert_int_equal(choice_find(tokenizer_names, ""), -1);
}

static void char_tokenizer_splits(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"潮水退了,才", "潮|水|退|了|,|才"},
        {"我有3个iPhone 15 Pro", "我|有|3|个|iPhone|▁|15|▁|Pro"},
        {"𠮷々〇カタ", "𠮷|々|〇|カタ"},
        {"x\u0301y 3\u0301 !\u0301a", "x\u0301y|▁|3\u0301|▁|!\u0301|a"},
        {"\u0301a", "\u0301|a"},
        {"▁ \\_ '", "\\_|▁|\\\\|_|▁|'"},
        {"don't", "don|'|t"},
        {"按%d或{0}。", "按|%d|或|{0}|。"},
        {"点 <b>此 &nbsp;</b>%", "点|▁|<b>|此|▁|&nbsp;|</b>|%"},
        {"⦅\\_▁\\⦆ {\\▁", "⦅\\\\_\\_\\\\⦆|▁|{|\\\\|\\_"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) assert_pieces(tokenizer_split(&CHARACTERS, cases[i][0]), cases[i][1]);
}

/* Merges are learned from two copies of a text, so every word of it becomes one piece. */
static void bpe_tokenizer_splits_words(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"I didn't go.", "▁I|▁didn|'t|▁go|."},
        {"It\u2019s 1984, room B12", "▁It|\u2019s|▁1984|,|▁room|▁B|12"},
        {"«潮水 tide潮»", "▁«|潮水|▁tide潮|»"},
        {"a_b \\▁", "▁a|_|b|▁\\\\|\\_"},
        {"'tis ' '5 ''", "▁'tis|▁'|▁'|5|▁'|'"},
        {"x\u0301y \u0301 !\u0301z", "▁x\u0301y|▁\u0301|▁!\u0301|z"},
        {"</s>", "▁|</s>"},
        {"%s: save {0} to <b>%d</b>.", "▁|%s|:|▁save|▁|{0}|▁to|▁|<b>|%d|</b>|."},
        {"100% of 5% do 50%of {a b}", "▁100|%|▁of|▁5|%|▁do|▁50|%|of|▁{|a|▁b|}"},
        {"{\\▁}a {0}\u0301", "▁|{\\\\\\_}|a|▁|{0}|\u0301"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *sentences[] = {(char *)cases[i][0], (char *)cases[i][0]};
        Tokenizer tokenizer = {TOKENIZER_BPE, merges_of(sentences, 2, 1000)};
        assert_pieces(tokenizer_split(&tokenizer, cases[i][0]), cases[i][1]);
        bpe_free(tokenizer.bpe);
    }
}

static void none_tokenizer_splits_at_spaces(void **state) {
    (void)state;
    assert_pieces(tokenizer_split(&AT_SPACES, "潮水 退 了 \\_ ▁a"), "潮水|退|了|\\_|▁a");
    assert_pieces(tokenizer_split(&AT_SPACES, ""), "");
}

static void assert_round_trip(const Tokenizer *tokenizer, const char *text) {
    char **pieces = tokenizer_split(tokenizer, text);
    char *joined = tokenizer_join(tokenizer->kind, pieces, (int)arrlen(pieces));
    assert_string_equal(joined, text);
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) assert_true(*pieces[i] && !strpbrk(pieces[i], " \n"));
    mem_free(joined);
    strings_free(pieces);
}

static void every_text_comes_back(void **state) {
    (void)state;
    enum { TEXTS = 4000 };
    char text[1024], **texts = NULL;
    rng_state = 4;
    for (int i = 0; i < TEXTS; i++) {
        random_text(text);
        arrput(texts, normalised(text));
    }
    Tokenizer few = {TOKENIZER_BPE, merges_of(texts, 0, 0)};
    Tokenizer many = {TOKENIZER_BPE, merges_of(texts, TEXTS / 2, 500)};
    assert_int_equal(bpe_merges(many.bpe), 500);
    const Tokenizer *all[] = {&few, &many, &CHARACTERS, &AT_SPACES};
    for (int i = 0; i < TEXTS; i++)
        for (size_t k = 0; k < COUNT(all); k++) assert_round_trip(all[k], texts[i]);
    bpe_free(few.bpe);
    bpe_free(many.bpe);
    strings_free(texts);
}

static void merges_are_not_learned_from_placeholders(void **state) {
    (void)state;
    char *sentences[] = {"%(ab)s {ab} <ab>", "{ab}{ab} ⦅ab⦆ &ab;"};
    Bpe *bpe = merges_of(sentences, 2, 100);
    assert_int_equal(bpe_merges(bpe), 0);
    bpe_free(bpe);
}

/* A placeholder between any two texts becomes one piece after a space mark. */
static void placeholders_stay_whole(void **state) {
    (void)state;
    char left[1024], right[1024], *learned = "{ab} a b ab %d";
    Tokenizer tokenizer = {TOKENIZER_BPE, merges_of((char *[]){learned, learned}, 2, 100)};
    rng_state = 5;
    for (int i = 0; i < 2000; i++) {
        random_text(left);
        random_text(right);
        char *parts[] = {normalised(left), (char *)PLACEHOLDERS[below(COUNT(PLACEHOLDERS))], normalised(right)};
        char **apart = NULL, text[4096], *end = text;
        for (int k = 0; k < 3; k++) {
            char **pieces = tokenizer_split(&tokenizer, parts[k]);
            if (k == 1) assert_int_equal(arrlen(pieces), 2);
            for (ptrdiff_t j = 0; j < arrlen(pieces); j++) arrput(apart, pieces[j]);
            arrfree(pieces);
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): normalised() fails rather than return NULL */
            end += sprintf(end, "%s%s", k && *parts[k] && end > text ? " " : "", parts[k]);
        }
        char *expected = shown(apart);
        assert_pieces(tokenizer_split(&tokenizer, text), expected);
        mem_free(expected);
        mem_free(parts[0]);
        mem_free(parts[2]);
    }
    bpe_free(tokenizer.bpe);
}

/* Hostile input: a word of many letters, a letter with many marks. */
static void long_runs_are_cut(void **state) {
    (void)state;
    enum { LENGTH = 200000 };
    char *sentence = "abab", *text = mem_zalloc(2UL * LENGTH + 1);
    Tokenizer bpe = {TOKENIZER_BPE, merges_of(&sentence, 1, 10)};
    memset(text, 'a', LENGTH);
    assert_round_trip(&bpe, text);
    assert_round_trip(&CHARACTERS, text);
    for (int i = 0; i < LENGTH; i++) memcpy(text + 2L * i, "\u0301", 2);
    assert_round_trip(&bpe, text);
    char **pieces = tokenizer_split(&CHARACTERS, text);
    assert_int_equal(arrlen(pieces), LENGTH / 100);
    strings_free(pieces);
    bpe_free(bpe.bpe);
    mem_free(text);
}

static void join_takes_whatever_a_model_writes(void **state) {
    (void)state;
    static const struct {
        TokenizerKind kind;
        const char *text;
        char *pieces[5];
    } cases[] = {
        {TOKENIZER_BPE, "a b", {"▁", "▁a", "▁", "▁b", "▁"}},
        {TOKENIZER_BPE, "ab ▁", {"a", "b", "▁\\", "_"}},
        {TOKENIZER_BPE, "\\x\\", {"\\", "x", "\\"}},
        {TOKENIZER_CHAR, "潮 水", {"▁", "潮", "▁", "▁", "水"}},
        {TOKENIZER_CHAR, "", {"▁", "▁"}},
        {TOKENIZER_NONE, "a ▁b", {"a", "▁b"}},
        {TOKENIZER_BPE, "a\xe2", {"▁a", "\xe2"}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int n = 0;
        while (n < 5 && cases[i].pieces[n]) n++;
        char *text = tokenizer_join(cases[i].kind, cases[i].pieces, n);
        assert_string_equal(text, cases[i].text);
        mem_free(text);
    }
}

/* ---- vocab ---- */

static void assert_vocab_format(const Vocab *vocab, const char *expected) {
    char *text = vocab_format(vocab);
    assert_string_equal(text, expected);
    mem_free(text);
}

static void vocab_holds_the_most_frequent(void **state) {
    (void)state;
    char *pieces[] = {"b", "潮", "a", "</s>", "rare", "top"};
    const long counts[] = {5, 5, 5, 50, 1, 9};
    Vocab *all = vocab_build(pieces, counts, 6, 0, false), *some = vocab_build(pieces, counts, 6, 7, false);
    assert_vocab_format(all, "<pad>\n<unk>\n<s>\n</s>\ntop\na\nb\n潮\nrare\n");
    assert_vocab_format(some, "<pad>\n<unk>\n<s>\n</s>\ntop\na\nb\n");
    assert_int_equal(vocab_size(some), 7);
    assert_int_equal(vocab_id(some, "top"), ID_SPECIALS);
    assert_int_equal(vocab_id(some, "潮"), ID_UNK);
    assert_int_equal(vocab_id(some, "</s>"), ID_UNK);
    assert_int_equal(vocab_id(all, "潮"), 7);
    assert_string_equal(vocab_piece(all, 7), "潮");
    assert_string_equal(vocab_piece(all, ID_EOS), "</s>");
    vocab_free(all);
    vocab_free(some);
    Vocab *none = vocab_build(NULL, NULL, 0, 0, false);
    assert_int_equal(vocab_size(none), ID_SPECIALS);
    vocab_free(none);
    vocab_free(NULL);
}

static void vocab_text_form_round_trips(void **state) {
    (void)state;
    Err err;
    const char *text = "<pad>\n<unk>\n<s>\n</s>\n▁the\n潮\n\\_\n";
    Vocab *vocab = vocab_parse(text, "v", &err);
    assert_non_null(vocab);
    assert_vocab_format(vocab, text);
    assert_int_equal(vocab_id(vocab, "潮"), 5);
    vocab_free(vocab);
    vocab = vocab_parse("<pad>\n<unk>\n<s>\n</s>\nlast", "v", &err);
    assert_int_equal(vocab_id(vocab, "last"), 4);
    vocab_free(vocab);
}

static void vocab_refuses_broken_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
        long line;
    } cases[] = {
        {"", "expected <pad>", 1},
        {"<pad>\n<unk>\n", "expected <s>", 3},
        {"<pad>\n<unk>\na\n</s>\n", "expected <s>", 3},
        {"<pad>\n<unk>\n<s>\n</s>\na\n\nb\n", "empty line", 6},
        {"<pad>\n<unk>\n<s>\n</s>\na\nb\na\n", "\"a\" is on line 5", 7},
        {"<pad>\n<unk>\n<s>\n</s>\n<s>\n", "\"<s>\" is on line 3", 5},
        {"<pad>\n<unk>\n<s>\n</s>\n\xff\n", "not valid UTF-8", 5},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Err err;
        assert_null(vocab_parse(cases[i].text, "vocab", &err));
        assert_err(&err, "vocab", cases[i].line, cases[i].reason);
    }
}

/* ---- side ---- */

/* Counts the pieces of n texts, `step` for each. */
static void count_pieces(const Tokenizer *tokenizer, char *const *texts, int n, int step, char ***pieces,
                         long **counts) {
    for (int i = 0; i < n; i++) {
        char **split = tokenizer_split(tokenizer, texts[i]);
        for (ptrdiff_t k = 0; k < arrlen(split); k++) {
            ptrdiff_t at = 0;
            while (at < arrlen(*pieces) && strcmp((*pieces)[at], split[k]) != 0) at++;
            if (at == arrlen(*pieces)) {
                arrput(*pieces, mem_strdup(split[k]));
                arrput(*counts, 0);
            }
            (*counts)[at] += step;
        }
        strings_free(split);
    }
}

/* The vocabulary by its definition: counts the pieces one by one. An open vocabulary also has the pieces that the texts
   have after the first 0, 1, 2, … merges. */
static char *naive_vocab(const Tokenizer *tokenizer, char *const *texts, int n, int size) {
    char **pieces = NULL;
    long *counts = NULL;
    const bool open = tokenizer->kind == TOKENIZER_BPE;
    count_pieces(tokenizer, texts, n, 1, &pieces, &counts);
    char *merges = open ? bpe_format(tokenizer->bpe) : NULL;
    for (char *end = merges ? merges + strlen(merges) : NULL; end;) {
        *end = '\0';
        Tokenizer earlier = {TOKENIZER_BPE, bpe_parse(merges, NULL, NULL)};
        count_pieces(&earlier, texts, n, 0, &pieces, &counts);
        bpe_free(earlier.bpe);
        if (end == merges) break;
        while (--end > merges && end[-1] != '\n') {}
    }
    mem_free(merges);
    Vocab *vocab = vocab_build(pieces, counts, (int)arrlen(pieces), size, open);
    char *text = vocab_format(vocab);
    vocab_free(vocab);
    strings_free(pieces);
    arrfree(counts);
    return text;
}

static void assert_encoded(const Side *side, const int *ids, const char *text) {
    char **pieces = side_split(side, text);
    assert_int_equal(arrlen(ids), arrlen(pieces) + 1);
    for (ptrdiff_t k = 0; k < arrlen(pieces); k++) assert_int_equal(ids[k], vocab_id(side->vocab, pieces[k]));
    assert_int_equal(arrlast(ids), ID_EOS);
    strings_free(pieces);
}

static void sides_count_and_encode_as_they_split(void **state) {
    (void)state;
    enum { TEXTS = 60, SIZE = 150 };
    char text[1024], *texts[TEXTS];
    rng_state = 6;
    for (int i = 0; i < TEXTS; i++) {
        random_text(text);
        texts[i] = normalised(text);
    }
    for (TokenizerKind kind = TOKENIZER_CHAR; kind <= TOKENIZER_NONE; kind++) {
        Side side;
        side_learn(&side, kind, words_of(kind, texts, TEXTS), 100, SIZE);
        char *expected = naive_vocab(&side.tokenizer, texts, TEXTS, SIZE);
        assert_vocab_format(side.vocab, expected);
        int **all = side_encode_all(&side, texts, TEXTS);
        for (int i = 0; i < TEXTS; i++) {
            int *alone = side_encode(&side, texts[i]);
            assert_encoded(&side, all[i], texts[i]);
            assert_encoded(&side, alone, texts[i]);
            arrfree(alone);
            arrfree(all[i]);
        }
        mem_free(all);
        mem_free(expected);
        side_free(&side);
    }
    for (int i = 0; i < TEXTS; i++) mem_free(texts[i]);
}

static void unknown_spaces_are_left_out(void **state) {
    (void)state;
    char *corpus[] = {"潮水退了"};
    Side side;
    side_learn(&side, TOKENIZER_CHAR, words_of(TOKENIZER_CHAR, corpus, 1), 0, 0);
    int *close = side_encode(&side, "潮水海了"), *apart = side_encode(&side, "潮水 海 了");
    assert_int_equal(arrlen(close), 5);
    assert_int_equal(arrlen(apart), 5);
    assert_memory_equal(close, apart, 5 * sizeof *close);
    assert_pieces(side_spell(&side, "潮水 海 了"), "潮|水|▁海|▁了|</s>");
    assert_pieces(side_spell(&side, "潮水海了"), "潮|水|海|了|</s>");
    arrfree(close);
    arrfree(apart);
    side_free(&side);
    char *spaced[] = {"潮 水"};
    side_learn(&side, TOKENIZER_CHAR, words_of(TOKENIZER_CHAR, spaced, 1), 0, 0);
    assert_pieces(side_spell(&side, "水 潮"), "水|▁|潮|</s>");
    side_free(&side);
}

static Side with_subwords(char **texts, int n, int merges) {
    Side side;
    Err err;
    side_learn(&side, TOKENIZER_CHAR, words_of(TOKENIZER_CHAR, texts, n), 0, 0);
    assert_int_equal(side_learn_subwords(&side, words_of(TOKENIZER_BPE, texts, n), merges, &err), 0);
    return side;
}

static const char *subword_of(const Side *side, int id) {
    return vocab_piece(side->subwords->vocab, id / vocab_size(side->vocab));
}

/* Checks the source factors of a sentence: expected has each piece and, after a slash, its larger piece. */
static void assert_factors(const Side *side, const char *sentence, const char *expected) {
    int *ids = side_encode(side, sentence);
    char text[4096] = "", *to = text;
    for (ptrdiff_t i = 0; i < arrlen(ids); i++)
        to += sprintf(to, "%s%s/%s", i ? " " : "", vocab_piece(side->vocab, side_piece(side, ids[i])),
                      subword_of(side, ids[i]));
    assert_string_equal(text, expected);
    arrfree(ids);
}

static void ids_have_a_subword_factor(void **state) {
    (void)state;
    char *texts[] = {"潮水退了，潮水", "潮水", "了，ab ab %s", "ab 水", "退，退 潮水"};
    Side side = with_subwords(texts, 5, 4); /* 潮水, ab, ▁潮水 and ▁ab */
    assert_factors(&side, "潮水退了，", "潮/▁潮水 水/▁潮水 退/退 了/了 ，/， </s>/</s>");
    assert_factors(&side, "了潮水 ab", "了/了 潮/潮水 水/潮水 ▁/▁ab ab/▁ab </s>/</s>");
    assert_factors(&side, "%s 潮", "%s/%s ▁/▁ 潮/潮 </s>/</s>");
    assert_factors(&side, "海水", "<unk>/<unk> 水/水 </s>/</s>");
    assert_factors(&side, "", "</s>/</s>");
    side_free(&side);
    char *spaceless[] = {"潮水退了", "退了潮水"}; /* the text has no space mark */
    side = with_subwords(spaceless, 2, 2);
    assert_factors(&side, "潮水 退了", "潮/潮水 水/潮水 退/退了 了/退了 </s>/</s>");
    side_free(&side);
}

/* For any text, the pieces are the same with and without larger pieces; a piece's factor is the larger piece that
   contains its last byte. */
static void subwords_cover_the_pieces(void **state) {
    (void)state;
    enum { TEXTS = 200 };
    char text[1024], *texts[TEXTS];
    rng_state = 7;
    for (int i = 0; i < TEXTS; i++) {
        random_text(text);
        texts[i] = normalised(text);
    }
    Side side = with_subwords(texts, TEXTS, 60), plain = side;
    plain.subwords = NULL;
    for (int i = 0; i < TEXTS; i++) {
        int *ids = side_encode(&side, texts[i]), *alone = side_encode(&plain, texts[i]);
        char **pieces = tokenizer_split(&side.tokenizer, texts[i]);
        char **subwords = tokenizer_split(&side.subwords->tokenizer, texts[i]);
        size_t end = strlen("▁"), covered = arrlen(subwords) ? strlen(subwords[0]) : 0;
        assert_int_equal(arrlen(ids), arrlen(alone));
        assert_int_equal(arrlen(ids), arrlen(pieces) + 1);
        for (ptrdiff_t k = 0, at = 0; k < arrlen(pieces); k++) {
            for (end += strlen(pieces[k]); covered < end; covered += strlen(subwords[++at]))
                assert_true(at + 1 < arrlen(subwords));
            assert_int_equal(side_piece(&side, ids[k]), alone[k]);
            assert_int_equal(ids[k] / vocab_size(side.vocab), vocab_id(side.subwords->vocab, subwords[at]));
        }
        strings_free(pieces);
        strings_free(subwords);
        arrfree(ids);
        arrfree(alone);
    }
    for (int i = 0; i < TEXTS; i++) mem_free(texts[i]);
    side_free(&side);
}

static Vocab *vocab_of_numbers(int n) {
    char **pieces = NULL;
    long *counts = NULL;
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        arrput(pieces, mem_strdup(name));
        arrput(counts, 1);
    }
    Vocab *vocab = vocab_build(pieces, counts, n, 0, false);
    strings_free(pieces);
    arrfree(counts);
    return vocab;
}

static void both_factors_fit_into_an_id(void **state) {
    (void)state;
    Err err;
    Side subwords = {.vocab = vocab_of_numbers(65532)},
         side = {.vocab = vocab_of_numbers(32763), .subwords = &subwords};
    assert_int_equal(side_check_subwords(&side, NULL, &err), 0); /* 2^16 (2^15 - 1) */
    vocab_free(side.vocab);
    side.vocab = vocab_of_numbers(32764);
    assert_int_equal(side_check_subwords(&side, "model", &err), -1); /* 2^31 */
    assert_string_equal(err.path, "model");
    assert_non_null(strstr(err.reason, "32768 source pieces times 65536 subwords"));
    vocab_free(side.vocab);
    vocab_free(subwords.vocab);
}

static void joint_merges_are_learned_on_both_sides(void **state) {
    (void)state;
    char *source[] = {"ab xy", "ab"}, *target[] = {"ab cd", "xy cd"}, **texts[] = {source, target};
    Side left, right;
    WordCounts words[] = {words_of(TOKENIZER_BPE, source, 2), words_of(TOKENIZER_BPE, target, 2)};
    sides_learn_jointly((Side *[]){&left, &right}, words, 4, (const int[]){0, 10});
    assert_format(left.tokenizer.bpe, "a b\n▁ ab\nc d\nx y\n"); /* "xy" occurs twice only in both texts together */
    assert_format(right.tokenizer.bpe, "a b\n▁ ab\nc d\nx y\n");
    assert_vocab_format(left.vocab, "<pad>\n<unk>\n<s>\n</s>\n▁\na\nb\nx\ny\n▁ab\nxy\nab\n");
    assert_vocab_format(right.vocab, "<pad>\n<unk>\n<s>\n</s>\n▁\na\nb\nc\nd\nx\n"); /* no room for y, cd */
    for (int i = 0; i < 2; i++) {
        Tokenizer both = {TOKENIZER_BPE, i ? right.tokenizer.bpe : left.tokenizer.bpe};
        assert_pieces(tokenizer_split(&both, texts[i][0]), i ? "▁ab|▁|cd" : "▁ab|▁|xy");
    }
    side_free(&left);
    side_free(&right);
}

static void unknown_pieces_are_split(void **state) {
    (void)state;
    char *source[] = {"abc d", "abc", "e"}, *target[] = {"de", "de"};
    Side left, right;
    WordCounts words[] = {words_of(TOKENIZER_BPE, source, 3), words_of(TOKENIZER_BPE, target, 2)};
    sides_learn_jointly((Side *[]){&left, &right}, words, 10, (const int[]){0, 0});
    assert_pieces(side_split(&left, "abc"), "▁abc");
    assert_pieces(side_split(&left, "de"), "▁d|e"); /* a piece of the other side only */
    assert_pieces(side_split(&left, "xab %s"), "▁|x|ab|▁|%s");
    assert_pieces(side_spell(&left, "de"), "▁d|e|</s>");
    assert_pieces(side_split(&right, "abc"), "▁|a|b|c"); /* these characters are unknown */
    int *ids = side_encode(&left, "de ba bc");
    for (ptrdiff_t i = 0; i < arrlen(ids); i++) assert_int_not_equal(ids[i], ID_UNK);
    arrfree(ids);
    side_free(&left);
    side_free(&right);
}

/* Every piece that one sentence gives is known if its characters occur in the training text. */
static void the_vocabulary_is_open(void **state) {
    (void)state;
    enum { TEXTS = 30 };
    char text[1024], *texts[TEXTS];
    rng_state = 8;
    for (int i = 0; i < TEXTS; i++) {
        random_text(text);
        texts[i] = normalised(text);
    }
    Side side, all; /* `all` knows the characters */
    side_learn(&side, TOKENIZER_BPE, words_of(TOKENIZER_BPE, texts, TEXTS / 2), 200, 0);
    side_learn(&all, TOKENIZER_BPE, words_of(TOKENIZER_BPE, texts, TEXTS / 2), 0, 0);
    for (int i = 0; i < TEXTS; i++) {
        char **pieces = side_split(&side, texts[i]);
        for (ptrdiff_t k = 0; k < arrlen(pieces); k++) {
            if (vocab_has(side.vocab, pieces[k])) continue;
            assert_false(vocab_has(all.vocab, pieces[k]));
            assert_true(utf8_count(pieces[k]) == 1 || placeholder_length(pieces[k]) > 0);
        }
        strings_free(pieces);
        mem_free(texts[i]);
    }
    side_free(&side);
    side_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalise_gives_nfkc_and_single_spaces),
        cmocka_unit_test(normalise_is_idempotent),
        cmocka_unit_test(normalise_agrees_with_utf8proc),
        cmocka_unit_test(normalise_treats_ascii_like_the_rest),
        cmocka_unit_test(every_character_becomes_its_nfkc),
        cmocka_unit_test(normalise_names_the_first_bad_byte),
        cmocka_unit_test(only_characters_are_valid),
        cmocka_unit_test(normalise_orders_many_marks),
        cmocka_unit_test(characters_and_their_classes),
        cmocka_unit_test(han_characters_are_those_of_unicode),
        cmocka_unit_test(letters_and_digits_are_in_runs),
        cmocka_unit_test(text_has_han_agrees_with_is_han),
        cmocka_unit_test(chinese_has_full_width_punctuation),
        cmocka_unit_test(full_width_keeps_nfkc_and_beginnings),
        cmocka_unit_test(chinese_sentences_have_no_spaces_between),
        cmocka_unit_test(tags_of_subtitles_end_in_their_line),
        cmocka_unit_test(noise_removes_pieces),
        cmocka_unit_test(noise_blanks_pieces),
        cmocka_unit_test(noise_moves_pieces),
        cmocka_unit_test(noise_depends_on_update_and_index),
        cmocka_unit_test(string_table_numbers_distinct_strings),
        cmocka_unit_test(string_table_takes_any_length),
        cmocka_unit_test(bpe_learns_the_most_frequent_pairs),
        cmocka_unit_test(bpe_stops_when_no_pair_occurs_twice),
        cmocka_unit_test(bpe_merges_runs_from_the_left),
        cmocka_unit_test(bpe_does_what_the_definition_says),
        cmocka_unit_test(bpe_text_form_round_trips),
        cmocka_unit_test(bpe_refuses_broken_merges),
        cmocka_unit_test(placeholders_are_recognised),
        cmocka_unit_test(placeholders_are_short),
        cmocka_unit_test(tokenizers_have_names),
        cmocka_unit_test(char_tokenizer_splits),
        cmocka_unit_test(bpe_tokenizer_splits_words),
        cmocka_unit_test(none_tokenizer_splits_at_spaces),
        cmocka_unit_test(every_text_comes_back),
        cmocka_unit_test(merges_are_not_learned_from_placeholders),
        cmocka_unit_test(placeholders_stay_whole),
        cmocka_unit_test(long_runs_are_cut),
        cmocka_unit_test(join_takes_whatever_a_model_writes),
        cmocka_unit_test(vocab_holds_the_most_frequent),
        cmocka_unit_test(vocab_text_form_round_trips),
        cmocka_unit_test(vocab_refuses_broken_text),
        cmocka_unit_test(sides_count_and_encode_as_they_split),
        cmocka_unit_test(unknown_spaces_are_left_out),
        cmocka_unit_test(ids_have_a_subword_factor),
        cmocka_unit_test(subwords_cover_the_pieces),
        cmocka_unit_test(both_factors_fit_into_an_id),
        cmocka_unit_test(joint_merges_are_learned_on_both_sides),
        cmocka_unit_test(unknown_pieces_are_split),
        cmocka_unit_test(the_vocabulary_is_open),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
