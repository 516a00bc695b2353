#include "core/system.h"

#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Memory of _aligned_malloc needs its own release, so all memory comes from it. */
enum { ALIGNMENT = 16 };
void *system_alloc(size_t bytes) { return _aligned_malloc(bytes, ALIGNMENT); }
void *system_realloc(void *old, size_t bytes) { return _aligned_realloc(old, bytes, ALIGNMENT); }
void *system_alloc_aligned(size_t align, size_t bytes) { return _aligned_malloc(bytes, align); }
void system_free(void *memory) { _aligned_free(memory); }

void *system_zalloc(size_t bytes) {
    void *memory = system_alloc(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

long system_l2_size(void) {
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION parts[256];
    DWORD bytes = sizeof parts;
    if (!GetLogicalProcessorInformation(parts, &bytes)) return 0; /* also of a machine with more parts */
    for (size_t i = 0; i < bytes / sizeof *parts; i++)
        if (parts[i].Relationship == RelationCache && parts[i].Cache.Level == 2) return (long)parts[i].Cache.Size;
    return 0;
}

bool system_has_dot_products(void) { return false; } /* Windows on aarch64 is not supported */

/* Windows gives the permission without being asked where it supports AMX, but tide was never run on such a machine. */
bool system_permits_amx(void) { return false; }

/* Threads get no signals here. */
int system_start_thread(pthread_t *thread, void *(*main)(void *argument), void *argument) {
    return pthread_create(thread, NULL, main, argument);
}

/* fmaf of the C library rounds twice. A product of two floats is exact in double. The sum is rounded to odd: if it is
   not exact, its last bit becomes 1, by a step towards the exact sum if it was 0, so that the second rounding, to
   float, is that of the exact sum (Boldo & Melquiond 2008). */
float system_fmaf(float a, float b, float c) {
    const double product = (double)a * b, sum = product + c;
    const double of_c = sum - product, of_product = sum - of_c; /* what the sum has of both (Knuth's TwoSum) */
    const double rest = (product - of_product) + (c - of_c);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (rest == 0 || !isfinite(sum) || bits & 1) return (float)sum;
    bits += (rest > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}
