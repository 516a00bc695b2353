#include "core/exact.h"

#include <math.h>

/* x = m 2^e with m in [√½, √2). ln m = 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172: a series of twelve terms. */
double exact_log(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2 * s * sum + e * 0.69314718055994531;
}

/* x = e ln 2 + r with |r| < 0.35. eˣ = 2^e Σ r^k / k!: a series of eighteen terms. */
double exact_exp(double x) {
    const double ln2 = 0.69314718055994531, e = floor(x / ln2 + 0.5), r = x - e * ln2;
    double sum = 1;
    for (int k = 17; k >= 1; k--) sum = 1 + sum * r / k;
    return ldexp(sum, (int)e);
}

/* sin x = x - x³/3! + x⁵/5! - .., after a reduction to |x| <= π. */
double exact_sin(double x) {
    const double pi = 3.14159265358979312;
    x = fmod(x, 2 * pi);
    if (x > pi) x -= 2 * pi;
    if (x < -pi) x += 2 * pi;
    double sum = 1;
    for (int k = 31; k >= 3; k -= 2) sum = 1 - sum * x * x / (k * (k - 1));
    return x * sum;
}

double exact_cos(double x) { return exact_sin(x + 1.57079632679489656); }
