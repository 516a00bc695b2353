#include "train/ranks.h"

#include <string.h>

#ifdef TIDE_MPI
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#endif

struct Ranks {
    int own, count, own_on_node, count_on_node;
    double timeout, bytes_sent, waited;
#ifdef TIDE_MPI
    MPI_Comm node;
    MPI_Request *requests; /* [2 count] */
    int silent;            /* the rank that did not answer; -1: none */
    pid_t *processes;      /* [count] of the ranks on this machine; 0: on another machine, or not visible */
#endif
};

int ranks_own(const Ranks *ranks) { return ranks ? ranks->own : 0; }
int ranks_count(const Ranks *ranks) { return ranks ? ranks->count : 1; }
int ranks_own_on_node(const Ranks *ranks) { return ranks ? ranks->own_on_node : 0; }
int ranks_count_on_node(const Ranks *ranks) { return ranks ? ranks->count_on_node : 1; }
double ranks_bytes_sent(const Ranks *ranks) { return ranks ? ranks->bytes_sent : 0; }
double ranks_seconds_waited(const Ranks *ranks) { return ranks ? ranks->waited : 0; }

int ranks_gather(Ranks *ranks, const void *own, void *all, size_t bytes, bool patient, Err *err) {
    const int count = ranks_count(ranks);
    RankMessage *out = mem_alloc(2 * (size_t)count * sizeof *out), *in = out + count;
    for (int r = 0; r < count; r++) {
        out[r] = (RankMessage){(void *)own, bytes};
        in[r] = (RankMessage){(char *)all + (size_t)r * bytes, bytes};
    }
    if (bytes) memmove((char *)all + (size_t)ranks_own(ranks) * bytes, own, bytes);
    const int status = ranks_exchange(ranks, out, in, patient, err);
    mem_free(out);
    return status;
}

#ifndef TIDE_MPI

Ranks *ranks_begin(double timeout) { return (void)timeout, NULL; }
void ranks_end(Ranks *ranks, bool failed) { (void)ranks, (void)failed; }
int ranks_broadcast(Ranks *ranks, RankGroup group, void *data, size_t bytes, Err *err) {
    return (void)ranks, (void)group, (void)data, (void)bytes, (void)err, 0;
}
int ranks_exchange(Ranks *ranks, const RankMessage *out, RankMessage *in, bool patient, Err *err) {
    return (void)ranks, (void)out, (void)in, (void)patient, (void)err, 0;
}

#else

/* Finds the processes of the other ranks on this machine. */
static void find_processes(Ranks *ranks) {
    const int own[2] = {(int)getpid(), ranks->own};
    int *all = mem_alloc(2 * (size_t)ranks->count_on_node * sizeof *all);
    MPI_Allgather(own, 2, MPI_INT, all, 2, MPI_INT, ranks->node);
    for (size_t i = 0; i < (size_t)ranks->count_on_node; i++)
        if (kill(all[2 * i], 0) == 0) ranks->processes[all[2 * i + 1]] = all[2 * i];
    mem_free(all);
}

Ranks *ranks_begin(double timeout) {
    Ranks *ranks = mem_zalloc(sizeof *ranks);
    int threads;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->own);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ranks->own, MPI_INFO_NULL, &ranks->node);
    MPI_Comm_rank(ranks->node, &ranks->own_on_node);
    MPI_Comm_size(ranks->node, &ranks->count_on_node);
    ranks->timeout = timeout;
    ranks->silent = -1;
    ranks->requests = mem_alloc(2 * (size_t)ranks->count * sizeof(MPI_Request));
    ranks->processes = mem_zalloc((size_t)ranks->count * sizeof(pid_t));
    find_processes(ranks);
    return ranks;
}

void ranks_end(Ranks *ranks, bool failed) {
    if (!ranks) return;
    if (failed && ranks->count > 1) {
        /* A process that hangs cannot end itself. */
        if (ranks->silent >= 0 && ranks->processes[ranks->silent]) kill(ranks->processes[ranks->silent], SIGKILL);
        /* MPICH's mpirun ends without the last lines that the ranks wrote, unless it has time to pass them on. */
        fflush(NULL);
        nanosleep(&(struct timespec){0, 300000000}, NULL);
        /* MPI_Abort may wait for mpirun, which waits for this process if another rank has failed, too. */
        alarm(2);
        MPI_Abort(MPI_COMM_WORLD, 1);
        _exit(1);
    }
    MPI_Comm_free(&ranks->node);
    mem_free(ranks->requests);
    mem_free(ranks->processes);
    mem_free(ranks);
    MPI_Finalize();
}

/* Waits a moment before the next test of requests that have waited for `seconds`. MPI moves bytes only during a test.
   So while large messages can be on their way, this process only offers the processor to others; later it sleeps. */
static void pause_after(double seconds, double bytes) {
    const double bytes_per_second = 1e8; /* of a network so slow that sleeping does not delay it */
    if (seconds < 0.0002 + bytes / bytes_per_second) sched_yield();
    else nanosleep(&(struct timespec){0, seconds < 0.01 ? 20000 : 200000}, NULL);
}

/* mpirun tells the other ranks by SIGTERM that a rank has died. But this signal also asks for a checkpoint, so a rank
   looks for itself. */
static int check_alive(const Ranks *ranks, Err *err) {
    for (int r = 0; r < ranks->count; r++)
        if (ranks->processes[r] && kill(ranks->processes[r], 0) && errno == ESRCH)
            return err_set(err, NULL, 0, "rank %d has ended", r);
    return 0;
}

/* Returns the number of ranks whose requests are not complete; *first receives the first of them, rank 0 only if there
   is no other. Requests 2 r and 2 r + 1 belong to rank r. */
static int late_ranks(MPI_Request *requests, int count, int *first) {
    int late = 0;
    *first = 0;
    for (int r = 0; r < count; r++) {
        int all = 1;
        for (int i = 2 * r; i < 2 * r + 2; i++) {
            int done = 1;
            if (requests[i] != MPI_REQUEST_NULL) MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE);
            all = all && done;
        }
        if (all) continue;
        late++;
        if (!*first) *first = r;
    }
    return late;
}

/* Waits until `count` requests for `bytes` bytes are complete, at most `limit` seconds, and for rank 0 at most
   limit_of_first; 0: no limit. The lowest rank that waits ends the others, so that only one message appears. A rank
   that waits for several others waits longer: one of them may itself wait for the rank that hangs, and names it. */
static int wait_for(Ranks *ranks, MPI_Request *requests, int count, double bytes, MPI_Status *statuses, double limit,
                    double limit_of_first, Err *err) {
    const double began = seconds_now();
    double looked = 0;
    for (int done = 0;;) {
        MPI_Testall(count, requests, &done, statuses);
        const double seconds = seconds_now() - began;
        if (done) return ranks->waited += seconds, 0;
        if (limit > 0 && seconds > limit) {
            int first;
            const int late = late_ranks(requests, count / 2, &first);
            const double patience = seconds - 0.1 * (ranks->own + (late > 1 ? ranks->count : 0));
            if (late && patience > (first ? limit : limit_of_first)) {
                ranks->silent = first;
                return err_set(err, NULL, 0, "rank %d has not answered for %.0f seconds (--rank-timeout)", first,
                               seconds);
            }
        }
        if (seconds > looked + 0.5) {
            looked = seconds;
            if (check_alive(ranks, err)) return -1;
        }
        pause_after(seconds, bytes);
    }
}

int ranks_broadcast(Ranks *ranks, RankGroup group, void *data, size_t bytes, Err *err) {
    enum { MOST = 1 << 28 };
    if (ranks_count(ranks) == 1) return 0;
    MPI_Comm comm = group == RANKS_ALL ? MPI_COMM_WORLD : ranks->node;
    for (size_t at = 0; at < bytes; at += MOST) {
        MPI_Request request;
        MPI_Status state;
        MPI_Ibcast((char *)data + at, (int)(bytes - at < MOST ? bytes - at : MOST), MPI_BYTE, 0, comm, &request);
        if (wait_for(ranks, &request, 1, 0, &state, 0, 0, err)) return -1;
    }
    return 0;
}

int ranks_exchange(Ranks *ranks, const RankMessage *out, RankMessage *in, bool patient, Err *err) {
    const int count = ranks_count(ranks);
    enum { WORD = 4 }; /* MPI counts in ints; so a message may have 8 GiB */
    double bytes = 0;
    if (count == 1) return 0;
    MPI_Status *statuses = mem_alloc(2 * (size_t)count * sizeof *statuses);
    for (int r = 0; r < count; r++) {
        MPI_Request *send = &ranks->requests[2 * r], *receive = send + 1;
        *send = *receive = MPI_REQUEST_NULL;
        if (r == ranks->own) continue;
        CHECK(in[r].bytes / WORD <= INT_MAX && in[r].bytes % WORD == 0 && out[r].bytes / WORD <= INT_MAX &&
                  out[r].bytes % WORD == 0,
              "ranks_exchange: messages of %zu and %zu bytes", in[r].bytes, out[r].bytes);
        if (in[r].bytes) MPI_Irecv(in[r].data, (int)(in[r].bytes / WORD), MPI_INT32_T, r, 0, MPI_COMM_WORLD, receive);
        if (out[r].bytes) MPI_Isend(out[r].data, (int)(out[r].bytes / WORD), MPI_INT32_T, r, 0, MPI_COMM_WORLD, send);
        ranks->bytes_sent += (double)out[r].bytes;
        bytes += (double)(in[r].bytes + out[r].bytes);
    }
    const int status = wait_for(ranks, ranks->requests, 2 * count, bytes, statuses, ranks->timeout,
                                ranks->timeout * (patient ? 30 : 1), err);
    for (int r = 0; r < count && !status; r++) {
        int words = 0;
        if (r == ranks->own || !in[r].bytes) continue;
        MPI_Get_count(&statuses[2 * r + 1], MPI_INT32_T, &words);
        in[r].bytes = (size_t)words * WORD;
    }
    mem_free(statuses);
    return status;
}

#endif
