/* software_tiles.h: the instructions of AMX that tide uses, in C, for CPUs without AMX. The compiler includes it before
   a file of kernels (-include), whose instructions these then replace. */
#ifndef TIDE_TESTS_SOFTWARE_TILES_H
#define TIDE_TESTS_SOFTWARE_TILES_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TILE_REGISTERS = 8, TILE_HEIGHT = 16, TILE_WIDTH = 64, TILE_NUMBERS = TILE_WIDTH / 4 };
typedef union SoftwareTile {
    uint8_t bytes[TILE_HEIGHT][TILE_WIDTH];
    int8_t integers[TILE_HEIGHT][TILE_WIDTH];
    int32_t sums[TILE_HEIGHT][TILE_NUMBERS];
    float numbers[TILE_HEIGHT][TILE_NUMBERS];
    uint16_t halves[TILE_HEIGHT][2 * TILE_NUMBERS];
} SoftwareTile;

/* Registers of this thread. Ends the program if it has not entered. A test defines them. */
SoftwareTile *software_tiles(void);
void software_enter(void);
void software_leave(void);
#define amx_enter software_enter
#define amx_leave software_leave

static inline void software_load(int to, const void *from, size_t stride) {
    SoftwareTile *tile = software_tiles() + to;
    for (size_t i = 0; i < TILE_HEIGHT; i++) memcpy(tile->bytes[i], (const char *)from + i * stride, TILE_WIDTH);
}

static inline void software_store(int from, void *to, size_t stride) {
    const SoftwareTile *tile = software_tiles() + from;
    for (size_t i = 0; i < TILE_HEIGHT; i++) memcpy((char *)to + i * stride, tile->bytes[i], TILE_WIDTH);
}

static inline void software_zero(int tile) { memset(software_tiles() + tile, 0, sizeof(SoftwareTile)); }

static inline float software_float(uint16_t half) {
    const uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Not inlined, because the compiler might move operations out of the part where subnormal numbers are zero. */
__attribute__((noinline)) static void software_products(SoftwareTile *c, const SoftwareTile *a, const SoftwareTile *b) {
    for (size_t i = 0; i < TILE_HEIGHT; i++) {
        float even[TILE_NUMBERS] = {0}, odd[TILE_NUMBERS] = {0};
        for (size_t p = 0; p < TILE_HEIGHT; p++)
            for (size_t j = 0; j < TILE_NUMBERS; j++) {
                even[j] = fmaf(software_float(a->halves[i][2 * p]), software_float(b->halves[p][2 * j]), even[j]);
                odd[j] = fmaf(software_float(a->halves[i][2 * p + 1]), software_float(b->halves[p][2 * j + 1]), odd[j]);
            }
        for (size_t j = 0; j < TILE_NUMBERS; j++) c->numbers[i][j] += even[j] + odd[j];
    }
}

static inline void software_dpbf16ps(int to, int left, int right) {
    enum { FTZ = 1 << 15, DAZ = 1 << 6 };
    SoftwareTile *tiles = software_tiles();
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | FTZ | DAZ);
    software_products(tiles + to, tiles + left, tiles + right);
    _mm_setcsr(saved);
}

static inline void software_dpbsud(int to, int left, int right) {
    SoftwareTile *c = software_tiles() + to;
    const SoftwareTile *a = software_tiles() + left, *b = software_tiles() + right;
    for (int i = 0; i < TILE_HEIGHT; i++)
        for (int p = 0; p < TILE_HEIGHT; p++)
            for (int j = 0; j < TILE_NUMBERS; j++)
                for (int k = 0; k < 4; k++) c->sums[i][j] += a->integers[i][4 * p + k] * b->bytes[p][4 * j + k];
}

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the names of the compiler's intrinsics */
#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#undef _tile_dpbsud
#define _tile_loadd(tile, from, stride) software_load(tile, from, stride)
#define _tile_stored(tile, to, stride)  software_store(tile, to, stride)
#define _tile_zero(tile)                software_zero(tile)
#define _tile_dpbf16ps(to, left, right) software_dpbf16ps(to, left, right)
#define _tile_dpbsud(to, left, right)   software_dpbsud(to, left, right)
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#endif
