/* base.h: assertions, errors, the only functions that allocate memory, and the clock. All floors use it. */
#ifndef TIDE_BASE_H
#define TIDE_BASE_H

#include <stddef.h>
#include <stdint.h>

/* An assertion that is always on. A false condition is a bug in tide, never an error of the user: prints the message
   and aborts; in a scope (scope.h), ends the scope instead. */
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) check_failed(__FILE__, __LINE__, __VA_ARGS__);                                               \
    } while (0)
void check_failed(const char *file, int line, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));

/* The reason why a file or a text cannot be used. Functions that read or write return 0, or -1 with *err filled.
   Only cli/ prints it, as "path:line: reason"; it leaves out an empty path and a line of 0. */
typedef struct Err {
    char path[512];
    long line;
    char reason[512];
} Err;

/* Fills *err and returns -1, for `return err_set(...)`. path may be NULL; line 0 means that there is no line. */
int err_set(Err *err, const char *path, long line, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Writes "PATH:LINE: REASON", without what *err does not have; a line below 1 is none. */
enum { ERR_TEXT = sizeof(Err) + 32 };
void err_text(const Err *err, char text[ERR_TEXT]);

/* The only functions of tide that allocate memory. They never return NULL: on failure they end the scope in which the
   thread runs (scope.h); without a scope they call the handler of mem_on_failure, or print one line and abort if there
   is none. bytes may be 0, and mem_free accepts NULL. */
void *mem_alloc(size_t bytes);
void *mem_zalloc(size_t bytes);
void *mem_realloc(void *old, size_t bytes);
void mem_free(void *memory);
/* mem_realloc for callbacks of other libraries, which must return: on failure returns NULL, and `old` is unchanged. */
void *mem_try_realloc(void *old, size_t bytes);
char *mem_strdup(const char *text);
/* A copy of n bytes of text, and a NUL. */
char *mem_strndup(const char *text, size_t n);
/* 64-byte aligned; large blocks are in huge pages if the system has them. Release with mem_free. */
void *mem_alloc_aligned(size_t bytes);

/* Reports that an allocation of libc failed, as the functions above report their own. bytes is 0 if the size is
   unknown. */
void mem_refused(size_t bytes) __attribute__((noreturn));

/* Sets the function that is called with the size when an allocation fails. The function must not return. */
void mem_on_failure(void (*handler)(size_t bytes));
/* For tests: makes the n-th allocation from now fail; 0: none. mem_count returns the number of allocations so far. */
void mem_fail_nth(long n);
long mem_count(void);

static inline int smaller(int a, int b) { return a < b ? a : b; }
static inline int larger(int a, int b) { return a > b ? a : b; }
/* The first item of part k, if n items are divided into `parts` parts whose sizes differ by at most 1. */
static inline int part_offset(int n, int parts, int k) { return (int)((int64_t)n * k / parts); }

/* Returns the number, but NaN without its sign: the sign depends on the instruction set, and printf would write it. */
double printable(double number);

/* The time in seconds of a clock that never goes back. Its zero is arbitrary. */
double seconds_now(void);

#endif
