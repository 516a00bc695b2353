/* threads.h: a pool of threads that share the items of a loop. */
#ifndef TIDE_THREADS_H
#define TIDE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Threads Threads;

/* Returns a pool of n threads, or fewer if the system does not start so many. The caller is the first of them. */
Threads *threads_new(int n);
void threads_free(Threads *threads);
int threads_count(const Threads *threads);

/* Calls work(context, begin, end) on disjoint ranges that cover 0..n-1 and returns when all calls have returned. Each
   thread has a share of the items and takes ranges from the front of its share. A thread whose share is empty takes
   ranges from the shares of other threads, so that a thread that the system delays does not delay the run. Only the
   last range of a share may be shorter than `grain`. The result of an item must not depend on the range in which it is
   computed: then results are the same bits for any number of threads. A call of `work` must not call threads_run on the
   same pool, and in a scope (scope.h) it must not allocate memory. `name`, a literal, names the kind of work: see
   threads_profile. */
typedef void Work(void *context, int begin, int end);
void threads_run(Threads *threads, const char *name, int n, int grain, Work *work, void *context);

/* threads_run; each thread that called `work` then calls `leave`, unless it is NULL. It may still do so when the run
   has ended, but before it takes part in another. */
typedef void Leave(void);
void threads_run_and_leave(Threads *threads, const char *name, int n, int grain, Work *work, void *context,
                           Leave *leave);

/* During a run: true if the item is the first of a thread's share, or n. The thread that computes the item before it
   rarely continues past it, so this is a hint for prefetching. */
bool threads_is_share_boundary(const Threads *threads, int item);

/* The index of the calling thread in the pool, less than threads_count. May be called in `work` only. The index of the
   thread that called threads_run is 0; this thread may belong to another pool. */
int threads_self(const Threads *threads);

/* The time of the runs of one name, summed while the pool profiles. */
typedef struct Tally {
    const char *name;
    long runs;
    long shared;    /* runs with work for more than one thread */
    double seconds; /* from the call of threads_run to its return */
    double busy;    /* summed over the threads, without waiting */
} Tally;
void threads_profile(Threads *threads, bool on);
/* Returns the tallies; *count receives their number. The pool owns them. threads_profile(threads, true) clears them. */
const Tally *threads_tallies(const Threads *threads, int *count);

/* Returns one of the pool's buffers: at least `bytes` long, 64-byte aligned, content undefined, valid until the next
   call for the same buffer. Must not be called during a run. */
typedef enum {
    SCRATCH_LEFT, /* of a product: its left operand */
    SCRATCH_RIGHT,
    SCRATCH_STEPS, /* of a weight gradient: the rows of all its steps */
    SCRATCH_TREES, /* of a weight gradient with shards: the tree of each thread */
    SCRATCH_PARTS, /* of a product that is not stored: the part of each thread */
    SCRATCH_OP,
    SCRATCHES
} Scratch;
void *threads_scratch(Threads *threads, Scratch which, size_t bytes);

#endif
