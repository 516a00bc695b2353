#include "core/threads.h"
#include "core/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { SPINS = 4000, CACHE_LINE = 64, TALLIES = 32, RANGES = 32 /* of a thread in a run */ };

typedef struct Buffer {
    void *memory;
    size_t size;
} Buffer;

typedef struct Worker {
    _Alignas(CACHE_LINE) atomic_int next; /* of its share of the present run, what nobody has taken */
    Threads *pool;
    int index;
    pthread_t handle;
    double busy; /* seconds of its part of the present run, while the pool is watched */
} Worker;

struct Threads {
    int n;
    Worker *workers; /* workers[0] is the caller, without a thread of its own */
    Buffer scratch[SCRATCHES];
    /* The present run. Written by the caller before `round` moves on. */
    Work *work;
    void *context;
    int items, parts, range;
    bool stop, watched;
    Tally tallies[TALLIES];
    int tally_count;
    _Alignas(CACHE_LINE) atomic_uint round;
    _Alignas(CACHE_LINE) atomic_int busy;
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

static int share_begin(const Threads *pool, int part) { return (int)((long)pool->items * part / pool->parts); }

bool threads_share_begins(const Threads *pool, int item) {
    for (int part = 0; part <= pool->parts; part++)
        if (share_begin(pool, part) == item) return true;
    return false;
}

/* Works a share off, its own or another's, as far as others leave something of it. */
static void work_off(Threads *pool, int share, int thread) {
    const int end = share_begin(pool, share + 1);
    for (int begin; (begin = atomic_fetch_add(&pool->workers[share].next, pool->range)) < end;)
        pool->work(pool->context, begin, begin + pool->range < end ? begin + pool->range : end, thread);
}

static void run_part(Threads *pool, int part) {
    double began = pool->watched ? seconds_now() : 0;
    for (int i = 0; i < pool->parts; i++) work_off(pool, (part + i) % pool->parts, part);
    if (pool->watched) pool->workers[part].busy = seconds_now() - began;
}

/* Waits for the round to move on from `seen`: spins for a while, since the next op is near, then sleeps. */
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

static void *worker_main(void *argument) {
    Worker *worker = argument;
    Threads *pool = worker->pool;
    for (unsigned round = 0;;) {
        round = await_round(pool, round);
        if (pool->stop) return NULL;
        if (worker->index < pool->parts) run_part(pool, worker->index);
        atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_release);
    }
}

static void next_round(Threads *pool) {
    atomic_store(&pool->busy, pool->n - 1);
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->asleep)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
}

Threads *threads_new(int n) {
    CHECK(n >= 1, "threads_new: %d threads", n);
    Threads *pool = mem_alloc_aligned(sizeof *pool);
    *pool = (Threads){.n = n, .workers = mem_alloc_aligned((size_t)n * sizeof(Worker))};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int i = 0; i < n; i++) pool->workers[i] = (Worker){.pool = pool, .index = i};
    for (int i = 1; i < n; i++) {
        if (!pthread_create(&pool->workers[i].handle, NULL, worker_main, &pool->workers[i])) continue;
        pool->n = i; /* as many as the system grants: the results are the same */
        break;
    }
    return pool;
}

void threads_free(Threads *pool) {
    if (!pool) return;
    pool->stop = true;
    next_round(pool);
    for (int i = 1; i < pool->n; i++) pthread_join(pool->workers[i].handle, NULL);
    for (int i = 0; i < SCRATCHES; i++) mem_free(pool->scratch[i].memory);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    mem_free(pool->workers);
    mem_free(pool);
}

int threads_count(const Threads *pool) { return pool->n; }

static void share_out(Threads *pool) {
    if (pool->parts == 1) {
        pool->work(pool->context, 0, pool->items, 0);
        return;
    }
    next_round(pool);
    run_part(pool, 0);
    for (int spins = 0; atomic_load_explicit(&pool->busy, memory_order_acquire) > 0; spins++) pause_briefly(spins);
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
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    const int parts = (n - 1) / grain + 1;
    pool->work = work;
    pool->context = context;
    pool->items = n;
    pool->parts = parts < pool->n ? parts : pool->n;
    pool->range = n / (pool->parts * RANGES) > grain ? n / (pool->parts * RANGES) : grain;
    for (int i = 0; i < pool->parts; i++) atomic_store(&pool->workers[i].next, share_begin(pool, i));
    if (!pool->watched) {
        share_out(pool);
        return;
    }
    double began = seconds_now();
    share_out(pool);
    double seconds = seconds_now() - began;
    Tally *tally = tally_of(pool, name);
    tally->runs++;
    tally->seconds += seconds;
    if (pool->parts == 1) tally->busy += seconds;
    else
        for (int i = 0; i < pool->parts; i++) tally->busy += pool->workers[i].busy;
}

void threads_watch(Threads *pool, bool on) {
    if (on) pool->tally_count = 0;
    pool->watched = on;
}

const Tally *threads_tallies(const Threads *pool, int *count) {
    *count = pool->tally_count;
    return pool->tallies;
}

static void *buffer_sized(Buffer *buffer, size_t bytes) {
    if (buffer->size < bytes) {
        mem_free(buffer->memory);
        buffer->memory = mem_alloc_aligned(bytes);
        buffer->size = bytes;
    }
    return buffer->memory;
}

void *threads_scratch(Threads *pool, Scratch which, size_t bytes) { return buffer_sized(&pool->scratch[which], bytes); }
