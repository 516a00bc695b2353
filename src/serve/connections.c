#include "serve/connections.h"

#include "io/system.h"
#include "serve/events.h"
#include "serve/socket.h"
#include "io/utf8.h"

#include <stdio.h>
#include <string.h>

void connections_init(Connections *t, int places, Queue *queue, Metrics *metrics, const Limits *limits) {
    *t = (Connections){.places = places, .queue = queue, .metrics = metrics, .limits = limits};
    pthread_mutex_init(&t->mutex, NULL);
}

void connections_free(Connections *t) { pthread_mutex_destroy(&t->mutex); }

/* ---- what ends the wait for an answer; the caller has the mutex ------------------------------------------------- */

/* Counts an answer and writes it to the access log. bytes: of its body. The caller has the mutex. */
static void account(Connection *c, int status, size_t bytes) {
    const AccessLine line = {.client = c->client,
                             .request = c->request,
                             .referer = c->referer,
                             .agent = c->agent,
                             .status = status,
                             .bytes = bytes,
                             .seconds = seconds_now() - c->began};
    metrics_request(c->table->metrics, c->endpoint, status, line.seconds);
    if (c->table->log) access_log_write(c->table->log, &line);
}

static void set_phase(Connection *c, Phase phase) {
    c->phase = phase;
    c->since = seconds_now();
}

/* The HTTP library then finds the end of the stream, and closes the socket. */
static void shut(Connection *c) {
    set_phase(c, PHASE_CLOSED);
    socket_shut(c->fd);
}

/* Sends an error past the HTTP library, which has sent nothing in answer to the request; then shuts the connection. */
static void shut_with(Connection *c, int status, const char *phrase, const char *why) {
    char head[256];
    Reply reply = {0};
    reply_error(&reply, status, "%s", why);
    const int n = snprintf(head, sizeof head,
                           "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
                           status, phrase, reply.type, reply.size);
    socket_send(c->fd, head, (size_t)n, reply_bytes(&reply), reply.size);
    account(c, status, reply.size);
    shut(c);
}

static void suspend(Connection *c) {
    c->table->suspend(c->handle);
    c->suspended = true;
}

static void wake(Connection *c) {
    if (c->suspended) c->table->resume(c->handle);
    c->suspended = false;
}

/* Lets a connection send its reply. But if its client has closed its end of the connection, libmicrohttpd would read
   the end of the stream before it sends the answer, and close the connection without an answer. */
static void answer(Connection *c) {
    const bool left = c->phase == PHASE_WAITING && socket_is_left(c->fd);
    set_phase(c, PHASE_ANSWERING);
    if (c->streams && c->reply.status != 200) reply_error_event(&c->reply);
    if (left) shut_with(c, 400, "Bad Request", "The client has closed the connection");
    wake(c);
}

/* ---- places; the caller has the mutex -------------------------------------------------------------------------- */

static bool is_open(const Connection *c) { return c->phase != PHASE_CLOSED; }
static bool is_computed(const Connection *c) { return c->phase == PHASE_WAITING || c->phase == PHASE_STREAMING; }

/* The first byte of a request has arrived. */
static void begin(Connection *c) {
    if (c->phase != PHASE_IDLE) return;
    set_phase(c, PHASE_RECEIVING);
    c->began = c->since;
}

/* Notes that a request has begun if bytes have arrived that the HTTP library has not read. Returns whether one has. */
static bool note_arrival(Connection *c) {
    if (c->phase != PHASE_IDLE || socket_arrived(c->fd) <= c->bytes) return false;
    begin(c);
    return true;
}

/* The number of connections with a property. */
static int count(const Connections *t, bool (*has)(const Connection *c)) {
    int n = 0;
    for (const Connection *c = t->first; c; c = c->after) n += has(c);
    return n;
}

/* The connection whose client has kept the server waiting for the longest time; NULL: the server waits for none. */
static Connection *longest_wait(const Connections *t) {
    Connection *longest = NULL;
    for (Connection *c = t->first; c; c = c->after)
        if (is_open(c) && !is_computed(c) && (!longest || c->since <= longest->since)) longest = c;
    return longest;
}

static void shut_unfinished(Connection *c, int status, const char *phrase, const char *why) {
    if (c->phase == PHASE_RECEIVING) shut_with(c, status, phrase, why);
    else shut(c);
}

static const char too_slow[] = "The request took too long";

static void make_room(Connections *t) {
    Connection *c;
    if (count(t, is_open) <= t->places) return;
    do c = longest_wait(t);
    while (c && note_arrival(c));
    if (c) shut_unfinished(c, 408, "Request Timeout", too_slow);
}

/* Whether the address of a connection has more of them than the limit. */
static bool exceeds(const Connection *own) {
    const int most = own->table->limits->address;
    int n = 0;
    if (!most || !own->group) return false;
    for (const Connection *c = own->table->first; c; c = c->after) n += is_open(c) && c->group == own->group;
    return n > most;
}

/* ---- one connection -------------------------------------------------------------------------------------------- */

Connection *connection_open(Connections *t, void *handle, int fd) {
    Connection *c = mem_try_realloc(NULL, sizeof *c);
    if (!c) return NULL;
    *c = (Connection){.table = t, .handle = handle, .fd = fd, .endpoint = ENDPOINTS};
    c->group = socket_client(fd, c->client);
    set_phase(c, PHASE_IDLE);
    c->began = c->since;
    pthread_mutex_lock(&t->mutex);
    c->after = t->first;
    if (t->first) t->first->before = c;
    t->first = c;
    if (exceeds(c)) shut_with(c, 429, "Too Many Requests", "Slowdown: too many connections from one address");
    else make_room(t);
    pthread_mutex_unlock(&t->mutex);
    metrics_add(t->metrics, &t->metrics->connections, 1);
    return c;
}

void connection_close(Connection *c) {
    Connections *t = c->table;
    pthread_mutex_lock(&t->mutex);
    *(c->before ? &c->before->after : &t->first) = c->after;
    if (c->after) c->after->before = c->before;
    pthread_mutex_unlock(&t->mutex);
    metrics_add(t->metrics, &t->metrics->connections, -1);
    connection_end(c);
    mem_free(c);
}

/* A copy, owned by the caller; NULL if the text is NULL or memory is refused. */
static char *try_copy(const char *text) {
    const size_t n = text ? strlen(text) + 1 : 0;
    char *copy = text ? mem_try_realloc(NULL, n) : NULL;
    return copy ? memcpy(copy, text, n) : NULL;
}

void connection_target(Connection *c, const char *target) {
    int parameters = 1;
    for (const char *at = target; (at = strchr(at, '&')); at++) parameters++;
    mem_free(c->target);
    c->target = try_copy(target);
    pthread_mutex_lock(&c->table->mutex);
    begin(c);
    if (c->phase == PHASE_RECEIVING && strlen(target) > LONGEST_TARGET)
        shut_with(c, 414, "URI Too Long", "Invalid request: the path or the query is too long");
    else if (c->phase == PHASE_RECEIVING && parameters > QUERY_PARAMETERS)
        shut_with(c, 400, "Bad Request", "Invalid request: too many parameters in the query");
    pthread_mutex_unlock(&c->table->mutex);
}

void connection_note(Connection *c, const char *method, const char *version, const char *referer, const char *agent) {
    char request[1024], site[512];
    if (!c->table->log || !c->target) return;
    snprintf(request, sizeof request, "%.20s %.*s %.20s", method, (int)strcspn(c->target, "?"), c->target, version);
    snprintf(site, sizeof site, "%.*s", referer ? (int)strcspn(referer, "?#") : 0, referer ? referer : "");
    pthread_mutex_lock(&c->table->mutex);
    c->request = try_copy(request);
    c->referer = try_copy(referer ? site : NULL);
    c->agent = try_copy(agent);
    pthread_mutex_unlock(&c->table->mutex);
}

/* Forgets what the access log says about the request. The caller has the mutex. */
static void forget(Connection *c) {
    mem_free(c->request);
    mem_free(c->referer);
    mem_free(c->agent);
    c->request = c->referer = c->agent = NULL;
}

bool connection_begin(Connection *c, Endpoint endpoint) {
    pthread_mutex_lock(&c->table->mutex);
    const bool open = is_open(c);
    begin(c);
    c->endpoint = endpoint;
    pthread_mutex_unlock(&c->table->mutex);
    return open;
}

void connection_body(Connection *c, const char *bytes, size_t n) {
    const size_t most = (size_t)c->table->limits->body;
    if (c->reply.status) return;
    if (n > most - c->size) {
        reply_error(&c->reply, 413, "Request entity too large: the limit is %zu bytes", most);
        return;
    }
    if (c->size + n > c->capacity) {
        const size_t capacity = 2 * (c->size + n) < most ? 2 * (c->size + n) : most;
        char *body = mem_try_realloc(c->body, capacity);
        if (!body) {
            reply_error(&c->reply, 503, "Out of memory");
            return;
        }
        c->body = body;
        c->capacity = capacity;
    }
    memcpy(c->body + c->size, bytes, n);
    c->size += n;
}

static void refuse(Reply *reply) {
    reply_error(reply, 429, "Slowdown: too many requests");
    reply->retry_after = 1;
}

/* Called by a worker. */
static void answer_task(Task *task, ScopeEnd end, void *context) {
    Connections *t = context;
    Reply reply = {0};
    endpoint_finish(task, end, &reply);
    pthread_mutex_lock(&t->mutex);
    Connection *c = task->client;
    if (c) {
        c->reply = reply;
        answer(c);
    }
    pthread_mutex_unlock(&t->mutex);
    if (!c) reply_free(&reply);
}

/* Called by a worker. A stream that was cancelled has its last event already. */
static void add_event(Task *task, Event *event, void *context) {
    Connections *t = context;
    pthread_mutex_lock(&t->mutex);
    Connection *c = task->client;
    const bool wanted = c && c->phase == PHASE_STREAMING;
    if (wanted) {
        *(c->events ? &c->newest->next : &c->events) = event;
        c->newest = event;
        wake(c);
    }
    pthread_mutex_unlock(&t->mutex);
    if (!wanted) event_free(event);
}

/* Adds a task to the queue and gives it to the connection, whose stream begins, if it has one. Returns false if the
   queue has no room. The caller has the mutex, for which the workers wait, so that they find the connection ready. */
static bool add_task(Connection *c, Task *task) {
    Event *opening = task->opening;
    task->done = answer_task;
    task->event = opening ? add_event : NULL;
    task->context = c->table;
    task->client = c;
    if (queue_add(c->table->queue, task)) return false;
    c->task = task;
    c->asks = true;
    if (!opening) return true;
    c->streams = true;
    c->events = c->newest = opening;
    task->opening = NULL;
    set_phase(c, PHASE_STREAMING);
    wake(c);
    return true;
}

static bool is_awaited(const Pending *p) {
    pthread_mutex_lock(&p->table->mutex);
    const bool awaited = p->connection && p->connection->phase == PHASE_WAITING;
    pthread_mutex_unlock(&p->table->mutex);
    return awaited;
}

/* Called by a thread of the queue. A request that only reads is not answered if its client has left. */
static void prepare(Call *call) {
    Pending *p = (Pending *)call;
    Connections *t = p->table;
    Reply reply = {0};
    const bool begins = route_posts(p->asked.endpoint) || is_awaited(p);
    Task *task = begins ? endpoint_start(p->service, &p->asked, &reply) : NULL;
    pthread_mutex_lock(&t->mutex);
    Connection *c = p->connection;
    const bool wanted = c && c->phase == PHASE_WAITING;
    if (c) c->pending = NULL;
    if (wanted && task && add_task(c, task)) task = NULL;
    else if (wanted) {
        if (task) refuse(&reply);
        c->reply = reply;
        answer(c);
    }
    pthread_mutex_unlock(&t->mutex);
    if (!wanted) reply_free(&reply);
    if (task) task->release(task);
    mem_free((char *)p->asked.body);
    mem_free(p);
}

/* Copies a text to *room, which is moved behind it; NULL stays NULL. */
static const char *keep(char **room, const char *text) {
    if (!text) return NULL;
    char *at = *room;
    *room = stpcpy(at, text) + 1;
    return at;
}

/* Whether an answer needs so much time and memory that the server makes one of them at a time, and so that other
   threads are left for other requests. */
static bool is_large(Endpoint endpoint) {
    return endpoint == ENDPOINT_TRAINING || endpoint == ENDPOINT_CORRECTIONS || endpoint == ENDPOINT_CORRECTIONS_TMX;
}

/* Returns NULL if memory is refused. */
static Pending *pending_new(Connection *c, const Service *service, const Asked *asked) {
    Asked own = *asked;
    const char **const texts[] = {&own.content_type, &own.authorization, &own.url, &own.host, &own.proto, &own.model};
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t size = sizeof(Pending);
    for (int i = 0; i < TEXTS; i++) size += *texts[i] ? strlen(*texts[i]) + 1 : 0;
    Pending *p = mem_try_realloc(NULL, size);
    if (!p) return NULL;
    char *room = (char *)(p + 1);
    for (int i = 0; i < TEXTS; i++) *texts[i] = keep(&room, *texts[i]);
    *p = (Pending){{.run = prepare, .alone = is_large(asked->endpoint)}, c->table, service, own, c};
    p->asked.body = c->body;
    p->asked.size = c->size;
    c->body = NULL;
    c->size = c->capacity = 0;
    return p;
}

bool connection_wait(Connection *c, const Service *service, const Asked *asked) {
    Connections *t = c->table;
    Pending *p = NULL;
    pthread_mutex_lock(&t->mutex);
    if (count(t, is_computed) >= t->places - t->places / 8) refuse(&c->reply);
    else if ((p = pending_new(c, service, asked))) {
        c->pending = p;
        suspend(c);
        set_phase(c, PHASE_WAITING);
        queue_call(t->queue, &p->call);
    } else reply_error(&c->reply, 503, "Out of memory");
    pthread_mutex_unlock(&t->mutex);
    return p;
}

/* Copies at most `room` bytes of a text from offset *from on, and moves the offset. Returns their number. */
static size_t copy(char *to, size_t room, const char *text, size_t size, size_t *from) {
    const size_t left = size - *from, n = left < room ? left : room;
    memcpy(to, text + *from, n);
    *from += n;
    return n;
}

static size_t copy_events(Connection *c, char *to, size_t room) {
    size_t n = 0;
    while (n < room && c->events) {
        n += copy(to + n, room - n, c->events->text, c->events->size, &c->sent);
        if (c->sent < c->events->size) break;
        c->events = event_free(c->events);
        c->sent = 0;
    }
    return n;
}

ptrdiff_t connection_read(Connection *c, char *to, size_t room) {
    pthread_mutex_lock(&c->table->mutex);
    ptrdiff_t n = (ptrdiff_t)copy_events(c, to, room);
    if (!n && c->phase == PHASE_ANSWERING)
        n = (ptrdiff_t)copy(to, room, reply_bytes(&c->reply), c->reply.size, &c->sent);
    c->streamed += (size_t)n;
    if (!n && c->phase == PHASE_STREAMING) suspend(c);
    else if (!n) n = -1;
    pthread_mutex_unlock(&c->table->mutex);
    return n;
}

bool connection_answer(Connection *c) {
    pthread_mutex_lock(&c->table->mutex);
    const bool open = is_open(c);
    if (open) {
        if (c->phase != PHASE_ANSWERING) set_phase(c, PHASE_ANSWERING);
        account(c, c->reply.status, c->request && starts_with(c->request, "HEAD ") ? 0 : c->reply.size);
    }
    pthread_mutex_unlock(&c->table->mutex);
    return open;
}

/* Counts a stream, which ends. A worker may still compute its task, if the client has left. */
static void end_stream(Connection *c) {
    const bool whole = c->reply.status;
    if (!whole && queue_cancel(c->table->queue, c->task))
        metrics_add(c->table->metrics, &c->table->metrics->cancelled, 1);
    account(c, whole ? c->reply.status : 400, c->streamed);
    if (c->task) c->task->opening = c->events; /* which are released with the task */
    c->events = NULL;
    c->sent = c->streamed = 0;
    c->streams = false;
}

void connection_end(Connection *c) {
    Task *task = c->task;
    pthread_mutex_lock(&c->table->mutex);
    if (task) task->client = NULL;
    if (c->pending) c->pending->connection = NULL;
    c->pending = NULL;
    if (c->streams) end_stream(c);
    forget(c);
    c->task = NULL;
    c->endpoint = ENDPOINTS;
    if (is_open(c)) set_phase(c, PHASE_IDLE);
    c->bytes = socket_arrived(c->fd);
    pthread_mutex_unlock(&c->table->mutex);
    reply_free(&c->reply); /* without a task, no other thread uses the reply or the body */
    mem_free(c->body);
    mem_free(c->target);
    c->body = c->target = NULL;
    c->size = c->capacity = 0;
    if (task) task_drop(c->table->queue, task);
}

/* ---- all connections; the caller has the mutex ----------------------------------------------------------------- */

/* Cancels the request of a connection that workers compute, with this reply, unless a worker is about to answer. */
static void cancel(Connection *c, int status, const char *why) {
    if (c->task && !queue_cancel(c->table->queue, c->task)) return;
    reply_error(&c->reply, status, "%s", why);
    metrics_add(c->table->metrics, &c->table->metrics->cancelled, 1);
    answer(c);
}

static void check_computed(Connection *c, double now) {
    if (c->table->ending == ENDING_NOW) cancel(c, 503, "The server stops");
    else if (now - c->began > c->table->limits->timeout) cancel(c, 503, "The translation took too long");
    else if (socket_is_left(c->fd)) cancel(c, 400, "The client has closed the connection");
}

/* libmicrohttpd may not notice that a client has left if bytes of a request came together with the end of the stream.
 */
static void check_waiting(Connection *c, double now) {
    const double spent = now - c->since, patience = 0.5;
    const bool answers = c->phase == PHASE_ANSWERING, idle = c->phase == PHASE_IDLE;
    if (!answers && socket_is_left(c->fd)) shut(c);
    else if (spent > c->table->limits->timeout) shut_unfinished(c, 408, "Request Timeout", too_slow);
    else if (c->table->ending && (idle || (!answers && spent > patience)))
        shut_unfinished(c, 503, "Service Unavailable", "The server stops");
}

/* Applies the deadlines, and the end of the server, to a connection. */
static void check(Connection *c, double now) {
    note_arrival(c);
    if (is_computed(c)) check_computed(c, now);
    else if (is_open(c)) check_waiting(c, now);
}

static bool is_busy(const Connection *c) { return is_open(c) && c->phase != PHASE_IDLE; }

/* Whether the client of a connection waits for a translation, or has got one and may soon ask for another. */
static bool is_active(const Connection *c) {
    return (is_computed(c) && c->task) || (c->phase == PHASE_IDLE && c->asks && seconds_now() - c->since < 1);
}

/* ---------------------------------------------------------------------------------------------------------------- */

int connections_check(Connections *t, int wake, double seconds) {
    input_ready(wake, NULL, (int)(seconds * 1000));
    const double now = seconds_now();
    pthread_mutex_lock(&t->mutex);
    for (Connection *c = t->first; c; c = c->after) check(c, now);
    queue_clients(t->queue, count(t, is_active));
    const int busy = count(t, is_busy);
    pthread_mutex_unlock(&t->mutex);
    return busy;
}
