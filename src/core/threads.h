/* threads.h: a pool of threads that share the rows of one loop. */
#ifndef TIDE_THREADS_H
#define TIDE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Threads Threads;

/* A pool of n threads, the caller's own being the first; fewer where the system does not grant so many. */
Threads *threads_new(int n);
void threads_free(Threads *threads);
int threads_count(const Threads *threads);

/* Calls work(context, begin, end) on disjoint ranges that cover 0..n-1 and returns when all calls have returned. Each
   thread has a share of the items and takes ranges from the front of its share. A thread whose share is empty takes
   ranges from the shares of other threads, so that a thread that the system delays does not delay the run. Only the
   last range of a share may be shorter than `grain`. The result of an item must not depend on the range in which it is
   computed: then results are the same bits for any number of threads. A call of `work` must not call threads_run on the
   same pool. `name`, a literal, names the kind of work: see threads_profile. */
typedef void Work(void *context, int begin, int end);
void threads_run(Threads *threads, const char *name, int n, int grain, Work *work, void *context);

/* During a run: true if this item is the first of a thread's share, or the one after the last. The thread below it
   rarely continues past it, so this is a hint for prefetching. */
bool threads_is_share_boundary(const Threads *threads, int item);

/* Where the time goes. While the pool profiles, the runs of each name are added up, from zero. */
typedef struct Tally {
    const char *name;
    long runs;
    long shared;    /* runs with work for more than one thread */
    double seconds; /* as the caller sees it, waiting included */
    double busy;    /* of all threads together, waiting left out */
} Tally;
void threads_profile(Threads *threads, bool on);
/* The tallies so far, and how many; owned by the pool, until profiling begins anew. */
const Tally *threads_tallies(const Threads *threads, int *count);

/* One of the pool's buffers, at least `bytes` long, 64-byte aligned; content is undefined and the buffer is valid until
   a larger one is asked for. To be asked for between runs. */
typedef enum { SCRATCH_LEFT, SCRATCH_RIGHT /* of a product */, SCRATCH_OP, SCRATCHES } Scratch;
void *threads_scratch(Threads *threads, Scratch which, size_t bytes);

#endif
