/* placeholder.h: what a translation must carry over as it stands: variables of programs, tags, entities.

   - ⦅…⦆: OpenNMT's protected sequence, at most 100 bytes, without a space;
   - printf's directives, as C, Python and gettext write them: %s %1$d %(name)s %-5.2f %lu. Neither "%%" nor a
   percentage is one: there is no flag "space", and no letter may follow ("50%of");
   - {}, {0}, {name}, {a.b[0]:>3}: without space or brace inside;
   - tags without a space: <b> </b> <br/> <color_red>;
   - entities: &nbsp; &#160; &#xA0;

   All but the first have at most 60 bytes. */
#ifndef TIDE_PLACEHOLDER_H
#define TIDE_PLACEHOLDER_H

#include <stddef.h>

enum { PLACEHOLDER_MOST = 100 }; /* bytes */

/* Bytes of the placeholder that begins at text (UTF-8), 0 where none does. */
size_t placeholder_length(const char *text);

#endif
