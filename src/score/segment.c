#include "score/segment.h"

#include <string.h>
#include <utf8proc.h>

#include "core/base.h"

int32_t segment_char(const char *text, size_t *length) {
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &c);
    *length = n > 0 ? (size_t)n : 1;
    return n > 0 ? c : -(int32_t)(unsigned char)*text;
}

bool segment_space(int32_t c) {
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

char *segment_copy(const char *line, bool lowercase) {
    if (!lowercase) return mem_strdup(line);
    char *lowered = mem_alloc(4 * strlen(line) + 1), *write = lowered;
    size_t length;
    for (const char *read = line; *read; read += length) {
        int32_t c = segment_char(read, &length);
        if (c < 0) *write++ = *read;
        else write += utf8proc_encode_char(utf8proc_tolower(c), (utf8proc_uint8_t *)write);
    }
    *write = '\0';
    return lowered;
}
