/* traditional.h: characters of traditional Chinese that simplified Chinese does not have. */
#ifndef TIDE_TRADITIONAL_H
#define TIDE_TRADITIONAL_H

#include <stdbool.h>

/* Whether a valid text contains one of the 2073 frequent characters that only traditional Chinese has
   (scripts/dev/make-traditional). */
bool text_has_traditional(const char *text);

#endif
