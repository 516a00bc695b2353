/* pack.h: packing of transposed floats, for all formats that store them. */
#ifndef TIDE_PACK_H
#define TIDE_PACK_H

#include "core/simd.h"

/* NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places within a tile or a row */

/* Blocks of 4 x 4 are transposed in registers. */
typedef real four __attribute__((vector_size(4 * sizeof(real))));

INLINE void transpose_block(real *to, int width, const real *from, int ld) {
    four r[4], t[4];
    for (int j = 0; j < 4; j++) memcpy(&r[j], from + (size_t)j * (size_t)ld, sizeof r[j]);
    for (int j = 0; j < 2; j++) {
        t[2 * j] = __builtin_shufflevector(r[2 * j], r[2 * j + 1], 0, 4, 1, 5);
        t[2 * j + 1] = __builtin_shufflevector(r[2 * j], r[2 * j + 1], 2, 6, 3, 7);
    }
    for (int j = 0; j < 4; j++) {
        r[j] = j % 2 ? __builtin_shufflevector(t[j / 2], t[j / 2 + 2], 2, 3, 6, 7)
                     : __builtin_shufflevector(t[j / 2], t[j / 2 + 2], 0, 1, 4, 5);
        memcpy(to + j * width, &r[j], sizeof r[j]);
    }
}

/* Writes k rows of `width` numbers: row p has from[j ld + p] for each j < cols, then zeros. Small k: the rows stay in
   the L1 cache. */
INLINE void transpose_rows(real *restrict to, int width, const real *restrict from, int ld, int cols, int k) {
    int j = 0;
    for (; j + 4 <= cols; j += 4) {
        const real *column = from + (size_t)j * (size_t)ld;
        int p = 0;
        for (; p + 4 <= k; p += 4) transpose_block(to + p * width + j, width, column + p, ld);
        for (; p < k; p++)
            for (int i = 0; i < 4; i++) to[p * width + j + i] = column[(size_t)i * (size_t)ld + (size_t)p];
    }
    for (; j < width; j++)
        for (int p = 0; p < k; p++) to[p * width + j] = j < cols ? from[(size_t)j * (size_t)ld + (size_t)p] : 0;
}

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */

#endif
