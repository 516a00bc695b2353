/* endpoints.h: answers requests, whatever server received them. A request is answered at once, or becomes a task for
   the queue, whose answer follows. */
#ifndef TIDE_SERVE_ENDPOINTS_H
#define TIDE_SERVE_ENDPOINTS_H

#include "serve/keys.h"
#include "serve/queue.h"

/* What all requests share. The pointers belong to the caller. */
typedef struct Service {
    ServedModels *models;
    Queue *queue;
    Metrics *metrics;
    const Limits *limits;
    const Keys *keys;
} Service;

/* A request that has arrived completely. Strings are NULL if the request lacks them. */
typedef struct Asked {
    Endpoint endpoint; /* not ENDPOINTS */
    const char *content_type, *authorization;
    const char *body;
    size_t size;
    int connections; /* open connections, for the metrics */
} Asked;

/* Starts to answer a request. Returns a task, which the caller adds to the queue after it has set `done` and `context`;
   or NULL: *reply is the answer. Checks the limits, but not whether the queue has room. Runs in a scope of its own: if
   memory is refused, the reply says so with status 503. */
Task *endpoint_start(const Service *service, const Asked *asked, Reply *reply);
/* Makes the answer of a task that is done. */
void endpoint_finish(Task *task, TaskEnd end, Reply *reply);

#endif
