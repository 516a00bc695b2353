/* exact.h: functions that decide weights and scores, so that they may not depend on a C library's: in double, by the
   same operations everywhere. */
#ifndef TIDE_EXACT_H
#define TIDE_EXACT_H

/* ln x for x > 0, to two units in the last place of 1 or of itself. */
double exact_log(double x);
/* eˣ for |x| < 700, to 1e-14 of itself, |x| times where that is larger than 1. */
double exact_exp(double x);
/* sin x and cos x for |x| < 10⁶, to 1e-9. */
double exact_sin(double x);
double exact_cos(double x);

#endif
