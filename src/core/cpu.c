/* cpu.c: chooses the kernels that this CPU runs. The table is the one thing in tide that is global. */
#include "core/kernels.h"

#include <stddef.h>
#include <string.h>

extern const Kernels kernels_avx512, kernels_avx2, kernels_neon, kernels_portable;

const Kernels *kernels = &kernels_portable;

const Kernels *kernels_at(int index) {
    const Kernels *sets[3];
    int count = 0;
#if defined(TIDE_X86)
    /* as far as the Makefile lets the compiler go */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        sets[count++] = &kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets[count++] = &kernels_avx2;
#elif defined(TIDE_ARM)
    sets[count++] = &kernels_neon; /* every aarch64 has it */
#endif
    sets[count++] = &kernels_portable;
    return index < count ? sets[index] : NULL;
}

int kernels_choose(const char *name) {
    const Kernels *set;
    for (int i = 0; (set = kernels_at(i)); i++)
        if (!strcmp(name, "auto") || !strcmp(name, set->name)) {
            kernels = set;
            return 0;
        }
    return -1;
}
