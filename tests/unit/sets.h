/* sets.h: which sets of kernels a test runs. */
#ifndef TIDE_TESTS_SETS_H
#define TIDE_TESTS_SETS_H

#include "core/kernels.h"

/* The set of kernels after `set` (-1: the first), but not one whose products of this format are also those of the set
   behind it: some sets differ only in the products of int8. */
static inline int next_set(int set, PanelFormat format) {
    const Kernels *behind;
    do behind = kernels_at(++set + 1);
    while (behind && behind->gemm[format] == kernels_at(set)->gemm[format]);
    return set;
}

#endif
