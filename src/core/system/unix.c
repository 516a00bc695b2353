#include "core/system.h"

#include <signal.h>
#include <stdlib.h>

void *system_alloc(size_t bytes) { return malloc(bytes); }
void *system_zalloc(size_t bytes) { return calloc(1, bytes); }
void *system_realloc(void *old, size_t bytes) { return realloc(old, bytes); }
void system_free(void *memory) { free(memory); }

int system_start_thread(pthread_t *thread, void *(*main)(void *argument), void *argument) {
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    const int error = pthread_create(thread, NULL, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
