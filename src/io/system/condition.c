#include "io/system.h"
#include "core/base.h"

#include <time.h>

/* Waits by the time of day, which can be set to another time: only some systems let a condition wait by the clock of
   seconds_now. */
void condition_init(pthread_cond_t *condition) { pthread_cond_init(condition, NULL); }

int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double until) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    const double wait = until - seconds_now(), part = (double)moment.tv_nsec * 1e-9 + (wait > 0 ? wait : 0);
    moment.tv_sec += (time_t)part;
    moment.tv_nsec = (long)((part - (double)(time_t)part) * 1e9);
    return pthread_cond_timedwait(condition, mutex, &moment);
}
