#include "serve/connections.h"

#include "serve/socket.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* A suspended connection whose socket is watched. */
typedef struct SocketWatch {
    long serial;
    bool left; /* the client has closed its side */
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

/* Called by a worker. The connection is suspended, so it stays until it is resumed. */
static void answer_task(Task *task, TaskEnd end, void *context) {
    Connection *c = context;
    Connections *t = c->table;
    Reply reply = {0};
    endpoint_finish(task, end, &reply);
    pthread_mutex_lock(&t->mutex);
    c->reply = reply;
    c->phase = PHASE_ANSWERING;
    void *handle = c->handle;
    pthread_mutex_unlock(&t->mutex);
    t->resume(handle);
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
    task->context = c;
    pthread_mutex_lock(&t->mutex); /* answer_task waits for it, so that it finds the connection suspended */
    suspend(c->handle);
    c->task = task;
    c->phase = PHASE_WAITING;
    CHECK(!queue_add(t->queue, task), "the queue had room, but has none");
    pthread_mutex_unlock(&t->mutex);
    return true;
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

void connection_end(Connection *c) {
    Task *task = c->task;
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

/* Cancels the request of a connection that waits, with this reply. Returns whether the connection must be resumed;
   false if a worker is about to answer. */
static bool cancel(Connection *c, int status, const char *why) {
    if (!queue_cancel(c->table->queue, c->task)) return false;
    reply_error(&c->reply, status, "%s", why);
    c->phase = PHASE_ANSWERING;
    metrics_cancelled(c->table->metrics);
    return true;
}

/* The HTTP library then finds the end of the stream, and closes the socket. */
static void shut(Connection *c) {
    c->phase = PHASE_CLOSED;
    shutdown(c->fd, SHUT_RDWR);
}

/* A request that is not complete in time. The library has sent nothing yet in answer to it. */
static void shut_late(Connection *c) {
    static const char body[] = "{\"error\":\"The request took too long\"}\n";
    char late[256];
    const int n = snprintf(late, sizeof late,
                           "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: application/json\r\n"
                           "Content-Length: %zu\r\n\r\n%s",
                           sizeof body - 1, body);
    send(c->fd, late, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
    metrics_request(c->table->metrics, c->endpoint, 408, seconds_now() - c->since);
    shut(c);
}

/* Applies the deadlines to a connection. Returns whether it must be resumed. */
static bool check(Connection *c, double now, bool crowded) {
    const double limit = c->table->limits->timeout, crowded_limit = 0.5;
    if (c->phase == PHASE_IDLE && socket_arrived(c->fd) > c->bytes) {
        c->phase = PHASE_RECEIVING;
        c->since = now;
    }
    const double spent = now - c->since;
    if (c->phase == PHASE_IDLE && spent > (crowded ? crowded_limit : limit)) shut(c);
    if (c->phase == PHASE_RECEIVING && spent > limit) shut_late(c);
    if (c->phase == PHASE_ANSWERING && spent > 2 * limit) shut(c); /* the client does not read */
    return c->phase == PHASE_WAITING && spent > limit && cancel(c, 503, "The translation took too long");
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* Collects the sockets of suspended connections; polls[0] is for `wake`. Returns their number. */
static int collect(Connections *t, int wake) {
    int n = 0;
    t->polls[0] = (struct pollfd){.fd = wake, .events = POLLIN};
    pthread_mutex_lock(&t->mutex);
    for (const Connection *c = t->first; c && n < t->limits->connections; c = c->after) {
        if (c->phase != PHASE_WAITING) continue;
        t->watches[n] = (SocketWatch){.serial = c->serial};
        t->polls[++n] = (struct pollfd){.fd = c->fd, .events = POLLRDHUP};
    }
    pthread_mutex_unlock(&t->mutex);
    return n;
}

static bool has_left(const SocketWatch *watches, int n, long serial) {
    for (int i = 0; i < n; i++)
        if (watches[i].serial == serial) return watches[i].left;
    return false;
}

/* Resumes connections, outside of the mutex: nothing else resumes or ends them. */
static void resume_all(Connections *t) {
    for (int i = 0; i < t->resumed_count; i++) t->resume(t->resumed[i]);
    t->resumed_count = 0;
}

/* Notes a connection for resume_all. Those beyond the limit, which the HTTP library does not admit, wait for the next
   check. */
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
        bool resume = check(c, now, crowded);
        if (left && c->phase == PHASE_WAITING && has_left(t->watches, n, c->serial))
            resume = cancel(c, 400, "The client has closed the connection");
        if (resume) t->resumed[t->resumed_count++] = c->handle;
        busy += c->phase != PHASE_IDLE && c->phase != PHASE_CLOSED;
    }
    pthread_mutex_unlock(&t->mutex);
    resume_all(t);
    return busy;
}

void connections_cancel(Connections *t) {
    pthread_mutex_lock(&t->mutex);
    for (Connection *c = t->first; c && room_to_resume(t); c = c->after)
        if (c->phase == PHASE_WAITING && cancel(c, 503, "The server stops")) t->resumed[t->resumed_count++] = c->handle;
    pthread_mutex_unlock(&t->mutex);
    resume_all(t);
}

void connections_shut_idle(Connections *t) {
    pthread_mutex_lock(&t->mutex);
    for (Connection *c = t->first; c; c = c->after)
        if (c->phase == PHASE_IDLE) shut(c);
    pthread_mutex_unlock(&t->mutex);
}
