/* simd.h: the vector type of the kernels. Its width is that of the instruction set with which a file is compiled.

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
#elif defined(TIDE_SIMD128)
#include <wasm_simd128.h>
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
typedef uint32_t vbits __attribute__((vector_size(VW * sizeof(real))));

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

#if defined(TIDE_SIMD128) && !defined(TIDE_DOUBLE)
/* The double d = p + c, whose exact value is d + error, as a float of the exact value. A number that is rounded twice
   may differ from one that is rounded once, unless the first rounding is to odd (Boldo & Melquiond 2008, Theorem 3). */
INLINE v128_t pair_to_odd(v128_t p, v128_t c, v128_t d) {
    const v128_t c_part = wasm_f64x2_sub(d, p), p_part = wasm_f64x2_sub(d, c_part); /* Knuth's exact sum */
    const v128_t error = wasm_f64x2_add(wasm_f64x2_sub(p, p_part), wasm_f64x2_sub(c, c_part)), zero = {0};
    const v128_t inexact = wasm_v128_or(wasm_f64x2_lt(error, zero), wasm_f64x2_gt(error, zero)); /* NaN: false */
    const v128_t one = wasm_i64x2_splat(1), even = wasm_i64x2_eq(wasm_v128_and(d, one), zero);
    const v128_t away = wasm_v128_or(wasm_i64x2_shr(wasm_v128_xor(d, error), 63), one); /* 1, or -1: toward zero */
    return wasm_i64x2_add(d, wasm_v128_and(away, wasm_v128_and(inexact, even)));
}

/* Whether rounding d to a float may differ from rounding the exact value: d is in the middle of two floats, or so small
   that the float is subnormal. */
INLINE v128_t pair_in_doubt(v128_t d) {
    const v128_t rest = wasm_v128_and(d, wasm_i64x2_const_splat(0x1fffffff));
    return wasm_v128_or(wasm_i64x2_eq(rest, wasm_i64x2_const_splat(0x10000000)),
                        wasm_f64x2_lt(wasm_f64x2_abs(d), wasm_f64x2_const_splat(0x1p-126)));
}

/* WebAssembly has no fused multiply-add. The product of two floats is exact as a double. */
INLINE vreal simd128_fma(v128_t a, v128_t b, v128_t c) {
#define UPPER(x) wasm_i64x2_shuffle(x, x, 1, 1)
    const v128_t low_c = wasm_f64x2_promote_low_f32x4(c), high_c = wasm_f64x2_promote_low_f32x4(UPPER(c)),
                 low_p = wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(a), wasm_f64x2_promote_low_f32x4(b)),
                 high_p =
                     wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(UPPER(a)), wasm_f64x2_promote_low_f32x4(UPPER(b)));
#undef UPPER
    v128_t low = wasm_f64x2_add(low_p, low_c), high = wasm_f64x2_add(high_p, high_c);
    if (__builtin_expect(wasm_v128_any_true(wasm_v128_or(pair_in_doubt(low), pair_in_doubt(high))), 0)) {
        low = pair_to_odd(low_p, low_c, low);
        high = pair_to_odd(high_p, high_c, high);
    }
    return (vreal)wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high), 0, 2);
}
#endif

/* a b + c, rounded once. */
INLINE vreal v_fma(vreal a, vreal b, vreal c) {
#if !defined(TIDE_DOUBLE) && defined(__AVX512F__)
    return (vreal)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif !defined(TIDE_DOUBLE) && defined(__FMA__)
    return (vreal)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(TIDE_NEON)
    return (vreal)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif !defined(TIDE_DOUBLE) && defined(TIDE_SIMD128)
    return simd128_fma((v128_t)a, (v128_t)b, (v128_t)c);
#else
    for (int i = 0; i < VW; i++)
        c[i] = sizeof(real) == sizeof(float) ? (real)fmaf((float)a[i], (float)b[i], (float)c[i])
                                             : (real)fma(a[i], b[i], c[i]);
    return c;
#endif
}

INLINE vreal v_select(vword mask, vreal yes, vreal no) { return (vreal)((mask & (vword)yes) | (~mask & (vword)no)); }

/* Whether any number of the mask is not 0. */
INLINE int v_any(vword mask) {
    uint64_t pairs[sizeof mask / sizeof(uint64_t)], any = 0;
    memcpy(pairs, &mask, sizeof mask);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) any |= pairs[i];
    return any != 0;
}

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
   (coefficients: Cephes expf). Error: at most 1.1 ulp. x is clamped to [-87, 88]; NaN stays NaN. */
INLINE vreal v_exp(vreal x) {
    /* Adding it rounds to an integer, which is then in the low bits: n, and the bias of the exponent. */
    const vreal shift = v_splat(0x1.8p23f + 127);
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
    return p * (vreal)((vbits)shifted << 23);
}

/* tanh x = x P(x²) / Q(x²), a rational minimax approximation on [-9, 9]; outside, tanh x is ±1 within one ulp. The
   CPU computes the short chains P and Q in parallel: tanh takes most of the function evaluations of a training step.
   The error is at most 5.71 ulp: of all floats, 8.24799061 has the largest. */
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
