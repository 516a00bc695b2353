/* events.h: the events of a streamed answer, in the format text/event-stream; docs/server.md describes them. The
   functions that make an event run in a scope, to which the event does not belong. */
#ifndef TIDE_SERVE_EVENTS_H
#define TIDE_SERVE_EVENTS_H

#include "serve/request.h"
#include "translate/candidates.h"

extern const char event_stream_type[]; /* the Content-Type */

/* One event in a list; the holder owns it. */
struct Event {
    Event *next;
    char *text;
    size_t size;
};
/* Releases an event. Returns the next one. NULL: does nothing and returns NULL. */
Event *event_free(Event *event);

/* The first event, the model and the sentences; and those of sentences that are remembered. */
Event *event_opening(const Request *request);
/* The settled words of a sentence. */
Event *event_settled(const Job *job, const Hypothesis *words);

/* A finished sentence: the texts and the alignment of the job are set. nbest: the list that they are from. candidates:
   [length of the best hypothesis, job->task->candidates]; NULL: none. */
Event *event_sentence(const Job *job, const Nbest *nbest, const WordCandidate *candidates);

/* A finished sentence that is its own translation, because the model knows nothing of it. */
Event *event_copied(const Job *job);

/* Writes the last event of a stream that did not fail. If the stream needs no search, first writes its first event. */
void event_write_last(FILE *out, const Request *request);

#endif
