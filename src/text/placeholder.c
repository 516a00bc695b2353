#include "text/placeholder.h"

#include "text/unicode.h"

#include <stdbool.h>
#include <string.h>

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum { SHORT_MOST = 60 }; /* limit in bytes for all placeholders except protected sequences */

static bool is_one_of(char c, const char *set) { return c && strchr(set, c); }

/* The position after the first character of `stops`, if that character is `closing`; else NULL. */
static const char *after_closing(const char *at, const char *stops, char closing) {
    at += strcspn(at, stops);
    return *at == closing ? at + 1 : NULL;
}

static const char *protected_end(const char *text) {
    for (const char *at = text; *at && *at != ' ' && at - text < PLACEHOLDER_MOST; at++)
        if (starts_with(at, "⦆")) return at + strlen("⦆");
    return NULL;
}

/* The position after "(name)" or "1$"; `at` if there is neither; NULL if the name is not closed. */
static const char *skip_argument(const char *at) {
    if (*at == '(') return at[1] == ')' ? NULL : after_closing(at + 1, " ()", ')');
    size_t digits = strspn(at, DIGITS);
    return digits > 0 && at[digits] == '$' ? at + digits + 1 : at;
}

static const char *skip_number(const char *at) { return *at == '*' ? at + 1 : at + strspn(at, DIGITS); }

static const char *directive_end(const char *text) {
    const char *at = skip_argument(text + 1);
    if (!at) return NULL;
    at = skip_number(at + strspn(at, "-+#0"));
    if (*at == '.') at = skip_number(at + 1);
    if (is_one_of(*at, "hl") && at[1] == *at) at += 2;
    else if (is_one_of(*at, "hlzjtLq")) at++;
    return is_one_of(*at, "diouxXeEfFgGaAcsp") && !is_one_of(at[1], LETTERS) ? at + 1 : NULL;
}

static const char *tag_end(const char *text) {
    const char *name = text + 1 + (text[1] == '/');
    return is_one_of(*name, LETTERS) ? after_closing(name, " <>", '>') : NULL;
}

static const char *entity_end(const char *text) {
    const char *at = text + 1;
    size_t n;
    if (!strncasecmp(at, "#x", 2)) n = strspn(at += 2, DIGITS "abcdefABCDEF");
    else if (*at == '#') n = strspn(++at, DIGITS);
    else n = is_one_of(*at, LETTERS) ? strspn(at, LETTERS DIGITS) : 0;
    return n > 0 && at[n] == ';' ? at + n + 1 : NULL;
}

size_t placeholder_length(const char *text) {
    const char *end = NULL;
    size_t most = SHORT_MOST;
    switch (*text) {
    case '%': end = directive_end(text); break;
    case '{': end = after_closing(text + 1, " {}", '}'); break;
    case '<': end = tag_end(text); break;
    case '&': end = entity_end(text); break;
    default:
        if (!starts_with(text, "⦅")) return 0;
        end = protected_end(text);
        most = PLACEHOLDER_MOST;
    }
    return end && (size_t)(end - text) <= most ? (size_t)(end - text) : 0;
}
