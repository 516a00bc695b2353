/* http.h: HTTP by libmicrohttpd. http.c is the only file that uses this library. */
#ifndef TIDE_SERVE_HTTP_H
#define TIDE_SERVE_HTTP_H

#include "serve/connections.h"
#include "serve/serve.h"

typedef struct Http Http;

/* Starts a thread that serves the connections of a listening socket, and sets how they are suspended and resumed. Takes
   ownership of the socket, also if this fails. The pointers must stay valid until http_stop. NULL with *err filled if
   this fails. */
Http *http_start(const ServeOptions *options, const Service *service, Connections *connections, int listening,
                 Err *err);
/* Accepts no new connections from now on, and closes each connection after its next answer. Call it before http_stop.
 */
void http_quiesce(Http *http);
/* Ends the thread, closes all connections and the listening socket, and releases http. No connection may be
   suspended. */
void http_stop(Http *http);

#endif
