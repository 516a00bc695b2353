/* worker.h: the state of one worker of the queue, and how it computes a batch. */
#ifndef TIDE_SERVE_WORKER_H
#define TIDE_SERVE_WORKER_H

#include "serve/queue.h"
#include "translate/session.h"

/* A session of a model, which it holds. */
typedef struct WorkerSession {
    Served *served;
    Session session; /* without members: not made yet */
} WorkerSession;

typedef struct Worker {
    Scope scope;             /* owns what the sessions have, and the thread pool */
    Threads *one;            /* a pool of one thread; NULL: not made yet */
    WorkerSession *sessions; /* [count], outside of the scope */
    int count;
} Worker;

/* Computes the results of n jobs that have the same model and options. Returns SCOPE_DONE; or SCOPE_REFUSED or
   SCOPE_FAILED, and then no job has a result, and the sessions are released. Each job's `end` receives the same; or
   SCOPE_FAILED if only the search of this sentence failed. If all tasks of the jobs are cancelled, the search stops,
   and the jobs have no results. */
ScopeEnd worker_run(Worker *worker, Job **jobs, int n);
/* Releases all sessions; the next batch makes the one that it needs. */
void worker_release(Worker *worker);

#endif
