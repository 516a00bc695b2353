/* real.h: the number that tide computes with: float, or double where the gradients are checked. */
#ifndef TIDE_REAL_H
#define TIDE_REAL_H

#ifdef TIDE_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif
