/* position.h: the positional encoding, for encoders and decoders without recurrence (Vaswani et al. 2017, §3.5). */
#ifndef TIDE_POSITION_H
#define TIDE_POSITION_H

#include "core/tape.h"

/* Returns a matrix [n, m] with the rows √m x_i + P(position[i]), where P(t)_2k = sin(t / 10000^(2k/m)) and
   P(t)_2k+1 = cos(t / 10000^(2k/m)). x [n, m]. */
Var *add_positional_encoding(Tape *tape, Var *x, const int *position);

#endif
