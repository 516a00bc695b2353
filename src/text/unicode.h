/* unicode.h: NFKC and the few character classes that tokenisation needs, over utf8proc; prefixes and suffixes. */
#ifndef TIDE_UNICODE_H
#define TIDE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* NFKC of n bytes, with white space and control characters at both ends removed and every run of them inside
   made one space; normalising again changes nothing. Returns a NUL-terminated string owned by the caller
   (mem_free), or NULL where the bytes are not valid UTF-8 or hold a NUL; then *bad (if not NULL) is the
   offset of the first bad byte. */
char *text_normalise(const char *bytes, size_t n, size_t *bad);

/* Whether n bytes are UTF-8 (a NUL is). */
bool utf8_valid(const char *bytes, size_t n);

/* The code point at *text, which must be valid UTF-8 and not at its end; moves *text behind it. */
int32_t utf8_next(const char **text);
/* Length in bytes of the character that starts at text. */
size_t utf8_length(const char *text);
/* Number of code points. */
size_t utf8_count(const char *text);

/* By bytes. In the header, so that the length of a literal prefix is a constant. */
static inline bool starts_with(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }
static inline bool ends_with(const char *text, const char *suffix) {
    const size_t n = strlen(text), m = strlen(suffix);
    return n >= m && !strcmp(text + n - m, suffix);
}

/* Whether a character of the text is Han. */
bool text_has_han(const char *text);

bool is_han(int32_t c);    /* Han ideographs of all planes, with 々 and 〇 */
bool is_letter(int32_t c); /* any other letter */
bool is_mark(int32_t c);   /* a mark that combines with the character before it */
bool is_digit(int32_t c);

#endif
