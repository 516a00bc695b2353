/* segment.h: a segment, which is a line to be scored, as Python and therefore sacreBLEU reads it. */
#ifndef TIDE_SEGMENT_H
#define TIDE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at text, which must not be at its end, and its length in bytes; a byte that is not UTF-8 is a character
   of its own, and negative. */
int32_t segment_char(const char *text, size_t *length);

/* What Python's str.split() splits at: Unicode white space and the four ASCII separators. */
bool segment_space(int32_t c);

/* A copy of a line, owned by the caller; in lower case where asked, character by character, which is Python's
   str.lower() but for Greek final sigma and Turkish İ. */
char *segment_copy(const char *line, bool lowercase);

#endif
