/* cpu.c: chooses the kernels for this CPU. */
#include "core/kernels.h"

#include <stddef.h>
#include <string.h>

extern const Kernels kernels_avx512, kernels_avx2, kernels_neon, kernels_simd128, kernels_portable;

#if defined(TIDE_WASM)
/* The only set: portable kernels need an fmaf that rounds once, and that of WebAssembly's libc does not. */
#define LAST kernels_simd128
#else
#define LAST kernels_portable
#endif

const Kernels *kernels = &LAST;

/* Runs before main and before constructors of the default priority, so that all code that uses tide finds `kernels`
   set. In a shared library it runs while the library is loaded. */
enum { FIRST = 101 /* the lowest priority that a program may use */ };
__attribute__((constructor(FIRST))) static void choose_best(void) {
#if defined(TIDE_X86)
    __builtin_cpu_init(); /* this constructor may run before that of the compiler's library */
#endif
    kernels = kernels_at(0);
}

const Kernels *kernels_at(int index) {
    const Kernels *sets[3];
    int count = 0;
#if defined(TIDE_X86)
    /* the instruction sets with which the Makefile compiles kernels_avx512 */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        sets[count++] = &kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets[count++] = &kernels_avx2;
#elif defined(TIDE_ARM)
    sets[count++] = &kernels_neon; /* every aarch64 has it */
#endif
    sets[count++] = &LAST;
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
