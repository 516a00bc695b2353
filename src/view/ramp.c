#include "view/ramp.h"

#include <math.h>
#include <stdio.h>

#include "view/drawing.h"

/* A colour in Oklab, a space in which equal distances look equal (Ottosson 2020). */
typedef struct Oklab {
    double L, a, b;
} Oklab;

static double linear_of(int byte) {
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static int srgb_byte(double linear) {
    double c = fmin(fmax(linear, 0), 1);
    return (int)lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055));
}

static Oklab oklab_of(int rgb) {
    const double r = linear_of(rgb >> 16), g = linear_of(rgb >> 8 & 255), b = linear_of(rgb & 255);
    const double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return (Oklab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                   1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                   0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

void ramp_colour(double weight, char hex[8]) {
    const Oklab end = oklab_of(weight < 0 ? DRAWING_LESS : DRAWING_CELL);
    const double share = fabs(weight), L = 1 + share * (end.L - 1), a = share * end.a, b = share * end.b;
    const double l = pow(L + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = pow(L - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = pow(L - 0.0894841775 * a - 1.2914855480 * b, 3);
    snprintf(hex, 8, "#%02x%02x%02x", srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
             srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
             srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

const char *ramp_ink(double weight) { return fabs(weight) < DRAWING_STRONG ? "#000000" : "#ffffff"; }
