/* visible.h: shows text from others to people. A terminal obeys escape sequences, a line break in a name begins a
   second line of a log, and characters for the direction of writing show a text in another order. */
#ifndef TIDE_VISIBLE_H
#define TIDE_VISIBLE_H

#include <stddef.h>
#include <stdio.h>

/* Writes n bytes of text, with escapes such as \x1b, \n and \u202e for control characters, line separators, and
   characters that begin or end a direction of writing, and such as \xff for bytes that are not UTF-8. keep: the ASCII
   control characters that are written unchanged. */
void visible_write(FILE *out, const char *bytes, size_t n, const char *keep);

/* A stream without a buffer: what is written to it goes to `out` as visible_write writes it, with newlines and tabs
   unchanged. A character may be written in parts. Never NULL. Closing it (fclose) does not close `out`. */
FILE *visible_stream(FILE *out);

#endif
