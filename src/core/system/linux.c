#include "core/system.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *system_alloc_aligned(size_t align, size_t bytes) {
    void *memory = aligned_alloc(align, bytes);
    if (memory && align == HUGE_PAGE) madvise(memory, bytes, MADV_HUGEPAGE); /* only a hint */
    return memory;
}

long system_l2_size(void) {
#ifdef _SC_LEVEL2_CACHE_SIZE /* musl does not tell */
    return sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
    return 0;
#endif
}

bool system_has_dot_products(void) {
#ifdef HWCAP_ASIMDDP
    return getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
#else
    return false;
#endif
}

bool system_permits_amx(void) {
#ifdef SYS_arch_prctl
    enum { REQUEST = 0x1023 /* ARCH_REQ_XCOMP_PERM */, DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST, DATA) == 0;
#else
    return false;
#endif
}
