/* answer.h: the answer to a request with texts. */
#ifndef TIDE_SERVE_ANSWER_H
#define TIDE_SERVE_ANSWER_H

#include "serve/request.h"

/* Writes the answer of a request whose jobs are done, as an object. For a stream, it has only the fields
   "translatedText" and "detectedLanguage": the events of the sentences had the others. */
void answer_write(FILE *out, const Request *request);
/* Makes the reply of a request whose jobs are done: the answer; or, for a file, the address of its translation, which
   is kept for download; or, for a stream, its last event, which follows those that were sent. Runs in a scope. */
void answer_reply(const Request *request, Reply *reply);

#endif
