#include "text/codes.h"

#include <string.h>
#include <strings.h>

bool language_is(const char *code, const char *const *codes) {
    const size_t n = strcspn(code, "-_");
    for (; *codes; codes++)
        if (n == strlen(*codes) && !strncasecmp(code, *codes, n)) return true;
    return false;
}

bool chinese_language(const char *code) {
    static const char *const codes[] = {"zh", "zho", "chi", "cmn", "yue", "lzh", "wuu", NULL};
    return language_is(code, codes);
}

bool english_language(const char *code) {
    static const char *const codes[] = {"en", "eng", NULL};
    return language_is(code, codes);
}

int english_side(const char *const langs[2]) {
    const bool second = english_language(langs[1]);
    return english_language(langs[0]) != second ? second : -1;
}

bool unspaced_language(const char *code) {
    static const char *const japanese[] = {"ja", "jpn", NULL};
    return chinese_language(code) || language_is(code, japanese);
}

bool han_language(const char *code) {
    static const char *const korean[] = {"ko", "kor", NULL};
    return unspaced_language(code) || language_is(code, korean);
}

static bool is_separator(char c) { return c == '-' || c == '_'; }

bool language_starts(const char *code, const char *lang) {
    for (; *lang; code++, lang++)
        if (!(is_separator(*code) && is_separator(*lang)) && strncasecmp(code, lang, 1) != 0) return false;
    return !*code || is_separator(*code);
}

bool language_is_variant(const char *code, const char *lang) {
    static const char *const zh[] = {"zh", "cmn", "zho", "chi", NULL};
    if (language_starts(code, lang)) return true;
    if (strpbrk(lang, "-_")) return false;
    return (language_is(code, zh) && language_is(lang, zh)) || (english_language(code) && english_language(lang));
}
