/* The set "amx" for tests on CPUs without AMX: its kernels with the instructions of software_tiles.h. */
#include "software_tiles.h"
#include "core/base.h"
#include "sets.h"

#include <stdatomic.h>
#include <stdbool.h>

extern const GemmKernels gemm_bf16_software, gemm_i8_software;

static _Thread_local bool entered;

SoftwareTile *software_tiles(void) {
    static _Thread_local SoftwareTile tiles[TILE_REGISTERS];
    CHECK(entered, "a register of AMX that is not configured");
    return tiles;
}

atomic_int software_threads;

void software_enter(void) {
    software_threads += !entered;
    entered = true;
}

void software_leave(void) {
    software_threads -= entered;
    entered = false;
}

const Kernels *software_set(void) {
    static Kernels set;
    if (!__builtin_cpu_supports("avx512bf16") || kernels_at(0)->gemm[PANELS_BF16]->tile_cols != 32) return NULL;
    set = *kernels_at(0);
    set.name = "amx in software";
    set.gemm[PANELS_BF16] = &gemm_bf16_software;
    set.gemm[PANELS_I8] = &gemm_i8_software;
    return &set;
}
