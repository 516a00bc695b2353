#include "view/web.h"

#include "core/base.h"
#include "text/tokenizer.h"
#include "io/json.h"
#include "view/spelling.h"

#include <math.h>
#include <string.h>

static const char style[] =
#include "view/web/page.css.inc"
    ;
static const char common[] =
#include "view/web/common.js.inc"
#include "view/web/language.js.inc"
#include "view/web/matrix.js.inc"
    ;

/* Writes a text with other texts in place of "<" and "&". */
static void write_escaped(FILE *out, const char *text, const char *less, const char *ampersand) {
    for (; *text; text++)
        if (*text == '<') fputs(less, out);
        else if (*text == '&') fputs(ampersand, out);
        else fputc(*text, out);
}

int web_page(FILE *out, const WebPage *page) {
    char nonce[64] = "";
    if (page->nonce) snprintf(nonce, sizeof nonce, " nonce=\"%s\"", page->nonce);
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
    if (!page->nonce)
        fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
              "script-src 'unsafe-inline'\">\n",
              out);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    write_escaped(out, page->title, "&lt;", "&amp;");
    fprintf(out, "</title>\n<style%s>\n%s%s</style>\n</head>\n<body>\n%s", nonce, style, page->style ? page->style : "",
            page->markup);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    /* "</script>" in the data would end the element. JSON has "<" only in strings, where the escape is valid. */
    write_escaped(out, page->data, "\\u003c", "&");
    fprintf(out, "</script>\n<script%s>\n\"use strict\";\n", nonce);
    fputs("const data = JSON.parse(document.getElementById(\"data\").textContent);\n", out);
    fprintf(out, "%s%s</script>\n</body>\n</html>\n", common, page->script);
    return ferror(out) ? -1 : 0;
}

/* ---- data ---- */

void web_text(FILE *out, const char *text) {
    char *shown = text_display(text);
    json_string(out, shown);
    mem_free(shown);
}

static void write_pieces(FILE *out, char *const *pieces, int n) {
    bool *spaced = pieces_spaced(pieces, n);
    fputc('[', out);
    for (int i = 0; i < n; i++) {
        char *text = pieces_unmark(pieces[i], false), *before = mem_alloc(strlen(text) + 2);
        stpcpy(stpcpy(before, spaced[i] ? " " : ""), text);
        if (i) fputc(',', out);
        web_text(out, before);
        mem_free(before);
        mem_free(text);
    }
    fputc(']', out);
    mem_free(spaced);
}

static void write_side(FILE *out, const char *name, char *const *pieces, int n) {
    int count, *word = pieces_words(pieces, n, &count, NULL);
    fprintf(out, "\"%s\":", name);
    write_pieces(out, pieces, n);
    fprintf(out, ",\"%sWord\":[", name);
    for (int i = 0; i < n; i++) fprintf(out, "%s%d", i ? "," : "", word[i]);
    fputs("],", out);
    mem_free(word);
}

void web_alignment(FILE *out, const Alignment *a) {
    fputc('{', out);
    write_side(out, "source", a->source, a->n_source);
    write_side(out, "target", a->target, a->n_target);
    fputs(a->weight ? "\"matrix\":[" : "\"matrix\":null", out);
    for (int i = 0; a->weight && i < a->n_target; i++) {
        fputs(i ? ",[" : "[", out);
        for (int j = 0; j < a->n_source; j++)
            fprintf(out, "%s%ld", j ? "," : "", lround(1e4 * alignment_weight(a, i, j)));
        fputc(']', out);
    }
    fputs(a->weight ? "]}" : "}", out);
}
