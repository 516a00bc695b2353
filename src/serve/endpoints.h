/* endpoints.h: answers requests, whatever server received them. A request is answered at once, or becomes a task for
   the queue, whose answer follows. */
#ifndef TIDE_SERVE_ENDPOINTS_H
#define TIDE_SERVE_ENDPOINTS_H

#include "serve/accounts.h"
#include "serve/downloads.h"
#include "serve/keys.h"
#include "serve/learning.h"
#include "serve/queue.h"
#include "text/pinyin.h"

/* Shared by all requests. The caller owns what the pointers refer to. */
typedef struct Service {
    ServedModels *models;
    Queue *queue;
    Metrics *metrics;
    const Limits *limits;
    const Keys *keys;
    Downloads *downloads; /* NULL: files are not translated */
    const Pinyin *pinyin; /* NULL: the server has no dictionary */
    Accounts *accounts;   /* NULL: nothing is remembered */
    Learning *learning;   /* NULL: nothing is learned */
} Service;

/* A complete request. A string is NULL if the request does not have it. */
typedef struct Asked {
    Endpoint endpoint; /* not ENDPOINTS */
    const char *content_type, *authorization;
    const char *url;          /* the path, still with its escapes */
    const char *host, *proto; /* for the address of a file: the headers Host and X-Forwarded-Proto */
    const char *model;        /* of the query, still with its escapes */
    const char *body;
    size_t size;
} Asked;

/* Parses a request and checks its limits. Returns a task, which the caller adds to the queue after it has set `done`
   and `context`; or NULL: *reply is the answer. Checks the limits, but not whether the queue has room. Runs in a scope
   of its own: if memory is refused, the reply says so with status 503. */
Task *endpoint_start(const Service *service, const Asked *asked, Reply *reply);
/* Writes the answer of a finished task to *reply. If the task or the answer failed, *reply is an error. */
void endpoint_finish(Task *task, ScopeEnd end, Reply *reply);

#endif
