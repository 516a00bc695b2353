#include "serve/route.h"

#include <string.h>

static const struct {
    const char *path;
    bool post, guarded;
} routes[ENDPOINTS] = {
    [ENDPOINT_PAGE] = {"/", false, false},
    [ENDPOINT_TRANSLATE] = {"/translate", true, true},
    [ENDPOINT_DETECT] = {"/detect", true, true},
    [ENDPOINT_LANGUAGES] = {"/languages", false, false},
    [ENDPOINT_HEALTH] = {"/health", false, false},
    [ENDPOINT_SETTINGS] = {"/frontend/settings", false, false},
    [ENDPOINT_MODELS] = {"/v1/models", false, false},
    [ENDPOINT_ALIGN] = {"/v1/align", true, true},
    [ENDPOINT_STREAM] = {"/v1/stream", true, true},
    [ENDPOINT_TRAINING] = {"/training", false, false},
    [ENDPOINT_LOG] = {"/training/log", false, false},
    [ENDPOINT_SCORE] = {"/v1/score", true, true},
    [ENDPOINT_METRICS] = {"/metrics", false, true},
    [ENDPOINT_OPENAPI] = {"/openapi.json", false, false},
};

const char *route_path(Endpoint endpoint) { return endpoint < ENDPOINTS ? routes[endpoint].path : "other"; }
bool route_is_guarded(Endpoint endpoint) { return endpoint < ENDPOINTS && routes[endpoint].guarded; }

Endpoint route_find(const char *method, const char *url, Reply *reply) {
    const size_t n = strcspn(url, "?");
    for (Endpoint e = 0; e < ENDPOINTS; e++) {
        if (strlen(routes[e].path) != n || memcmp(routes[e].path, url, n) != 0) continue;
        const bool reads = !strcmp(method, "GET") || !strcmp(method, "HEAD");
        if (routes[e].post ? !strcmp(method, "POST") : reads) return e;
        reply_error(reply, 405, "Method not allowed: %s takes %s", routes[e].path, routes[e].post ? "POST" : "GET");
        reply->allow = routes[e].post ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
        return ENDPOINTS;
    }
    reply_error(reply, 404, "Not found");
    return ENDPOINTS;
}
