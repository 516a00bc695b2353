#include "core/threads.h"
#include "core/base.h"
#include "core/scope.h"
#include "core/system.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SPINS = 4000, CACHE_LINE = 64, TALLIES = 32, RANGES = 32 /* of a thread in a run */ };

typedef struct Buffer {
    void *memory;
    size_t size;
} Buffer;

typedef struct Worker {
    /* The round of its share in the upper half; in the lower half the number of items of the share that no thread
       has taken. A thread that comes too late finds another round, or no items, and does not touch the run. */
    _Alignas(CACHE_LINE) _Atomic uint64_t left;
    Threads *pool;
    int index;
    pthread_t handle;
    double busy; /* seconds of work in the current run */
} Worker;

struct Threads {
    int n;
    Worker *workers; /* workers[0] is the caller: it has no handle */
    Buffer scratch[SCRATCHES];
    /* The current run. The caller writes it before it fills the shares; a thread reads it after it has taken items. */
    Work *work;
    void *context;
    Leave *leave;
    int items;
    atomic_int parts, range; /* a thread that comes too late may read these, but finds no items */
    atomic_bool stop;
    bool profiling;
    Tally tallies[TALLIES];
    int tally_count;
    _Alignas(CACHE_LINE) atomic_uint round;
    _Alignas(CACHE_LINE) atomic_int done; /* finished items of the current run */
    _Alignas(CACHE_LINE) atomic_int asleep;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

static void pause_briefly(int spins) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
    if (spins % 1024 == 1023) sched_yield(); /* there may be fewer processors than threads */
}

static int share_offset(const Threads *pool, int part) { return part_offset(pool->items, pool->parts, part); }

bool threads_is_share_boundary(const Threads *pool, int item) {
    for (int part = 0; part <= pool->parts; part++)
        if (share_offset(pool, part) == item) return true;
    return false;
}

/* Takes some items of a share. Returns their number; 0 if the round is over or no item is left. *before receives the
   number of items that were left before the call. */
static int take_range(Threads *pool, int share, unsigned round, int *before) {
    _Atomic uint64_t *left = &pool->workers[share].left;
    uint64_t seen = atomic_load_explicit(left, memory_order_acquire);
    for (;;) {
        const int count = (int)(seen & UINT32_MAX), range = atomic_load_explicit(&pool->range, memory_order_relaxed);
        const int taken = count < range ? count : range;
        if (seen >> 32 != round || count == 0) return 0;
        *before = count;
        if (atomic_compare_exchange_weak_explicit(left, &seen, seen - (uint64_t)taken, memory_order_acq_rel,
                                                  memory_order_acquire))
            return taken;
    }
}

/* Takes ranges of a share and computes them until the share is empty. Returns the number of items computed. */
static int run_share(Threads *pool, int share, unsigned round) {
    int done = 0;
    for (int n, before; (n = take_range(pool, share, round, &before)) > 0; done += n) {
        const int begin = share_offset(pool, share + 1) - before;
        pool->work(pool->context, begin, begin + n);
    }
    return done;
}

/* Works on its own share, then on the others. The run cannot end between a take and the addition to `done`; only in
   this time may the thread read the fields of the run. */
static void run_part(Threads *pool, unsigned round, int thread) {
    const int parts = atomic_load_explicit(&pool->parts, memory_order_relaxed);
    Leave *leave = NULL;
    double began = seconds_now();
    for (int i = 0; i < parts; i++) {
        const int done = run_share(pool, (thread + i) % parts, round);
        if (done == 0) continue;
        leave = pool->leave;
        const double now = seconds_now();
        pool->workers[thread].busy += now - began;
        began = now;
        atomic_fetch_add_explicit(&pool->done, done, memory_order_release);
    }
    if (leave) leave();
}

/* Waits until the round is not `seen`. First spins for a while, because the next run usually follows soon; then
   sleeps. */
static unsigned await_round(Threads *pool, unsigned seen) {
    for (int spins = 0; spins < SPINS; spins++) {
        unsigned round = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (round != seen) return round;
        pause_briefly(spins);
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->asleep, 1);
    while (atomic_load(&pool->round) == seen) pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->mutex);
    return atomic_load(&pool->round);
}

static _Thread_local const Worker *self; /* the worker that this thread is; NULL: this thread belongs to no pool */

int threads_self(const Threads *pool) { return self && self->pool == pool ? self->index : 0; }

static void *worker_main(void *argument) {
    Worker *worker = argument;
    self = worker;
    Threads *pool = worker->pool;
    for (unsigned round = 0;;) {
        round = await_round(pool, round);
        if (pool->stop) return NULL;
        run_part(pool, round, worker->index);
    }
}

static void next_round(Threads *pool) {
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->asleep)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* Ends the threads of a pool, and releases what mem_free does not release. */
static void stop_threads(void *context) {
    Threads *pool = context;
    pool->stop = true;
    next_round(pool);
    for (int i = 1; i < pool->n; i++) pthread_join(pool->workers[i].handle, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
}

Threads *threads_new(int n) {
    CHECK(n >= 1, "threads_new: %d threads", n);
    Threads *pool = mem_alloc_aligned(sizeof *pool);
    *pool = (Threads){.n = n, .workers = mem_alloc_aligned((size_t)n * sizeof(Worker))};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int i = 0; i < n; i++) pool->workers[i] = (Worker){.pool = pool, .index = i};
    for (int i = 1; i < n; i++) {
        if (!system_start_thread(&pool->workers[i].handle, worker_main, &pool->workers[i])) continue;
        pool->n = i; /* the system does not start more; the results are the same */
        break;
    }
    scope_own(pool, stop_threads);
    return pool;
}

void threads_free(Threads *pool) {
    if (!pool) return;
    scope_disown(pool, stop_threads);
    stop_threads(pool);
    for (int i = 0; i < SCRATCHES; i++) mem_free(pool->scratch[i].memory);
    mem_free(pool->workers);
    mem_free(pool);
}

int threads_count(const Threads *pool) { return pool->n; }

static void run_shares(Threads *pool) {
    if (pool->parts == 1) {
        pool->work(pool->context, 0, pool->items);
        if (pool->leave) pool->leave();
        return;
    }
    const unsigned round = atomic_load(&pool->round) + 1;
    atomic_store(&pool->done, 0);
    for (int i = 0; i < pool->n; i++) pool->workers[i].busy = 0;
    for (int i = 0; i < pool->parts; i++) {
        const int left = share_offset(pool, i + 1) - share_offset(pool, i);
        atomic_store(&pool->workers[i].left, (uint64_t)round << 32 | (uint64_t)left);
    }
    next_round(pool);
    run_part(pool, round, 0);
    for (int spins = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < pool->items; spins++)
        pause_briefly(spins);
}

static Tally *tally_of(Threads *pool, const char *name) {
    int i = 0;
    while (i < pool->tally_count && strcmp(pool->tallies[i].name, name) != 0) i++;
    if (i == pool->tally_count) {
        CHECK(i < TALLIES, "threads_run: more than %d kinds of work", TALLIES);
        pool->tallies[pool->tally_count++] = (Tally){.name = name};
    }
    return &pool->tallies[i];
}

void threads_run(Threads *pool, const char *name, int n, int grain, Work *work, void *context) {
    threads_run_and_leave(pool, name, n, grain, work, context, NULL);
}

void threads_run_and_leave(Threads *pool, const char *name, int n, int grain, Work *work, void *context, Leave *leave) {
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    const int parts = (n - 1) / grain + 1;
    pool->work = work;
    pool->context = context;
    pool->leave = leave;
    pool->items = n;
    pool->parts = parts < pool->n ? parts : pool->n;
    pool->range = n / (pool->parts * RANGES) > grain ? n / (pool->parts * RANGES) : grain;
    if (!pool->profiling) {
        run_shares(pool);
        return;
    }
    double began = seconds_now();
    run_shares(pool);
    double seconds = seconds_now() - began;
    Tally *tally = tally_of(pool, name);
    tally->runs++;
    tally->shared += pool->parts > 1;
    tally->seconds += seconds;
    if (pool->parts == 1) tally->busy += seconds;
    else
        for (int i = 0; i < pool->n; i++) tally->busy += pool->workers[i].busy;
}

void threads_profile(Threads *pool, bool on) {
    if (on) pool->tally_count = 0;
    pool->profiling = on;
}

const Tally *threads_tallies(const Threads *pool, int *count) {
    *count = pool->tally_count;
    return pool->tallies;
}

void *threads_scratch(Threads *pool, Scratch which, size_t bytes) {
    Buffer *buffer = &pool->scratch[which];
    if (buffer->size < bytes) {
        mem_free(buffer->memory);
        buffer->memory = mem_alloc_aligned(bytes);
        buffer->size = bytes;
    }
    return buffer->memory;
}
