/* web.h: a page that stands alone: style, markup, data and scripts in one file, and nothing is ever fetched. */
#ifndef TIDE_WEB_H
#define TIDE_WEB_H

#include "translate/alignment.h"

#include <stdio.h>

/* The parts that differ from page to page. */
typedef struct WebPage {
    const char *title;  /* plain text */
    const char *markup; /* of the body */
    const char *data;   /* JSON, which the scripts find as `data` */
    const char *script; /* runs behind web/common.js and web/matrix.js */
} WebPage;

/* Writes the page. Returns 0, or -1 where the file could not be written. */
int web_page(FILE *out, const WebPage *page);

/* Text as a JSON string: what is not UTF-8, and control characters, as U+FFFD. */
void web_text(FILE *out, const char *text);

/* An alignment as JSON, for readAlignment of web/matrix.js: {source, sourceWord, target, targetWord, matrix}. The texts
   of a side's pieces make its sentence when joined: a space is at the start of the piece that it stands before. The
   words are those of alignment_words; the matrix is in ten-thousandths, or null where there are no weights. */
void web_alignment(FILE *out, const Alignment *alignment);

#endif
