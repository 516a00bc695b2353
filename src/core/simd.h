/* simd.h: the vector type of kernels.c. Its width is that of the instruction set with which kernels.c is compiled.

   Every operation is correctly rounded (+ - * / fma, conversions, comparisons), so a kernel computes the same bits at
   every width. A sum has 16 partial sums, which are added in a fixed order: see Lanes. */
#ifndef TIDE_SIMD_H
#define TIDE_SIMD_H

#include "core/real.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(TIDE_NEON)
#include <arm_neon.h>
#endif

#if defined(TIDE_DOUBLE)
#define VW 2
typedef int64_t word;
#elif defined(__AVX512F__)
#define VW 16
typedef int32_t word;
#elif defined(__AVX2__)
#define VW 8
typedef int32_t word;
#else
#define VW 4
typedef int32_t word;
#endif

typedef real vreal __attribute__((vector_size(VW * sizeof(real))));
typedef word vword __attribute__((vector_size(VW * sizeof(real))));

#define INLINE static inline __attribute__((always_inline))

INLINE vreal v_splat(real x) { return x - (vreal){0}; }

INLINE vreal v_load(const real *p) {
    vreal v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void v_store(real *p, vreal v) { memcpy(p, &v, sizeof v); }

/* p[0..n-1], then zeros. */
INLINE vreal v_load_n(const real *p, int n) {
    if (n >= VW) return v_load(p);
    vreal v = {0};
    for (int i = 0; i < n; i++) v[i] = p[i];
    return v;
}

INLINE void v_store_n(real *p, vreal v, int n) {
    if (n >= VW) v_store(p, v);
    else
        for (int i = 0; i < n; i++) p[i] = v[i];
}

/* The first n numbers of v, then zeros. */
INLINE vreal v_first_n(vreal v, int n) {
    for (int i = n; i < VW; i++) v[i] = 0;
    return v;
}

/* a b + c, rounded once. */
INLINE vreal v_fma(vreal a, vreal b, vreal c) {
#if !defined(TIDE_DOUBLE) && defined(__AVX512F__)
    return (vreal)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif !defined(TIDE_DOUBLE) && defined(__FMA__)
    return (vreal)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(TIDE_NEON)
    return (vreal)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    for (int i = 0; i < VW; i++)
        c[i] = sizeof(real) == sizeof(float) ? (real)fmaf((float)a[i], (float)b[i], (float)c[i])
                                             : (real)fma(a[i], b[i], c[i]);
    return c;
#endif
}

INLINE vreal v_select(vword mask, vreal yes, vreal no) { return (vreal)((mask & (vword)yes) | (~mask & (vword)no)); }

/* If a or b is NaN, the result is b. */
#if VW == 16
INLINE vreal v_max(vreal a, vreal b) { return (vreal)_mm512_max_ps((__m512)a, (__m512)b); }
INLINE vreal v_min(vreal a, vreal b) { return (vreal)_mm512_min_ps((__m512)a, (__m512)b); }
#elif VW == 8
INLINE vreal v_max(vreal a, vreal b) { return (vreal)_mm256_max_ps((__m256)a, (__m256)b); }
INLINE vreal v_min(vreal a, vreal b) { return (vreal)_mm256_min_ps((__m256)a, (__m256)b); }
#else
INLINE vreal v_max(vreal a, vreal b) { return v_select(a > b, a, b); }
INLINE vreal v_min(vreal a, vreal b) { return v_select(a < b, a, b); }
#endif
#if defined(TIDE_DOUBLE)
/* For the test of the gradients: the functions of libm. */
INLINE vreal v_exp(vreal x) {
    for (int i = 0; i < VW; i++) x[i] = exp(x[i]);
    return x;
}
INLINE vreal v_tanh(vreal x) {
    for (int i = 0; i < VW; i++) x[i] = tanh(x[i]);
    return x;
}
#else
/* eˣ = 2ⁿ eʳ with n = round(x log₂e) and r = x - n ln 2, where ln 2 is the sum of two constants. eʳ is a polynomial
   (coefficients: Cephes expf). Error: at most 1.1 ulp. x is clamped to [-87, 88]. */
INLINE vreal v_exp(vreal x) {
    const vreal shift = v_splat(0x1.8p23f); /* adding it rounds to an integer, which is then in the low bits */
    x = v_min(v_splat(88.0f), v_max(v_splat(-87.0f), x));
    vreal shifted = v_fma(x, v_splat(1.44269504088896341f), shift), n = shifted - shift;
    vreal r = v_fma(n, v_splat(-0.693359375f), x);
    r = v_fma(n, v_splat(2.12194440e-4f), r);
    vreal p = v_splat(1.9875691500e-4f);
    p = v_fma(p, r, v_splat(1.3981999507e-3f));
    p = v_fma(p, r, v_splat(8.3334519073e-3f));
    p = v_fma(p, r, v_splat(4.1665795894e-2f));
    p = v_fma(p, r, v_splat(1.6666665459e-1f));
    p = v_fma(p, r, v_splat(5.0000001201e-1f));
    p = v_fma(p, r * r, r) + 1.0f;
    return (vreal)((vword)p + ((vword)shifted << 23));
}

/* tanh x = x P(x²) / Q(x²), a rational minimax approximation on [-9, 9]; outside, tanh x is ±1 within one ulp. The
   CPU computes the short chains P and Q in parallel: tanh takes most of the function evaluations of a training step.
   The error is at most 5 ulp. */
INLINE vreal v_tanh(vreal x) {
    x = v_min(v_splat(9), v_max(v_splat(-9), x));
    vreal square = x * x, p = v_splat(1.3318891e-8f), q = v_splat(7.7619445e-7f);
    p = v_fma(p, square, v_splat(2.0583348e-5f));
    q = v_fma(q, square, v_splat(3.2830796e-4f));
    p = v_fma(p, square, v_splat(3.4940264e-3f));
    q = v_fma(q, square, v_splat(2.5871042e-2f));
    p = v_fma(p, square, v_splat(1.3379711e-1f));
    q = v_fma(q, square, v_splat(4.6713027e-1f));
    p = v_fma(p, square, v_splat(1));
    q = v_fma(q, square, v_splat(1));
    return v_min(v_splat(1), v_max(v_splat(-1), x * p / q));
}
#endif

INLINE vreal v_sigmoid(vreal x) { return 1 / (1 + v_exp(-x)); }

/* Sixteen partial sums: number i of a row is added to lane i mod 16. */
enum { LANES = 16, LANE_VECTORS = LANES / VW };
typedef struct Lanes {
    vreal v[LANE_VECTORS];
} Lanes;

/* The sum of the lanes in a fixed order: lane l += lane l+8, then l+4, l+2, l+1. */
INLINE real lanes_sum(const Lanes *lanes) {
    real s[LANES];
    memcpy(s, lanes, sizeof s);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) s[i] += s[i + half];
    return s[0];
}

#endif
