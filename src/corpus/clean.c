#include "corpus/clean.h"

#include "text/placeholder.h"
#include "text/unicode.h"

#include <stdbool.h>
#include <string.h>

const ReasonText reason_texts[REASONS] = {
    [KEPT] = {.name = "kept", .about = ""},
    [BROKEN] = {.name = "broken", .about = "not valid UTF-8, or contains a NUL"},
    [NO_TAB] = {.name = "no-tab", .about = "a line without a tab, or with too few columns"},
    [FUZZY] = {.name = "fuzzy", .about = "marked as fuzzy in the catalogue (not listed by --dropped)"},
    [EMPTY] = {.name = "empty", .about = "a side is empty"},
    [IDENTICAL] = {.name = "identical", .about = "both sides are the same"},
    [MARKUP] = {.name = "markup", .about = "a placeholder, a variable or a character of markup"},
    [NOT_CHINESE] = {.name = "not-chinese", .about = "no Han character in the Chinese"},
    [NOT_ENGLISH] = {.name = "not-english", .about = "no Latin letter in the English, or a Han character"},
    [TOO_LONG] = {.name = "too-long", .about = "more words than the limit"},
    [RATIO] = {.name = "ratio", .about = "one side is much longer"},
    [DUPLICATE] = {.name = "duplicate", .about = "equal to an earlier pair"},
};

static bool is_latin(int32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

/* Whether text starts with a variable ($name, ${name}), "%%" of printf, an escape such as \n, or a character of tags,
   braces and other markup. */
static bool is_markup_character(const char *text) {
    if (*text == '%') return text[1] == '%';
    if (*text == '$') return is_latin(text[1]) || text[1] == '_' || text[1] == '{';
    if (*text == '\\') return text[1] == 'n' || text[1] == 't' || text[1] == '"';
    return *text && strchr("<>{}|_^`", *text);
}

static bool has_markup(const char *text) {
    for (; *text; text += utf8_length(text))
        if (is_markup_character(text) || placeholder_length(text)) return true;
    return false;
}

static bool has_latin(const char *text) {
    for (; *text; text++) /* bytes of multi-byte characters are not ASCII */
        if (is_latin(*text)) return true;
    return false;
}

int count_words(const char *text) {
    int words = 0;
    for (bool inside = false; *text;) {
        int32_t c = utf8_next(&text);
        bool wordy = is_letter(c) || is_digit(c) || is_mark(c) || c == '\'' || c == 0x2019;
        if (is_han(c) || (wordy && !inside)) words++;
        inside = wordy;
    }
    return words;
}

static bool much_longer(int a, int b, double most) { return a > most * b + RATIO_GRACE; }

Reason clean_judge(const char *english, const char *chinese, const CleanLimits *limits) {
    if (!*english || !*chinese) return EMPTY;
    if (!strcmp(english, chinese)) return IDENTICAL;
    if (has_markup(english) || has_markup(chinese)) return MARKUP;
    if (!text_has_han(chinese)) return NOT_CHINESE;
    if (!has_latin(english) || text_has_han(english)) return NOT_ENGLISH;
    int n = count_words(english), m = count_words(chinese);
    if (n > limits->most_words || m > limits->most_words) return TOO_LONG;
    if (much_longer(n, m, limits->most_ratio) || much_longer(m, n, limits->most_ratio)) return RATIO;
    return KEPT;
}
