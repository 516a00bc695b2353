/* queue.h: one queue of sentences, and workers that translate them in batches. One more thread prepares and releases
   requests, which therefore do not wait for the end of a search; workers without sentences help it. A worker has one
   session for each model, and takes sentences of similar length. Batches do not change results: an answer has the same
   bits as the sentence alone. */
#ifndef TIDE_SERVE_QUEUE_H
#define TIDE_SERVE_QUEUE_H

#include "core/scope.h"
#include "serve/limits.h"
#include "serve/metrics.h"
#include "serve/models.h"
#include "serve/fields.h"
#include "text/passage.h"

#include <stdatomic.h>

typedef struct Task Task;
typedef struct Event Event; /* events.h */
typedef struct Queue Queue;

/* Work without sentences, for a thread of the queue. */
typedef struct Call {
    void (*run)(struct Call *call); /* may release the call */
    bool alone;                     /* no two such calls run at the same time */
    struct Call *next;
} Call;

typedef enum JobKind { JOB_TRANSLATE, JOB_SEARCH, JOB_ALIGN, JOB_SCORE, JOB_EXPLAIN } JobKind;

/* One sentence and its result, which is NULL or zero before the job is done. */
typedef struct Job {
    const char *source, *target;    /* normalised; target: the given translation of JOB_ALIGN and JOB_SCORE; or NULL */
    const int *ids;                 /* JOB_EXPLAIN: of the pieces of the given translation, up to the step */
    int length;                     /* pieces of the source with </s> */
    const Mark *marks;              /* the markup in the source, a stb_ds array, if the texts are HTML; NULL: none */
    const Prefix *prefix;           /* of a search: what the translation begins with; NULL: free */
    const Constraints *constraints; /* of a search: what the translation contains; NULL: free */
    char **texts;                   /* JOB_TRANSLATE: [count] the best hypotheses; owned */
    int count;
    bool remembered; /* set by the caller: texts[0] is from the memory, and the sentence is not searched */
    long correction; /* of a remembered text: its id; 0: it is from a file */
    char *json;      /* the alignment of the best hypothesis or of the given pair, the search or the explanation; owned;
                        NULL: none */
    char *scores;    /* JSON: the pieces of the same translation, and ln p of each; owned; NULL: none are wanted */
    double log_probability; /* JOB_SCORE: of the given pair */
    double confidence;      /* JOB_TRANSLATE: of the best hypothesis; -1: none */
    int pieces;             /* of the best hypothesis, or of the given translation */
    int settled;            /* pieces in the last event about settled words; -1: the sentence is finished */
    Task *task;
    ScopeEnd end;               /* of the batch in which the job was computed */
    struct Job *before, *after; /* in the queue */
} Job;

/* Releases the results of n jobs. */
void jobs_clear(Job *jobs, int n);

/* The sentences of one request, which have the same model and options. The caller fills the first part. */
struct Task {
    JobKind kind;
    Served *served;       /* held by the task */
    SearchOptions search; /* with the width of the search, and the number of hypotheses wanted */
    AlignmentUnit alignment;
    int candidates; /* for each position, of a stream */
    int step, top;  /* of JOB_EXPLAIN: see session_explain */
    int pruned;     /* of JOB_SEARCH: see search_tree_add */
    bool html;      /* the texts of the jobs are HTML */
    Job *jobs;      /* [count], 1 at least */
    int count;
    Event *opening; /* the first event of a stream; owned; NULL: the answer is no stream */
    /* Receives an event of the stream, which it then owns. Called by workers; must not block or allocate memory. NULL:
       none. */
    void (*event)(Task *task, Event *event, void *context);
    /* Called once, by the worker that finishes the last job, unless the task was cancelled. Must not block. */
    void (*done)(Task *task, ScopeEnd end, void *context);
    void *context;               /* for event and done */
    void *client;                /* the caller's */
    void (*release)(Task *task); /* called when neither the caller nor a worker holds the task any longer */
    /* the queue's */
    ScopeEnd end;
    int left, holds;
    bool claimed;          /* `done` is about to be called, or the task is cancelled */
    atomic_bool cancelled; /* the search may stop */
    Call call;             /* of `release` */
    double arrived;
};

/* The number of jobs that are remembered. */
int task_remembered(const Task *task);

/* Returns a queue with this many workers. limits and metrics must live longer. NULL with *err filled if no thread can
   be started. */
Queue *queue_new(const Limits *limits, int workers, Metrics *metrics, Err *err);
/* Adds a call, which a thread of the queue runs. */
void queue_call(Queue *queue, Call *call);
/* Adds the task's jobs, of which at least one is not remembered. The caller holds the task until task_drop. Returns 0,
   or -1 if the queue has no room for all jobs; then the queue does not keep the task. */
int queue_add(Queue *queue, Task *task);
/* Cancels a task. Returns true if `done` was not and will not be called; false if it was, or is about to be. */
bool queue_cancel(Queue *queue, Task *task);
/* Ends the caller's hold of a task that is done or was cancelled. A thread of the queue releases the task. */
void task_drop(Queue *queue, Task *task);
/* The number of jobs that wait. */
int queue_length(Queue *queue);
/* Sets how many clients ask for translations. If there is only one, batches do not wait for more sentences. */
void queue_clients(Queue *queue, int clients);
/* Wakes the workers, so that they release the sessions of models that were replaced. */
void queue_models_changed(Queue *queue);
/* Ends the workers and releases the queue, which must have no task that is not done or cancelled. */
void queue_free(Queue *queue);

#endif
