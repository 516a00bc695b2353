/* bfloat16.h: products of bfloat16 by their definition (gemm_bf16.c), with plain loops. */
#ifndef TIDE_TESTS_BFLOAT16_H
#define TIDE_TESTS_BFLOAT16_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BFLOAT16_BLOCK = 32 };

/* Below it, numbers are zero. */
static const float bfloat16_smallest = 0x1p-126f;

static inline float bfloat16_flush(float x) { return fabsf(x) < bfloat16_smallest ? copysignf(0, x) : x; }

/* x with eight bits, ties to even: beside a double 2^45 times as large as the first bit of x, eight bits of x remain.
 */
static inline float bfloat16_round(float x) {
    x = bfloat16_flush(x);
    if (x == 0 || !isfinite(x)) return x;
    uint32_t bits;
    float first;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7f800000;
    memcpy(&first, &bits, sizeof first);
    const volatile double beside = x + 0x1.8p45 * first;
    return (float)(beside - 0x1.8p45 * first);
}

/* x + y rounded to odd: the exact sum is s + error (Knuth), and if error is not zero, the result is the neighbour of s
   with an odd last bit. Rounded to a float, it is the exact sum rounded once (Boldo & Melquiond 2008). */
static inline double bfloat16_sum_to_odd(double x, double y) {
    const volatile double s = x + y, y_part = s - x, x_part = s - y_part;
    const double error = (x - x_part) + (y - y_part);
    double result = s;
    uint64_t bits;
    memcpy(&bits, &result, sizeof bits);
    if (!isfinite(result) || error == 0 || bits % 2) return result;
    bits += (error > 0) == (result > 0) ? 1 : UINT64_MAX;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* a b + c for numbers of which none is subnormal. The product of a and b is exact as a double. */
static inline float bfloat16_fma(float a, float b, float c) {
    const double sum = bfloat16_sum_to_odd((double)a * b, c), size = fabs(sum);
    if (!(size < bfloat16_smallest)) return (float)sum;
    const bool rounds_up = size >= 0x1p-126 - 0x1p-151; /* to 2^-126, with 24 bits */
    return (float)copysign(rounds_up ? bfloat16_smallest : 0, sum);
}

/* c after one block of n numbers a_p b_p, at most BFLOAT16_BLOCK, already rounded to bfloat16. */
static inline float bfloat16_block(float c, const float *a, const float *b, int n) {
    float sum[2] = {0, 0};
    for (int p = 0; p < BFLOAT16_BLOCK; p++) sum[p % 2] = bfloat16_fma(p < n ? a[p] : 0, p < n ? b[p] : 0, sum[p % 2]);
    return bfloat16_flush(bfloat16_flush(c) + bfloat16_flush(sum[0] + sum[1]));
}

/* A sum to which products are added one after the other. */
typedef struct Bfloat16Sum {
    float sum, a[BFLOAT16_BLOCK], b[BFLOAT16_BLOCK];
    int waiting;
} Bfloat16Sum;

static inline float bfloat16_end(Bfloat16Sum *s) {
    if (s->waiting) s->sum = bfloat16_block(s->sum, s->a, s->b, s->waiting);
    s->waiting = 0;
    return s->sum;
}

static inline void bfloat16_add(Bfloat16Sum *s, float a, float b) {
    s->a[s->waiting] = bfloat16_round(a);
    s->b[s->waiting] = bfloat16_round(b);
    if (++s->waiting == BFLOAT16_BLOCK) bfloat16_end(s);
}

#endif
