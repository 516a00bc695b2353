#include "browser/browser.h"

#include "serve/endpoints.h"
#include "serve/events.h"
#include "serve/route.h"
#include "serve/worker.h"

#include <stdio.h>
#include <string.h>

/* Sentences that are translated together. The worker hears of another request only between them. */
enum { BATCH = 4 };

static const Limits limits = {
    .body = 1 << 20, .sentences = 256, .pieces = 500, .beam = 16, .queue = 256, .batch = BATCH};
static const Keys no_keys;

static struct Browser {
    ServedModels models;
    Metrics metrics;
    Worker worker;
    Task *task; /* the request; NULL: none */
    int done;   /* sentences of it that are translated */
} browser;

static void deliver(Reply *reply) {
    browser_deliver(reply->status, reply_bytes(reply), (int)reply->size);
    reply_free(reply);
}

/* Starts the request; NULL: it is answered. */
static Task *start(Endpoint endpoint, const char *body) {
    const Service service = {
        .models = &browser.models, .metrics = &browser.metrics, .limits = &limits, .keys = &no_keys};
    const Asked asked = {
        .endpoint = endpoint, .content_type = "application/json", .body = body, .size = body ? strlen(body) : 0};
    Reply reply;
    Task *task = endpoint_start(&service, &asked, &reply);
    if (!task) deliver(&reply);
    return task;
}

/* Delivers an event of the stream, and releases it. */
static void tell(Task *task, Event *event, void *context) {
    (void)task;
    (void)context;
    browser_deliver(200, event->text, (int)event->size);
    event_free(event);
}

const char *browser_open(const char *path) {
    static char line[600];
    Err err;
    browser_cancel();
    if (browser.models.count) models_close(&browser.models); /* that of the call before */
    metrics_init(&browser.metrics);
    line[0] = 0;
    if (models_open(&browser.models, &(ModelFiles){.model = path}, 1, &err))
        snprintf(line, sizeof line, "%s", err.reason);
    return line;
}

void browser_models(void) { start(ENDPOINT_MODELS, NULL); }

void browser_cancel(void) {
    if (browser.task) browser.task->release(browser.task);
    browser.task = NULL;
}

int browser_begin(const char *path, const char *body) {
    Reply reply = {0};
    const Endpoint endpoint = route_find("POST", path, &reply);
    browser_cancel();
    if (endpoint == ENDPOINTS) deliver(&reply);
    else browser.task = start(endpoint, body);
    browser.done = 0;
    if (!browser.task) return 0;
    Event *opening = browser.task->opening;
    if (!opening) return browser.task->count;
    browser.task->event = tell;
    browser.task->opening = NULL;
    tell(browser.task, opening, NULL);
    return browser.task->count;
}

static void finish(ScopeEnd end) {
    Reply reply = {0};
    endpoint_finish(browser.task, end, &reply);
    deliver(&reply);
    browser_cancel();
}

int browser_continue(void) {
    Task *task = browser.task;
    Job *jobs[BATCH];
    int n = 0;
    if (!task) return 0;
    for (; n < BATCH && browser.done + n < task->count; n++) jobs[n] = &task->jobs[browser.done + n];
    const ScopeEnd end = worker_run(&browser.worker, jobs, n);
    browser.done += n;
    const int left = end == SCOPE_DONE ? task->count - browser.done : 0;
    if (!left) finish(end);
    return left;
}
