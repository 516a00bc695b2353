/* refusal.h: cJSON without memory. */
#ifndef TIDE_TESTS_REFUSAL_H
#define TIDE_TESTS_REFUSAL_H

#include <cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static struct { long calls, refused_at; /* refused_at 0: none is refused */ } cjson_memory;

static void *cjson_malloc(size_t n) {
    if (++cjson_memory.calls != cjson_memory.refused_at) return malloc(n);
    errno = ENOMEM;
    return NULL;
}

/* Has cJSON ask cjson_malloc for memory. */
static inline void cjson_refuse_begin(void) { cJSON_InitHooks(&(cJSON_Hooks){cjson_malloc, free}); }
/* Refuses cJSON its n-th allocation from now. */
static inline void cjson_refuse(long n) { cjson_memory.calls = 0, cjson_memory.refused_at = n; }
/* Whether that allocation was asked for. */
static inline bool cjson_refused(void) { return cjson_memory.calls >= cjson_memory.refused_at; }
static inline void cjson_refuse_end(void) { cJSON_InitHooks(NULL); }

#endif
