/* placeholder.h: finds placeholders, which a translation must copy unchanged: program variables, tags, entities.

   - ⦅…⦆, OpenNMT's protected sequence: at most 100 bytes, no spaces;
   - printf directives as in C, Python and gettext: %s %1$d %(name)s %-5.2f %lu. "%%" is not a placeholder. The flag
     "space" is not allowed and no letter may follow, so that a percentage ("50%of") is not a placeholder;
   - {}, {0}, {name}, {a.b[0]:>3}: no spaces or braces inside;
   - tags without spaces: <b> </b> <br/> <color_red>;
   - entities: &nbsp; &#160; &#xA0;

   A placeholder other than ⦅…⦆ has at most 60 bytes. */
#ifndef TIDE_PLACEHOLDER_H
#define TIDE_PLACEHOLDER_H

#include <stddef.h>

enum { PLACEHOLDER_MOST = 100 }; /* bytes */

/* The length in bytes of the placeholder that starts at text (UTF-8); 0 if there is none. */
size_t placeholder_length(const char *text);

#endif
