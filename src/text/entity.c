#include "text/entity.h"

#include "core/base.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <utf8proc.h>

/* The character of a named entity; 0 if the text does not start with one. *length receives its bytes. */
static int32_t named(const char *text, size_t *length) {
    static const struct {
        const char *text;
        int32_t c;
    } names[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&nbsp;", 0xA0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *length = strlen(names[i].text);
        if (starts_with(text, names[i].text)) return names[i].c;
    }
    return 0;
}

/* The same for a numeric entity, &#38; or &#x26;. */
static int32_t numeric(const char *text, size_t *length) {
    if (!starts_with(text, "&#")) return 0;
    const bool hex = (text[2] | 32) == 'x';
    const char *digits = text + 2 + hex;
    const size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
    if (n == 0 || n > 7 || digits[n] != ';') return 0;
    *length = (size_t)(digits - text) + n + 1;
    const long c = strtol(digits, NULL, hex ? 16 : 10);
    return c > 0 && utf8proc_codepoint_valid((utf8proc_int32_t)c) ? (int32_t)c : 0;
}

char *entities_decode(const char *bytes, size_t n) {
    char *text = mem_strndup(bytes, n), *out = text;
    for (const char *at = text; *at;) {
        size_t length = 1;
        int32_t c = *at == '&' ? named(at, &length) : 0;
        if (*at == '&' && !c) c = numeric(at, &length);
        if (c) out += utf8proc_encode_char(c, (utf8proc_uint8_t *)out); /* shorter than the entity */
        else *out++ = *at;
        at += c ? length : 1;
    }
    *out = '\0';
    return text;
}

void entities_write(FILE *out, const char *text) {
    for (; *text; text++) {
        const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        if (entity) fputs(entity, out);
        else fputc(*text, out);
    }
}
