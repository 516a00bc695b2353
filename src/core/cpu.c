/* cpu.c: chooses the kernels for this CPU. */
#include "core/kernels.h"

#include <stddef.h>
#include <string.h>

#define DECLARE(set)                                                                                                   \
    extern const Kernels kernels_##set;                                                                                \
    extern const GemmKernels gemm_f32_##set
DECLARE(avx512);
DECLARE(avx2);
DECLARE(neon);
DECLARE(simd128);
DECLARE(portable);

enum { MOST_SETS = 3 };
static Kernels sets[MOST_SETS];
static int set_count;
const Kernels *kernels = sets;

#define ADD(set) add_set(#set, &kernels_##set, &gemm_f32_##set)
static void add_set(const char *name, const Kernels *rows, const GemmKernels *f32) {
    Kernels *set = &sets[set_count++];
    *set = *rows;
    set->name = name;
    set->gemm[PANELS_F32] = f32;
}

/* Runs before main and before constructors of the default priority, so that all code that uses tide finds `kernels`
   set. In a shared library it runs while the library is loaded. */
enum { FIRST = 101 /* the lowest priority that a program may use */ };
__attribute__((constructor(FIRST))) static void find_sets(void) {
#if defined(TIDE_X86)
    __builtin_cpu_init(); /* this constructor may run before that of the compiler's library */
    /* the instruction sets with which the Makefile compiles these kernels */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        ADD(avx512);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) ADD(avx2);
#elif defined(TIDE_ARM)
    ADD(neon); /* every aarch64 has it */
#endif
#if defined(TIDE_WASM)
    /* the only set: portable kernels need an fmaf that rounds once, and that of WebAssembly's libc does not */
    ADD(simd128);
#else
    ADD(portable);
#endif
}

const Kernels *kernels_at(int index) { return index < set_count ? &sets[index] : NULL; }

int kernels_choose(const char *name) {
    const Kernels *set;
    for (int i = 0; (set = kernels_at(i)); i++)
        if (!strcmp(name, "auto") || !strcmp(name, set->name)) {
            kernels = set;
            return 0;
        }
    return -1;
}
