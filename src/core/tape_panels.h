/* tape_panels.h: the weights of a tape as operands of gemm.h. It is apart from tape_op.h because that header is public.
 */
#ifndef TIDE_TAPE_PANELS_H
#define TIDE_TAPE_PANELS_H

#include "core/gemm.h"
#include "core/tape.h"

/* Returns W, or Wᵀ, for a product of m rows. A weight with shared panels uses these. Another weight stays packed if
   m is small, until the tape is reset or needs the other orientation; else it has no panels. */
Operand tape_operand(Tape *tape, Var *W, bool transposed, int m);

#endif
