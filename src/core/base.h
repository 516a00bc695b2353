/* base.h: what every floor stands on: assertions, error reports, the one allocation wrapper and the clock. */
#ifndef TIDE_BASE_H
#define TIDE_BASE_H

#include <stddef.h>

/* An assertion that stays on. A condition that fails is a bug in tide, never the user's: prints and aborts. */
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) check_failed(__FILE__, __LINE__, __VA_ARGS__);                                               \
    } while (0)
void check_failed(const char *file, int line, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));

/* Why a file or a text could not be used. Functions that read or write return 0, or -1 with *err filled;
   only cli/ prints it: "path:line: reason" (path and line are left out where they are empty or 0). */
typedef struct Err {
    char path[512];
    long line;
    char reason[512];
} Err;

/* Fills *err (path may be NULL, line 0 for none) and returns -1, so that `return err_set(...)` reads well. */
int err_set(Err *err, const char *path, long line, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The one way to get memory. Never returns NULL: on failure it calls the handler that cli/ installed, which
   prints one line and exits (without a handler: abort). Zero bytes are allowed. mem_free(NULL) is allowed. */
void *mem_alloc(size_t bytes);
void *mem_zalloc(size_t bytes);
void *mem_realloc(void *old, size_t bytes);
void mem_free(void *memory);
char *mem_strdup(const char *text);
/* n bytes of text, with a NUL after them. */
char *mem_strndup(const char *text, size_t n);
/* 64-byte aligned, and in huge pages where it is large and the system has them; release with mem_free. */
void *mem_alloc_aligned(size_t bytes);

/* What mem_alloc does where there is none, for memory that libc asked for; 0 where it does not say how much. */
_Noreturn void mem_refused(size_t bytes);

/* Installs what is called with the size when memory is refused; it must not return. */
void mem_on_failure(void (*handler)(size_t bytes));
/* For tests: the n-th allocation from now fails (0: none). mem_count() counts all allocations so far. */
void mem_fail_nth(long n);
long mem_count(void);

/* Where part k begins of n items in parts of nearly equal size, so that the last one is not a sliver. */
static inline int part_offset(int n, int parts, int k) { return (int)((long)n * k / parts); }

/* Seconds since some moment in the past; never set back. */
double seconds_now(void);

#endif
