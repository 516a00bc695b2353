/* exact.h: ln, exp, sin and cos in double, for weights and scores. They do the same operations on every machine, so
   the results do not depend on the C library. */
#ifndef TIDE_EXACT_H
#define TIDE_EXACT_H

/* ln x for x > 0. The error is at most two units in the last place of max(1, |ln x|). */
double exact_log(double x);
/* eˣ for |x| < 700. The relative error is at most 1e-14 max(1, |x|). */
double exact_exp(double x);
/* sin x and cos x for |x| < 10⁶. The error is at most 1e-9. */
double exact_sin(double x);
double exact_cos(double x);

#endif
