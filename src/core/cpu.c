/* cpu.c: chooses the kernels, and the size of a block of a product, for this CPU. */
#include "core/amx.h"
#include "core/kernels.h"
#include "core/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#if defined(TIDE_X86)
#include <cpuid.h>
#endif

#define DECLARE(set)                                                                                                   \
    extern const Kernels kernels_##set;                                                                                \
    extern const GemmKernels gemm_f32_##set, gemm_bf16_##set, gemm_i8_##set
DECLARE(avx512);
DECLARE(avx2);
DECLARE(neon);
DECLARE(simd128);
DECLARE(portable);
extern const GemmKernels gemm_i8_avx512vnni, gemm_i8_avxvnni, gemm_i8_neondot, gemm_bf16_amx, gemm_i8_amx;

enum { MOST_SETS = 6 };
static Kernels sets[MOST_SETS];
static int set_count;
const Kernels *kernels = sets;

/* Adds a set with the products of int8 of `i8` and all other kernels of `set`. */
#define ADD(set, i8) add_set(#i8, &kernels_##set, &gemm_f32_##set, &gemm_bf16_##set, &gemm_i8_##i8)
static void add_set(const char *name, const Kernels *rows, const GemmKernels *f32, const GemmKernels *bf16,
                    const GemmKernels *i8) {
    Kernels *set = &sets[set_count++];
    *set = *rows;
    set->name = name;
    set->gemm[PANELS_F32] = f32;
    set->gemm[PANELS_BF16] = bf16;
    set->gemm[PANELS_I8] = i8;
}

#if defined(TIDE_X86)
/* The instruction sets with which the Makefile compiles the kernels. */
typedef struct Features {
    bool avx2, avxvnni;      /* avx2: also FMA */
    bool avx512, avx512vnni; /* avx512: F, BW, DQ and VL */
} Features;

/* The sets that the processor has (CPUID: Intel's manual, volume 2) and whose registers the operating system saves
   (XGETBV). Not every compiler's library has __builtin_cpu_supports. */
static Features features(void) {
    enum { FMA = 1 << 12, OSXSAVE = 1 << 27 };                       /* leaf 1, ecx */
    enum { AVX2 = 1 << 5, F = 1 << 16, DQ = 1 << 17, BW = 1 << 30 }; /* leaf 7, ebx */
    const unsigned VL = 1U << 31;
    enum { VNNI = 1 << 11 };        /* leaf 7, ecx */
    enum { AVX_VNNI = 1 << 4 };     /* leaf 7.1, eax */
    enum { YMM = 0x6, ZMM = 0xe6 }; /* XCR0 */
    unsigned a, b, c, d, kept, above;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE)) return (Features){0};
    const bool fma = c & FMA;
    __asm__ volatile("xgetbv" : "=a"(kept), "=d"(above) : "c"(0));
    if ((kept & YMM) != YMM || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return (Features){0};
    const unsigned parts = F | DQ | BW | VL;
    Features found = {.avx2 = fma && (b & AVX2), .avx512 = (kept & ZMM) == ZMM && (b & parts) == parts};
    found.avx512vnni = found.avx512 && (c & VNNI);
    found.avxvnni = found.avx2 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & AVX_VNNI);
    return found;
}
#endif

/* Runs before main and before constructors of the default priority, so that all code that uses tide finds `kernels`
   set. In a shared library it runs while the library is loaded. */
enum { FIRST = 101 /* the lowest priority that a program may use */ };
__attribute__((constructor(FIRST))) static void find_sets(void) {
#if defined(TIDE_X86)
    const Features has = features();
    if (has.avx512vnni) {
#if !defined(TIDE_TRIED_ONLY) /* on a system where nobody has run these two yet */
        if (amx_permitted()) add_set("amx", &kernels_avx512, &gemm_f32_avx512, &gemm_bf16_amx, &gemm_i8_amx);
#endif
        ADD(avx512, avx512vnni);
    }
    if (has.avx512) ADD(avx512, avx512);
#if !defined(TIDE_TRIED_ONLY)
    if (has.avxvnni) ADD(avx2, avxvnni);
#endif
    if (has.avx2) ADD(avx2, avx2);
#elif defined(TIDE_ARM)
    if (system_has_dot_products()) ADD(neon, neondot);
    ADD(neon, neon); /* every aarch64 has it */
#endif
#if defined(TIDE_WASM)
    /* the only set: portable kernels need an fmaf that rounds once, and that of WebAssembly's libc does not */
    ADD(simd128, simd128);
#else
    ADD(portable, portable);
#endif
    const int k_block = system_l2_size() < 1 << 20 ? 512 : 1024;
    for (int i = 0; i < set_count; i++) sets[i].k_block = k_block;
}

int gemm_k_block(const GemmKernels *g) { return g->k_most ? smaller(kernels->k_block, g->k_most) : kernels->k_block; }

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
