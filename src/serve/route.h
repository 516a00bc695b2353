/* route.h: finds the endpoint of a request by its method and path. */
#ifndef TIDE_SERVE_ROUTE_H
#define TIDE_SERVE_ROUTE_H

#include "serve/reply.h"

#include <stdbool.h>

typedef enum Endpoint {
    ENDPOINT_PAGE,
    ENDPOINT_TRANSLATE,
    ENDPOINT_DETECT,
    ENDPOINT_LANGUAGES,
    ENDPOINT_HEALTH,
    ENDPOINT_SETTINGS,
    ENDPOINT_MODELS,
    ENDPOINT_ALIGN,
    ENDPOINT_SCORE,
    ENDPOINT_EXPLAIN,
    ENDPOINT_PINYIN,
    ENDPOINT_SEARCH,
    ENDPOINT_STREAM,
    ENDPOINT_CORRECTIONS,
    ENDPOINT_CORRECT,
    ENDPOINT_SUGGEST,
    ENDPOINT_UNCORRECT,
    ENDPOINT_CORRECTIONS_TMX,
    ENDPOINT_SIMILAR,
    ENDPOINT_LEARNING,
    ENDPOINT_LEARN,
    ENDPOINT_GENERATION,
    ENDPOINT_FILE,
    ENDPOINT_DOWNLOAD,
    ENDPOINT_TRAINING,
    ENDPOINT_LOG,
    ENDPOINT_METRICS,
    ENDPOINT_OPENAPI,
    ENDPOINTS /* their number; also: no endpoint */
} Endpoint;

/* The path of an endpoint; "other" for ENDPOINTS. The name of the file follows the path of ENDPOINT_DOWNLOAD. */
const char *route_path(Endpoint endpoint);
/* Whether an endpoint takes POST; else it takes GET. */
bool route_posts(Endpoint endpoint);
/* Returns the endpoint; ENDPOINTS with an error in *reply (404, or 405 with the allowed methods) if there is none.
   `url` may have a query after '?', which is ignored. HEAD is answered as GET. */
Endpoint route_find(const char *method, const char *url, Reply *reply);

#endif
