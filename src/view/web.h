/* web.h: writes a stand-alone HTML page: one file holds style, markup, data and scripts, and loads no other file. */
#ifndef TIDE_WEB_H
#define TIDE_WEB_H

#include "translate/alignment.h"

#include <stdio.h>

/* The parts in which pages differ. */
typedef struct WebPage {
    const char *title;  /* plain text */
    const char *style;  /* CSS after web/page.css; NULL: none */
    const char *markup; /* HTML of the body */
    const char *data;   /* JSON; the scripts read it as `data` */
    const char *script; /* runs after web/common.js and web/matrix.js */
    const char *nonce;  /* of style and script, for a server that allows them in the header Content-Security-Policy;
                           NULL:  the page has a policy of its own */
} WebPage;

/* Writes the page. Returns 0, or -1 if writing failed. */
int web_page(FILE *out, const WebPage *page);

/* Writes text as a JSON string. Each character is converted as in char_display. */
void web_text(FILE *out, const char *text);

/* Writes an alignment as JSON, for readAlignment in web/matrix.js: {source, sourceWord, target, targetWord, matrix}.
   source, target: the texts of the pieces, each with the space that precedes it, so that joining them gives the
   sentence. sourceWord, targetWord: for each piece the index of its word, from pieces_words. matrix:
   [n_target, n_source], weights × 10,000, rounded; null if there are no weights. */
void web_alignment(FILE *out, const Alignment *alignment);

#endif
