/* tile.h: the size of the tile of c that a matrix product keeps in registers, for all formats. */
#ifndef TIDE_TILE_H
#define TIDE_TILE_H

#include "core/base.h"
#include "core/simd.h"

#if VW == 16
enum { TILE_ROWS = 14 }; /* 28 accumulators, 2 registers of b, 1 of a: 31 of 32 */
#elif VW == 8
enum { TILE_ROWS = 6 }; /* 12 + 2 + 1 of 16 */
#elif defined(TIDE_NEON)
enum { TILE_ROWS = 12 }; /* 24 + 2 + a few of a, of 32 */
#else
enum { TILE_ROWS = 4 };
#endif
enum {
    TILE_VECTORS = 2,
    TILE_COLS = TILE_VECTORS * VW,
    PREFETCH_ROWS = 12 /* distance of prefetching, in rows of b */
};

/* TILE(n) with n = rows as a constant, so that the accumulators of an inlined function are in registers. */
#define TILE_CASE(n, TILE)                                                                                             \
    case (n):                                                                                                          \
        if ((n) <= TILE_ROWS) TILE((n) < TILE_ROWS ? (n) : TILE_ROWS);                                                 \
        return;
#define TILE_OF(rows, TILE)                                                                                            \
    switch (rows) {                                                                                                    \
        TILE_CASE(1, TILE)                                                                                             \
        TILE_CASE(2, TILE)                                                                                             \
        TILE_CASE(3, TILE)                                                                                             \
        TILE_CASE(4, TILE)                                                                                             \
        TILE_CASE(5, TILE)                                                                                             \
        TILE_CASE(6, TILE)                                                                                             \
        TILE_CASE(7, TILE)                                                                                             \
        TILE_CASE(8, TILE)                                                                                             \
        TILE_CASE(9, TILE)                                                                                             \
        TILE_CASE(10, TILE)                                                                                            \
        TILE_CASE(11, TILE)                                                                                            \
        TILE_CASE(12, TILE)                                                                                            \
        TILE_CASE(13, TILE)                                                                                            \
        TILE_CASE(14, TILE)                                                                                            \
    }                                                                                                                  \
    CHECK(0, "a tile of %d rows", rows)

/* GemmKernels.multiply for a full tile: it has all columns, and its rows are whole units. */
typedef void FullTile(int rows, int steps, const void *a, const void *b, const real *init, int ld_init, real *c,
                      int ld_c, const void *prefetch, int prefetch_step);

/* GemmKernels.multiply: a tile that is not full is computed in the buffer [rows, TILE_COLS], whose rows are whole
   units. unit: row_unit. */
INLINE void multiply_with(FullTile *full, const int unit, real *buffer, int rows, int cols, int steps, const void *a,
                          const void *b, const real *init, int ld_init, real *c, int ld_c, const void *prefetch,
                          int prefetch_step) {
    const int whole = blocks_of(rows, unit) * unit;
    if (cols == TILE_COLS && rows == whole) {
        full(rows, steps, a, b, init, ld_init, c, ld_c, prefetch, prefetch_step);
        return;
    }
    memset(buffer, 0, (size_t)whole * TILE_COLS * sizeof(real));
    for (int i = 0; init && i < rows; i++)
        memcpy(buffer + (size_t)i * TILE_COLS, init + (size_t)i * (size_t)ld_init, (size_t)cols * sizeof(real));
    full(rows, steps, a, b, buffer, TILE_COLS, buffer, TILE_COLS, prefetch, prefetch_step);
    for (int i = 0; i < rows; i++)
        memcpy(c + (size_t)i * (size_t)ld_c, buffer + (size_t)i * TILE_COLS, (size_t)cols * sizeof(real));
}

/* Prefetches `bytes` bytes into L2. */
INLINE void prefetch_lines(const char *from, int bytes) {
    enum { CACHE_LINE = 64 };
    for (int at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch(from + at, 0, 2);
}

#endif
