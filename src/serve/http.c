#include "serve/http.h"

#include "serve/events.h"
#include "serve/header.h"
#include "serve/socket.h"

#include <microhttpd.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

struct Http {
    const ServeOptions *options;
    const Service *service;
    Connections *connections;
    struct MHD_Daemon *daemon;
    int listening;
    atomic_bool quiet; /* answers end their connections */
};

static void suspend(void *connection) { MHD_suspend_connection(connection); }
static void resume(void *connection) { MHD_resume_connection(connection); }

static const char *header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* ---- answers --------------------------------------------------------------------------------------------------- */

static void add_header(struct MHD_Response *response, const char *name, const char *value) {
    if (value) MHD_add_response_header(response, name, value);
}

static void add_cors(const Http *http, struct MHD_Response *response) {
    if (!http->options->cors) return;
    add_header(response, "Access-Control-Allow-Origin", http->options->cors);
    add_header(response, "Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    add_header(response, "Access-Control-Allow-Headers", "Authorization, Content-Type");
    add_header(response, "Vary", "Origin");
}

static void add_headers(const Http *http, struct MHD_Response *response, const Reply *reply) {
    char seconds[16], disposition[DOWNLOAD_NAME + 64],
        policy[256] = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";
    snprintf(seconds, sizeof seconds, "%d", reply->retry_after);
    add_header(response, "Content-Type", reply->type);
    add_header(response, "Cache-Control", "no-store");
    add_header(response, "X-Content-Type-Options", "nosniff");
    if (*reply->nonce)
        snprintf(policy + strlen(policy), 128, "; style-src 'nonce-%s'; script-src 'nonce-%s'; connect-src 'self'",
                 reply->nonce, reply->nonce);
    add_header(response, "Content-Security-Policy", reply->policy ? reply->policy : policy);
    add_header(response, "Referrer-Policy", "no-referrer");
    add_header(response, "Allow", reply->allow);
    if (reply->file) {
        snprintf(disposition, sizeof disposition, "attachment; filename*=UTF-8''%s", reply->file);
        add_header(response, "Content-Disposition", disposition);
    }
    add_header(response, "WWW-Authenticate",
               reply->status == 401 ? "Basic realm=\"an API key as the password\"" : NULL);
    add_header(response, "Retry-After", reply->retry_after ? seconds : NULL);
    add_header(response, "Connection", reply->close || atomic_load(&http->quiet) ? "close" : NULL);
    add_cors(http, response);
}

static enum MHD_Result send_response(struct MHD_Connection *connection, int status, struct MHD_Response *response) {
    const enum MHD_Result sent = MHD_queue_response(connection, (unsigned)status, response);
    MHD_destroy_response(response);
    return sent;
}

/* Sends the reply of a connection, which stays unchanged until the request ends. */
static enum MHD_Result send_reply(Http *http, struct MHD_Connection *connection, Connection *c) {
    if (!connection_answer(c)) return MHD_NO;
    const Reply *reply = &c->reply;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->size, (void *)reply_bytes(reply), MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    add_headers(http, response, reply);
    return send_response(connection, reply->status, response);
}

static ssize_t read_stream(void *connection, uint64_t position, char *to, size_t room) {
    (void)position;
    return connection_read(connection, to, room);
}

/* Sends the events of a connection while workers make them. */
static enum MHD_Result send_stream(Http *http, struct MHD_Connection *connection, Connection *c) {
    enum { BLOCK = 16384 };
    const Reply head = {.type = event_stream_type};
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, c, NULL);
    if (!response) return MHD_NO;
    add_headers(http, response, &head);
    add_header(response, "X-Accel-Buffering", "no"); /* nginx then passes each event on at once */
    return send_response(connection, MHD_HTTP_OK, response);
}

/* ---- requests -------------------------------------------------------------------------------------------------- */

/* The strings of a head, in their order. Those that libmicrohttpd gives lie in the buffer into which it has read. */
typedef struct HeadReader {
    Head head;
    const char *at, *end; /* what follows the last string; the end of the head */
    bool in_key;          /* the last string is the value of Authorization */
} HeadReader;

/* Takes the next string, and notes whether there is text between it and the last one. Up to version 0.9.77,
   libmicrohttpd takes a NUL as the end of a string, and neither refuses nor returns what follows the NUL. */
static void read_string(HeadReader *reader, const char *string, size_t length) {
    if (MHD_VERSION >= 0x01000000) return;
    bool hides = string < reader->at || string > reader->end; /* a folded line is moved elsewhere */
    for (; reader->at < string && !hides; reader->at++)
        hides = *reader->at && *reader->at != ' ' && *reader->at != '\t';
    if (hides) *(reader->in_key ? &reader->head.wrong_key : &reader->head.malformed) = true;
    reader->at = string + length;
}

static enum MHD_Result read_field(void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
                                  const char *value, size_t value_length) {
    HeadReader *reader = context;
    (void)kind;
    read_string(reader, name, name_length);
    reader->in_key = false;
    read_string(reader, value, value_length);
    reader->in_key = !strcasecmp(name, "Authorization");
    head_field(&reader->head, name, name_length, value, value_length);
    return MHD_YES;
}

static Head read_head(struct MHD_Connection *connection, const Connection *c, const char *url, const char *method,
                      const char *version) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    HeadReader reader = {.at = url, .end = method + info->header_size};
    if (c->target) {
        head_target(&reader.head, c->target);
        reader.at += strlen(c->target); /* at `url`, the target has been cut into its parts */
        read_string(&reader, version, strlen(version));
    } else reader.at = version + strlen(version);
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, read_field, &reader);
    read_string(&reader, reader.end, 0);
    return reader.head;
}

/* The headers are complete. An error is sent after the body has arrived, because some clients send the whole body
   before they read the answer; the body is then ignored. But if other programs may read the head in another way, the
   error is sent at once, and ends the connection. */
static enum MHD_Result begin(Http *http, struct MHD_Connection *connection, Connection *c, const char *url,
                             const char *method, const char *version) {
    const Head head = read_head(connection, c, url, method, version);
    const char *fault = head_fault(&head, version), *host = header(connection, "Host");
    const char *length = header(connection, "Content-Length");
    size_t size = 0;
    Reply reply = {0};
    Endpoint endpoint = ENDPOINTS;
    if (fault) reply_error(&reply, 400, "Invalid request: %s", fault);
    else if (head.wrong_key) reply_error(&reply, 401, "Invalid API key");
    else if (!header_host_allowed(host, http->options->hosts, http->options->host_count))
        reply_error(&reply, 421, "This server does not answer for this Host; see tide serve --host");
    else if (!strcmp(method, "OPTIONS")) reply = (Reply){.status = 204, .fixed = "", .allow = "GET, POST, OPTIONS"};
    else endpoint = route_find(method, url, &reply);
    reply.close = fault || head.wrong_key;
    if (!reply.status && !strcmp(method, "POST") &&
        !header_origin_allowed(header(connection, "Sec-Fetch-Site"), header(connection, "Origin"), host,
                               http->options->cors))
        reply_error(&reply, 403, "A page of another site may not use this server; see tide serve --cors");
    connection_note(c, method, version, header(connection, "Referer"), header(connection, "User-Agent"));
    if (!connection_begin(c, endpoint)) return MHD_NO;
    c->reply = reply;
    if (length && !reply.status && (header_length(length, &size) || size > (size_t)http->options->limits.body))
        reply_error(&c->reply, 413, "Request entity too large: the limit is %d bytes", http->options->limits.body);
    return c->reply.close || (c->reply.status && header(connection, "Expect")) ? send_reply(http, connection, c)
                                                                               : MHD_YES;
}

/* Whether the work for an answer is small, however large the request and the files are. Only such work may be done in
   this thread, for which all connections wait. */
static bool is_quick(Endpoint endpoint) {
    return !route_posts(endpoint) && endpoint != ENDPOINT_TRAINING && endpoint != ENDPOINT_DOWNLOAD &&
           endpoint != ENDPOINT_CORRECTIONS && endpoint != ENDPOINT_CORRECTIONS_TMX && endpoint != ENDPOINT_LEARNING;
}

/* The body is complete, or a suspended request goes on. */
static enum MHD_Result complete(Http *http, struct MHD_Connection *connection, Connection *c, const char *url) {
    if (c->streams) return send_stream(http, connection, c);
    if (!c->reply.status) {
        const Asked asked = {.endpoint = c->endpoint,
                             .content_type = header(connection, "Content-Type"),
                             .authorization = header(connection, "Authorization"),
                             .url = url,
                             .host = header(connection, "Host"),
                             .proto = header(connection, "X-Forwarded-Proto"),
                             .model = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "model")};
        if (is_quick(c->endpoint)) endpoint_start(http->service, &asked, &c->reply);
        else if (connection_wait(c, http->service, &asked)) return MHD_YES;
    }
    return send_reply(http, connection, c);
}

static Connection *connection_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* libmicrohttpd calls this when the headers of a request are complete, for each part of its body, after the last part,
   and again when a suspended connection continues. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *bytes, size_t *size, void **request) {
    Http *http = context;
    Connection *c = connection_of(connection);
    if (!c) return MHD_NO; /* memory was refused when it was opened */
    if (!*request) {
        *request = c;
        return begin(http, connection, c, url, method, version);
    }
    if (*size) {
        connection_body(c, bytes, *size);
        *size = 0;
        return MHD_YES;
    }
    return complete(http, connection, c, url);
}

/* libmicrohttpd calls this when the first line of a request is complete. */
static void *on_target(void *context, const char *target, struct MHD_Connection *connection) {
    Connection *c = connection_of(connection);
    (void)context;
    if (c) connection_target(c, target ? target : "");
    return NULL;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode how) {
    (void)context;
    (void)connection;
    (void)how;
    if (*request) connection_end(*request);
    *request = NULL;
}

static void on_connection(void *context, struct MHD_Connection *connection, void **own,
                          enum MHD_ConnectionNotificationCode what) {
    Http *http = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *own = connection_open(http->connections, connection, info->connect_fd);
    } else if (*own) {
        connection_close(*own);
        *own = NULL;
    }
}

/* Keeps %XX of a path as it is: no path of the server needs it. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/* ---------------------------------------------------------------------------------------------------------------- */

Http *http_start(const ServeOptions *options, const Service *service, Connections *connections, int listening,
                 Err *err) {
    Http *http = mem_zalloc(sizeof *http);
    *http = (Http){.options = options, .service = service, .connections = connections, .listening = listening};
    enum { SPARE = 8 }; /* if all places are taken, a new connection is accepted, and another one is shut down */
    connections->suspend = suspend;
    connections->resume = resume;
    http->daemon = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL, on_request, http,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listening, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(connections->places + SPARE), MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_URI_LOG_CALLBACK, on_target, NULL, MHD_OPTION_END);
    if (http->daemon) return http;
    err_set(err, options->listen, 0, "libmicrohttpd cannot start");
    socket_close(listening);
    mem_free(http);
    return NULL;
}

void http_quiesce(Http *http) {
    atomic_store(&http->quiet, true);
    MHD_quiesce_daemon(http->daemon); /* its thread may still use the socket, so http_stop closes it */
}

void http_stop(Http *http) {
    MHD_stop_daemon(http->daemon);
    socket_close(http->listening);
    mem_free(http);
}
