/* header.h: reads the values of request headers that the server acts on. */
#ifndef TIDE_SERVE_HEADER_H
#define TIDE_SERVE_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a Host header may be answered. A page of a foreign host name that was pointed to this machine (DNS
   rebinding) sends its own name, so only IP addresses, localhost and the `count` names in `allowed` are accepted, each
   with or without a port. `host` may be NULL: false. */
bool header_host_allowed(const char *host, const char *const *allowed, int count);

typedef enum BodyKind { BODY_JSON, BODY_FORM, BODY_MULTIPART, BODY_OTHER } BodyKind;
/* The kind of a body by its Content-Type; NULL: a form, as in LibreTranslate. */
BodyKind header_body_kind(const char *content_type);
/* The token of an Authorization header "Bearer TOKEN"; NULL if there is none. */
const char *header_bearer(const char *authorization);
/* Parses a Content-Length. Returns 0, or -1 if the value is not a decimal number that fits. */
int header_length(const char *value, size_t *length);

#endif
