#include "view/web.h"

static const char style[] =
#include "view/web/page.css.inc"
    ;
static const char common[] =
#include "view/web/common.js.inc"
#include "view/web/matrix.js.inc"
    ;

static void write_title(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '<') fputs("&lt;", out);
        else if (*text == '&') fputs("&amp;", out);
        else fputc(*text, out);
}

/* JSON has a < in strings only, where it can be spelled so that no text of the data ends the element. */
static void write_data(FILE *out, const char *json) {
    for (; *json; json++)
        if (*json == '<') fputs("\\u003c", out);
        else fputc(*json, out);
}

int web_page(FILE *out, const WebPage *page) {
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    write_title(out, page->title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n%s<script type=\"application/json\" id=\"data\">",
            style, page->markup);
    write_data(out, page->data);
    fprintf(out, "</script>\n<script>\n\"use strict\";\n%s%s</script>\n</body>\n</html>\n", common, page->script);
    return ferror(out) ? -1 : 0;
}
