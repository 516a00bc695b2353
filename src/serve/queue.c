#include "serve/queue.h"

#include "serve/worker.h"
#include "io/ds.h"
#include "io/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A thread, its worker, and its batch. */
typedef struct WorkerThread {
    Queue *queue;
    Worker worker;
    Job **jobs; /* [batch] */
    pthread_t thread;
} WorkerThread;

struct Queue {
    const Limits *limits;
    Metrics *metrics;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    Job *first, *last; /* the waiting jobs, in order of arrival */
    int length;
    Call *calls; /* that wait, in order of arrival */
    int clients;
    bool stopping;
    long models;           /* counts replaced models */
    WorkerThread *threads; /* [workers]; those before `started` have a thread */
    int workers, started;
    pthread_t caller; /* runs all calls, and no jobs */
    bool calling;     /* `caller` has been started */
};

/* ---- the list of waiting jobs; the caller has the mutex -------------------------------------------------------- */

static void append(Queue *q, Job *job) {
    job->before = q->last;
    job->after = NULL;
    *(q->last ? &q->last->after : &q->first) = job;
    q->last = job;
    q->length++;
}

static void take_out(Queue *q, Job *job) {
    *(job->before ? &job->before->after : &q->first) = job->after;
    *(job->after ? &job->after->before : &q->last) = job->before;
    job->before = job->after = NULL;
    q->length--;
}

static bool waits(const Queue *q, const Job *job) { return job->before || job->after || q->first == job; }

/* ---- calls; the caller has the mutex --------------------------------------------------------------------------- */

void queue_call(Queue *q, Call *call) {
    Call **at = &q->calls;
    call->next = NULL;
    pthread_mutex_lock(&q->mutex);
    while (*at) at = &(*at)->next;
    *at = call;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
}

/* Takes the first call; a worker leaves those that must be alone to the caller. NULL: there is none. */
static Call *next_call(Queue *q, bool worker) {
    Call **at = &q->calls;
    while (*at && worker && (*at)->alone) at = &(*at)->next;
    Call *call = *at;
    if (call) *at = call->next;
    return call;
}

static void run_call(Queue *q, Call *call) {
    pthread_mutex_unlock(&q->mutex);
    call->run(call);
    pthread_mutex_lock(&q->mutex);
}

static void *run_caller(void *context) {
    Queue *q = context;
    pthread_mutex_lock(&q->mutex);
    while (q->calls || !q->stopping) {
        Call *call = next_call(q, false);
        if (call) run_call(q, call);
        else pthread_cond_wait(&q->changed, &q->mutex);
    }
    pthread_mutex_unlock(&q->mutex);
    return NULL;
}

/* ---- batches --------------------------------------------------------------------------------------------------- */

static bool same_work(const Task *a, const Task *b) {
    return a->kind == b->kind && a->served == b->served && search_options_agree(&a->search, &b->search);
}

static int distance(const Job *a, const Job *b) { return abs(a->length - b->length); }

/* Chooses jobs for a batch: the first one of the queue, and those that can be computed with it whose lengths are the
   nearest. Of equal ones the older is taken. Returns their number; the jobs stay in the queue. */
static int choose(const Queue *q, Job **jobs) {
    const int most = q->limits->batch;
    int n = 0;
    for (Job *job = q->first; job; job = job->after) {
        if (!same_work(job->task, q->first->task)) continue;
        if (n == most && distance(job, q->first) >= distance(jobs[n - 1], q->first)) continue;
        int at = n < most ? n++ : n - 1;
        for (; at > 1 && distance(job, q->first) < distance(jobs[at - 1], q->first); at--) jobs[at] = jobs[at - 1];
        jobs[at] = job;
    }
    return n;
}

/* Waits for a job, and runs calls meanwhile. Then, if several clients ask for translations and the batch is not full,
   waits a few milliseconds for more. Returns false if there is no job: the queue stops, or models were replaced. */
static bool wait_for_jobs(Queue *q, long models) {
    while (!q->first && !q->stopping && q->models == models) {
        Call *call = next_call(q, true);
        if (call) run_call(q, call);
        else pthread_cond_wait(&q->changed, &q->mutex);
    }
    while (q->first && q->clients > 1 && !q->stopping && q->length < q->limits->batch) {
        const double until = q->first->task->arrived + q->limits->wait;
        if (seconds_now() >= until || condition_wait(&q->changed, &q->mutex, until) == ETIMEDOUT) break;
    }
    return q->first;
}

/* Counts a finished job. Returns true if the caller must now call `done` of its task. */
static bool finish(Task *task, ScopeEnd end) {
    if (end != SCOPE_DONE) task->end = end;
    if (--task->left > 0 || task->claimed) return false;
    task->claimed = true;
    return true;
}

static void compute_together(Queue *q, Worker *worker, Job **jobs, int n) {
    if (worker_run(worker, jobs, n) != SCOPE_DONE) metrics_add(q->metrics, &q->metrics->refused, 1);
}

/* Computes a batch; if memory is refused for several sentences together, one by one, so that only a request that needs
   too much memory fails. */
static void compute(Queue *q, Worker *worker, Job **jobs, int n) {
    long source = 0, target = 0;
    compute_together(q, worker, jobs, n);
    if (n > 1 && jobs[0]->end == SCOPE_REFUSED)
        for (int i = 0; i < n; i++) compute_together(q, worker, &jobs[i], 1);
    for (int i = 0; i < n; i++) {
        source += jobs[i]->length;
        target += jobs[i]->pieces;
    }
    metrics_batch(q->metrics, n, source, target);
}

/* Takes a batch out of the queue, computes it and calls `done` of tasks that are complete. The caller has the mutex. */
static void work(Queue *q, WorkerThread *own) {
    Job **jobs = own->jobs;
    const int n = choose(q, jobs);
    for (int i = 0; i < n; i++) {
        take_out(q, jobs[i]);
        jobs[i]->task->holds++;
    }
    pthread_mutex_unlock(&q->mutex);
    compute(q, &own->worker, jobs, n);
    for (int i = 0; i < n; i++) {
        Task *task = jobs[i]->task;
        pthread_mutex_lock(&q->mutex);
        const bool complete = finish(task, jobs[i]->end);
        pthread_mutex_unlock(&q->mutex);
        if (complete) task->done(task, task->end, task->context);
        task_drop(q, task);
    }
    pthread_mutex_lock(&q->mutex);
}

static void release_task(Call *call) {
    Task *task = (Task *)((char *)call - offsetof(Task, call));
    task->release(task);
}

static void *run_thread(void *context) {
    WorkerThread *own = context;
    Queue *q = own->queue;
    long models = 0;
    pthread_mutex_lock(&q->mutex);
    while (q->first || !q->stopping) {
        const bool found = wait_for_jobs(q, models);
        if (models != q->models) {
            models = q->models;
            pthread_mutex_unlock(&q->mutex);
            worker_release(&own->worker);
            pthread_mutex_lock(&q->mutex);
        } else if (found) {
            work(q, own);
        }
    }
    pthread_mutex_unlock(&q->mutex);
    worker_release(&own->worker);
    return NULL;
}

/* ---- the queue ------------------------------------------------------------------------------------------------- */

Queue *queue_new(const Limits *limits, int workers, Metrics *metrics, Err *err) {
    Queue *q = mem_zalloc(sizeof *q);
    *q = (Queue){.limits = limits, .metrics = metrics};
    pthread_mutex_init(&q->mutex, NULL);
    condition_init(&q->changed);
    q->threads = mem_zalloc((size_t)workers * sizeof *q->threads);
    q->workers = workers;
    for (; q->started < workers; q->started++) {
        WorkerThread *own = &q->threads[q->started];
        own->queue = q;
        own->jobs = mem_alloc((size_t)limits->batch * sizeof(Job *));
        const int error = pthread_create(&own->thread, NULL, run_thread, own);
        if (!error) continue;
        err_set(err, NULL, 0, "a worker cannot be started: %s", strerror(error));
        queue_free(q);
        return NULL;
    }
    const int error = pthread_create(&q->caller, NULL, run_caller, q);
    q->calling = !error;
    if (!error) return q;
    err_set(err, NULL, 0, "a thread cannot be started: %s", strerror(error));
    queue_free(q);
    return NULL;
}

int task_remembered(const Task *task) {
    int n = 0;
    for (int i = 0; i < task->count; i++) n += task->jobs[i].remembered;
    return n;
}

int queue_add(Queue *q, Task *task) {
    task->left = task->count - task_remembered(task);
    pthread_mutex_lock(&q->mutex);
    const int status = q->length + task->left <= q->limits->queue && !q->stopping ? 0 : -1;
    task->holds = 1;
    task->arrived = seconds_now();
    for (int i = 0; i < task->count && !status; i++) {
        task->jobs[i].task = task;
        if (!task->jobs[i].remembered) append(q, &task->jobs[i]);
    }
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    return status;
}

bool queue_cancel(Queue *q, Task *task) {
    pthread_mutex_lock(&q->mutex);
    const bool cancelled = !task->claimed;
    task->claimed = true;
    atomic_store(&task->cancelled, true);
    for (int i = 0; i < task->count && cancelled; i++)
        if (waits(q, &task->jobs[i])) take_out(q, &task->jobs[i]);
    pthread_mutex_unlock(&q->mutex);
    return cancelled;
}

void task_drop(Queue *q, Task *task) {
    pthread_mutex_lock(&q->mutex);
    const bool last = --task->holds == 0;
    pthread_mutex_unlock(&q->mutex);
    if (!last) return;
    task->call.run = release_task;
    queue_call(q, &task->call);
}

int queue_length(Queue *q) {
    pthread_mutex_lock(&q->mutex);
    const int length = q->length;
    pthread_mutex_unlock(&q->mutex);
    return length;
}

void queue_clients(Queue *q, int clients) {
    pthread_mutex_lock(&q->mutex);
    q->clients = clients;
    pthread_mutex_unlock(&q->mutex);
}

void queue_models_changed(Queue *q) {
    pthread_mutex_lock(&q->mutex);
    q->models++;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
}

void queue_free(Queue *q) {
    pthread_mutex_lock(&q->mutex);
    q->stopping = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    for (int i = 0; i < q->started; i++) pthread_join(q->threads[i].thread, NULL);
    if (q->calling) pthread_join(q->caller, NULL);
    for (Call *call; (call = next_call(q, false));) call->run(call);
    for (int i = 0; i < q->workers; i++) mem_free(q->threads[i].jobs);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->mutex);
    mem_free(q->threads);
    mem_free(q);
}
