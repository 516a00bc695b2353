#include "text/entity.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* A line for each name, sorted by the bytes of the name: the name, a semicolon if the name needs one, and the numbers
   of its characters in hexadecimal. scripts/dev/make-entities writes them. */
static const char entities[] =
#include "text/entities.txt.inc"
    ;

/* What follows a name of n bytes in its line; NULL if there is no such name. */
static const char *find(const char *name, size_t n) {
    const char *low = entities, *high = entities + sizeof entities - 1; /* the first line, and the end of the last */
    while (low < high) {
        const char *line = low + (high - low) / 2;
        while (line > low && line[-1] != '\n') line--;
        const size_t length = strcspn(line, "; ");
        int order = memcmp(name, line, n < length ? n : length);
        if (!order) order = (n > length) - (n < length);
        if (!order) return line + length;
        if (order < 0) high = line;
        else low = strchr(line, '\n') + 1;
    }
    return NULL;
}

static size_t encode(int32_t c, char *text) { return (size_t)utf8proc_encode_char(c, (utf8proc_uint8_t *)text); }

/* entity_decode for a name. If no name ends in a semicolon, the longest old name that the text begins with counts. */
static size_t named(const char *text, char *decoded) {
    enum { LONGEST_OLD = 6 };
    const char *name = text + 1;
    size_t n = strspn(name, LETTERS DIGITS);
    const char *found = name[n] == ';' ? find(name, n) : NULL;
    size_t length = found ? n + 2 : 0;
    for (n = n < LONGEST_OLD ? n : LONGEST_OLD; !found && n > 1; n--) {
        found = find(name, n);
        if (found && *found == ';') found = NULL;
        length = n + 1;
    }
    if (!found) return 0;
    char *end = decoded;
    for (const char *at = found + (*found == ';'); *at == ' ';) {
        char *next;
        end += encode((int32_t)strtol(at, &next, 16), end);
        at = next;
    }
    *end = '\0';
    return length;
}

/* The character that a numeric reference stands for. */
static int32_t character(uint32_t number) {
    enum { C1 = 0x80, REPLACEMENT = 0xFFFD };
    static const uint16_t windows[] = {0x20AC, 0,      0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                       0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0,      0x17D,  0,
                                       0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                       0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0,      0x17E,  0x178};
    const uint32_t i = number - C1;
    if (i < sizeof windows / sizeof *windows && windows[i]) return windows[i];
    return number && utf8proc_codepoint_valid((utf8proc_int32_t)number) ? (int32_t)number : REPLACEMENT;
}

/* entity_decode for a number, &#38; or &#x26;. */
static size_t numeric(const char *text, char *decoded) {
    enum { LIMIT = 0x110000 };
    const bool hex = (text[2] | 32) == 'x';
    const char *at = text + 2 + hex;
    const size_t digits = strspn(at, hex ? DIGITS "abcdefABCDEF" : DIGITS);
    uint32_t number = 0;
    if (!digits) return 0;
    for (const char *end = at + digits; at < end; at++) {
        number = number * (hex ? 16 : 10) + (uint32_t)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
        if (number > LIMIT) number = LIMIT;
    }
    decoded[encode(character(number), decoded)] = '\0';
    return (size_t)(at - text) + (*at == ';');
}

size_t entity_decode(const char *text, char decoded[ENTITY_SIZE]) {
    if (*text != '&') return 0;
    return text[1] == '#' ? numeric(text, decoded) : named(text, decoded);
}

void entities_write(FILE *out, const char *text, size_t n) {
    for (const char *end = text + n; text < end; text++) {
        const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        if (entity) fputs(entity, out);
        else fputc(*text, out);
    }
}
