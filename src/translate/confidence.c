#include "translate/confidence.h"

#include "core/exact.h"

#include <math.h>

static double logistic(double x) {
    const double most = 30; /* beyond it, 1 in float */
    return 1 / (1 + exact_exp(-(x > most ? most : x < -most ? -most : x)));
}

double confidence_of(const ModelOptions *options, double log_probability, int pieces) {
    const double a = options->confidence[0], b = options->confidence[1];
    if (pieces <= 0 || (a == 0 && b == 0)) return -1;
    return logistic(a + b * (log_probability / pieces));
}

double confidence_of_best(const ModelOptions *options, const Nbest *nbest) {
    return nbest->count ? confidence_of(options, nbest->list->log_probability, nbest->list->length) : -1;
}

/* Adds the step of Newton's method to the mapping. Returns its length; 0 if there is no step. */
static double improve(const double *m, const double *q, int n, double mapping[2]) {
    double gradient[2] = {0}, sum = 0, sum_m = 0, sum_mm = 0; /* of the weights p(1 - p), their first two moments */
    for (int i = 0; i < n; i++) {
        const double p = logistic(mapping[0] + mapping[1] * m[i]), weight = p * (1 - p);
        gradient[0] += q[i] - p;
        gradient[1] += (q[i] - p) * m[i];
        sum += weight;
        sum_m += weight * m[i];
        sum_mm += weight * m[i] * m[i];
    }
    const double determinant = sum * sum_mm - sum_m * sum_m;
    if (!(determinant > 1e-12 * sum * sum_mm)) return 0;
    const double a = (sum_mm * gradient[0] - sum_m * gradient[1]) / determinant;
    const double b = (sum * gradient[1] - sum_m * gradient[0]) / determinant;
    mapping[0] += a;
    mapping[1] += b;
    return fabs(a) + fabs(b);
}

bool confidence_fit(const double *m, const double *q, int n, double mapping[2]) {
    enum { MOST_STEPS = 100 };
    const double enough = 1e-9;
    mapping[0] = mapping[1] = 0;
    for (int i = 0; i < MOST_STEPS && improve(m, q, n, mapping) > enough; i++) {}
    const double most = 1000; /* of the option `confidence` */
    if (mapping[1] > 0 && mapping[1] < most && fabs(mapping[0]) < most && correlation(m, q, n) > 0) return true;
    mapping[0] = mapping[1] = 0;
    return false;
}

double correlation(const double *x, const double *y, int n) {
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        const double dx = x[i] - mean_x, dy = y[i] - mean_y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}
