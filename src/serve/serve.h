/* serve.h: runs an HTTP server. */
#ifndef TIDE_SERVE_H
#define TIDE_SERVE_H

#include "core/base.h"
#include "serve/learning.h"
#include "serve/limits.h"
#include "serve/models.h"

#include <stdbool.h>

typedef struct ServeOptions {
    const ModelFiles *models; /* [model_count], 1 at least */
    int model_count;
    const char *listen;       /* see listener_open */
    const char *const *hosts; /* [host_count]: names that a Host header may have, besides localhost and addresses */
    int host_count;
    const char *cors;            /* the origin whose pages may read answers, or "*"; NULL: none */
    const char *key_file;        /* see keys_read; NULL: every client is served */
    const char *access_log;      /* see access_log_open; NULL: none */
    const char *pinyin;          /* see pinyin_read; NULL: none */
    const char *const *memories; /* [memory_count]: translation memories, see accounts_open */
    int memory_count;
    LearnSetup learn; /* `folder` NULL: no corrections are kept, and nothing is learned */
    Limits limits;
    int workers;
    bool watch; /* load a model again when one of its files changes */
    void (*notice)(
        const char *line); /* receives a message for the operator; called by several threads, one at a time */
} ServeOptions;

/* Loads the models, and serves until SIGTERM or SIGINT. Then it accepts no connection, answers the requests that have
   begun, and returns 0; a second signal ends the searches, too. Returns -1 with *err filled if it cannot start. Blocks
   both signals in the calling thread; sets cJSON's allocator to that of libc, because longjmp must not
   leave a function of cJSON when memory is refused. */
int serve(const ServeOptions *options, Err *err);

#endif
