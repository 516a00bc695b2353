#include "io/utf8.h"
#include "core/base.h"

#include <utf8proc.h>

size_t utf8_read(const char *bytes, size_t n, int32_t *c) {
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)bytes, (utf8proc_ssize_t)n, c);
    return length > 0 ? (size_t)length : 0;
}

bool utf8_valid(const char *bytes, size_t n) {
    int32_t c;
    size_t length;
    for (size_t at = 0; at < n; at += length)
        if ((length = utf8_read(bytes + at, n - at, &c)) == 0) return false;
    return true;
}

size_t starts_with_any(const char *text, const char *const *strings) {
    for (; *strings; strings++)
        if (starts_with(text, *strings)) return strlen(*strings);
    return 0;
}

int32_t utf8_next(const char **text) {
    int32_t c;
    CHECK(**text, "utf8_next at the end of the text");
    if ((unsigned char)**text < 0x80) return *(*text)++; /* most text is ASCII, and this is many times faster */
    size_t length = utf8_read(*text, strnlen(*text, 4), &c);
    CHECK(length > 0, "utf8_next on text that is not UTF-8");
    *text += length;
    return c;
}

int32_t utf8_last(const char *text) {
    int32_t c = 0;
    while (*text) c = utf8_next(&text);
    return c;
}

size_t utf8_length(const char *text) {
    const char *end = text;
    utf8_next(&end);
    return (size_t)(end - text);
}

size_t utf8_count(const char *text) {
    size_t count = 0;
    for (; *text; count++) utf8_next(&text);
    return count;
}
