/* Fuzz target: the router and the header values of `tide serve`. The input is a path, a NUL, and a header value, which
   is read as every header that the server reads. */
#include "fuzz.h"
#include "serve/access_log.h"
#include "serve/downloads.h"
#include "serve/header.h"
#include "serve/keys.h"
#include "serve/language.h"
#include "serve/multipart.h"
#include "serve/route.h"

#include <arpa/inet.h>
#include <strings.h>

static void route_check(const char *url) {
    static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE"};
    for (int i = 0; i < 4; i++) {
        Reply reply = {0};
        const Endpoint endpoint = route_find(methods[i], url, &reply);
        CHECK((endpoint == ENDPOINTS) == (reply.status == 404 || reply.status == 405), "status %d", reply.status);
        if (endpoint != ENDPOINTS) CHECK(starts_with(url, route_path(endpoint)), "%s is %s", url, route_path(endpoint));
    }
}

/* Names other than the allowed one pass only if they are addresses or localhost. */
static void host_check(const char *host) {
    const char *const allowed[] = {"tide.example"};
    if (!header_host_allowed(host, allowed, 1)) return;
    const size_t n = strcspn(host, ":");
    const bool named = (n == 12 && !strncasecmp(host, allowed[0], n)) || (n == 9 && !strncasecmp(host, "localhost", n));
    CHECK(named || *host == '[' || (*host >= '0' && *host <= '9'), "the Host '%s' is allowed", host);
    CHECK(!strpbrk(host, "/@ \t"), "the Host '%s' is allowed", host);
}

/* The lines of the value as fields of a head: one that may be read has one Host, and one way to find its end. */
static void head_check(const char *value) {
    Head head = {0};
    for (const char *at = value; *at;) {
        const size_t line = strcspn(at, "\n"), name = strcspn(at, ":\n"), rest = name < line ? name + 1 : line;
        head_field(&head, at, name, at + rest, line - rest);
        at += line + (at[line] != 0);
    }
    if (head_fault(&head, "HTTP/1.1")) return;
    CHECK(head.hosts == 1 && head.lengths + head.codings <= 1, "%d hosts, %d lengths, %d codings", head.hosts,
          head.lengths, head.codings);
    CHECK(!strpbrk(value, "\r\v\f\177"), "a control character in '%s'", value);
    head_field(&head, "hOST", 4, value, 0);
    CHECK(head_fault(&head, "HTTP/1.1") && head_fault(&head, "HTTP/1.0"), "two hosts");
}

/* The value as an origin: one that is allowed is the server's own, or that of an extension. */
static void origin_check(const char *origin) {
    static const char own[] = "tide.example";
    const char *slashes = strstr(origin, "://");
    const bool extension = slashes && slashes > origin && strstr(origin, "-extension://");
    CHECK(header_origin_allowed("same-origin", origin, own, NULL), "the own page");
    CHECK(header_origin_allowed("cross-site", origin, own, "*"), "any origin");
    CHECK(header_origin_allowed("cross-site", origin, own, origin), "the origin of --cors");
    if (header_origin_allowed("cross-site", origin, own, NULL)) CHECK(extension, "the origin '%s'", origin);
    if (header_origin_allowed(NULL, origin, own, NULL))
        CHECK(extension || (slashes && !strcasecmp(slashes + 3, own)), "the origin '%s'", origin);
}

/* Whatever a client sends, its line of the access log is one line with six quotes. */
static void log_check(const char *value) {
    char text[ACCESS_LINE_SIZE];
    const AccessLine line = {
        .client = "unix:", .request = value, .referer = value, .agent = value, .status = 200, .seconds = 1e6};
    const size_t n = access_line_format(text, &line, 0);
    int quotes = 0;
    CHECK(n < sizeof text && text[n - 1] == '\n', "a line of %zu bytes", n);
    for (size_t i = 0; i + 1 < n; i++) {
        CHECK(text[i] >= ' ' && text[i] < 127, "byte %d in the log", text[i]);
        quotes += text[i] == '"';
    }
    CHECK(quotes == 6, "%d quotes", quotes);
}

/* Whatever the name of a file, that of its translation needs no quotes and no further escapes. */
static void name_check(const char *value) {
    char name[DOWNLOAD_NAME];
    download_name(name, value, value);
    for (const char *at = name; *at; at++) {
        const bool plain = (*at >= '0' && *at <= '9') || ((*at | 32) >= 'a' && (*at | 32) <= 'z') || strchr("-_.", *at);
        CHECK(plain || (*at == '%' && at[1] && at[2]), "the name '%s'", name);
    }
}

static void length_check(const char *value) {
    size_t length;
    char text[32];
    if (header_length(value, &length)) return;
    while (*value == '0' && value[1]) value++;
    snprintf(text, sizeof text, "%zu", length);
    CHECK(!strcmp(text, value), "the length '%s' is read as %zu", value, length);
}

/* Wherever the boundary ends, it is a part of the header. */
static void boundary_check(const char *value) {
    char boundary[BOUNDARY_SIZE];
    if (multipart_boundary(value, boundary)) return;
    CHECK(*boundary && strstr(value, boundary), "the boundary '%s'", boundary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Key list[2] = {{.text = "0123456789abcdef"}, {.text = "fedcba9876543210-another"}};
    const Keys keys = {list, 2};
    char *url = bytes_text(data, size);
    char password[16];
    const char *value = second_text(url, size), *token = header_bearer(value);
    const char *word = header_password(value, password, sizeof password);
    CHECK(!word || strlen(word) < sizeof password, "a long password");
    route_check(url);
    host_check(value);
    head_check(value);
    origin_check(value);
    log_check(value);
    name_check(value);
    length_check(value);
    boundary_check(value);
    CHECK(header_body_kind(value) <= BODY_OTHER, "a kind of body");
    CHECK(!token || ends_with(value, token), "a token that is not in its header");
    CHECK(keys_serve(&keys, token) == (token && (!strcmp(token, list[0].text) || !strcmp(token, list[1].text))),
          "the key '%s'", token);
    CHECK(language_matches(value, value) && language_name(value), "the code '%s' does not match itself", value);
    mem_free(url);
    return 0;
}
