/* position.h: where a word stands, for what has no order of its own (Vaswani et al. 2017, §3.5). */
#ifndef TIDE_POSITION_H
#define TIDE_POSITION_H

#include "core/tape.h"

/* √m x_i + P(position[i]), a row each: P(t)_2k = sin(t / 10000^(2k/m)), P(t)_2k+1 = cos of the same. x [n, m]. Returns
   [n, m]. */
Var *add_positional_encoding(Tape *tape, Var *x, const int *position);

#endif
