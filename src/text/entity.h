/* entity.h: the entities of HTML text. */
#ifndef TIDE_ENTITY_H
#define TIDE_ENTITY_H

#include <stddef.h>
#include <stdio.h>

/* Decodes n bytes of valid UTF-8: numeric entities, and &amp; &lt; &gt; &quot; &apos; &nbsp;. Others stay as they are.
   The caller owns the text. */
char *entities_decode(const char *text, size_t n);
/* Writes text with the characters & < > as entities. */
void entities_write(FILE *out, const char *text);

#endif
