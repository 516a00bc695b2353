/* segment.h: reads the characters of a segment, that is a line to be scored, with the rules of Python, which sacreBLEU
   uses. */
#ifndef TIDE_SEGMENT_H
#define TIDE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One or more references of each hypothesis: sets[k][i] is a reference of hypothesis i. */
typedef struct References {
    char *const *const *sets; /* [count] */
    int count;
} References;

/* Returns the character at text and sets *length to its length in bytes. A byte that is not valid UTF-8 is a character
   with a negative code. text must not be empty. */
int32_t segment_char(const char *text, size_t *length);

/* Whether str.split() of Python splits at c: Unicode white space and the four ASCII separators U+001C to U+001F. */
bool segment_space(int32_t c);

/* Returns a copy of a line, which the caller owns. With `lowercase` each character is converted on its own; the result
   is that of str.lower() of Python, except for Greek final sigma and Turkish İ. */
char *segment_copy(const char *line, bool lowercase);

#endif
