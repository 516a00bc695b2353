/* connections.h: the open connections, the request of each, and their deadlines. libmicrohttpd neither times out a
   suspended connection nor notices that its client has left, and it cannot limit the time of a whole request, so this
   table does. It does not depend on libmicrohttpd. */
#ifndef TIDE_SERVE_CONNECTIONS_H
#define TIDE_SERVE_CONNECTIONS_H

#include "serve/access_log.h"
#include "serve/endpoints.h"
#include "serve/socket.h"

typedef enum Phase {
    PHASE_IDLE,      /* no byte of a request has arrived */
    PHASE_RECEIVING, /* from the first byte to the last */
    PHASE_WAITING,   /* suspended: workers compute the answer */
    PHASE_STREAMING, /* the answer has begun, and workers compute its next events */
    PHASE_ANSWERING, /* the answer is complete */
    PHASE_CLOSED     /* the table has shut the socket down */
} Phase;

/* A request that a thread of the queue prepares. */
typedef struct Pending {
    Call call;
    struct Connections *table;
    const Service *service;        /* must live as long as the queue */
    Asked asked;                   /* its strings follow this struct; the body is owned */
    struct Connection *connection; /* under the table's mutex; NULL: nobody wants the answer any longer */
} Pending;

/* One connection, with at most one request at a time. */
typedef struct Connection {
    struct Connections *table;
    struct Connection *before, *after;
    void *handle; /* of the HTTP library */
    int fd;
    uint64_t group; /* of the client's address; see address_group */
    Phase phase;
    double since;             /* the start of the phase */
    double began;             /* except in PHASE_IDLE: the first byte of the request */
    unsigned long long bytes; /* that had arrived when PHASE_IDLE began */
    bool asks;                /* has had a task */
    Endpoint endpoint;
    char client[CLIENT_SIZE];
    char *request, *referer,
        *agent;   /* owned: for the access log, see AccessLine; NULL: not known, or there is no log */
    char *target; /* owned: of the request line; NULL: it has not arrived, or memory was refused */
    char *body;   /* owned: [capacity] */
    size_t size, capacity;
    Pending *pending;       /* in PHASE_WAITING, until there is a task or a reply; owned by its call */
    Task *task;             /* held; NULL: there is none yet */
    bool suspended;         /* nothing happens to the connection before it is resumed */
    bool streams;           /* the answer is a stream; `reply` is its last event, or the error that ended it */
    Event *events, *newest; /* of a stream, in order: not sent yet; the last one of them */
    size_t sent;            /* bytes of the first event; without events, of the last event of the stream */
    size_t streamed;        /* bytes of the stream */
    Reply reply;
} Connection;

typedef enum Ending {
    ENDING_NOT,
    ENDING_SOON, /* idle connections, and requests that do not arrive soon, are shut down */
    ENDING_NOW   /* requests that are computed are answered with status 503 */
} Ending;

typedef struct Connections {
    /* Protects all fields of all connections that another thread than the HTTP library's may change. A thread that
       holds it may lock the mutexes of the queue and of the metrics, and may suspend or resume a connection. The queue
       holds no mutex while it calls `done` or `event`; libmicrohttpd does not hold its mutex of suspended connections
       while it calls http.c. */
    pthread_mutex_t mutex;
    Connection *first;
    int places; /* most connections that are not closed */
    Queue *queue;
    Metrics *metrics;
    const Limits *limits;
    void (*suspend)(void *handle), (*resume)(void *handle); /* of a connection; set by http_start */
    AccessLog *log; /* set by the caller; its functions are called under the mutex; NULL: none */
    Ending ending;  /* set by the thread of connections_check */
} Connections;

/* The pointers must stay valid until connections_free. */
void connections_init(Connections *table, int places, Queue *queue, Metrics *metrics, const Limits *limits);
void connections_free(Connections *table);

/* Adds a connection. Shuts it down with status 429 if its address has too many. If there are now more connections than
   places, shuts down the one whose client has kept the server waiting for the longest time, whether for a request, for
   the rest of a request, or to read the answer. NULL if memory is refused. */
Connection *connection_open(Connections *table, void *handle, int fd);
void connection_close(Connection *connection);
enum { LONGEST_TARGET = 8000, QUERY_PARAMETERS = 128 }; /* most bytes of a target; most parameters of a query */
/* The request line has arrived, with this target (a path and perhaps a query). If it is too long, or has too many
   parameters, answers with status 414 or 400, and shuts the connection down: the HTTP library might have no room for
   the parameters, and then it answers nothing. */
void connection_target(Connection *connection, const char *target);
/* The request's headers have arrived. Returns false if the connection was shut down. */
bool connection_begin(Connection *connection, Endpoint endpoint);
/* Notes what the access log says about the request, whose headers have arrived. A string may be NULL. */
void connection_note(Connection *connection, const char *method, const char *version, const char *referer,
                     const char *agent);
/* Adds bytes to the body, unless there is a reply already. If the body is larger than the limit, or memory is refused,
   the reply says so. */
void connection_body(Connection *connection, const char *bytes, size_t n);
/* Suspends the connection and has a thread of the queue prepare its complete request, whose body it takes. When there
   is an answer, the connection has its reply and is resumed. If the answer is a stream, the connection is resumed when
   it begins; the caller then sends what connection_read returns. If tasks have seven eighths of the places, replies at
   once with status 429, so that some places are always left for other requests; if memory is refused, with status 503.
   Returns false if there is a reply. */
bool connection_wait(Connection *connection, const Service *service, const Asked *asked);
/* Reads at most `room` bytes of a stream. Returns their number; 0: there are none yet, so the connection was suspended,
   and is resumed when there are more; -1: the stream has ended. */
ptrdiff_t connection_read(Connection *connection, char *to, size_t room);
/* The reply is complete and about to be sent. Returns false if the connection was shut down. */
bool connection_answer(Connection *connection);
/* The answer was sent, or the request failed: releases all of the request. */
void connection_end(Connection *connection);

/* Waits at most `seconds` for `wake` to be readable (-1: none), then checks all connections: answers requests whose
   deadline has passed or whose client has left, and closes connections whose clients keep the server waiting for too
   long. Ends them as table->ending says. Returns the number of connections that are not idle. */
int connections_check(Connections *table, int wake, double seconds);

#endif
