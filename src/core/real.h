/* real.h: the type of the numbers of matrices: float, or double in the test of the gradients. */
#ifndef TIDE_REAL_H
#define TIDE_REAL_H

#ifdef TIDE_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif
