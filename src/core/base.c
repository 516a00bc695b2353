#include "core/base.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

void check_failed(const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "tide: internal error at %s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
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

static void (*on_failure)(size_t bytes);
static atomic_long allocations;
static atomic_long fail_at;

void mem_on_failure(void (*handler)(size_t bytes)) { on_failure = handler; }
void mem_fail_nth(long n) { fail_at = n ? allocations + n : 0; }
long mem_count(void) { return allocations; }

_Noreturn void mem_refused(size_t bytes) {
    if (on_failure) on_failure(bytes);
    fprintf(stderr, "tide: out of memory (%zu bytes)\n", bytes);
    abort();
}

/* Returns a newly allocated block, or reports the failure if it is NULL. */
static void *checked(void *memory, size_t bytes) {
    long count = ++allocations;
    if (memory && count != fail_at) return memory;
    free(memory);
    mem_refused(bytes);
}

void *mem_alloc(size_t bytes) { return checked(malloc(bytes ? bytes : 1), bytes); }
void *mem_zalloc(size_t bytes) { return checked(calloc(1, bytes ? bytes : 1), bytes); }
void *mem_realloc(void *old, size_t bytes) { return checked(realloc(old, bytes ? bytes : 1), bytes); }
void mem_free(void *memory) { free(memory); }

void *mem_alloc_aligned(size_t bytes) {
    enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };
    size_t align = bytes < 2L * HUGE_PAGE ? CACHE_LINE : HUGE_PAGE, rounded = (bytes + align - 1) / align * align;
    void *memory = checked(rounded < bytes ? NULL : aligned_alloc(align, rounded ? rounded : align), bytes);
    /* only a hint: huge pages mean fewer page faults and fewer TLB misses */
    if (align == HUGE_PAGE) madvise(memory, rounded, MADV_HUGEPAGE);
    return memory;
}

char *mem_strndup(const char *text, size_t n) {
    char *copy = mem_alloc(n + 1);
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *mem_strdup(const char *text) { return mem_strndup(text, strlen(text)); }

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
