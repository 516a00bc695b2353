/* pack.h: the packing of floats, for all formats that store them. Each function writes k rows of `width` numbers; the
   numbers behind the first `cols` of a row become zero. */
#ifndef TIDE_PACK_H
#define TIDE_PACK_H

#include "core/tile.h"

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

/* With a constant width, the compiler replaces memcpy by a few moves. */
INLINE void copy_rows(real *restrict panel, const int width, const real *restrict source, int ld, int k) {
    for (int p = 0; p < k; p++, panel += width, source += ld) {
        const real *next = source + (size_t)PREFETCH_ROWS * (size_t)ld; /* hardware prefetchers miss this stride */
        __builtin_prefetch(next);
        __builtin_prefetch(next + width - 1);
        memcpy(panel, source, (size_t)width * sizeof(real));
    }
}

/* Row p is at from + p ld. */
INLINE void place_rows(real *restrict panel, int width, const real *restrict source, int ld, int cols, int k) {
    if (cols < width) {
        for (int p = 0; p < k; p++, panel += width, source += ld)
            for (int j = 0; j < width; j++) panel[j] = j < cols ? source[j] : 0;
        return;
    }
    if (width == TILE_COLS) copy_rows(panel, TILE_COLS, source, ld, k);
    else if (width == TILE_ROWS) copy_rows(panel, TILE_ROWS, source, ld, k);
    else if (width == TILE_ROWS - 1) copy_rows(panel, TILE_ROWS - 1, source, ld, k);
    else copy_rows(panel, width, source, ld, k);
}

INLINE void copy_list(real *restrict panel, const int width, const real *const *rows, int col, int k) {
    for (int p = 0; p < k; p++, panel += width) {
        const real *next = rows[p + PREFETCH_ROWS < k ? p + PREFETCH_ROWS : k - 1] + col;
        __builtin_prefetch(next);
        __builtin_prefetch(next + width - 1);
        memcpy(panel, rows[p] + col, (size_t)width * sizeof(real));
    }
}

/* Row p is at rows[p] + col. */
INLINE void place_list(real *restrict panel, int width, const real *const *rows, int col, int cols, int k) {
    if (cols < width) {
        for (int p = 0; p < k; p++, panel += width)
            for (int j = 0; j < width; j++) panel[j] = j < cols ? rows[p][col + j] : 0;
        return;
    }
    if (width == TILE_COLS) copy_list(panel, TILE_COLS, rows, col, k);
    else if (width == TILE_ROWS) copy_list(panel, TILE_ROWS, rows, col, k);
    else if (width == TILE_ROWS - 1) copy_list(panel, TILE_ROWS - 1, rows, col, k);
    else copy_list(panel, width, rows, col, k);
}

/* Row p has from[j ld + p] for each j < cols. k is small, so that the rows stay in the L1 cache. */
INLINE void place_transposed(real *restrict to, int width, const real *restrict from, int ld, int cols, int k) {
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
