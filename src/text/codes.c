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

bool han_language(const char *code) {
    static const char *const others[] = {"ja", "jpn", "ko", "kor", NULL};
    return chinese_language(code) || language_is(code, others);
}

bool language_is_variant(const char *code, const char *lang) {
    static const char *const zh[] = {"zh", "cmn", "zho", "chi", NULL}, *const en[] = {"en", "eng", NULL};
    size_t n = 0;
    for (; lang[n]; n++) {
        const bool separators = (code[n] == '-' || code[n] == '_') && (lang[n] == '-' || lang[n] == '_');
        if (!separators && strncasecmp(code + n, lang + n, 1) != 0) break;
    }
    if (!lang[n] && (!code[n] || code[n] == '-' || code[n] == '_')) return true;
    if (strpbrk(lang, "-_")) return false;
    return (language_is(code, zh) && language_is(lang, zh)) || (language_is(code, en) && language_is(lang, en));
}
