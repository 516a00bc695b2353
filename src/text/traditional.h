/* traditional.h: characters of traditional Chinese that simplified Chinese does not have. */
#ifndef TIDE_TRADITIONAL_H
#define TIDE_TRADITIONAL_H

#include <stdbool.h>

/* The first character of a valid text that only traditional Chinese has, of the 2073 most frequent ones
   (scripts/dev/make-traditional); NULL if there is none. */
const char *text_traditional(const char *text);

#endif
