/* tmx_write.h: writes translation memories (TMX 1.4b), which tmx.h reads. A character that XML cannot have is written
   as U+FFFD. The caller writes the elements <tu>, and looks at ferror. */
#ifndef TIDE_TMX_WRITE_H
#define TIDE_TMX_WRITE_H

#include <stdio.h>

/* What is before the first unit, and after the last one. */
void tmx_write_start(FILE *out);
void tmx_write_end(FILE *out);
/* The text of an element or of an attribute. */
void tmx_write_text(FILE *out, const char *text);
/* The text of a unit in one language: the element <tuv>. */
void tmx_write_segment(FILE *out, const char *lang, const char *text);

#endif
