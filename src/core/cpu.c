/* cpu.c: chooses the kernels that this CPU runs. The table is the one thing in tide that is global. */
#include "core/kernels.h"

#include <string.h>

extern const Kernels kernels_portable;
#if defined(TIDE_X86)
extern const Kernels kernels_avx512, kernels_avx2;
#endif

const Kernels *kernels = &kernels_portable;

int kernels_choose(const char *name) {
    int automatic = !strcmp(name, "auto");
#if defined(TIDE_X86)
    /* as far as the Makefile lets the compiler go */
    int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if ((automatic || !strcmp(name, "avx512")) && avx512) {
        kernels = &kernels_avx512;
        return 0;
    }
    if ((automatic || !strcmp(name, "avx2")) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        kernels = &kernels_avx2;
        return 0;
    }
#endif
    if (!automatic && strcmp(name, "portable") != 0) return -1;
    kernels = &kernels_portable;
    return 0;
}
