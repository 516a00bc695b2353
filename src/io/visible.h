/* visible.h: text of strangers for people. A terminal obeys escape sequences, a line break in a name makes a second
   line of a log, and characters for the direction of writing show a text in another order. */
#ifndef TIDE_VISIBLE_H
#define TIDE_VISIBLE_H

#include <stddef.h>
#include <stdio.h>

/* Writes n bytes. Control characters, line separators, and characters that open or close a direction of writing are
   written as \x1b, \n or \u202e, and bytes that are not UTF-8 as \xff. keep: the ASCII control characters that stay. */
void visible_write(FILE *out, const char *bytes, size_t n, const char *keep);

/* A stream that does the same with all that is written to it, at once, and writes it to `out`; it keeps newlines and
   tabs. A character may be written in parts. Never NULL. Closing it does not close `out`. */
FILE *visible_stream(FILE *out);

#endif
