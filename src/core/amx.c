#include "core/amx.h"

#if defined(TIDE_X86) && !defined(TIDE_TRIED_ONLY)
#include "core/system.h"

#include <cpuid.h>
#include <immintrin.h>
#include <stdint.h>

/* Whether the CPU has the instructions: those of AMX, and the rounding of AVX512-BF16. */
static bool has_instructions(void) {
    enum { BF16 = 1 << 22, TILE = 1 << 24, INT8 = 1 << 25, ALL = BF16 | TILE | INT8, AVX512_BF16 = 1 << 5 };
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & ALL) != ALL) return false;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & AVX512_BF16);
}

/* Whether the system saves the registers when another thread runs. */
__attribute__((target("xsave"))) static bool is_saved(void) {
    enum { OSXSAVE = 1 << 27, CONFIGURATION = 1 << 17, DATA = 1 << 18, ALL = CONFIGURATION | DATA };
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & OSXSAVE) && (_xgetbv(0) & ALL) == ALL;
}

bool amx_permitted(void) { return has_instructions() && is_saved() && system_permits_amx(); }

static _Thread_local bool entered;

__attribute__((target("amx-tile"))) void amx_enter(void) {
    /* the operand of LDTILECFG */
    typedef struct Configuration {
        uint8_t palette, start_row, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } Configuration;
    if (entered) return;
    Configuration all = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        all.bytes[i] = AMX_BYTES;
        all.rows[i] = AMX_ROWS;
    }
    __asm__ volatile("" : : "r"(&all) : "memory"); /* gcc 12 does not know that the intrinsic reads all of it */
    _tile_loadconfig(&all);
    entered = true;
}

__attribute__((target("amx-tile"))) void amx_leave(void) {
    if (!entered) return;
    _tile_release();
    entered = false;
}
#else
bool amx_permitted(void) { return false; }
void amx_enter(void) {}
void amx_leave(void) {}
#endif
