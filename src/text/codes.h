/* codes.h: language codes, such as zh, zh-TW, eng. */
#ifndef TIDE_CODES_H
#define TIDE_CODES_H

#include <stdbool.h>

/* Whether a language code, up to a '-' or '_', is one of these; the case of letters does not matter. codes: NULL ends
   the list. */
bool language_is(const char *code, const char *const *codes);
bool chinese_language(const char *code);
bool english_language(const char *code);
/* The side of the English, 0 or 1; -1 if both languages are English, or neither of them. */
int english_side(const char *const langs[2]);
/* Whether a language has no spaces between its words: Chinese and Japanese. */
bool unspaced_language(const char *code);
/* Whether a language is written with Han characters, alone or among others: Chinese, Japanese and Korean. */
bool han_language(const char *code);
/* Whether a code is `lang`, or `lang` with more after a '-' or '_'. The case of letters does not matter, and '-' and
   '_' are the same. */
bool language_starts(const char *code, const char *lang);
/* Whether a code is `lang`, or a variant of it, or another code of the same language: zh-CN, ZH_tw and cmn are zh and
   zho, but only zh-TW is zh-TW. */
bool language_is_variant(const char *code, const char *lang);

#endif
