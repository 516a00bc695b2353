#include "serve/route.h"

#include <string.h>

static const struct {
    const char *path;
    bool post;
} routes[ENDPOINTS] = {
    [ENDPOINT_PAGE] = {"/", false},
    [ENDPOINT_TRANSLATE] = {"/translate", true},
    [ENDPOINT_DETECT] = {"/detect", true},
    [ENDPOINT_LANGUAGES] = {"/languages", false},
    [ENDPOINT_HEALTH] = {"/health", false},
    [ENDPOINT_SETTINGS] = {"/frontend/settings", false},
    [ENDPOINT_MODELS] = {"/v1/models", false},
    [ENDPOINT_ALIGN] = {"/v1/align", true},
    [ENDPOINT_STREAM] = {"/v1/stream", true},
    [ENDPOINT_FILE] = {"/translate_file", true},
    [ENDPOINT_DOWNLOAD] = {"/download_file/", false},
    [ENDPOINT_TRAINING] = {"/training", false},
    [ENDPOINT_LOG] = {"/training/log", false},
    [ENDPOINT_SCORE] = {"/v1/score", true},
    [ENDPOINT_EXPLAIN] = {"/v1/explain", true},
    [ENDPOINT_PINYIN] = {"/v1/pinyin", true},
    [ENDPOINT_SEARCH] = {"/v1/search", true},
    [ENDPOINT_METRICS] = {"/metrics", false},
    [ENDPOINT_OPENAPI] = {"/openapi.json", false},
};

const char *route_path(Endpoint endpoint) { return endpoint < ENDPOINTS ? routes[endpoint].path : "other"; }

bool route_posts(Endpoint endpoint) { return endpoint < ENDPOINTS && routes[endpoint].post; }

Endpoint route_find(const char *method, const char *url, Reply *reply) {
    const size_t n = strcspn(url, "?");
    for (Endpoint e = 0; e < ENDPOINTS; e++) {
        const size_t own = strlen(routes[e].path);
        if (e == ENDPOINT_DOWNLOAD ? n <= own : n != own) continue;
        if (memcmp(routes[e].path, url, own) != 0) continue;
        const bool reads = !strcmp(method, "GET") || !strcmp(method, "HEAD");
        if (routes[e].post ? !strcmp(method, "POST") : reads) return e;
        reply_error(reply, 405, "Method not allowed: %s takes %s", routes[e].path, routes[e].post ? "POST" : "GET");
        reply->allow = routes[e].post ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
        return ENDPOINTS;
    }
    reply_error(reply, 404, "Not found");
    return ENDPOINTS;
}
