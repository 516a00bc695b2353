/* entity.h: the character references ("entities") of HTML text. */
#ifndef TIDE_ENTITY_H
#define TIDE_ENTITY_H

#include <stddef.h>
#include <stdio.h>

enum { ENTITY_SIZE = 8 }; /* bytes of the characters of a reference, with the NUL */

/* Writes to `decoded` the characters of the named or numeric reference that begins at text, as the HTML standard
   decodes references in text: old names such as &nbsp need no semicolon; numbers that are no character give U+FFFD, and
   those from 128 to 159 the characters of Windows-1252. Returns the bytes of the reference; 0 if none begins there. */
size_t entity_decode(const char *text, char decoded[ENTITY_SIZE]);
/* Writes n bytes of text with the characters & < > as references. */
void entities_write(FILE *out, const char *text, size_t n);

#endif
