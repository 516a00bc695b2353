/* refusal.h: makes a chosen allocation of cJSON fail. */
#ifndef TIDE_TESTS_REFUSAL_H
#define TIDE_TESTS_REFUSAL_H

#include <cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static struct { long calls, refused_at; /* refused_at: number of the call that fails; 0: none */ } cjson_memory;

static void *cjson_malloc(size_t n) {
    if (++cjson_memory.calls != cjson_memory.refused_at) return malloc(n);
    errno = ENOMEM;
    return NULL;
}

/* Makes cJSON allocate with cjson_malloc. */
static inline void cjson_refuse_begin(void) { cJSON_InitHooks(&(cJSON_Hooks){cjson_malloc, free}); }
/* Makes the n-th allocation of cJSON from now fail. */
static inline void cjson_refuse(long n) { cjson_memory.calls = 0, cjson_memory.refused_at = n; }
/* Whether cJSON has reached the allocation that fails. */
static inline bool cjson_refused(void) { return cjson_memory.calls >= cjson_memory.refused_at; }
static inline void cjson_refuse_end(void) { cJSON_InitHooks(NULL); }

#endif
