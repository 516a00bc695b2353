/* sets.h: which sets of kernels a test runs. */
#ifndef TIDE_TESTS_SETS_H
#define TIDE_TESTS_SETS_H

#include "core/kernels.h"

/* The set "amx" with the instructions of AMX in C, if the test is linked with software_set.c; NULL if this CPU lacks
   other instructions of it. */
const Kernels *software_set(void) __attribute__((weak));

/* Returns set `index` of those that differ in the products of this format, or in other kernels: some sets differ only
   in the products of int8. The last one is software_set. NULL behind it. */
static inline const Kernels *distinct_set(int index, PanelFormat format) {
    const Kernels *set, *behind;
    for (int i = 0; (set = kernels_at(i)); i++) {
        behind = kernels_at(i + 1);
        if (behind && behind->gemm[format] == set->gemm[format]) continue;
        if (index-- == 0) return set;
    }
    return index == 0 && software_set && format != PANELS_F32 ? software_set() : NULL;
}

#endif
