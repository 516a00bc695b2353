#include "serve/connections.h"

#include "serve/events.h"
#include "serve/socket.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* A connection whose socket is watched. */
typedef struct SocketWatch {
    long serial;
    bool left; /* the client has closed its end of the connection */
} SocketWatch;

void connections_init(Connections *t, Queue *queue, Metrics *metrics, const Limits *limits,
                      void (*resume)(void *handle)) {
    *t = (Connections){.queue = queue, .metrics = metrics, .limits = limits, .resume = resume};
    pthread_mutex_init(&t->mutex, NULL);
    const size_t most = (size_t)limits->connections;
    t->watches = mem_alloc(most * sizeof *t->watches);
    t->polls = mem_alloc((most + 1) * sizeof *t->polls);
    t->resumed = mem_alloc(most * sizeof *t->resumed);
}

void connections_free(Connections *t) {
    mem_free(t->watches);
    mem_free(t->polls);
    mem_free(t->resumed);
    pthread_mutex_destroy(&t->mutex);
}

int connections_count(Connections *t) {
    pthread_mutex_lock(&t->mutex);
    const int count = t->count;
    pthread_mutex_unlock(&t->mutex);
    return count;
}

/* ---- shutting a connection down; the caller has the mutex -------------------------------------------------------- */

/* The HTTP library then finds the end of the stream, and closes the socket. */
static void shut(Connection *c) {
    c->phase = PHASE_CLOSED;
    shutdown(c->fd, SHUT_RDWR);
}

/* Sends an error past the HTTP library, which has sent nothing in answer to the request; then shuts the connection. */
static void shut_with(Connection *c, int status, const char *phrase, const char *why) {
    char head[256];
    Reply reply = {0};
    reply_error(&reply, status, "%s", why);
    const int n = snprintf(head, sizeof head,
                           "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
                           status, phrase, reply.type, reply.size);
    send(c->fd, head, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE);
    send(c->fd, reply_bytes(&reply), reply.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    metrics_request(c->table->metrics, c->endpoint, status, seconds_now() - c->since);
    shut(c);
}

static bool has_left(int fd) {
    struct pollfd socket = {.fd = fd, .events = POLLRDHUP};
    return poll(&socket, 1, 0) > 0;
}

/* Ends a suspended connection whose client has closed its end of the connection: when it is resumed, libmicrohttpd
   reads the end of the stream before it sends the answer, and closes the connection without an answer. */
static void shut_left(Connection *c) { shut_with(c, 400, "Bad Request", "The client has closed the connection"); }

/* ---- one connection -------------------------------------------------------------------------------------------- */

Connection *connection_open(Connections *t, void *handle, int fd) {
    Connection *c = mem_try_realloc(NULL, sizeof *c);
    if (!c) return NULL;
    *c = (Connection){.table = t, .handle = handle, .fd = fd, .endpoint = ENDPOINTS, .since = seconds_now()};
    pthread_mutex_lock(&t->mutex);
    c->serial = ++t->serials;
    c->after = t->first;
    if (t->first) t->first->before = c;
    t->first = c;
    const bool several = ++t->count > 1;
    pthread_mutex_unlock(&t->mutex);
    queue_expect(t->queue, several);
    return c;
}

void connection_close(Connection *c) {
    Connections *t = c->table;
    pthread_mutex_lock(&t->mutex);
    *(c->before ? &c->before->after : &t->first) = c->after;
    if (c->after) c->after->before = c->before;
    const bool several = --t->count > 1;
    pthread_mutex_unlock(&t->mutex);
    queue_expect(t->queue, several);
    connection_end(c);
    mem_free(c);
}

bool connection_begin(Connection *c, Endpoint endpoint) {
    pthread_mutex_lock(&c->table->mutex);
    const bool open = c->phase != PHASE_CLOSED;
    if (c->phase == PHASE_IDLE) c->since = seconds_now();
    if (open) c->phase = PHASE_RECEIVING;
    c->endpoint = endpoint;
    pthread_mutex_unlock(&c->table->mutex);
    return open;
}

void connection_body(Connection *c, const char *bytes, size_t n) {
    const size_t most = (size_t)c->table->limits->body;
    if (!n || c->reply.status) return;
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

/* Marks a connection as not suspended. Returns its handle, which the caller must resume after releasing the mutex; NULL
   if the connection was not suspended. */
static void *wake(Connection *c) {
    void *handle = c->suspended ? c->handle : NULL;
    c->suspended = false;
    return handle;
}

/* Called by a worker. */
static void answer_task(Task *task, TaskEnd end, void *context) {
    Connections *t = context;
    Reply reply = {0};
    void *handle = NULL;
    endpoint_finish(task, end, &reply);
    pthread_mutex_lock(&t->mutex);
    Connection *c = task->client;
    if (c) {
        const bool left = c->phase == PHASE_WAITING && has_left(c->fd);
        c->reply = reply;
        c->phase = PHASE_ANSWERING;
        handle = wake(c);
        if (left) shut_left(c);
    }
    pthread_mutex_unlock(&t->mutex);
    if (!c) reply_free(&reply);
    if (handle) t->resume(handle);
}

/* Called by a worker. A stream that was cancelled has its last event already. */
static void add_event(Task *task, Event *event, void *context) {
    Connections *t = context;
    void *handle = NULL;
    pthread_mutex_lock(&t->mutex);
    Connection *c = task->client;
    const bool wanted = c && c->phase == PHASE_STREAMING;
    if (wanted) {
        Event **at = &c->events;
        while (*at) at = &(*at)->next;
        *at = event;
        handle = wake(c);
    }
    pthread_mutex_unlock(&t->mutex);
    if (!wanted) event_free(event);
    if (handle) t->resume(handle);
}

bool connection_wait(Connection *c, Task *task, void (*suspend)(void *handle)) {
    Connections *t = c->table;
    if (!queue_has_room(t->queue, task->count)) {
        reply_error(&c->reply, 429, "Slowdown: too many requests");
        c->reply.retry_after = 1;
        task->release(task);
        return false;
    }
    task->done = answer_task;
    task->context = t;
    pthread_mutex_lock(&t->mutex); /* answer_task waits for it, so that it finds the connection suspended */
    task->client = c;
    c->task = task;
    c->streams = task->opening;
    if (c->streams) {
        task->event = add_event;
        c->events = task->opening;
        task->opening = NULL;
        c->phase = PHASE_STREAMING;
    } else {
        suspend(c->handle);
        c->suspended = true;
        c->phase = PHASE_WAITING;
    }
    CHECK(!queue_add(t->queue, task), "the queue had room, but has none");
    pthread_mutex_unlock(&t->mutex);
    return true;
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

/* Copies from the last event of a stream. The body of an error ends in a line break. */
static size_t copy_end(Connection *c, char *to, size_t room) {
    const bool failed = c->reply.status != 200;
    const struct {
        const char *text;
        size_t size;
    } parts[] = {
        {"event: error\ndata: ", failed ? 19 : 0}, {reply_bytes(&c->reply), c->reply.size}, {"\n", failed ? 1 : 0}};
    size_t n = 0, begin = 0;
    for (int i = 0; i < 3 && c->sent >= begin; begin += parts[i++].size) {
        size_t from = c->sent - begin;
        if (from >= parts[i].size) continue;
        n += copy(to + n, room - n, parts[i].text, parts[i].size, &from);
        c->sent = begin + from;
    }
    return n;
}

ptrdiff_t connection_read(Connection *c, char *to, size_t room, void (*suspend)(void *handle)) {
    pthread_mutex_lock(&c->table->mutex);
    ptrdiff_t n = (ptrdiff_t)copy_events(c, to, room);
    if (!n && c->phase == PHASE_STREAMING) {
        suspend(c->handle);
        c->suspended = true;
    } else if (!n) {
        n = c->phase == PHASE_ANSWERING ? (ptrdiff_t)copy_end(c, to, room) : 0;
        if (!n) n = -1;
    }
    pthread_mutex_unlock(&c->table->mutex);
    return n;
}

bool connection_answer(Connection *c) {
    pthread_mutex_lock(&c->table->mutex);
    const bool open = c->phase != PHASE_CLOSED;
    if (open) c->phase = PHASE_ANSWERING;
    const double seconds = seconds_now() - c->since;
    pthread_mutex_unlock(&c->table->mutex);
    if (open) metrics_request(c->table->metrics, c->endpoint, c->reply.status, seconds);
    return open;
}

/* Counts a stream, which ends. A worker may still compute its task, if the client has left. */
static void end_stream(Connection *c) {
    const bool whole = c->reply.status;
    if (!whole && queue_cancel(c->table->queue, c->task)) metrics_cancelled(c->table->metrics);
    metrics_request(c->table->metrics, c->endpoint, whole ? c->reply.status : 400, seconds_now() - c->since);
    while (c->events) c->events = event_free(c->events);
    c->sent = 0;
    c->streams = false;
}

void connection_end(Connection *c) {
    Task *task = c->task;
    pthread_mutex_lock(&c->table->mutex);
    if (task) task->client = NULL;
    if (c->streams) end_stream(c);
    pthread_mutex_unlock(&c->table->mutex);
    reply_free(&c->reply);
    mem_free(c->body);
    pthread_mutex_lock(&c->table->mutex);
    c->body = NULL;
    c->size = c->capacity = 0;
    c->task = NULL;
    c->endpoint = ENDPOINTS;
    if (c->phase != PHASE_CLOSED) c->phase = PHASE_IDLE;
    c->since = seconds_now();
    c->bytes = socket_arrived(c->fd);
    pthread_mutex_unlock(&c->table->mutex);
    if (task) task_drop(c->table->queue, task);
}

/* ---- all connections; the caller has the mutex ----------------------------------------------------------------- */

static bool is_computed(const Connection *c) { return c->phase == PHASE_WAITING || c->phase == PHASE_STREAMING; }

/* Cancels the request of a connection that workers compute, with this reply, unless a worker is about to answer. If the
   connection must be resumed, notes it for resume_all. */
static void cancel(Connection *c, int status, const char *why) {
    Connections *t = c->table;
    if (!queue_cancel(t->queue, c->task)) return;
    reply_error(&c->reply, status, "%s", why);
    c->phase = PHASE_ANSWERING;
    metrics_cancelled(t->metrics);
    void *handle = wake(c);
    if (handle) t->resumed[t->resumed_count++] = handle;
}

/* Cancels the request of a client that has closed its side. */
static void leave(Connection *c) {
    const bool waits = c->phase == PHASE_WAITING;
    cancel(c, 400, "The client has closed the connection");
    if (waits && c->phase == PHASE_ANSWERING) shut_left(c);
}

/* Notes that a request has begun if bytes have arrived, although the HTTP library has not read them. */
static void note_arrival(Connection *c, double now) {
    if (c->phase != PHASE_IDLE || socket_arrived(c->fd) <= c->bytes) return;
    c->phase = PHASE_RECEIVING;
    c->since = now;
}

/* Applies the deadlines to a connection. */
static void check(Connection *c, double now, bool crowded) {
    const double limit = c->table->limits->timeout, crowded_limit = 0.5;
    note_arrival(c, now);
    const double spent = now - c->since;
    if (c->phase == PHASE_IDLE && spent > (crowded ? crowded_limit : limit)) shut(c);
    if (c->phase == PHASE_RECEIVING && spent > limit) shut_with(c, 408, "Request Timeout", "The request took too long");
    if (c->phase == PHASE_ANSWERING && spent > 2 * limit) shut(c); /* the client does not read */
    if (is_computed(c) && spent > limit) cancel(c, 503, "The translation took too long");
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* Collects the sockets of connections whose requests are computed; polls[0] is for `wake`. Returns their number. */
static int collect(Connections *t, int wake) {
    int n = 0;
    t->polls[0] = (struct pollfd){.fd = wake, .events = POLLIN};
    pthread_mutex_lock(&t->mutex);
    for (const Connection *c = t->first; c && n < t->limits->connections; c = c->after) {
        if (!is_computed(c)) continue;
        t->watches[n] = (SocketWatch){.serial = c->serial};
        t->polls[++n] = (struct pollfd){.fd = c->fd, .events = POLLRDHUP};
    }
    pthread_mutex_unlock(&t->mutex);
    return n;
}

/* Whether the client of a connection has closed its side. */
static bool is_listed(const SocketWatch *watches, int n, long serial) {
    for (int i = 0; i < n; i++)
        if (watches[i].serial == serial) return watches[i].left;
    return false;
}

/* Resumes the noted connections. The caller has released the mutex; no other thread resumes or ends them. */
static void resume_all(Connections *t) {
    for (int i = 0; i < t->resumed_count; i++) t->resume(t->resumed[i]);
    t->resumed_count = 0;
}

/* Returns true if resume_all has room for one more connection. The others are resumed by the next check. */
static bool room_to_resume(const Connections *t) { return t->resumed_count < t->limits->connections; }

int connections_check(Connections *t, int wake, double seconds) {
    const int n = collect(t, wake);
    int busy = 0, left = 0;
    if (poll(t->polls, (nfds_t)n + 1, (int)(seconds * 1000)) > 0)
        for (int i = 0; i < n; i++) left += t->watches[i].left = t->polls[i + 1].revents != 0;
    const double now = seconds_now();
    pthread_mutex_lock(&t->mutex);
    const bool crowded = t->count > t->limits->connections * 3 / 4;
    for (Connection *c = t->first; c && room_to_resume(t); c = c->after) {
        check(c, now, crowded);
        if (left && is_computed(c) && is_listed(t->watches, n, c->serial)) leave(c);
        busy += c->phase != PHASE_IDLE && c->phase != PHASE_CLOSED;
    }
    pthread_mutex_unlock(&t->mutex);
    resume_all(t);
    return busy;
}

void connections_cancel(Connections *t) {
    pthread_mutex_lock(&t->mutex);
    for (Connection *c = t->first; c && room_to_resume(t); c = c->after)
        if (is_computed(c)) cancel(c, 503, "The server stops");
    pthread_mutex_unlock(&t->mutex);
    resume_all(t);
}

void connections_shut_idle(Connections *t) {
    const double now = seconds_now();
    pthread_mutex_lock(&t->mutex);
    for (Connection *c = t->first; c; c = c->after) {
        note_arrival(c, now);
        if (c->phase == PHASE_IDLE) shut(c);
    }
    pthread_mutex_unlock(&t->mutex);
}
