/* bfloat16.h: products of bfloat16 by their definition (gemm_bf16.c), with plain loops. */
#ifndef TIDE_TESTS_BFLOAT16_H
#define TIDE_TESTS_BFLOAT16_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BFLOAT16_BLOCK = 32 };

/* Below it, numbers are zero. */
static const float bfloat16_smallest = 0x1p-126f;

static inline float bfloat16_flush(float x) { return fabsf(x) < bfloat16_smallest ? copysignf(0, x) : x; }

/* x with eight bits, ties to even: beside a double 2^45 times as large as the first bit of x, eight bits of x remain. */
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

/* a b + c for numbers of which none is subnormal. Near the smallest normal number, the exact sum decides: s + error,
   where s and error are doubles (Knuth's exact sum). */
static inline float bfloat16_fma(float a, float b, float c) {
    const float rounded = fmaf(a, b, c);
    if (rounded == 0 || !(fabsf(rounded) <= bfloat16_smallest)) return rounded;
    const double p = (double)a * b, s = p + c, c_part = s - p, error = (p - (s - c_part)) + (c - c_part);
    const double least = 0x1p-126 - 0x1p-151; /* it rounds to 2^-126 */
    const double size = fabs(s), more = s < 0 ? -error : error;
    return size > least || (size == least && more >= 0) ? copysignf(bfloat16_smallest, rounded) : copysignf(0, rounded);
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
