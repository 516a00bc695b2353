/* browser.h: the translator of the browser edition: the requests and answers of `tide serve`, without a server. The
   page's worker (web/worker.js) calls these functions in WebAssembly; one thread computes. */
#ifndef TIDE_BROWSER_H
#define TIDE_BROWSER_H

/* Provided by the page's worker: receives `size` bytes of an answer. status: of HTTP, 200 for all that is not an error.
   The answer to a translation is a stream of events; see serve/events.h. */
void browser_deliver(int status, const char *bytes, int size);

/* Loads the only model, in place of that of the call before. Returns "", or one line that says why it cannot be loaded.
 */
const char *browser_open(const char *path);
/* Delivers what GET /v1/models answers. */
void browser_models(void);
/* Begins a request: the path of an endpoint that takes POST, as "/v1/stream" or "/v1/explain", and the body. Delivers
   the first event of a stream; or the whole answer if there is nothing to compute or the request is wrong. Returns the
   number of sentences that are to be computed. */
int browser_begin(const char *path, const char *body);
/* Computes some sentences of the request and delivers their events. After the last sentence it delivers the last event
   of a stream, or the whole answer. Returns the number of sentences that are left. */
int browser_continue(void);
/* Ends the request. */
void browser_cancel(void);

#endif
