/* ranks.h: the processes of a training on several machines. MPI moves bytes between them; it never computes. In a build
   without MPI there is one rank, and these functions do nothing. ranks.c is the only file that includes mpi.h.

   A function that returns -1 has filled *err: another rank has failed or does not answer. The caller then ends the
   training; ranks_end makes all others end, too. */
#ifndef TIDE_RANKS_H
#define TIDE_RANKS_H

#include "core/base.h"

#include <stdbool.h>

typedef struct Ranks Ranks;

/* Returns the ranks of this run, one of which is this process. timeout: the seconds after which a rank that does not
   answer is an error. Release with ranks_end. */
Ranks *ranks_begin(double timeout);
/* Ends this process's part. If it failed, every other rank is killed, and the function does not return if there are
   several ranks. */
void ranks_end(Ranks *ranks, bool failed);

/* The number of this process, from 0, and of all processes. NULL counts as a single rank. */
int ranks_own(const Ranks *ranks);
int ranks_count(const Ranks *ranks);
/* The number of this process among those on its machine, and their number. */
int ranks_own_on_node(const Ranks *ranks);
int ranks_count_on_node(const Ranks *ranks);

typedef enum { RANKS_ALL, RANKS_OF_NODE } RankGroup;
/* Copies `bytes` bytes from rank 0 of the group to all of it. Waits without a limit, because rank 0 may still compute.
 */
int ranks_broadcast(Ranks *ranks, RankGroup group, void *data, size_t bytes, Err *err);

/* Copies `bytes` bytes of each rank to all ranks: all [count][bytes]. */
int ranks_gather(Ranks *ranks, const void *own, void *all, size_t bytes, bool patient, Err *err);

/* A message to or from one other rank. */
typedef struct RankMessage {
    void *data;
    size_t bytes; /* of `in`: before the call the capacity, afterwards the size; 0 before the call: no message.
                     A multiple of 4 */
} RankMessage;
/* Sends out[r] to each other rank r, and receives in[r]; [count] each; the entries of this rank are ignored. patient:
   waits thirty times as long for rank 0, which may be writing files. */
int ranks_exchange(Ranks *ranks, const RankMessage *out, RankMessage *in, bool patient, Err *err);

/* What this rank has done so far: bytes sent in messages, and seconds in which it waited for other ranks. */
double ranks_bytes_sent(const Ranks *ranks);
double ranks_seconds_waited(const Ranks *ranks);

#endif
