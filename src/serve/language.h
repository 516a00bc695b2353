/* language.h: language codes of requests, and the language of a text by its script. */
#ifndef TIDE_SERVE_LANGUAGE_H
#define TIDE_SERVE_LANGUAGE_H

#include <stdbool.h>

/* Whether a request's code names the language of a model: the same code (case and '_' or '-' do not matter), or another
   code of the same language without another script: zh, zh-Hans, zh-CN, zho, cmn are Chinese, zh-Hant is not. */
bool language_matches(const char *code, const char *own);
/* The English name of a language; the code itself if tide does not know it. */
const char *language_name(const char *code);

typedef struct Detected {
    int language;      /* index in the list */
    double confidence; /* 0..100 */
} Detected;
/* Guesses the language of n texts by their script: Han characters, or other letters. codes: [count], at least 1, what
   is possible. Confidence 0: no text has a letter in the script of any language in the list. */
Detected language_detect(char *const *texts, int n, const char *const *codes, int count);

#endif
