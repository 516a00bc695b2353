#include "serve/multipart.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Returns the end of a value that begins at `at`, perhaps with a quote; *value is its start without the quote. A
   backslash in a quoted value keeps the next quote from ending the value; both characters stay. */
static const char *value_end(const char *at, const char *end, const char **value) {
    const bool quoted = at < end && *at == '"';
    *value = quoted ? at + 1 : at;
    for (at = *value; at < end; at++) {
        if (quoted && *at == '"') break;
        if (!quoted && (*at == ';' || *at == ' ' || *at == '\t')) break;
        if (quoted && *at == '\\' && at + 1 < end) at++;
    }
    return at;
}

/* Finds the parameter of a header value, as in "form-data; name=a; filename="b"". Returns false, and sets nothing, if
   there is none. */
static bool parameter(const char *at, const char *end, const char *name, const char **value, size_t *length) {
    const size_t n = strlen(name);
    while ((at = memchr(at, ';', (size_t)(end - at)))) {
        at++;
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        const char *const key = at;
        while (at < end && *at != '=' && *at != ';') at++;
        if (at == end || *at == ';') continue;
        const bool found = (size_t)(at - key) == n && !strncasecmp(key, name, n);
        const char *start;
        at = value_end(at + 1, end, &start);
        if (!found) continue;
        *value = start;
        *length = (size_t)(at - start);
        return true;
    }
    return false;
}

int multipart_boundary(const char *content_type, char boundary[BOUNDARY_SIZE]) {
    const char *value;
    size_t n;
    if (!parameter(content_type, content_type + strlen(content_type), "boundary", &value, &n)) return -1;
    if (n == 0 || n >= BOUNDARY_SIZE) return -1;
    memcpy(boundary, value, n);
    boundary[n] = '\0';
    return 0;
}

/* The first "\r\n" of a text; NULL if there is none. */
static const char *line_end(const char *at, const char *end) { return memmem(at, (size_t)(end - at), "\r\n", 2); }

/* Reads the headers of a part. Returns the start of its value; NULL if the headers do not end or lack a name. */
static const char *read_headers(const char *at, const char *end, FormPart *part) {
    static const char disposition[] = "Content-Disposition:";
    const size_t n = sizeof disposition - 1;
    *part = (FormPart){0};
    for (const char *cut; (cut = line_end(at, end)); at = cut + 2) {
        if (cut == at) return part->name ? at + 2 : NULL;
        if ((size_t)(cut - at) < n || strncasecmp(at, disposition, n) != 0) continue;
        if (!parameter(at + n, cut, "name", &part->name, &part->name_length)) return NULL;
        if (!parameter(at + n, cut, "filename", &part->file, &part->file_length))
            parameter(at + n, cut, "filename*", &part->file, &part->file_length);
    }
    return NULL;
}

int multipart_next(const char **at, const char *end, const char *boundary, FormPart *part) {
    char delimiter[BOUNDARY_SIZE + 4];
    const size_t n = (size_t)snprintf(delimiter, sizeof delimiter, "\r\n--%s", boundary);
    const size_t left = (size_t)(end - *at);
    const bool bare = left >= n - 2 && !memcmp(*at, delimiter + 2, n - 2); /* the first may lack its line break */
    const char *const found = bare ? *at : memmem(*at, left, delimiter, n);
    if (!found) return -1;
    const char *const rest = found + n - (bare ? 2 : 0); /* of the delimiter's line */
    if (end - rest >= 2 && !memcmp(rest, "--", 2)) return 0;
    const char *const headers = line_end(rest, end);
    if (!headers || strspn(rest, " \t") < (size_t)(headers - rest)) return -1;
    part->value = read_headers(headers + 2, end, part);
    const char *const after = part->value ? memmem(part->value, (size_t)(end - part->value), delimiter, n) : NULL;
    if (!after) return -1;
    part->value_length = (size_t)(after - part->value);
    *at = after;
    return 1;
}
