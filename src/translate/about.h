/* about.h: what the makers of a model say about it: stored in its file, shown by `tide info` and by the pages. */
#ifndef TIDE_ABOUT_H
#define TIDE_ABOUT_H

#include "core/base.h"

#include <stdio.h>

enum { ABOUT_TITLE, ABOUT_CORPORA, ABOUT_LICENCE, ABOUTS };
/* Their names in files and flags: "title", "corpora", "licence". */
extern const char *const about_names[ABOUTS];

/* Owned texts; NULL: nothing is said. */
typedef struct About {
    char *text[ABOUTS];
} About;

/* Sets the texts that `text` has, and keeps the others. */
void about_set(About *about, const char *const text[ABOUTS]);
void about_free(About *about);
/* Checks that a text is a line of UTF-8 without control characters, of 1 to 500 bytes. Returns 0, or -1 with *err
   filled. */
int about_check(const char *name, const char *text, Err *err);
/* Writes the texts as fields of a JSON object that has fields before them. */
void about_write(FILE *out, const About *about);

#endif
