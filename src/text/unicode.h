/* unicode.h: NFKC and the few character classes that tokenisation needs, over utf8proc. */
#ifndef TIDE_UNICODE_H
#define TIDE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NFKC of n bytes, with white space at both ends removed and every run of white space inside made one
   space. Returns a NUL-terminated string owned by the caller (mem_free), or NULL where the bytes are not
   valid UTF-8 or hold a NUL; then *bad (if not NULL) is the offset of the first bad byte. */
char *text_normalise(const char *bytes, size_t n, size_t *bad);

/* The code point at *text, which must be valid UTF-8 and not at its end; moves *text behind it. */
int32_t utf8_next(const char **text);
/* Length in bytes of the character that starts at text. */
size_t utf8_length(const char *text);
/* Number of code points. */
size_t utf8_count(const char *text);

bool is_han(int32_t c);    /* Han ideographs of all planes, with 々 and 〇 */
bool is_letter(int32_t c); /* any other letter, and marks that combine with one */
bool is_digit(int32_t c);

#endif
