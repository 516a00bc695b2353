/* unicode.h: NFKC and the character classes of the tokeniser, with utf8proc. */
#ifndef TIDE_UNICODE_H
#define TIDE_UNICODE_H

#include "io/utf8.h"

/* NFKC of n bytes; white space and control characters are removed at both ends, and each run of them inside becomes one
   space. The function is idempotent. Returns a NUL-terminated string that the caller owns (mem_free); NULL if the bytes
   are not valid UTF-8 or contain a NUL, and then *bad (if not NULL) is the offset of the first bad byte. */
char *text_normalise(const char *bytes, size_t n, size_t *bad);

/* A copy of a valid text with each character in lower case; the caller owns it. */
char *text_lower(const char *text);

/* A copy of a valid text whose first character is in title case, an upper-case letter; the caller owns it. */
char *text_capitalised(const char *text);

/* A copy of a valid text with full-width commas, colons, semicolons, question marks and exclamation marks, as Chinese
   has them; the caller owns it. A mark stays half-width if no Han character stands between the last blank and the mark,
   inside a placeholder or a URL, and a comma or colon also directly after a digit (1,000; 3:30). Only the text before a
   mark decides, so text that is added at the end changes no mark before it. The text and the result have the same NFKC
   form. */
char *text_full_width(const char *text);

/* Whether the text contains a Han character. */
bool text_has_han(const char *text);

bool is_han(int32_t c);    /* Han ideographs of all planes, with 々 and 〇 */
bool is_letter(int32_t c); /* any other letter */
bool is_mark(int32_t c);   /* a mark that combines with the character before it */
bool is_ascii_letter(int32_t c);
bool is_digit(int32_t c);
/* Whether a run of letters, or of digits, goes on from one character to the next. */
bool is_inside_run(int32_t before, int32_t after);
/* The next place after the start of a text that is not inside such a run. The text must not be empty. */
const char *run_end(const char *text);
bool is_blank(int32_t c); /* white space or a control character: what text_normalise joins to one space */

#endif
