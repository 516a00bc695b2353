/* html.h: the markup of HTML: tags, comments, declarations, and elements whose content is not for translation. */
#ifndef TIDE_HTML_H
#define TIDE_HTML_H

#include <stdbool.h>
#include <stddef.h>

typedef enum MarkupKind {
    MARKUP_START,  /* a tag such as <b>, which does not end a sentence */
    MARKUP_END,    /* its end tag */
    MARKUP_SINGLE, /* without an end tag, and does not end a sentence: a comment, <img>, a whole <script> or <style> */
    MARKUP_COPIED, /* a whole short <code> element, which is a part of a sentence */
    MARKUP_BREAK   /* everything else ends a sentence: a tag such as <p>, a whole <pre> element */
} MarkupKind;

typedef struct Markup {
    const char *end; /* NULL: no markup begins at the text */
    MarkupKind kind;
    const char *name; /* of a tag: [length], in any case */
    size_t length;
    const char *content, *content_end; /* of MARKUP_COPIED */
} Markup;

/* Whether markup begins at text. Reads only two bytes; markup_at may read the whole text. */
bool markup_begins(const char *text);
/* The markup that begins at text. Markup that does not end, such as a comment without -->, becomes a MARKUP_BREAK that
   contains the whole rest of the text. */
Markup markup_at(const char *text);
/* Whether two tags have the same name. */
bool markup_same_name(const Markup *a, const Markup *b);

#endif
