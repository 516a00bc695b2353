/* correction_check.h: whether a correction can be accepted. */
#ifndef TIDE_CORRECTION_CHECK_H
#define TIDE_CORRECTION_CHECK_H

#include "corpus/corrections.h"

enum { CORRECTION_CHARACTERS = 2000 }; /* limit for each text of a correction, in code points */

/* Whether a correction can be accepted: returns 0, or -1 with the reason in *err. `id` is not read; `time` may be NULL.
   Refused: a text that is not valid UTF-8, is blank (the translation may be), has more than CORRECTION_CHARACTERS, or
   has a control character or a line break that is neither a tab nor at one of its ends; a correction that equals its
   source after normalisation, or is so much longer or shorter that it cannot be a translation; one in a wrong script: a
   correction into Chinese or Japanese without their characters, unless all its words stand in the source; one into
   English without Latin letters; one into a language without Han characters that has more of them than of letters.
   Markup is text. Codes of languages have 1 to 35 letters, digits, '-' and '_'. */
int correction_check(const Correction *correction, Err *err);

/* The text without blanks at both ends; *n receives its bytes. */
const char *correction_trim(const char *text, size_t *n);

#endif
