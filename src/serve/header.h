/* header.h: reads the values of request headers that the server acts on. */
#ifndef TIDE_SERVE_HEADER_H
#define TIDE_SERVE_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/* What the head of a request says about the end of its body, and about the host that it is for. All zero before the
   first field. */
typedef struct Head {
    int hosts, lengths, codings; /* fields Host, Content-Length, Transfer-Encoding */
    bool chunked;                /* the last Transfer-Encoding is "chunked" */
    bool malformed;              /* a name is no token; or the target, or another value, has a forbidden character */
    bool wrong_key;              /* the value of Authorization has a forbidden character */
} Head;
/* Adds the target of the request line. */
void head_target(Head *head, const char *target);
/* Adds a field of a head. */
void head_field(Head *head, const char *name, size_t name_length, const char *value, size_t value_length);
/* Returns why the request must be refused: another reader, such as a proxy, may find another body or another Host in it
   (RFC 9112). NULL: it may be read. version: of the request line. */
const char *head_fault(const Head *head, const char *version);

/* Whether a Host header may be answered. A page of a foreign host name that was pointed to this machine (DNS
   rebinding) sends its own name, so only IP addresses, localhost and the `count` names in `allowed` are accepted, each
   with or without a port. `host` may be NULL: false. */
bool header_host_allowed(const char *host, const char *const *allowed, int count);

/* Whether a request that changes or costs something may be answered. Any page in a browser can send forms to this
   server, so a page must be one of this server, or of the origin `cors` ("*": any; NULL: none). Browser extensions are
   answered, and clients that are no browsers, which send no such headers. site, origin, host: the headers
   Sec-Fetch-Site, Origin and Host; NULL if the request lacks them. */
bool header_origin_allowed(const char *site, const char *origin, const char *host, const char *cors);

typedef enum BodyKind { BODY_JSON, BODY_FORM, BODY_MULTIPART, BODY_OTHER } BodyKind;
/* The kind of a body by its Content-Type; NULL: a form, as in LibreTranslate. */
BodyKind header_body_kind(const char *content_type);
/* The token of an Authorization header "Bearer TOKEN"; NULL if there is none. */
const char *header_bearer(const char *authorization);
/* Decodes the password of an Authorization header "Basic BASE64" to `password`, [size] bytes. Browsers send this header
   after they have asked their user for a name and a password. Returns `password`; NULL if there is no password, or if
   it is too long. */
const char *header_password(const char *authorization, char *password, size_t size);
/* Parses a Content-Length. Returns 0, or -1 if the value is not a decimal number that fits. */
int header_length(const char *value, size_t *length);

#endif
