#include "view/svg_text.h"

#include <stdbool.h>
#include <string.h>
#include <utf8proc.h>

#include "core/base.h"
#include "io/ds.h"
#include "view/spelling.h"

double char_em(int32_t c) {
    int columns = utf8proc_charwidth(c);
    if (columns != 1) return columns ? 1 : 0;
    if (c > 0x7f) return c < 0x2000 ? 0.7 : 1; /* Chinese fonts draw symbols such as … 1 em wide */
    if (strchr("mwMW@%", c)) return 0.95;
    if (strchr(" fijlrtI.,:;'|!()[]", c)) return 0.38;
    return c >= 'A' && c <= 'Z' ? 0.7 : 0.62;
}

double text_em(const char *text) {
    double em = 0;
    while (*text) em += char_em(char_display(&text));
    return em;
}

void svg_char(FILE *out, int32_t c) {
    utf8proc_uint8_t bytes[4];
    size_t n = (size_t)utf8proc_encode_char(c, bytes);
    if (c == '<') fputs("&lt;", out);
    else if (c == '>') fputs("&gt;", out);
    else if (c == '&') fputs("&amp;", out);
    else if (c == '"') fputs("&quot;", out);
    else fwrite(bytes, 1, n, out);
}

void svg_text(FILE *out, const char *text) {
    while (*text) svg_char(out, char_display(&text));
}

char *text_cut(const char *text, double room) {
    if (text_em(text) <= room) return mem_strdup(text);
    const char *end = text, *next = text;
    double em = 1; /* the ellipsis */
    while ((em += char_em(char_display(&next))) <= room) end = next;
    size_t kept = (size_t)(end - text);
    char *cut = mem_alloc(kept + sizeof "…");
    memcpy(cut, text, kept);
    strcpy(cut + kept, "…");
    return cut;
}

char **text_lines(const char *text, double room) {
    char **lines = NULL;
    const char *start = text, *stop = NULL; /* start of the line, and its last possible break */
    int32_t before = ' ';
    double em = 0;
    for (const char *next = text; *next;) {
        const char *here = next;
        int32_t c = char_display(&next);
        bool may_break = c == ' ' || ((char_is_wide(c) || char_is_wide(before)) && !char_closes(c));
        if (may_break && here > start) stop = c == ' ' ? next : here;
        em += char_em(c);
        before = c;
        if (em <= room || here == start || c == ' ') continue;
        if (!stop) stop = here;
        arrput(lines, mem_strndup(start, (size_t)(stop - start)));
        next = start = stop;
        stop = NULL;
        em = 0;
    }
    arrput(lines, mem_strdup(start));
    return lines;
}
