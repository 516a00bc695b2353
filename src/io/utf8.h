/* utf8.h: the characters of UTF-8; prefixes and suffixes of strings. */
#ifndef TIDE_UTF8_H
#define TIDE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reads one character of at most n bytes into *c. Returns its length in bytes, or 0 if it is not valid UTF-8. */
size_t utf8_read(const char *bytes, size_t n, int32_t *c);
/* Whether n bytes are valid UTF-8; NULs are allowed. */
bool utf8_valid(const char *bytes, size_t n);

/* Returns the code point at *text and moves *text after it. *text must be valid UTF-8 and not at its end. */
int32_t utf8_next(const char **text);
/* The last code point; 0 if the text is empty. */
int32_t utf8_last(const char *text);
/* Length in bytes of the character that starts at text. */
size_t utf8_length(const char *text);
/* Number of code points. */
size_t utf8_count(const char *text);

/* Compare bytes. They are in the header so that the compiler computes the length of a literal prefix. */
static inline bool starts_with(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }
/* The length of the string that text starts with, from a list that ends in NULL; 0 if there is none. */
size_t starts_with_any(const char *text, const char *const *strings);
static inline bool ends_with(const char *text, const char *suffix) {
    const size_t n = strlen(text), m = strlen(suffix);
    return n >= m && !strcmp(text + n - m, suffix);
}

#endif
