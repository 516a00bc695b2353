#include "serve/header.h"
#include "serve/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_name(const char *text, size_t n, const char *name) {
    return strlen(name) == n && !strncasecmp(text, name, n);
}

/* ---- the head --------------------------------------------------------------------------------------------------- */

static bool is_token(const char *text, size_t n) {
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < n; i++) {
        const char c = text[i], letter = (char)(c | 32);
        if (!(letter >= 'a' && letter <= 'z') && !(c >= '0' && c <= '9') && (!c || !strchr(others, c))) return false;
    }
    return n > 0;
}

static bool has_control(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 127) return true;
    return false;
}

void head_target(Head *head, const char *target) {
    if (!*target || strchr(target, ' ') || has_control(target, strlen(target))) head->malformed = true;
}

void head_field(Head *head, const char *name, size_t name_length, const char *value, size_t value_length) {
    if (!is_token(name, name_length)) head->malformed = true;
    if (has_control(value, value_length))
        *(is_name(name, name_length, "Authorization") ? &head->wrong_key : &head->malformed) = true;
    if (is_name(name, name_length, "Host")) head->hosts++;
    if (is_name(name, name_length, "Content-Length")) head->lengths++;
    if (!is_name(name, name_length, "Transfer-Encoding")) return;
    head->codings++;
    head->chunked = is_name(value, value_length, "chunked");
}

const char *head_fault(const Head *head, const char *version) {
    if (head->malformed) return "the head is malformed";
    if (head->hosts > 1) return "several headers Host";
    if (!head->hosts && strcmp(version, "HTTP/1.0") != 0) return "no header Host";
    if (head->lengths > 1) return "several headers Content-Length";
    if (!head->codings) return NULL;
    if (head->lengths) return "both Content-Length and Transfer-Encoding";
    if (!strcmp(version, "HTTP/1.0")) return "HTTP/1.0 has no Transfer-Encoding";
    return head->codings == 1 && head->chunked ? NULL : "a Transfer-Encoding that is not just \"chunked\"";
}

/* ---- Host and Origin -------------------------------------------------------------------------------------------- */

static bool is_port(const char *text) {
    const size_t n = strspn(text, "0123456789");
    return n > 0 && n <= 5 && !text[n];
}

/* Splits "name", "name:port", "[address]" or "[address]:port"; writes the name without brackets. Returns false if the
   value has another form. */
static bool split_host(const char *host, char *name, size_t size, bool *bracketed) {
    *bracketed = *host == '[';
    const size_t n = *bracketed ? strcspn(++host, "]") : strcspn(host, ":");
    if (n == 0 || n >= size || (*bracketed && host[n] != ']')) return false;
    memcpy(name, host, n);
    name[n] = '\0';
    host += n + *bracketed;
    return !*host || (*host == ':' && is_port(host + 1));
}

bool header_host_allowed(const char *host, const char *const *allowed, int count) {
    char name[256];
    bool bracketed;
    if (!host || !split_host(host, name, sizeof name, &bracketed)) return false;
    if (bracketed) return address_is(name, true);
    if (address_is(name, false) || !strcasecmp(name, "localhost")) return true;
    for (int i = 0; i < count; i++)
        if (!strcasecmp(name, allowed[i])) return true;
    return false;
}

/* Whether the origin is that of a browser extension, such as moz-extension://ID. No page can have it. */
static bool is_extension(const char *origin) {
    static const char end[] = "-extension";
    const char *colon = strstr(origin, "://");
    const size_t n = sizeof end - 1;
    return colon && (size_t)(colon - origin) > n && !memcmp(colon - n, end, n);
}

bool header_origin_allowed(const char *site, const char *origin, const char *host, const char *cors) {
    if (cors && (!strcmp(cors, "*") || (origin && !strcasecmp(cors, origin)))) return true;
    if (origin && is_extension(origin)) return true;
    if (site) return !strcasecmp(site, "same-origin") || !strcasecmp(site, "none");
    if (!origin) return true;
    const char *colon = strstr(origin, "://");
    return colon && host && !strcasecmp(colon + 3, host);
}

/* ---------------------------------------------------------------------------------------------------------------- */

BodyKind header_body_kind(const char *content_type) {
    static const char *const types[] = {[BODY_JSON] = "application/json",
                                        [BODY_FORM] = "application/x-www-form-urlencoded",
                                        [BODY_MULTIPART] = "multipart/form-data"};
    if (!content_type) return BODY_FORM;
    const size_t n = strcspn(content_type, "; \t");
    for (BodyKind kind = BODY_JSON; kind <= BODY_MULTIPART; kind++)
        if (is_name(content_type, n, types[kind])) return kind;
    return BODY_OTHER;
}

/* What follows the scheme of an Authorization header; NULL if it has another scheme. scheme: with a space. */
static const char *credentials(const char *authorization, const char *scheme) {
    const size_t n = strlen(scheme);
    if (!authorization || strncasecmp(authorization, scheme, n) != 0) return NULL;
    return authorization + n + strspn(authorization + n, " ");
}

const char *header_bearer(const char *authorization) { return credentials(authorization, "Bearer "); }

const char *header_password(const char *authorization, char *password, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = credentials(authorization, "Basic "), *digit;
    unsigned bits = 0;
    size_t n = 0;
    bool in_password = false; /* what precedes the first ':' is a name */
    for (int i = 0; at && *at && (digit = strchr(digits, *at)) && n < size; i++, at++) {
        bits = bits << 6 | (unsigned)(digit - digits);
        if (i % 4 == 0) continue;
        const char byte = (char)(bits >> (6 - 2 * (i % 4)));
        if (in_password) password[n++] = byte;
        in_password |= byte == ':';
    }
    if (!in_password || n == size) return NULL;
    password[n] = '\0';
    return at[strspn(at, "=")] || strlen(password) < n ? NULL : password;
}

int header_length(const char *value, size_t *length) {
    const size_t digits = strspn(value, "0123456789");
    errno = 0;
    *length = strtoul(value, NULL, 10);
    return digits && !value[digits] && !errno ? 0 : -1;
}
