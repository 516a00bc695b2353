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
    [ENDPOINT_CORRECTIONS] = {"/v1/corrections", false},
    [ENDPOINT_CORRECT] = {"/v1/corrections", true},
    [ENDPOINT_SUGGEST] = {"/suggest", true},
    [ENDPOINT_UNCORRECT] = {"/v1/corrections/delete", true},
    [ENDPOINT_CORRECTIONS_TMX] = {"/v1/corrections.tmx", false},
    [ENDPOINT_SIMILAR] = {"/v1/similar", true},
    [ENDPOINT_LEARNING] = {"/v1/learning", false},
    [ENDPOINT_LEARN] = {"/v1/learn", true},
    [ENDPOINT_GENERATION] = {"/v1/generation", true},
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

/* Refuses a method for a path that takes POST, or GET, or both. */
static void refuse_method(Reply *reply, const char *path, bool posts, bool gets) {
    const char *const takes = posts && gets ? "GET and POST" : posts ? "POST" : "GET";
    reply_error(reply, 405, "Method not allowed: %s takes %s", path, takes);
    reply->allow = posts && gets ? "GET, HEAD, POST, OPTIONS" : posts ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

Endpoint route_find(const char *method, const char *url, Reply *reply) {
    const size_t n = strcspn(url, "?");
    const bool reads = !strcmp(method, "GET") || !strcmp(method, "HEAD"), posts = !strcmp(method, "POST");
    Endpoint known[2] = {ENDPOINTS, ENDPOINTS}; /* the path takes GET; POST */
    for (Endpoint e = 0; e < ENDPOINTS; e++) {
        const size_t own = strlen(routes[e].path);
        if (e == ENDPOINT_DOWNLOAD ? n <= own : n != own) continue;
        if (memcmp(routes[e].path, url, own) != 0) continue;
        if (routes[e].post ? posts : reads) return e;
        known[routes[e].post] = e;
    }
    const Endpoint any = known[0] < ENDPOINTS ? known[0] : known[1];
    if (any < ENDPOINTS) refuse_method(reply, routes[any].path, known[1] < ENDPOINTS, known[0] < ENDPOINTS);
    else reply_error(reply, 404, "Not found");
    return ENDPOINTS;
}
