#include "corpus/clean.h"

#include "io/ds.h"
#include "text/placeholder.h"
#include "text/unicode.h"

#include <stdlib.h>
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

/* Whether text starts with a variable ($name, ${name}), "%%" of printf, an escape such as \n, or a character of tags,
   braces and other markup. */
static bool is_markup_character(const char *text) {
    if (*text == '%') return text[1] == '%';
    if (*text == '$') return is_ascii_letter(text[1]) || text[1] == '_' || text[1] == '{';
    if (*text == '\\') return text[1] == 'n' || text[1] == 't' || text[1] == '"';
    return *text && strchr("<>{}|_^`", *text);
}

typedef struct Placeholder {
    const char *text; /* begins with the placeholder */
    size_t length;
} Placeholder;

static int by_text(const void *left, const void *right) {
    const Placeholder *a = left, *b = right;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return memcmp(a->text, b->text, a->length);
}

/* Whether a text has markup outside its placeholders. If not, all its placeholders are appended to a stb_ds array. */
static bool has_markup(const char *text, Placeholder **placeholders) {
    for (size_t n; *text; text += n ? n : utf8_length(text)) {
        n = placeholder_length(text);
        if (n) arrput(*placeholders, ((Placeholder){text, n}));
        else if (is_markup_character(text)) return true;
    }
    return false;
}

/* Whether both arrays have the same placeholders, in any order. Sorts them. */
static bool same_placeholders(Placeholder *of[2]) {
    const ptrdiff_t n = arrlen(of[0]);
    if (n != arrlen(of[1])) return false;
    for (int i = 0; i < 2 && n; i++) qsort(of[i], (size_t)n, sizeof **of, by_text);
    for (ptrdiff_t i = 0; i < n; i++)
        if (by_text(&of[0][i], &of[1][i])) return false;
    return true;
}

/* Whether a pair has markup. kept: a placeholder is no markup if the other side has it, too. */
static bool pair_has_markup(const char *english, const char *chinese, bool kept) {
    Placeholder *of[2] = {NULL};
    const bool has =
        has_markup(english, &of[0]) || has_markup(chinese, &of[1]) || (kept ? !same_placeholders(of) : of[0] || of[1]);
    arrfree(of[0]);
    arrfree(of[1]);
    return has;
}

/* Whether a text has a Latin letter outside its placeholders. */
static bool has_latin(const char *text) {
    for (size_t n; *text; text += n ? n : utf8_length(text)) {
        n = placeholder_length(text);
        if (!n && is_ascii_letter(*text)) return true;
    }
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
    if (pair_has_markup(english, chinese, limits->placeholders)) return MARKUP;
    if (!text_has_han(chinese)) return NOT_CHINESE;
    if (!has_latin(english) || text_has_han(english)) return NOT_ENGLISH;
    int n = count_words(english), m = count_words(chinese);
    if (n > limits->most_words || m > limits->most_words) return TOO_LONG;
    if (much_longer(n, m, limits->most_ratio) || much_longer(m, n, limits->most_ratio)) return RATIO;
    return KEPT;
}
