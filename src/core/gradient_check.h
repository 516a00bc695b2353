/* gradient_check.h: compares gradients with central differences, for the tests of ops.

   The error is |a - d| / max(floor, |a| + |d|), where a is a gradient and d a difference of fourth order:

     d = (8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / (12 h) = f'(x) - h⁴ f⁽⁵⁾(x) / 30 + ...

   h is 1e-3 in double and 0.02 in float; floor is 1e-5 and 0.1. In double, with f of the order of 1, the rounding error
   of d is of the order of 1e-16 / h = 1e-13, and h⁴ / 30 is 3e-14. In float the check finds only a wrong formula, not
   an inexact one: use double if you can. */
#ifndef TIDE_GRADIENT_CHECK_H
#define TIDE_GRADIENT_CHECK_H

#include "core/tape.h"

/* The largest error of a correct gradient: 1e-6 in double, 1e-2 in float. The rounding errors of long sums may need
   more. */
double gradient_tolerance(void);

/* Returns the error of a gradient, infinity if it is not a number: compares it with the difference of f at *x. f
   depends on *x, and on nothing else that changes; it may have kinks, but none within 2 h of *x. *x is unchanged after
   the call. */
typedef double ScalarFunction(void *context);
double gradient_check_number(ScalarFunction *f, void *context, real *x, double gradient);

typedef struct OpShape {
    int rows, cols;
} OpShape;

/* An op and the shapes of its inputs. build applies the op and returns its result, of any shape; it must return the
   same values for the same inputs. */
enum { OP_INPUTS = 5 /* at most */ };
typedef struct OpCheck {
    Var *(*build)(Tape *tape, Var *const *in, const void *extra);
    OpShape in[OP_INPUTS]; /* ends at the first shape without columns */
    const void *extra;     /* for build */
} OpCheck;

/* Returns the largest error of the gradients of an op, infinity if one is not a number or is outside of an input. The
   scalar is Σ w∘out with fixed random weights w. The inputs are random numbers in [-2, 2], and are whole matrices,
   slices of larger matrices, or parameters; the op is applied once and twice. Checks every number of an input of up
   to 100, and a sample of a larger one. threads: the pool of the tapes. */
double gradient_check_op(const OpCheck *check, Threads *threads);

#endif
