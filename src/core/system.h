/* system.h: what core/ needs of the operating system. Every system has a file of its own in system/: unix.c with
   linux.c, or with posix.c on other systems with POSIX. */
#ifndef TIDE_CORE_SYSTEM_H
#define TIDE_CORE_SYSTEM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The memory of mem_alloc, mem_zalloc, mem_realloc and mem_free. NULL: refused. bytes must not be 0. One function
   releases all, also aligned memory, for which some systems have another release. */
void *system_alloc(size_t bytes);
void *system_zalloc(size_t bytes);
void *system_realloc(void *old, size_t bytes);
void system_free(void *memory);
/* Memory at a multiple of `align`, a power of two of which `bytes` is a multiple. If align is HUGE_PAGE, asks for huge
   pages: they mean fewer page faults and fewer TLB misses. Release with system_free. */
enum { HUGE_PAGE = 1 << 21 };
void *system_alloc_aligned(size_t align, size_t bytes);

/* The bytes of the L2 cache of a core; 0 or -1: unknown. */
long system_l2_size(void);
/* Whether an aarch64 processor has the dot products of int8 (ASIMDDP). */
bool system_has_dot_products(void);
/* Asks for the permission to use the data registers of AMX, which the process then keeps. Returns whether it has it. */
bool system_permits_amx(void);

/* pthread_create of a thread that gets no signal of the process: they are for the threads of the host program. */
int system_start_thread(pthread_t *thread, void *(*main)(void *argument), void *argument);

#endif
