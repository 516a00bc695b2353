#include "core/base.h"
#include "core/scope.h"
#include "core/system.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void check_failed(const char *file, int line, const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    scope_fail("internal error at %s:%d: %s", file, line, message);
    fprintf(stderr, "tide: internal error at %s:%d: %s\n", file, line, message);
    abort();
}

int err_set(Err *err, const char *path, long line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    snprintf(err->path, sizeof err->path, "%s", path ? path : "");
    err->line = line;
    vsnprintf(err->reason, sizeof err->reason, format, args);
    va_end(args);
    return -1;
}

void err_text(const Err *err, char text[ERR_TEXT]) {
    char line[32] = "";
    if (err->line > 0) snprintf(line, sizeof line, ":%ld", err->line);
    snprintf(text, ERR_TEXT, "%s%s%s%s", err->path, line, err->path[0] ? ": " : "", err->reason);
}

static void (*on_failure)(size_t bytes);
static atomic_long allocations;
static atomic_long fail_at;

void mem_on_failure(void (*handler)(size_t bytes)) { on_failure = handler; }
void mem_fail_nth(long n) { fail_at = n ? allocations + n : 0; }
long mem_count(void) { return allocations; }

void mem_refused(size_t bytes) {
    scope_refuse();
    if (on_failure) on_failure(bytes);
    fprintf(stderr, "tide: out of memory (%zu bytes)\n", bytes);
    abort();
}

/* Returns whether the next allocation may succeed; false only in tests. */
static bool permitted(void) { return ++allocations != fail_at; }

/* Returns a newly allocated block, or reports the failure if it is NULL. */
static void *checked(void *memory, size_t bytes) {
    if (memory && !scope_add(memory)) return memory;
    system_free(memory);
    mem_refused(bytes);
}

void *mem_alloc(size_t bytes) { return checked(permitted() ? system_alloc(bytes ? bytes : 1) : NULL, bytes); }
void *mem_zalloc(size_t bytes) { return checked(permitted() ? system_zalloc(bytes ? bytes : 1) : NULL, bytes); }

void *mem_try_realloc(void *old, size_t bytes) {
    const bool owned = scope_remove(old) || !old;
    void *memory = permitted() ? system_realloc(old, bytes ? bytes : 1) : NULL;
    if (!memory) {
        if (old && owned) scope_add(old);
        return NULL;
    }
    if (!owned || !scope_add(memory)) return memory; /* in place of an old block, scope_add cannot fail */
    system_free(memory);
    return NULL;
}

void *mem_realloc(void *old, size_t bytes) {
    void *memory = mem_try_realloc(old, bytes);
    if (!memory) mem_refused(bytes);
    return memory;
}

void mem_free(void *memory) {
    scope_remove(memory);
    system_free(memory);
}

void *mem_alloc_aligned(size_t bytes) {
    enum { CACHE_LINE = 64 };
    /* half a huge page or more gets whole ones */
    size_t align = bytes < HUGE_PAGE / 2 ? CACHE_LINE : HUGE_PAGE, rounded = (bytes + align - 1) / align * align;
    const bool possible = permitted() && rounded >= bytes;
    return checked(possible ? system_alloc_aligned(align, rounded ? rounded : align) : NULL, bytes);
}

char *mem_strndup(const char *text, size_t n) {
    char *copy = mem_alloc(n + 1);
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *mem_strdup(const char *text) { return mem_strndup(text, strlen(text)); }

double printable(double number) { return isnan(number) ? fabs(number) : number; }

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
