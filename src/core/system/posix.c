#include "core/system.h"

#include <stdlib.h>

/* POSIX has no huge pages; the system may use them by itself. */
void *system_alloc_aligned(size_t align, size_t bytes) { return aligned_alloc(align, bytes); }

/* POSIX does not tell the sizes of caches. */
long system_l2_size(void) { return 0; }

/* POSIX does not tell the features of the processor: those that the compiler takes for granted. */
bool system_has_dot_products(void) {
#ifdef __ARM_FEATURE_DOTPROD
    return true;
#else
    return false;
#endif
}

/* POSIX has no such permission: the next set of kernels is used, with the same bits. */
bool system_permits_amx(void) { return false; }
