/* web.h: a page that stands alone: style, markup, data and scripts in one file, and nothing is ever fetched. */
#ifndef TIDE_WEB_H
#define TIDE_WEB_H

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

#endif
