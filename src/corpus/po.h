/* po.h: gettext message catalogues as text (.po). The program msgfmt of GNU gettext compiles them. */
#ifndef TIDE_PO_H
#define TIDE_PO_H

#include "io/lines.h"

/* Compiles the text of `lines`, which is read to its end. Returns the compiled catalogue, as mo.h reads it; the caller
   owns it. *size: its bytes; *fuzzy: the fuzzy messages, which it does not have; nor does it have messages without a
   translation. Returns NULL with *err filled: msgfmt is missing, or the text has an error. */
char *po_compile(LineReader *lines, size_t *size, long *fuzzy, Err *err);

#endif
