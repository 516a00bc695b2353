#include "serve/header.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    struct in6_addr address;
    if (!host || !split_host(host, name, sizeof name, &bracketed)) return false;
    if (bracketed) return inet_pton(AF_INET6, name, &address) == 1;
    if (inet_pton(AF_INET, name, &address) == 1 || !strcasecmp(name, "localhost")) return true;
    for (int i = 0; i < count; i++)
        if (!strcasecmp(name, allowed[i])) return true;
    return false;
}

BodyKind header_body_kind(const char *content_type) {
    static const char *const types[] = {[BODY_JSON] = "application/json",
                                        [BODY_FORM] = "application/x-www-form-urlencoded",
                                        [BODY_MULTIPART] = "multipart/form-data"};
    if (!content_type) return BODY_FORM;
    const size_t n = strcspn(content_type, "; \t");
    for (BodyKind kind = BODY_JSON; kind <= BODY_MULTIPART; kind++)
        if (strlen(types[kind]) == n && !strncasecmp(content_type, types[kind], n)) return kind;
    return BODY_OTHER;
}

const char *header_bearer(const char *authorization) {
    static const char scheme[] = "Bearer ";
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0) return NULL;
    authorization += sizeof scheme - 1;
    return authorization + strspn(authorization, " ");
}

int header_length(const char *value, size_t *length) {
    const size_t digits = strspn(value, "0123456789");
    errno = 0;
    *length = strtoul(value, NULL, 10);
    return digits && !value[digits] && !errno ? 0 : -1;
}
